"""The files of a program, each with the names that the program has for what it declares.

Names come first, from the symbol tables of all files, then structs and unions, which are one type where they have one
structure; the files themselves are made after that, so that nothing has to be renamed later.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from frontend.annotations.attached import Attach
from frontend.ctypes import Record, RecordType
from frontend.ctypes.compatible import ANONYMOUS, Compatibility, tag_of
from frontend.ctypes.linkage import Declared, linkage, with_alias_handlers
from frontend.ctypes.program_names import AS_WRITTEN, ProgramNames
from frontend.ir import Module
from frontend.ir.thread_library import THREAD_LIBRARY
from frontend.lower.module import load_module
from frontend.lower.unit import ASSEMBLY, FLOATS, WEAK_ORDERS
from frontend.program import DataModel, FrontendError, Ground, MemoryModel
from frontend.text.parse import ParsedFile

GROUNDS = {FLOATS: Ground.COVERED, WEAK_ORDERS: Ground.ORDERED, ASSEMBLY: Ground.DEFINED}
"""Why these are taken for granted; assembly that touches more without saying so is undefined by the manual of its compiler."""
_LONGEST_CHAIN = 100
"""Aliases of aliases."""


def load_units(files: Sequence[ParsedFile], model: DataModel, attach: Attach | None = None,
               memory: MemoryModel = MemoryModel.C11) -> tuple[Module, ...]:
    """A module for each file, with names that mean the same in all of them; `attach` reads annotations."""
    files = [with_alias_handlers(parsed) for parsed in files]
    tables = [linkage(parsed) for parsed in files]
    if len(files) == 1:
        [table] = tables
        own = {n: f"{labels([files[0].path])[0]}:{n}" for n, d in table.items() if _takes_a_librarys_name(d)}
        aliases = {n: _end_of(n, table) for n, d in table.items() if d.alias is not None}
        names = replace(AS_WRITTEN, renamed={**own, **{n: own.get(end, end) for n, end in aliases.items()}})
        return (load_module(files[0], model, attach, names, memory),)
    named = _named([parsed.path for parsed in files], tables)
    keyed = _with_keys([load_module(parsed, model) for parsed in files], named)
    return tuple(load_module(parsed, model, attach, names, memory) for parsed, names in zip(files, keyed, strict=True))


def labels(paths: Sequence[str]) -> list[str]:
    """A short name for each file: its own, with folders where two have the same."""
    def tail(path: str, parts: int) -> str:
        return re.sub(r"[^\w./+-]", "_", "/".join(path.split("/")[-parts:]))

    plain = [os.path.normpath(path) for path in paths]
    found = [tail(path, 1) for path in plain]
    for parts in range(2, 1 + max(path.count("/") + 1 for path in plain)):
        often = Counter(found)
        found = [tail(path, parts) if often[label] > 1 else label for path, label in zip(plain, found, strict=True)]
    often = Counter(found)
    return [f"{label}.{n}" if often[label] > 1 else label for n, label in enumerate(found)]


# --------------------------------------------------------------------------------------------------- names
def _named(paths: Sequence[str], tables: Sequence[Mapping[str, Declared]]) -> list[ProgramNames]:
    users = Counter(name for table in tables for name in table)
    definitions = [{n for n, d in table.items() if d.defined and not d.internal} for table in tables]
    plain: list[dict[str, str]] = []  # internal names that another file uses, too
    for label, table in zip(labels(paths), tables, strict=True):
        plain.append({n: f"{label}:{n}" for n, d in table.items()
                      if d.internal and (users[n] > 1 or _takes_a_librarys_name(d))})
    strong = {n for table in tables for n, d in table.items() if d.defined and not d.internal and not d.weak}
    shared = {n: f"{label}:{n}" for label, table in zip(labels(paths), tables, strict=True) for n, d in table.items()
              if not d.internal and _takes_a_librarys_name(d)}
    for table, own in zip(tables, plain, strict=True):
        for name, declared in table.items():
            if declared.alias is not None and not declared.internal and (name not in strong or not declared.weak):
                if name in strong:
                    raise FrontendError(declared.location, f"'{name}' is another name of '{declared.alias}' here, and defined at "
                                        f"{next(t[name].location for t in tables if name in t and t[name].defined)}", "keep one")
                target = _end_of(name, table)
                shared.setdefault(name, own.get(target, shared.get(target, target)))
    made: list[ProgramNames] = []
    hidden = {n: d.location for table in tables for n, d in table.items() if d.internal and users[n] == 1}
    for n, (label, table) in enumerate(zip(labels(paths), tables, strict=True)):
        renamed = dict(plain[n])
        for name, declared in table.items():
            if declared.internal and declared.alias is not None:
                target = _end_of(name, table)
                renamed[name] = plain[n].get(target, target)
            elif not declared.internal and declared.called is not None and not declared.defined and declared.called in strong:
                renamed[name] = declared.called
            elif not declared.internal and name in shared:
                renamed[name] = shared[name]
        elsewhere = frozenset(name for m, found in enumerate(definitions) if m != n for name in found)
        others = {name: place for name, place in hidden.items() if name not in table}
        made.append(ProgramNames(label, renamed, defined=elsewhere, hidden=others))
    return made


def _takes_a_librarys_name(declared: Declared) -> bool:
    """Whether it is a function of the program that has the name of one of the threading library, which it is not.

    A name of its own keeps it apart: whoever models the library goes by names.
    """
    return declared.function and declared.defined and declared.alias is None and declared.name in THREAD_LIBRARY


def _end_of(name: str, table: Mapping[str, Declared]) -> str:
    """What a name that is an alias, of an alias perhaps, stands for."""
    begin = table[name]
    for _ in range(_LONGEST_CHAIN):
        found = table.get(name)
        if found is None:
            raise FrontendError(begin.location, f"'{begin.name}' is another name of '{name}', which this file does not define",
                                "define it")
        if found.alias is None:
            return name
        name = found.alias
    raise FrontendError(begin.location, f"'{begin.name}' is another name of itself", "give it a definition")


# --------------------------------------------------------------------------------------------------- structs and unions
def _with_keys(modules: Sequence[Module], named: Sequence[ProgramNames]) -> list[ProgramNames]:
    """The names with keys of structs and unions: one key for those of one structure, different ones for all others."""
    owners: dict[str, tuple[Module, str]] = {}  # by key of the program: a file that defines it, and its key there
    by_shape: dict[tuple[object, ...], list[str]] = {}
    keys: list[dict[str, str]] = []
    for module, names in zip(modules, named, strict=True):
        same: dict[int, Compatibility] = {}
        own: dict[str, str] = {}
        for key in list(module.records):
            record = _laid_out(module, key)
            if record is None:
                continue
            for other in by_shape.get(_shape(record), ()):
                owner, theirs = owners[other]
                compare = same.setdefault(id(owner), Compatibility(owner.records, module.records))
                if compare(RecordType(theirs, record.union), RecordType(key, record.union)):
                    own[key] = other
                    break
            else:
                made = key if key not in owners else f"{names.label}:{key}"
                owners[made] = module, key
                by_shape.setdefault(_shape(record), []).append(made)
                own[key] = made
        keys.append(own)
    by_tag: dict[str, list[str]] = {}
    for made in owners:
        by_tag.setdefault(tag_of(made), []).append(made)
    only = {tag: found[0] for tag, found in by_tag.items() if tag != ANONYMOUS and len(found) == 1}
    return [replace(names, keys={**{tag: key for tag, key in only.items() if tag not in module.records}, **own})
            for names, module, own in zip(named, modules, keys, strict=True)]


def _laid_out(module: Module, key: str) -> Record | None:
    """The struct or union, None if it cannot be laid out: it is an error only where somebody uses it."""
    try:
        return module.records[key]
    except FrontendError:
        return None


def _shape(record: Record) -> tuple[object, ...]:
    return tag_of(record.key), record.union, record.size, tuple(f.name for f in record.fields)
