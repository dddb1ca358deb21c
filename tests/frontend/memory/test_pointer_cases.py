"""The cases of an access through a pointer, against the bytes that it touches as `ctypes` lays objects out."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import pytest

import frontend
from frontend.memory.pointer_cases import linear
from frontend.program import Binary, Const, Read, Scalar, Var

WORD = Scalar(64, False)
DECLARED = "struct inner { char c; short s; }; struct { int a; struct inner in[2]; union { int i; char b[4]; } u; char tail; } g;"


class Inner(ctypes.Structure):
    _fields_ = [("c", ctypes.c_char), ("s", ctypes.c_short)]


class Either(ctypes.Union):
    _fields_ = [("i", ctypes.c_int), ("b", ctypes.c_char * 4)]


class Object(ctypes.Structure):
    _fields_ = [("a", ctypes.c_int), ("in_", Inner * 2), ("u", Either), ("tail", ctypes.c_char)]


def written(tmp_path: Path, statement: str) -> set[str]:
    """The parts of `g` that a thread's statement writes, without indices."""
    path = tmp_path / "p.c"
    path.write_text(f"{DECLARED}\nint any(void);\nvoid w(void) {{ {statement} }}\nint main(void) {{ return g.a; }}\n")
    program = frontend.load(path, frontend.LoadOptions(threads=("w",)))
    cfa = program.template("w").cfa
    return {a.variable for e in cfa.edges for a in e.accesses if a.write and a.variable.startswith("g")}


def overlapped(offset: int, size: int) -> set[str]:
    """The parts whose bytes an access to `size` bytes at `offset` touches."""
    inner = Object.in_.offset
    places: list[tuple[str, int, int]] = [("g.a", Object.a.offset, 4), ("g.u", Object.u.offset, 4), ("g.tail", Object.tail.offset, 1)]
    for k in (0, 1):
        at = inner + k * ctypes.sizeof(Inner)
        places += [("g.in[].c", at + Inner.c.offset, 1), ("g.in[].s", at + Inner.s.offset, 2)]
    return {name for name, at, length in places if at < offset + size and offset < at + length}


def same_part(name: str) -> str:
    """Parts of the union are one."""
    return "g.u" if name.startswith("g.u") else name


@pytest.mark.parametrize(("type_", "size"), [("char", 1), ("short", 2), ("int", 4)])
def test_an_access_at_a_known_offset_touches_the_parts_it_overlaps(tmp_path: Path, type_: str, size: int) -> None:
    for offset in range(0, ctypes.sizeof(Object) - size + 1, size):
        found = {same_part(n) for n in written(tmp_path, f"*({type_} *)((char *)&g + {offset}) = 1;")}
        assert found >= overlapped(offset, size), (type_, offset, found)
        if overlapped(offset, size):
            assert found == overlapped(offset, size), (type_, offset, found)


def test_an_access_at_an_unknown_offset_may_touch_every_part(tmp_path: Path) -> None:
    everything = overlapped(0, ctypes.sizeof(Object))
    assert {same_part(n) for n in written(tmp_path, "((char *)&g)[any()] = 1;")} >= everything
    only = written(tmp_path, "g.in[any()].s = 1;")
    assert only == {"g.in[].s"}, only


def test_a_pointer_to_a_part_stays_in_its_array(tmp_path: Path) -> None:
    found = written(tmp_path, "struct inner *p = g.in; p += any(); p->c = 1;")
    assert found == {"g.in[].c"}, found


def read(name: str) -> Read:
    return Read(Var(name, WORD))


CASES: list[tuple[Any, Any]] = [
    (Const(7, WORD), (7, ())),
    (Binary("*", read("i"), Const(8, WORD)), (0, ((read("i"), 8),))),
    (Binary("+", Const(5, WORD), Binary("*", read("i"), Const(8, WORD))), (5, ((read("i"), 8),))),
    (Binary("+", Const(2**64 - 1, WORD), Const(3, WORD)), (2, ())),
    (read("p"), None),
    (Binary("+", read("p"), Const(4, WORD)), None),
    (Binary("*", Const(3, WORD), Const(4, WORD)), None),
    (Binary("-", Const(5, WORD), Binary("*", read("i"), Const(8, WORD))), None),
]


@pytest.mark.parametrize(("address", "expected"), CASES)
def test_addresses_as_a_constant_and_strides(address: Any, expected: Any) -> None:
    assert linear(address) == expected
