"""Several files as one module: C's linkage across files (C11 6.2.2, 6.9), and errors that name both places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from frontend.annotations.attached import Attached
from frontend.ctypes import ArrayType, CType, FloatType, FunctionType, IntType, PointerType, Record, RecordType, VoidType
from frontend.ctypes.compatible import Compatibility
from frontend.ctypes.conversions import strip
from frontend.ir import Function, FunctionDecl, MemorySymbol, Module, Storage
from frontend.program import FrontendError, Location, MemoryOrder
from frontend.records import replace
from frontend.text.tokens import Annotation


class Joined:
    """The module of all files; their names must be the program's (`frontend.lower.units`).

    A function or an object with external linkage is defined once, or weakly; functions inline, and objects without a value,
    may be so in several files. All declarations of it must have compatible types.
    """

    def __init__(self, modules: Sequence[Module]) -> None:
        self._modules = tuple(modules)
        self._records = _Records(self._modules)
        self._same = Compatibility(self._records, self._records)
        self._owners: dict[str, Module] = {}
        self._merges: dict[str, Location] = {}
        self._declarations = dict(self._declared())
        first = next((m for m in modules if m is self._owners.get("main")), modules[0])
        self.file, self.model = first.file, first.model
        self._symbols: dict[str, MemorySymbol] = {}
        self._seen = [0] * len(self._modules)
        self._take_symbols()

    # ------------------------------------------------------------------------------------------- functions
    def _declared(self) -> Iterator[tuple[str, FunctionDecl]]:
        found: dict[str, list[tuple[FunctionDecl, Module]]] = {}
        for module in self._modules:
            for name, decl in module.declarations.items():
                found.setdefault(name, []).append((decl, module))
        for name, all_ in found.items():
            decl, module = self._chosen(name, all_)
            if decl.defined:
                self._owners[name] = module
                for other, _ in all_:
                    if not self._same(decl.type, other.type):
                        if not _passed_alike(decl.type, other.type):
                            raise _conflict(name, other.location, decl.location)
                        self._merges.setdefault(f"'{name}', of another type at {decl.location}, is one function: what it gets is "
                                                "passed alike", other.location)
            yield name, decl

    def _chosen(self, name: str, all_: Sequence[tuple[FunctionDecl, Module]]) -> tuple[FunctionDecl, Module]:
        """The definition that counts, or else a declaration that tells most."""
        ranked = sorted(((_rank(decl), n) for n, (decl, _) in enumerate(all_)), key=lambda r: (-r[0], r[1]))
        best = all_[ranked[0][1]]
        if len(ranked) > 1 and ranked[1][0] == _STRONG:
            raise _twice(name, all_[ranked[1][1]][0].location, best[0].location)
        return best

    @property
    def declarations(self) -> Mapping[str, FunctionDecl]:
        return self._declarations

    def function(self, name: str) -> Function:
        owner = self._owners.get(name)
        if owner is None:
            raise FrontendError(Location(self.file, 1), f"the function '{name}' is not defined in these files", "define it")
        return owner.function(name)

    def mentioned(self, function: str) -> frozenset[str]:
        return self._owners[function].mentioned(function) if function in self._owners else frozenset()

    # ------------------------------------------------------------------------------------------- objects
    @property
    def symbols(self) -> Mapping[str, MemorySymbol]:
        self._take_symbols()
        return self._symbols

    def _take_symbols(self) -> None:
        """Lowering adds symbols: those that are new since the last time."""
        for n, module in enumerate(self._modules):
            own = module.symbols
            if len(own) == self._seen[n]:
                continue
            for name, symbol in islice(own.items(), self._seen[n], None):
                before = self._symbols.get(name)
                self._symbols[name] = symbol if before is None else self._merged(before, symbol)
            self._seen[n] = len(own)

    def _merged(self, a: MemorySymbol, b: MemorySymbol) -> MemorySymbol:
        """One object out of its declarations in two files."""
        same = self._same(a.type, b.type)
        if not (same or _alike(strip(a.type), strip(b.type))) or (a.storage is Storage.THREAD) != (b.storage is Storage.THREAD):
            raise _conflict(a.name, b.location, a.location)
        if not same:
            self._merges.setdefault(f"'{a.name}', of another type at {a.location}, is one object of the same size", b.location)
        strong = [s for s in (a, b) if s.defined and "weak" not in s.attributes]
        if len(strong) == 2 and not (a.tentative or b.tentative):
            raise _twice(a.name, b.location, a.location)
        if len(strong) == 2:
            self._merges.setdefault(f"'{a.name}', defined at {a.location} too, is one object (as with -fcommon)", b.location)
        best = max((a, b), key=lambda s: (s.defined, "weak" not in s.attributes, not s.tentative))
        other = b if best is a else a
        complete = other.type if isinstance(best.type, ArrayType) and best.type.length is None else best.type
        return replace(best, type=complete, attributes=tuple(dict.fromkeys((*best.attributes, *other.attributes))))

    # ------------------------------------------------------------------------------------------- all files together
    @property
    def records(self) -> Mapping[str, Record]:
        return self._records

    @property
    def attached(self) -> Attached | None:
        """None: annotations of several files are not put together, so a program that is checked by them is refused."""
        for found in (m.attached for m in self._modules):
            if found is not None and found.clauses:
                raise FrontendError(found.clauses[0].location, "annotations in a program of several files are not checked",
                                    "verify the file by itself")
        return None

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        return tuple(dict.fromkeys(a for m in self._modules for a in m.annotations))

    @property
    def orders(self) -> frozenset[MemoryOrder]:
        return frozenset().union(*(m.orders for m in self._modules))

    @property
    def bytewise(self) -> frozenset[str]:
        return frozenset().union(*(m.bytewise for m in self._modules))

    @property
    def assumptions(self) -> tuple[tuple[str, Location], ...]:
        return (*(a for m in self._modules for a in m.assumptions), *self._merges.items())

    def enumerator(self, name: str) -> int | None:
        values = {v for v in (m.enumerator(name) for m in self._modules) if v is not None}
        return values.pop() if len(values) == 1 else None

    def sizeof(self, t: CType) -> int:
        match t:
            case ArrayType(element=element, length=length):
                return 0 if length is None else self.sizeof(element) * length
            case RecordType(key=key) if key in self._records:
                return self._records[key].size
        return self._modules[0].sizeof(t)

    def alignof(self, t: CType) -> int:
        match t:
            case ArrayType(element=element):
                return self.alignof(element)
            case RecordType(key=key) if key in self._records:
                return self._records[key].align
        return self._modules[0].alignof(t)


_STRONG, _WEAK, _INLINE, _FOR_INLINING, _PROTOTYPE, _BARE = 5, 4, 3, 2, 1, 0


def _rank(decl: FunctionDecl) -> int:
    """How much a declaration counts beside those of other files."""
    if not decl.defined:
        return _BARE if decl.type.variadic and not decl.type.params else _PROTOTYPE
    if any(name == "weak" for name, _ in decl.attributes):
        return _WEAK
    if not decl.external:
        return _FOR_INLINING
    return _INLINE if decl.inline else _STRONG


def _twice(name: str, here: Location, there: Location) -> FrontendError:
    return FrontendError(here, f"'{name}' is defined twice: here and at {there}", "keep one definition, or make one static")


def _conflict(name: str, here: Location, there: Location) -> FrontendError:
    return FrontendError(here, f"'{name}' has another type here than at {there}", "declare it in a header for both files")


def _passed_alike(a: FunctionType, b: FunctionType) -> bool:
    """Whether calls by one type do what the other says: numbers of the same size, pointers to whatever, too many or too few."""
    return a.variadic == b.variadic and all(
        _alike(strip(p), strip(q)) for p, q in zip((a.result, *a.params), (b.result, *b.params), strict=False))


def _alike(a: CType, b: CType) -> bool:
    match a, b:
        case (IntType(bits=m), IntType(bits=n)) | (FloatType(bits=m), FloatType(bits=n)):
            return m == n
        case (PointerType(), PointerType()) | (VoidType(), VoidType()):
            return True
    return a == b


class _Records(Mapping[str, Record]):
    """The structs and unions of all files; one that several files define is the same in all of them."""

    def __init__(self, modules: Sequence[Module]) -> None:
        self._parts = [m.records for m in modules]
        self._known: dict[str, Record] = {}

    def __getitem__(self, key: str) -> Record:
        found = self._known.get(key)
        if found is None:
            part = next((p for p in self._parts if key in p), None)
            if part is None:
                raise KeyError(key)
            found = self._known[key] = part[key]
        return found

    def __contains__(self, key: object) -> bool:
        return key in self._known or any(key in p for p in self._parts)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(key for p in self._parts for key in p))

    def __len__(self) -> int:
        return len(list(iter(self)))
