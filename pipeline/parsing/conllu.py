"""CoNLL-U (https://universaldependencies.org/format.html): gold trees are read, and parsed ones written.

The ``conllu`` library reads the format.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pipeline.core import store
from pipeline.core.errors import SynsemError
from pipeline.core.store import atomic_path
from pipeline.syntax.sentence import CONLLU_REMEDY, Sentence, check_conllu


def is_conllu(text: str) -> bool:
    """Return whether the first line that is not a comment has the ten columns of CoNLL-U.

    ``download`` leaves no tab in plain text, so such a line is never prose.
    """
    if "\t" not in text:
        return False
    first = next((line for line in text.split("\n") if line.strip() and not line.startswith("#")), "")
    return first.count("\t") == 9


def read(text: str, origin: str) -> list[Sentence]:
    """Return the sentences of a CoNLL-U text without empty nodes; multiword tokens give their spacing.

    Raises SynsemError naming ``origin`` if the text is malformed.
    """
    import conllu

    check_conllu(text, origin)
    try:
        return list(map(_sentence, conllu.parse(text)))
    except (conllu.exceptions.ParseException, SynsemError, KeyError, TypeError, ValueError) as error:
        raise SynsemError(f"{origin}: not valid CoNLL-U ({error}); {CONLLU_REMEDY}") from error


def _given(value: str | None) -> str | None:
    """A column's value, or None if it is left out; the library finds that out for some columns only."""
    return None if value == "_" else value


def _sentence(tokens: Sequence[dict[str, Any]]) -> Sentence:
    words = [token for token in tokens if isinstance(token["id"], int)]
    if wrong := [word["id"] for place, word in enumerate(words, 1) if word["id"] != place]:
        # A head names an ID, and is read as a position.
        raise SynsemError(f"its words are not numbered 1, 2, 3 ...: {wrong[0]} is out of place")
    spaces = {word["id"]: _space_after(word) for word in words}
    for token in tokens:  # 1-2 don't: no space inside, but in 1-2 au; after it what the whole token says
        if not isinstance(token["id"], int) and token["id"][1] == "-":
            first, _, last = token["id"]
            if last > len(words):
                raise SynsemError(f"its token {first}-{last} covers words that do not exist")
            apart = not adds_up([word["form"] for word in words[first - 1 : last]], token["form"])
            spaces.update(dict.fromkeys(range(first, last), apart))
            spaces[last] = _space_after(token)
    return Sentence(
        words=tuple(word["form"] for word in words),
        space_after=tuple(spaces.values()),
        lemmas=tuple(_given(word["lemma"]) or word["form"] for word in words),
        upos=tuple(_given(word["upos"]) or "X" for word in words),
        xpos=tuple(word["xpos"] or "" for word in words),
        feats=tuple(
            "|".join(f"{name}={value}" if value else name for name, value in (word["feats"] or {}).items())
            for word in words
        ),
        heads=tuple(int(word["head"]) for word in words),
        deprels=tuple(word["deprel"] for word in words),
    )


def adds_up(words: Sequence[str], token: str) -> bool:
    """Whether a token's words give its form: ``do`` and ``n't`` do, ``à`` and ``le`` of ``au`` do not."""
    return "".join(words).casefold() == token.casefold()


def _space_after(token: dict[str, Any]) -> bool:
    return (token["misc"] or {}).get("SpaceAfter") != "No"


def export_conllu(parsed: Path, out: Path) -> int:
    """Write ``out/part-00000.conllu`` for each ``part-00000.arrow``; return the number of sentences."""
    written = 0
    for path in store.shards(parsed):
        with (
            atomic_path(out / f"{path.stem}.conllu") as partial,
            partial.open("w", encoding="utf-8", newline="\n") as stream,
        ):
            for batch in store.read_file(path).to_batches(max_chunksize=1024):
                for row in store.to_rows(batch):
                    sentence = Sentence.from_row(row)
                    stream.writelines(line + "\n" for line in lines(row["sent_id"], row["text"], sentence))
                    written += 1
    return written


def lines(sent_id: str, text: str, sentence: Sentence) -> Iterable[str]:
    """Yield a sentence as lines of CoNLL-U, including the empty line at its end."""
    yield f"# sent_id = {sent_id}"
    yield f"# text = {' '.join(text.split())}"
    last = len(sentence) - 1
    for number, word in enumerate(sentence.words):
        yield "\t".join(
            (
                str(number + 1),
                _field(word),
                _field(sentence.lemmas[number]),
                sentence.upos[number] or "X",
                _field(sentence.xpos[number]),
                # By name, case aside, as the format asks.
                "|".join(sorted(sentence.feats[number].split("|"), key=str.lower)) or "_",
                str(sentence.heads[number]),
                sentence.deprels[number],
                "_",
                "_" if sentence.space_after[number] or number == last else "SpaceAfter=No",
            )
        )
    yield ""


def _field(value: str) -> str:
    return value.replace("\t", " ").replace("\n", " ") or "_"
