"""`frontend.records.dataclass` makes what the standard library's makes."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, field, fields, replace
from typing import Any, ClassVar, Generic, TypeVar

import pytest

from frontend import records
from frontend.program import Location

T = TypeVar("T")
LIBRARY: Callable[..., Any] = dataclasses.dataclass
OURS: Callable[..., Any] = records.dataclass


def plain(make: Callable[..., Any], frozen: bool = True) -> Any:
    @make(frozen=frozen, slots=True)
    class Plain:
        """Some fields."""

        shared: ClassVar[int] = 3
        name: str
        size: int = 4
        parts: list[int] = field(default_factory=list)
        note: str = field(default="", compare=False, repr=False)

        @property
        def long(self) -> bool:
            return self.size > 3

    return Plain


def empty(make: Callable[..., Any]) -> Any:
    @make(frozen=True, slots=True)
    class Empty:
        """No fields."""

    return Empty


def particular(make: Callable[..., Any]) -> Any:
    @make(frozen=True, slots=True)
    class Particular:
        """Says itself what it is equal to, and how it looks."""

        name: str

        def __post_init__(self) -> None:
            if not self.name:
                raise ValueError("no name")

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

        def __repr__(self) -> str:
            return "one"

    return Particular


@pytest.mark.parametrize("frozen", [True, False])
def test_objects_are_made_compared_and_shown_as_by_the_library(frozen: bool) -> None:
    seen = []
    for make in (LIBRARY, OURS):
        kind = plain(make, frozen)
        one, two, other = kind("a"), kind(name="a", note="else"), kind("a", 5, [1])
        shown = [repr(one), repr(other), one == two, one == other, one == ("a", 4, []), one != two, one.parts is two.parts, one.long,
                 asdict(other), replace(other, size=6).size, copy.deepcopy(other) == other, kind.__match_args__, kind.__slots__,
                 [(f.name, f.compare) for f in fields(kind)], kind.__doc__, kind.shared, list(inspect.signature(kind).parameters)]
        for wrong in (lambda kind=kind: kind(), lambda kind=kind: kind("a", 1, [], "", 2), lambda kind=kind: kind("a", colour=1)):
            with pytest.raises(TypeError) as told:
                wrong()
            shown.append(str(told.value).replace("Plain.__init__", "__init__"))
        seen.append(shown)
    assert repr(seen[0]) == repr(seen[1])


def test_frozen_objects_stay_as_they_are_and_have_a_hash() -> None:
    for make in (LIBRARY, OURS):
        one = plain(make)("a", 1, ())
        assert hash(one) == hash(plain(make)("a", 1, (), "else")) == hash(("a", 1, ()))
        for change in (lambda one=one: setattr(one, "name", "b"), lambda one=one: delattr(one, "name"),
                       lambda one=one: setattr(one, "unknown", 1)):
            with pytest.raises((FrozenInstanceError, TypeError)):  # the library's own answer to the last is an odd one
                change()
        with pytest.raises(TypeError, match="unhashable"):
            hash(plain(make)("a"))
        with pytest.raises(TypeError, match="unhashable"):
            hash(plain(make, frozen=False)("a"))


def test_others_can_be_changed_but_get_no_new_fields() -> None:
    one = plain(OURS, frozen=False)("a")
    one.size = 9
    assert one.size == 9
    with pytest.raises(AttributeError):
        one.unknown = 1


def test_what_a_class_says_itself_stands() -> None:
    for make in (LIBRARY, OURS):
        kind = particular(make)
        assert (kind("a") == kind("b"), hash(kind("a")), repr(kind("a"))) == (True, 7, "one")
        with pytest.raises(ValueError, match="no name"):
            kind("")


def test_without_fields_all_objects_are_equal() -> None:
    kind = empty(OURS)
    assert kind() == kind() and hash(kind()) == hash(()) and repr(kind()).endswith("Empty()")


def test_classes_of_other_sorts_are_the_librarys() -> None:
    @OURS
    class Simple:
        size: int

    @OURS(frozen=True, slots=True, order=True)
    class Ordered:
        size: int

    @OURS(frozen=True, slots=True)
    class Of(Generic[T]):
        """One of any type."""

        size: T

    @OURS(frozen=True, slots=True)
    class Base:
        """What others add to."""

        size: int

    @OURS(frozen=True, slots=True)
    class Longer(Base):
        """One more field."""

        name: str

    @OURS(slots=True)
    class Later:
        """A field that is filled afterwards."""

        size: int
        twice: int = field(init=False)

        def __post_init__(self) -> None:
            self.twice = 2 * self.size

    assert Simple(1) == Simple(1) and Ordered(1) < Ordered(2) and Of(1) == Of(1) and Later(2).twice == 4
    longer = Longer(1, "a")
    assert (longer.size, longer.name, longer == Longer(1, "a"), longer == Base(1)) == (1, "a", True, False)
    with pytest.raises(FrozenInstanceError):
        longer.size = 2


def test_the_first_object_may_be_a_copy() -> None:
    """What is compiled when the first object is made must also be there for one that was unpickled, or made without `__init__`."""
    where = Location("a.c", 3, 4)
    assert pickle.loads(pickle.dumps(where)) == where
    kind = plain(OURS)
    first, second = kind.__new__(kind), kind.__new__(kind)
    for one in (first, second):
        one.__setstate__(["a", 1, (), ""])
    assert first == second and hash(first) == hash(second)
    again = plain(OURS)
    bare = again.__new__(again)
    bare.__setstate__(["a", 1, (), ""])
    assert hash(bare) == hash(("a", 1, ()))


def wide(make: Callable[..., Any], frozen: bool = True) -> Any:
    @make(frozen=frozen, slots=True)
    class Wide:
        """Many fields."""

        a: int
        b: int
        c: int = 3
        d: tuple[int, ...] = ()
        e: list[int] = field(default_factory=list)
        f: str = "f"
        g: int = 0

        def __post_init__(self) -> None:
            assert type(self).__name__ in ("Wide", "Inherits")

    return Wide


@pytest.mark.parametrize("frozen", [True, False])
def test_objects_with_many_fields_are_like_others(frozen: bool) -> None:
    seen = []
    for make in (LIBRARY, OURS):
        kind = wide(make, frozen)
        one = kind(1, 2, g=7)
        seen.append([repr(one), one == kind(1, 2, 3, (), [], "f", 7), one == kind(1, 2), type(one) is kind, one.e is kind(1, 2).e,
                     repr(pickle.loads(pickle.dumps(Location("a.c", 3)))), repr(copy.deepcopy(one)), repr(records.replace(one, d=(4,)))])
        if frozen:
            for change in (lambda one=one: setattr(one, "a", 2), lambda one=one: delattr(one, "a")):
                with pytest.raises(FrozenInstanceError):
                    change()

        class Inherits(kind):  # type: ignore[misc,valid-type]
            """No data of its own."""

        assert (type(Inherits(1, 2)), Inherits(1, 2).g, Inherits(1, 2) == Inherits(1, 2)) == (Inherits, 0, True)
    assert repr(seen[0]) == repr(seen[1])


def test_replace_does_what_the_library_does() -> None:
    for make in (LIBRARY, OURS):
        one = plain(make)("a", 1, [2])
        two = records.replace(one, size=5)
        assert (two.name, two.size, two.parts is one.parts, one.size, type(two) is type(one)) == ("a", 5, True, 1, True)
        assert records.replace(two) == two and records.replace(two) is not two
        with pytest.raises(TypeError):
            records.replace(one, colour=1)
        nothing = empty(make)()
        assert records.replace(nothing) == nothing
        with pytest.raises(ValueError, match="no name"):
            records.replace(particular(make)("a"), name="")

    @OURS(frozen=True, slots=True)
    class Base:
        """What others add to."""

        size: int

    @OURS(frozen=True, slots=True)
    class Longer(Base):
        """One more field."""

        name: str

    for _ in range(2):
        assert records.replace(Base(1), size=2) == Base(2)
        assert records.replace(Longer(1, "a"), size=2) == Longer(2, "a")
