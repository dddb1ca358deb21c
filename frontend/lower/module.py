"""A C file as a `Module`: its names, known from the start, and its functions, lowered on demand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from pycparser import c_ast

from frontend.annotations.attached import Attach, Attached, ClauseKind
from frontend.annotations.notes import Note, NotePlace
from frontend.ctypes import ArrayType, CType, FloatType, FunctionType, IntType, PointerType, Record, RecordType
from frontend.ctypes.conversions import strip
from frontend.ctypes.declarations import adjusted
from frontend.ctypes.linkage import declares_function, for_inlining, linkage
from frontend.ctypes.program_names import AS_WRITTEN, ProgramNames
from frontend.ctypes.scope import ConstantName, Entity, FunctionName, MemoryName, RegisterName, Scope
from frontend.ir import AtomicBegin, AtomicEnd, Function, FunctionDecl, MemorySymbol, Module, Place, Set, Storage
from frontend.ir.builder import GraphBuilder
from frontend.ir.thread_library import THREAD_LIBRARY, ThreadCall
from frontend.lower.called.not_modelled import StatementNotModelled, lowering_failed, not_modelled, without_statements
from frontend.lower.declared.initialisers import leaves, link_values
from frontend.lower.declared.local_declarations import THREAD_LOCAL, fixed_value
from frontend.lower.declared.variable_types import evaluate_type
from frontend.lower.expressions import Expressions
from frontend.lower.operands import InMemory, InRegister
from frontend.lower.statements import Statements
from frontend.lower.unit import Unit, failed_assertion
from frontend.program import Const, DataModel, FrontendError, Location, MemoryModel, MemoryOrder, Scalar, Var, deep_recursion
from frontend.text.attributes import ASM_LABEL
from frontend.text.parse import Attribute, ParsedFile
from frontend.text.side_effects import effects, survey
from frontend.text.tokens import Annotation

T = TypeVar("T")

_ATOMIC_BODY = "__VERIFIER_atomic_"


def load_module(parsed: ParsedFile, model: DataModel, attach: Attach | None = None, names: ProgramNames = AS_WRITTEN,
                memory: MemoryModel = MemoryModel.C11) -> Module:
    """The file with its declarations known; nothing is elaborated until it is asked for. `attach`: reads annotations.

    `names`: what the file's names are in the program that it is a part of; all that goes out of here is called so.
    """
    return CModule(parsed, model, attach, names, memory)


class _FileScope(Scope):
    """The file's names, each elaborated when it is first looked up."""

    def __init__(self, elaborate: Callable[[str], Entity | None], elaborate_tag: Callable[[str], None]) -> None:
        super().__init__(None)
        self._elaborate = elaborate
        self._elaborate_tag = elaborate_tag
        self._busy: set[str] = set()

    def local_name(self, name: str) -> Entity | None:
        found = self.names.get(name)
        if found is None and name not in self._busy:
            self._busy.add(name)
            try:
                with deep_recursion():
                    found = self._elaborate(name)
            finally:
                self._busy.discard(name)
            if found is not None:
                self.names[name] = found
        return found

    def local_tag(self, name: str) -> RecordType | IntType | None:
        if name not in self.tags:
            self._elaborate_tag(name)
        return self.tags.get(name)


class _Lazy(Mapping[str, T]):
    """A mapping whose values are computed when they are first asked for."""

    def __init__(self, keys: Mapping[str, object], compute: Callable[[str], T]) -> None:
        self._keys = keys
        self._compute = compute
        self._known: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._known:
            if name not in self._keys:
                raise KeyError(name)
            self._known[name] = self._compute(name)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __contains__(self, name: object) -> bool:
        return name in self._keys


