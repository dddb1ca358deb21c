"""`dataclass` for data with slots, made and filled in less time than the standard library takes; the same otherwise.

There are hundreds of such classes, and making them was half of what starting took: the library compiles six methods of a frozen
class one by one, and a frozen object is filled by a way around its own ban on assignments. Here what depends on the fields is
compiled in one piece when the first object is made, objects are filled through their slots (those with many fields as objects of
a twin class without the ban, which they stop being before anybody sees them), and the rest is the same for all classes.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
    from dataclasses import replace as replace
else:
    _MANY = 6
    """From so many fields on, becoming another class twice costs less than a way around the ban for each field."""

    def replace(record, /, **changes):
        """The function `dataclasses.replace`."""
        cls = record.__class__
        if "__record__" not in cls.__dict__:  # a class with more fields may inherit it
            return dataclasses.replace(record, **changes)
        values = [changes.pop(name) if name in changes else getattr(record, name) for name in cls.__match_args__]
        return cls(*values, **changes)

    def dataclass(cls=None, /, *, frozen=False, slots=False, **others):
        """The decorator `dataclasses.dataclass`; classes that are not plainly data with slots are left to the library."""
        library = dataclasses.dataclass(frozen=frozen, slots=slots, **others)
        if cls is not None:
            return library(cls)
        return (lambda made: _record(made, frozen) if _is_plain(made) else library(made)) if slots and not others else library

    def _is_plain(cls):
        return cls.__bases__ == (object,) and all(
            value.init for value in vars(cls).values() if isinstance(value, dataclasses.Field))

    def _record(cls, frozen):
        shape = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
        fields = dataclasses.fields(shape)
        shape.__dataclass_params__.frozen = frozen
        shape.__record__ = True
        methods = {"__repr__": _repr, **_deferred(shape, fields, frozen)}
        if frozen:
            methods |= {"__setattr__": _no_assignment, "__delattr__": _no_deletion, "__getstate__": _state,
                        "__setstate__": _with_state}
        else:
            methods["__hash__"] = None
        for name, method in methods.items():
            if shape.__dict__.get(name) is None:
                setattr(shape, name, method)
        return shape

    def _deferred(cls, fields, frozen):
        """Methods that put those in their places that are written in the names of the fields, and do what these do."""
        def compiled():
            for name, method in _compiled(cls, fields, frozen).items():
                if cls.__dict__[name] is stubs[name]:
                    setattr(cls, name, method)

        def __init__(self, *values, **named):
            compiled()
            self.__init__(*values, **named)

        def __eq__(self, other):
            compiled()
            return self.__eq__(other)

        def __hash__(self):
            compiled()
            return hash(self)

        stubs = {"__init__": __init__, "__eq__": __eq__, "__hash__": __hash__}
        return stubs

    def _compiled(cls, fields, frozen):
        """The methods that are written in the names of the fields."""
        known, parameters, body, values = {"missing": dataclasses.MISSING}, ["self"], [], []
        for f in fields:
            value = name = f.name
            if f.default is not dataclasses.MISSING:
                known[f"default_{name}"] = f.default
                parameters.append(f"{name}=default_{name}")
            elif f.default_factory is not dataclasses.MISSING:
                known[f"make_{name}"] = f.default_factory
                parameters.append(f"{name}=missing")
                value = f"make_{name}() if {name} is missing else {name}"
            else:
                parameters.append(name)
            known[f"set_{name}"] = cls.__dict__[name].__set__
            values.append((name, value))
        through_slots = [f"set_{name}(self, {value})" for name, value in values]
        by_name = [f"self.{name} = {value}" for name, value in values]
        if not frozen:
            body = by_name
        elif len(fields) < _MANY:
            body = through_slots
        else:
            twin = type(cls.__name__, (), {"__slots__": cls.__slots__})
            known |= {"own": cls, "twin": twin, "become": object.__setattr__, "fill": _with_state}
            body = ["if self.__class__ is own:", *(f"    {line}" for line in (
                        "become(self, '__class__', twin)", *by_name, "self.__class__ = own")),
                    "else:", f"    fill(self, ({', '.join(value for _, value in values)}))"]
        if hasattr(cls, "__post_init__"):
            body.append("self.__post_init__()")
        mine = "".join(f"self.{f.name}, " for f in fields if f.compare)
        others = mine.replace("self.", "other.")
        text = [f"def __init__({', '.join(parameters)}):", *(f"    {line}" for line in body or ["pass"]),
                "def __eq__(self, other):",
                f"    return ({mine}) == ({others}) if other.__class__ is self.__class__ else NotImplemented",
                "def __hash__(self):",
                f"    return hash(({mine}))"]
        methods = {}
        exec("\n".join(text), known, methods)
        for name, method in methods.items():
            method.__qualname__ = f"{cls.__qualname__}.{name}"
        return methods

    def _repr(self):
        shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
        return f"{self.__class__.__qualname__}({shown})"

    def _no_assignment(self, name, value):
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def _no_deletion(self, name):
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def _state(self):
        return [getattr(self, f.name) for f in dataclasses.fields(self)]

    def _with_state(self, state):
        for f, value in zip(dataclasses.fields(self), state, strict=True):
            object.__setattr__(self, f.name, value)
