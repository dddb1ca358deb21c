"""`dataclass` for data with slots, made and filled in less time than the standard library takes; the same otherwise.

There are hundreds of such classes, and making them was half of what starting took: the library compiles six methods of a frozen
class one by one, and a frozen object is filled by a way around its own ban on assignments. Here what depends on the fields is
compiled when the first object is made, once for all classes that differ in nothing but names; objects are filled through their
slots (those with many fields as objects of a twin class without the ban, which they stop being before anybody sees them), and
the rest is the same for all classes.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import types
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
        if cls.__doc__ is None:  # the library would look at the signature of a class that is not made yet
            cls.__doc__ = f"{cls.__name__}({', '.join(inspect.get_annotations(cls))})"
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
        known = {"missing": dataclasses.MISSING}
        names = {f"f{n}": f.name for n, f in enumerate(fields)}
        values, defaults = [], []
        for n, f in enumerate(fields):
            known[f"set_f{n}"] = cls.__dict__[f.name].__set__
            values.append(f"f{n}")
            if f.default is not dataclasses.MISSING:
                defaults.append(f.default)
            elif f.default_factory is not dataclasses.MISSING:
                known[f"make_f{n}"] = f.default_factory
                defaults.append(dataclasses.MISSING)
                values[-1] = f"make_f{n}() if f{n} is missing else f{n}"
        by_name = [f"self.f{n} = {value}" for n, value in enumerate(values)]
        if not frozen:
            body = by_name
        elif len(fields) < _MANY:
            body = [f"set_f{n}(self, {value})" for n, value in enumerate(values)]
        else:
            twin = type(cls.__name__, (), {"__slots__": cls.__slots__})
            known |= {"own": cls, "twin": twin, "become": object.__setattr__, "fill": _with_state}
            body = ["if self.__class__ is own:", *(f"    {line}" for line in (
                        "become(self, '__class__', twin)", *by_name, "self.__class__ = own")),
                    "else:", f"    fill(self, ({', '.join(values)}))"]
        if hasattr(cls, "__post_init__"):
            body.append("self.__post_init__()")
        mine = "".join(f"self.f{n}, " for n, f in enumerate(fields) if f.compare)
        others = mine.replace("self.", "other.")
        texts = {
            "__init__": "\n    ".join([f"def __init__({', '.join(['self', *names])}):", *(body or ["pass"])]),
            "__eq__": "def __eq__(self, other):\n"
                      f"    return ({mine}) == ({others}) if other.__class__ is self.__class__ else NotImplemented",
            "__hash__": f"def __hash__(self):\n    return hash(({mine}))",
        }
        methods = {}
        for name, text in texts.items():
            code = _code(name, text)
            code = code.replace(co_varnames=tuple([names.get(n, n) for n in code.co_varnames]),
                                co_names=tuple([names.get(n, n) for n in code.co_names]))
            methods[name] = types.FunctionType(code, known, name, tuple(defaults) if name == "__init__" else None)
            methods[name].__qualname__ = f"{cls.__qualname__}.{name}"
        return methods

    @functools.cache
    def _code(name, text):
        """The code of a method in which fields are called f0, f1, and so on: many classes have the same."""
        made = {}
        exec(text, made)
        return made[name].__code__

    def _repr(self):
        shown = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
        return f"{self.__class__.__qualname__}({shown})"

    def _no_assignment(self, name, value):
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")

    def _no_deletion(self, name):
        raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")

    def _state(self):
        return [getattr(self, name) for name in self.__match_args__]

    def _with_state(self, state):
        for name, value in zip(self.__match_args__, state, strict=True):
            object.__setattr__(self, name, value)