class CModule:
    """Implements `Module` over a pycparser AST. Inside, names of file scope are as written; outside, as the program has them."""

    def __init__(self, parsed: ParsedFile, model: DataModel, attach: Attach | None = None,
                 names: ProgramNames = AS_WRITTEN, memory: MemoryModel = MemoryModel.C11) -> None:
        self.file = parsed.path
        self.model = model
        self._parsed = parsed
        self._names = names
        self._unit = Unit(parsed, model, self._is_defined, self._is_noreturn, Statements.unevaluated, names, memory)
        self._scope = _FileScope(self._elaborate, self._elaborate_tag)
        self._typedefs: dict[str, c_ast.Typedef] = {}
        self._functions: dict[str, list[c_ast.Decl]] = {}
        self._bodies: dict[str, c_ast.FuncDef] = {}
        self._objects: dict[str, list[c_ast.Decl]] = {}
        self._enumerators: dict[str, c_ast.Enum] = {}
        self._enums: dict[str, c_ast.Enum] = {}
        self._lowered: dict[str, Function] = {}
        self._unread: set[str] = set()
        """Functions whose bodies our own mistakes keep from being read."""
        self._elaborated = False
        for node in parsed.ast.ext:
            self._enter(node)
        self._check_kinds()
        table = linkage(parsed)
        self._aliases = {n: d.alias for n, d in table.items() if d.alias is not None}
        self._unit.absent.update(names.of(n) for n, d in table.items()
                                 if d.weak and not d.defined and d.alias is None and n not in names.defined)
        self._written = {names.of(name): name for name in self._functions if name not in self._aliases}
        for name in self._bodies.keys() & THREAD_LIBRARY.keys():
            if names.of(name) != name:
                where = table[name].location
                self._unit.assume(f"'{name}' is the function that is defined here, not the threading library's", where)
        self._declarations = _Lazy(self._written, self._declaration)
        if attach is not None:
            self._unit.attached = self._attached(attach(parsed.annotations, parsed.ast, self._unit.where))
        self._check_labels()
        self._check_assertions()

    def _attached(self, found: Attached) -> Attached:
        """The file's annotations, with the enumeration constants that they name."""
        names = dict.fromkeys(w.text for c in found.clauses for w in c.words if w.kind == "name" and w.text in self._enumerators)
        entities = {name: self._scope.find(name) for name in names}
        constants = {name: Const(e.value, e.type.scalar) for name, e in entities.items() if isinstance(e, ConstantName)}
        return replace(found, constants=constants)

    # ------------------------------------------------------------------------------------------- names
    def _enter(self, node: c_ast.Node) -> None:
        """Note what a declaration of file scope declares, without looking into it."""
        match node:
            case c_ast.FuncDef():
                self._functions.setdefault(node.decl.name, []).append(node.decl)
                self._one_body(node)
                self._bodies[node.decl.name] = node
                self._tags(node.decl)
            case c_ast.Typedef():
                self._typedefs[node.name] = node
                self._tags(node)
            case c_ast.Decl():
                self._tags(node)
                if node.name is None:
                    return
                if declares_function(node, self._typedefs):
                    self._functions.setdefault(node.name, []).append(node)
                else:
                    self._objects.setdefault(node.name, []).append(node)

    def _check_kinds(self) -> None:
        """A name is a function or an object, not both."""
        for name in self._functions.keys() & self._objects.keys():
            places = sorted(self._unit.where(d) for d in (*self._functions[name], *self._objects[name]))
            raise FrontendError(places[-1], f"'{name}' is declared as a function and as an object",
                                f"rename one of them; another declaration is at {places[0]}")

    def _one_body(self, node: c_ast.FuncDef) -> None:
        """A function is defined once; a body for inlining alone (`extern inline`) is none beside another one."""
        before = self._bodies.get(node.decl.name)
        if before is not None and not for_inlining(before) and not for_inlining(node):
            raise FrontendError(self._unit.where(node.decl), f"'{node.decl.name}' is defined twice",
                                f"remove one; the other is at {self._unit.where(before.decl)}")

    def _check_labels(self) -> None:
        """Two names for one object, by an assembler's name, are refused."""
        labels: dict[str, str] = {}
        for name, attributes in self._parsed.attributes.items():
            for attribute in attributes:
                if attribute.name != ASM_LABEL:
                    continue
                label = "".join(re.findall(r'"([^"]*)"', "".join(attribute.args)))
                other = label if label in self._objects or label in self._functions else labels.get(label, name)
                labels.setdefault(label, name)
                same_object = name in self._objects and (other in self._objects or other in self._functions)
                bodies = any(n in self._bodies and not for_inlining(self._bodies[n]) for n in (name, other))
                same_function = name in self._functions and (bodies or other in self._objects)
                if other != name and (same_object or same_function):
                    raise FrontendError(attribute.location, f"'{name}' is another name of '{other}' for the assembler",
                                        "use one name")

    def _check_assertions(self) -> None:
        """What the file says about types and constants is true; what is no constant here is passed over."""
        for node in self._parsed.ast.ext:
            if not isinstance(node, c_ast.StaticAssert):
                continue
            try:
                holds = self._unit.constant(node.cond, self._scope)
            except FrontendError:
                continue
            if holds == 0:
                raise failed_assertion(self._unit, node)

    def _tags(self, node: c_ast.Node) -> None:
        """Enter structs and unions by tag, and the names of enumeration constants."""
        inner: c_ast.Node = node
        while hasattr(inner, "type") and isinstance(inner.type, c_ast.Node):
            inner = inner.type
        todo = [inner]
        while todo:
            part = todo.pop()
            if isinstance(part, (c_ast.Struct, c_ast.Union)) and part.decls is not None:
                self._unit.types.record(part, self._scope)
                for decl in part.decls:
                    base: c_ast.Node = decl
                    while hasattr(base, "type") and isinstance(base.type, c_ast.Node):
                        base = base.type
                    todo.append(base)
            elif isinstance(part, c_ast.Enum) and part.values is not None:
                for item in part.values.enumerators:
                    self._enumerators[item.name] = part
                if part.name is not None:
                    self._enums[part.name] = part

    def _elaborate(self, name: str) -> Entity | None:
        """What a name of file scope means."""
        types, known_as = self._unit.types, self._names.of(name)
        if name in self._functions:
            return FunctionName(known_as, self._function_type(name))
        if name in self._objects and name in self._aliases:
            return MemoryName(known_as, self._declared_type(self._objects[name][0]))
        if name in self._objects:
            self._object(name)
            symbol = self._unit.symbols[known_as]
            initialised = any(d.init is not None for d in self._objects[name])
            return MemoryName(known_as, symbol.type, value=fixed_value(symbol) if initialised else None)
        if name in self._typedefs:
            return types.typedef(self._typedefs[name], self._scope)
        if name in self._enumerators:
            types.enum(self._enumerators[name], self._scope)
            return self._scope.names.get(name)
        return None

    def _elaborate_tag(self, name: str) -> None:
        """Enter the enumeration of file scope with this tag, if there is one."""
        if name in self._enums:
            self._unit.types.enum(self._enums.pop(name), self._scope)

    def _function_type(self, name: str) -> FunctionType:
        body = self._bodies.get(name)
        if body is not None:
            t = self._unit.types.function(body.decl.type, self._scope, body.param_decls)
            self._unit.types.check_alignment(body.decl, t, self._scope)
            return replace(t, variadic=False) if body.decl.type.args is None else t
        best: FunctionType | None = None
        for decl in self._functions[name]:
            found = self._unit.types.resolve(decl.type, self._scope)
            assert isinstance(found, FunctionType)
            if best is None or (best.variadic and not best.params):
                best = found
        assert best is not None
        return best

    def _object(self, name: str) -> None:
        """The symbol of a variable of file scope, out of all its declarations."""
        unit = self._unit
        decls = self._objects[name]
        t: CType | None = None
        for decl in decls:
            found = self._declared_type(decl)
            unit.types.check_alignment(decl, found, self._scope, self._parsed.attributes.get(name, ()))
            if t is not None and 0 != self.sizeof(t) != self.sizeof(found) != 0:
                raise FrontendError(unit.where(decl), f"'{name}' is declared with another type than before",
                                    f"make it the type of {unit.where(decls[0])}")
            if t is None or (isinstance(t, ArrayType) and t.length is None):
                t = found
        assert t is not None
        given = [d for d in decls if d.init is not None]
        if len(given) > 1:
            raise FrontendError(unit.where(given[1]), f"'{name}' is defined twice",
                                f"remove one; the other is at {unit.where(given[0])}")
        first = next((d for d in decls if d.init is not None), next((d for d in decls if "extern" not in d.storage), decls[0]))
        storage = Storage.GLOBAL
        if any(s in d.storage for d in decls for s in THREAD_LOCAL):
            storage = Storage.THREAD
        elif any("static" in d.storage for d in decls):
            storage = Storage.STATIC
        attributes = tuple(dict.fromkeys(a.name for a in self._parsed.attributes.get(name, ())))
        defined = any("extern" not in d.storage or d.init is not None for d in decls)
        known_as = self._names.of(name)
        symbol = MemorySymbol(known_as, t, storage, known_as, (), defined, attributes, unit.where(first), first.init is None)
        unit.symbols[known_as] = symbol
        self._scope.names[name] = MemoryName(known_as, t)
        if first.init is not None:
            x = Statements.unevaluated(unit, self._scope)
            t, parts = leaves(x, t, first.init)
            self._scope.names[name] = MemoryName(known_as, t)
            unit.symbols[known_as] = replace(symbol, type=t, initial=link_values(x, parts))

    def _declared_type(self, decl: c_ast.Decl) -> CType:
        inner = decl.type
        if isinstance(inner, c_ast.TypeDecl) and isinstance(inner.type, c_ast.InferredType):
            return strip(Statements.unevaluated(self._unit, self._scope).value(decl.init).type)
        return self._unit.types.resolve(decl, self._scope)

    # ------------------------------------------------------------------------------------------- Module
    @property
    def records(self) -> Mapping[str, Record]:
        return self._unit.types.records

    @property
    def declarations(self) -> Mapping[str, FunctionDecl]:
        return self._declarations

    @property
    def symbols(self) -> Mapping[str, MemorySymbol]:
        if not self._elaborated:
            for name in self._objects:
                self._scope.find(name)
            # In the order of the source, whatever was asked for first.
            found = dict(self._unit.symbols)
            self._unit.symbols.clear()
            own = (self._names.of(name) for name in self._objects if name not in self._aliases)
            self._unit.symbols.update({name: found.pop(name) for name in own})
            self._unit.symbols.update(found)
            self._elaborated = True
        return self._unit.symbols

    @property
    def attached(self) -> Attached | None:
        return self._unit.attached

    def enumerator(self, name: str) -> int | None:
        found = self._elaborate(name) if name in self._enumerators else None
        return found.value if isinstance(found, ConstantName) else None

    @property
    def annotations(self) -> tuple[Annotation, ...]:
        return self._parsed.annotations

    @property
    def orders(self) -> frozenset[MemoryOrder]:
        return frozenset(self._unit.orders)

    @property
    def bytewise(self) -> frozenset[str]:
        return frozenset(self._unit.bytewise)

    @property
    def assumptions(self) -> tuple[tuple[str, Location], ...]:
        return (*self._parsed.assumptions, *self._unit.assumptions.items())

    def mentioned(self, function: str) -> frozenset[str]:
        body = self._bodies.get(self._written.get(function, ""))
        return frozenset() if body is None else frozenset(map(self._names.of, effects(body.body).mentioned))

    def sizeof(self, t: CType) -> int:
        return self._unit.types.sizeof(t)

    def alignof(self, t: CType) -> int:
        return self._unit.types.alignof(t)

    def function(self, name: str) -> Function:
        """The function's body; raises FrontendError for what cannot be lowered soundly."""
        if name not in self._lowered:
            if self._written.get(name) not in self._bodies:
                raise FrontendError(Location(self.file, 1), f"the function '{name}' is not defined in this file", "define it")
            with deep_recursion():
                self._lowered[name] = self._lower_all(name, self._written[name])
        return self._lowered[name]

    # ------------------------------------------------------------------------------------------- functions
    def _is_defined(self, name: str) -> bool:
        return name in self._bodies or name in self._names.defined

    def _is_noreturn(self, name: str) -> bool:
        """Whether a function of the program never returns, as this file knows it."""
        name = self._written.get(name, name)
        if THREAD_LIBRARY.get(name) is ThreadCall.EXIT and self._names.of(name) == name:
            return True
        return any(a.name in ("noreturn", "_Noreturn") for a in self._parsed.attributes.get(name, ())) or any(
            "_Noreturn" in (d.funcspec or ()) or "noreturn" in (d.funcspec or ()) for d in self._functions.get(name, ()))

    def _attributes(self, name: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
        found: tuple[Attribute, ...] = self._parsed.attributes.get(name, ())
        return tuple((a.name, a.args) for a in found)

    def _declaration(self, known_as: str) -> FunctionDecl:
        name = self._written[known_as]
        body = self._bodies.get(name)
        decl = body.decl if body is not None else self._functions[name][0]
        entity = self._scope.find(name)
        assert isinstance(entity, FunctionName)
        external = not any("static" in d.storage for d in (decl, *self._functions.get(name, ())))
        inline = body is not None and all("inline" in d.funcspec and "extern" not in d.storage for d in self._functions[name])
        return FunctionDecl(known_as, entity.type, _param_names(decl.type), body is not None, self._attributes(name),
                            self._unit.where(decl), external and not (body is not None and for_inlining(body)), inline)

    def _lower_all(self, known_as: str, name: str) -> Function:
        """The function's body; each statement that turns out not to be modelled is left to stand for any effect, once known.

        So is the whole body, if it is our own mistake that keeps it from being read.
        """
        unit, symbols = self._unit, len(self._unit.symbols)
        while True:
            try:
                return self._lower(known_as, name)
            except StatementNotModelled as found:
                if id(found.node) in unit.skipped:
                    raise found.error from None
                unit.skipped[id(found.node)] = found.node, found.error
                unit.assume(not_modelled(known_as, found.error), found.error.location)
            except (FrontendError, MemoryError):
                raise
            except Exception as error:
                if name in self._unread:
                    raise
                self._unread.add(name)
                failed = lowering_failed(error, unit.where(self._bodies[name].decl))
                unit.assume(not_modelled(known_as, failed), failed.location)
                self._bodies[name] = without_statements(self._bodies[name])
            unit.forget_names(known_as, symbols)

    def _lower(self, known_as: str, name: str) -> Function:
        body = self._bodies[name]
        decl = self.declarations[known_as]
        unit = self._unit
        graph = GraphBuilder()
        scope = Scope(self._scope, known_as)
        syntax = survey(body.body)
        statements = Statements(unit, graph, scope, syntax)
        x = statements.expressions
        params = self._parameters(x, body, decl)
        result, place = self._result(x, decl.type.result, body)
        exit_ = graph.location()
        specified, claimed = self._specified(name), self._claimed(name)
        ending = self._begin(x, body, name, specified, params, result, ClauseKind.ENSURES) if specified else None
        inner = graph.location() if _atomic_body(name) or specified or claimed else exit_
        if _atomic_body(name) or claimed:
            x.emit(AtomicBegin(name), body.decl, name)
        done = self._begin(x, body, name, claimed, params, result, ClauseKind.ATOMIC) if claimed else None
        statements.body(body.body, inner, place)
        if name == "main" and isinstance(result, Var):
            x.emit(Set(result, Const(0, result.type)), body.decl, "return 0")
        graph.jump(inner)
        if inner != exit_:
            graph.current = inner
            if done is not None:
                x.emit(done, body.decl, name)
            if _atomic_body(name) or claimed:
                x.emit(AtomicEnd(name), body.decl, name)
            if ending is not None and not claimed:
                x.emit(ending, body.decl, name)
            graph.jump(exit_)
        made = graph.finish(exit_)
        return Function(
            name=known_as, type=decl.type, params=params, param_names=decl.param_names, result=result,
            registers=tuple(graph.registers.values()), memory=tuple(x.memory), size=made.size, start=made.start,
            exit=made.exit, edges=made.edges, attributes=decl.attributes, location=decl.location, shown_registers=x.shown,
            integers=frozenset(x.integers))

    def _specified(self, name: str) -> tuple[int, ...]:
        """The clauses that say what callers of the function provide and get."""
        attached = self._unit.attached
        if attached is None:
            return ()
        return tuple(n for n in attached.functions.get(name, ())
                     if attached.clauses[n].kind in (ClauseKind.REQUIRES, ClauseKind.ENSURES))

    def _claimed(self, name: str) -> tuple[int, ...]:
        """The clauses that say what the function does in one step, if its body is held against them."""
        attached = self._unit.attached
        if attached is None or name not in attached.bodies:
            return ()
        return tuple(n for n in attached.functions[name] if attached.clauses[n].kind is ClauseKind.ATOMIC)

    def _begin(self, x: Expressions, body: c_ast.FuncDef, name: str, numbers: tuple[int, ...], params: tuple[Var | str, ...],
               result: Var | str | None, kind: ClauseKind) -> Note:
        """Emit the note of the function's entry, and give that of its end: where it `ensures`, or is done with its one step."""
        first, last = (NotePlace.ENTRY, NotePlace.EXIT) if kind is ClauseKind.ENSURES else (NotePlace.BEGUN, NotePlace.DONE)
        assert self._unit.attached is not None
        used = {w.text for n in numbers for w in self._unit.attached.clauses[n].words}
        own = [(x.shown[p.name], p) for p in params if isinstance(p, Var) and x.shown.get(p.name) in used]
        x.emit(Note(first, numbers, tuple(own), name), body.decl, name)
        given = [("\\result", result)] if isinstance(result, Var) and "\\result" in used else []
        return Note(last, numbers, (*own, *given), name)

    def _parameters(self, x: Expressions, body: c_ast.FuncDef, decl: FunctionDecl) -> tuple[Var | str, ...]:
        params: list[Var | str] = []
        nodes = [p for p in (body.decl.type.args.params if body.decl.type.args is not None else ())
                 if not isinstance(p, c_ast.EllipsisParam)]
        for i, declared in enumerate(decl.type.params):
            node = nodes[i]
            name = getattr(node, "name", None) or f"<param {i}>"
            t = adjusted(declared)
            if isinstance(t, RecordType) or name in x.syntax.taken:
                symbol = x.local(name, t, node)
                x.scope.names[name] = MemoryName(symbol.name, t)
                params.append(symbol.name)
                continue
            assert isinstance(t, (IntType, PointerType, FloatType))
            scalar = Scalar(t.bits, False) if isinstance(t, FloatType) else x.ints.scalar(t)
            var = x.graph.register(name, scalar)
            x.show(var, name, t)
            x.scope.names[name] = RegisterName(var, t)
            params.append(var)
        declared_before = {d.name: d for d in body.param_decls or ()}
        for node in nodes:
            evaluate_type(x, declared_before.get(getattr(node, "name", None), node))
        return tuple(params)

    def _result(self, x: Expressions, t: CType, body: c_ast.FuncDef) -> tuple[Var | str | None, InRegister | InMemory | None]:
        match t:
            case IntType() | PointerType():
                var = x.graph.register("%result", x.ints.scalar(t))
                return var, InRegister(var, t)
            case RecordType():
                symbol = x.local("%result", t, body)
                return symbol.name, InMemory(Place(symbol.name, (), t, t))
        return None, None


def _atomic_body(name: str) -> bool:
    return name.startswith(_ATOMIC_BODY) and name not in ("__VERIFIER_atomic_begin", "__VERIFIER_atomic_end")


def _param_names(node: c_ast.Node) -> tuple[str, ...]:
    """The names of the parameters in a declaration, empty ones for those without; none if it is written with a typedef."""
    names: list[str] = []
    for param in node.args.params if isinstance(node, c_ast.FuncDecl) and node.args is not None else ():
        if isinstance(param, c_ast.EllipsisParam):
            continue
        if isinstance(param, c_ast.Typename) and isinstance(param.type, c_ast.TypeDecl) \
                and isinstance(param.type.type, c_ast.IdentifierType) and param.type.type.names == ["void"]:
            continue
        names.append(getattr(param, "name", None) or "")
    return tuple(names)

