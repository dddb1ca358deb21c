"""Objects split into leaves: every byte belongs to one leaf, and offsets lead back to the right one."""

from __future__ import annotations

from pathlib import Path

import pytest

from frontend.lower.module import load_module
from frontend.memory.leaves import MemObject
from frontend.memory.objects import Notes, Objects
from frontend.memory.places import Places
from frontend.program import LP64
from frontend.text.parse import SourceOptions, parse


def object_of(tmp_path: Path, text: str) -> MemObject:
    path = tmp_path / "p.c"
    path.write_text(text)
    module = load_module(parse(str(path), SourceOptions()), LP64)
    return Objects(module, Places(module), Notes({}, {})).named("s")


CASES = [
    ("int s;", [("s", 0, 4)]),
    ("struct { char a; int b; } s;", [("s.a", 0, 1), ("s.b", 4, 4)]),
    ("struct { int a[3]; char b; } s[2];", [("s[].a[]", 0, 4), ("s[].b", 12, 1)]),
    # adjacent bit fields are one memory location of C11, a field of no bits parts them
    ("struct { unsigned a : 3, b : 5; unsigned : 0; unsigned c : 4; } s;", [("s.a", 0, 1), ("s.c", 4, 1)]),
    # members of one size share a leaf, others are bytes
    ("union { int a; unsigned b; } s;", [("s", 0, 4)]),
    ("union { int a; char b; } s;", [("s.bytes[]", 0, 1)]),
    ("struct { int k; union { int a; char b; } u; int l; } s;", [("s.k", 0, 4), ("s.u.bytes[]", 4, 1), ("s.l", 8, 4)]),
]


@pytest.mark.parametrize(("text", "leaves"), CASES, ids=[c[0] for c in CASES])
def test_leaves(tmp_path: Path, text: str, leaves: list[tuple[str, int, int]]) -> None:
    assert [(leaf.name, leaf.offset, leaf.size) for leaf in object_of(tmp_path, text).leaves] == leaves


def test_two_leaves_never_share_a_byte(tmp_path: Path) -> None:
    for text, _ in CASES:
        obj = object_of(tmp_path, text)
        owners: dict[int, str] = {}
        for leaf in obj.leaves:
            starts = [leaf.offset]
            for dim in leaf.dims:
                starts = [start + k * dim.stride for start in starts for k in range(dim.count)]
            for byte in (start + k for start in starts for k in range(leaf.size)):
                assert byte < obj.size and owners.setdefault(byte, leaf.name) == leaf.name


def test_offsets_of_elements_are_those_of_the_first(tmp_path: Path) -> None:
    obj = object_of(tmp_path, "struct { int a[3]; char b; } s[2];")
    assert [obj.normal(n) for n in (0, 4, 8, 12, 16, 20, 28)] == [0, 0, 0, 12, 0, 0, 12]
    assert obj.normal(13) == -1  # padding
    assert obj.strides(0) == (16, 4) and obj.strides(12) == (16,)


def test_an_access_that_fits_no_leaf_may_touch_them_all(tmp_path: Path) -> None:
    obj = object_of(tmp_path, "struct { char a; int b; char c; } s;")
    assert obj.leaf_numbers(4, 4) == (1,) and obj.leaf_numbers(0, 1) == (0,)
    assert obj.leaf_numbers(0, 8) == obj.leaf_numbers(4, 2) == obj.leaf_numbers(-1, 1) == (0, 1, 2)


def test_bytes_of_a_union_are_no_array_to_walk_in(tmp_path: Path) -> None:
    obj = object_of(tmp_path, "struct { int k; union { int a; char b; } u; int l; } s;")
    assert obj.strides(4) == (1,) and obj.strides(4, arithmetic=True) == ()
