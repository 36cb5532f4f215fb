"""The base of all sections of params.yaml, and the kinds of values in them."""

from typing import Annotated, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo
from pydantic_core import PydanticCustomError

Item = TypeVar("Item")


class Section(BaseModel):
    """A section of params.yaml: immutable, no unknown keys, no silent conversions, all numbers finite."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


def _once(values: list[Item]) -> list[Item]:
    for number, value in enumerate(values):
        if value in values[:number]:
            raise PydanticCustomError("twice", "names {value} twice; remove one", {"value": repr(value)})
    return values


Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Dimensions = Annotated[int, Field(ge=1, le=2**16)]  # of a vector
Seed = Annotated[int, Field(ge=0, lt=2**32)]  # that every library takes
Weight = Annotated[float, Field(ge=0)]
Rate = Annotated[float, Field(gt=0)]
Fraction = Annotated[float, Field(ge=0, le=1)]
Dropout = Annotated[float, Field(ge=0, lt=1)]
Likeness = Annotated[float, Field(ge=0.5, le=1)]  # a similarity threshold
# Of a softmax over cosines. Below about 1e-19 the square of a cosine divided by it is beyond float32.
Temperature = Annotated[float, Field(ge=1e-9)]
Language = Annotated[str, Field(pattern="^[a-z]{2,3}$")]  # a code of ISO 639, such as en or grc
# A list that names nothing twice.
Unique = Annotated[list[Item], AfterValidator(_once)]


def not_below(lower: str) -> AfterValidator:
    """Return a check that a number is at least that of the key ``lower``, which its section has before it."""

    def check(value: float, others: ValidationInfo) -> float:
        if lower in others.data and value < others.data[lower]:
            raise PydanticCustomError("below", "must not be below {lower}", {"lower": lower})
        return value

    return AfterValidator(check)
