"""Data models: how wide C's basic types are."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DataModel:
    """Sizes in bytes; no scalar is aligned to more than `max_align`."""

    name: str
    short_size: int
    int_size: int
    long_size: int
    long_long_size: int
    pointer_size: int
    max_align: int
    char_signed: bool = True


ILP32 = DataModel("ilp32", 2, 4, 4, 8, 4, 4)
LP64 = DataModel("lp64", 2, 4, 8, 8, 8, 16)
IP16 = DataModel("ip16", 2, 2, 4, 8, 2, 1)
DATA_MODELS = {m.name: m for m in (ILP32, LP64, IP16)}
