"""The models under which a program is read: how wide types are, what integers are, which accesses race, who preempts whom."""

from __future__ import annotations

from enum import StrEnum

from frontend.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class DataModel:
    """How wide C's basic types are, in bytes; no scalar is aligned to more than `max_align`."""

    name: str
    short_size: int
    int_size: int
    long_size: int
    long_long_size: int
    pointer_size: int
    max_align: int
    char_signed: bool = True

    @property
    def widths(self) -> str:
        """The name of the model that is the same but for the sign of `char`."""
        return self.name.removesuffix(UNSIGNED_CHARS)


UNSIGNED_CHARS = "-uchar"
"""How the names of models end in which `char` has no sign, as on ARM or with `-funsigned-char`."""
ILP32 = DataModel("ilp32", 2, 4, 4, 8, 4, 4)
LP64 = DataModel("lp64", 2, 4, 8, 8, 8, 16)
IP16 = DataModel("ip16", 2, 2, 4, 8, 2, 1)
_SIGNED = (ILP32, LP64, IP16)
DATA_MODELS = {m.name: m for m in (*_SIGNED, *(replace(m, name=m.name + UNSIGNED_CHARS, char_signed=False) for m in _SIGNED))}
_FAMILIES = {
    "atmega8": "atmega8a",
    "atmega16": "atmega16a",
    "atmega32": "atmega32a",
    "atmega328p": "atmega48 atmega48a atmega48p atmega48pa atmega88 atmega88a atmega88p atmega88pa "
                  "atmega168 atmega168a atmega168p atmega168pa atmega328",
    "atmega32u4": "atmega16u4",
    "atmega1284p": "atmega164a atmega164p atmega324a atmega324p atmega324pa "
                   "atmega644 atmega644a atmega644p atmega644pa atmega1284",
    "atmega2560": "atmega640 atmega1280 atmega1281 atmega2561",
    "attiny2313": "",
    "attiny84": "attiny24 attiny24a attiny44 attiny44a attiny84a",
    "attiny85": "attiny25 attiny45",
}
PARTS = {part: family for family, parts in _FAMILIES.items() for part in (family, *parts.split())}
"""AVR parts by their names, and the one whose registers and vectors are theirs, too."""
PLATFORMS = tuple(sorted({*PARTS, "atmega103", "atmega128", "avr", "cortex-m", "xmega"}))
"""Processors whose interrupts are known (`frontend/tables/`)."""


class Ints(StrEnum):
    """What integers are."""

    EXACT = "exact"
    """Machine integers, which wrap around."""
    MATH = "math"
    """Mathematical ones: an assumption."""


class RaceModel(StrEnum):
    """Which two accesses to one cell, of which one is a write, are a race."""

    NESC = "nesc"
    """Both outside atomic sections."""
    C11 = "c11"
    """All but two atomic accesses, or two inside atomic sections."""
    MACHINE = "machine"
    """One of them is not made by one instruction (too wide, an update, polled though not volatile), and the other may come
    in between; `Access.kind` and `Edge.protected` say which are and which may."""


class MemoryModel(StrEnum):
    """What atomic accesses with a weaker order than `seq_cst` mean."""

    C11 = "c11"
    """What C11 says: they may be seen late, and order what the standard says."""
    SC = "sc"
    """As if they were `seq_cst`: an assumption."""


class Preemption(StrEnum):
    """Who may run between two steps of a thread."""

    NESTED = "nested"
    """Handlers run to their end, those that preempt them first."""
    FREE = "free"
    """Anybody."""
