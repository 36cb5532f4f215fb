"""Numbers for texts by their hashes, in some 30 bytes a text; a dictionary of texts takes 200 and more."""

from array import array

_FIRST_SLOTS = 1024


class HashNumbers:
    """Numbers 64-bit hashes in the order in which they first come: 0, 1, 2 ...

    The hashes stand for their texts: among ten million texts two share a hash of ``seeding.stable_hash`` in
    one of 400,000 corpora. A table of 12 bytes a slot, a third to two thirds of it filled.
    """

    def __init__(self) -> None:
        self._allocate(_FIRST_SLOTS)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, value: int) -> bool:
        return self._hashes[self._slot(value or 1)] != 0

    def number(self, value: int) -> int:
        """The number of a hash (0 to 2**64 - 1; 0 counts as 1); a new one gets ``len`` before the call."""
        slot = self._slot(value or 1)
        if not self._hashes[slot]:
            if 3 * (self._count + 1) > 2 * len(self._hashes):
                self._grow()
                slot = self._slot(value or 1)
            self._hashes[slot], self._numbers[slot] = value or 1, self._count
            self._count += 1
        return self._numbers[slot]

    def add(self, value: int) -> bool:
        """Whether a hash is new; it is known from now on."""
        return self._count == self.number(value)

    def _slot(self, value: int) -> int:
        """Where the hash is, or the empty slot where it belongs; 0 marks an empty slot."""
        hashes, mask = self._hashes, len(self._hashes) - 1
        slot = value & mask
        while hashes[slot] not in (0, value):
            slot = (slot + 1) & mask
        return slot

    def _allocate(self, slots: int) -> None:
        self._hashes, self._numbers = array("Q", [0]) * slots, array("I", [0]) * slots

    def _grow(self) -> None:
        hashes, numbers = self._hashes, self._numbers
        self._allocate(2 * len(hashes))
        for value, number in zip(hashes, numbers, strict=True):
            if value:
                slot = self._slot(value)
                self._hashes[slot], self._numbers[slot] = value, number
