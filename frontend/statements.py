"""Statements, declarations and whole function bodies."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pycparser import c_ast

from frontend.convert import Aggregate, Floating, Nothing, Operand, Value, binary, both, cast, either, strip
from frontend.ctext import text_of
from frontend.expr import TRUE, Const, Expr, Read, negate
from frontend.expressions import Cell, Expressions, Slot
from frontend.initialise import leaves
from frontend.ir import AtomicBegin, AtomicEnd, CriticalBegin, CriticalEnd, Forget, Place, Storage
from frontend.scope import FunctionName, MemoryName, RegisterName, Scope, TypeName
from frontend.types import ArrayType, CType, FloatType, FunctionType, IntType, PointerType, RecordType, VoidType


@dataclass(frozen=True, slots=True)
class _Section:
    """An atomic or critical block around the code being lowered."""

    atomic: bool
    node: c_ast.Node


@dataclass(frozen=True, slots=True)
class _Exit:
    """Where `break` or `continue` goes, and how many sections are open there."""

    target: int
    sections: int


@dataclass(slots=True)
class _Switch:
    """The labels of a switch that is being lowered."""

    type: IntType
    sections: int
    cases: list[tuple[int, int, int]]
    default: int | None = None


class Statements:
    """Lowers the statements of one function. `result` is where a return value goes."""

    def __init__(self, x: Expressions, exit_: int, result: Slot | Cell | None, body: c_ast.Node | None = None) -> None:
        self._x = x
        self._exit = exit_
        self._result = result
        self._sections: list[_Section] = []
        self._breaks: list[_Exit] = []
        self._continues: list[_Exit] = []
        self._switches: list[_Switch] = []
        self._labels: dict[str, int] = {}
        self._label_sections = label_sections(body) if body is not None else {}
        self._again = bool(self._label_sections)
        """Whether declarations may be passed more than once."""
        x.block = self.block_value

    # ------------------------------------------------------------------------------------------- blocks
    def block_value(self, node: c_ast.Compound) -> Operand:
        """A statement expression: the value of its last statement if that is an expression."""
        outer = self._x.scope
        self._x.scope = Scope(outer)
        items = node.block_items or []
        for item in items[:-1]:
            self.statement(item)
        result: Operand = Nothing()
        if items:
            last = items[-1]
            while isinstance(last, c_ast.Label):
                self._label(last)
                last = last.stmt
            if _is_expression(last):
                result = self._x.value(last)
                if isinstance(result, Value) and not isinstance(result.expr, Const):
                    result = self._x.spill(result, last) if result.depth else result
            else:
                self.statement(last)
        self._x.scope = outer
        return result

    def _compound(self, node: c_ast.Compound) -> None:
        outer = self._x.scope
        self._x.scope = Scope(outer)
        for item in node.block_items or ():
            self.statement(item)
        self._x.scope = outer

    # ------------------------------------------------------------------------------------------- statements
    def statement(self, node: c_ast.Node) -> None:
        match node:
            case c_ast.Compound():
                self._compound(node)
            case c_ast.Decl() | c_ast.Typedef():
                self.declare(node)
            case c_ast.DeclList():
                for decl in node.decls:
                    self.declare(decl)
            case c_ast.If():
                self._if(node)
            case c_ast.While():
                self._while(node)
            case c_ast.DoWhile():
                self._do(node)
            case c_ast.For():
                self._for(node)
            case c_ast.Switch():
                self._switch(node)
            case c_ast.Case() | c_ast.Default():
                self._case(node)
            case c_ast.Break():
                self._leave(self._breaks, node)
            case c_ast.Continue():
                self._leave(self._continues, node)
            case c_ast.Return():
                self._return(node)
            case c_ast.Goto():
                self._goto(node)
            case c_ast.Label():
                self._label(node)
                if node.stmt is not None:
                    self.statement(node.stmt)
            case c_ast.AttributedStatement():
                self._attributed(node)
            case c_ast.EmptyStatement() | c_ast.Pragma() | c_ast.AttributeDeclaration():
                pass
            case c_ast.StaticAssert():
                self._static_assert(node)
            case _:
                self._x.effect(node)

    def _static_assert(self, node: c_ast.StaticAssert) -> None:
        if self._x.unit.constant(node.cond, self._x.scope) == 0:
            raise self._x.unit.error(node, "static assertion failed")

    def _if(self, node: c_ast.If) -> None:
        graph = self._x.graph
        end = graph.location()
        rest: c_ast.Node | None = node
        while isinstance(rest, c_ast.If):  # an `else if` chain may be long
            yes, no = graph.location(), graph.location()
            self._x.branch(rest.cond, yes, no)
            graph.current = yes
            if rest.iftrue is not None:
                self._scoped(rest.iftrue)
            graph.jump(end)
            graph.current = no
            rest = rest.iffalse
        if rest is not None:
            self._scoped(rest)
        graph.jump(end)
        graph.current = end

    def _scoped(self, node: c_ast.Node) -> None:
        outer = self._x.scope
        self._x.scope = Scope(outer)
        self.statement(node)
        self._x.scope = outer

    def _loop(self, body: c_ast.Node | None, again: int, end: int) -> None:
        """The body of a loop from the current location; `continue` goes to `again`."""
        sections = len(self._sections)
        self._breaks.append(_Exit(end, sections))
        self._continues.append(_Exit(again, sections))
        was, self._again = self._again, True
        if body is not None:
            self._scoped(body)
        self._again = was
        self._breaks.pop()
        self._continues.pop()
        self._x.graph.jump(again)

    def _while(self, node: c_ast.While) -> None:
        graph = self._x.graph
        head, body, end = graph.location(), graph.location(), graph.location()
        graph.jump(head)
        graph.current = head
        self._x.branch(node.cond, body, end)
        graph.current = body
        self._loop(node.stmt, head, end)
        graph.current = end

    def _do(self, node: c_ast.DoWhile) -> None:
        graph = self._x.graph
        body, test, end = graph.location(), graph.location(), graph.location()
        graph.jump(body)
        graph.current = body
        self._loop(node.stmt, test, end)
        graph.current = test
        self._x.branch(node.cond, body, end)
        graph.current = end

    def _for(self, node: c_ast.For) -> None:
        graph = self._x.graph
        outer = self._x.scope
        self._x.scope = Scope(outer)
        if node.init is not None:
            self.statement(node.init)
        head, body, step, end = (graph.location() for _ in range(4))
        graph.jump(head)
        graph.current = head
        if node.cond is not None:
            self._x.branch(node.cond, body, end)
        else:
            graph.jump(body)
        graph.current = body
        self._loop(node.stmt, step, end)
        graph.current = step
        if node.next is not None:
            self._x.effect(node.next)
        graph.jump(head)
        graph.current = end
        self._x.scope = outer

    # ------------------------------------------------------------------------------------------- switch
    def _switch(self, node: c_ast.Switch) -> None:
        x, graph = self._x, self._x.graph
        v = x.scalar(node.cond)
        if not isinstance(v.type, IntType):
            raise x.unit.error(node, "the value of a switch is not an integer")
        t = x.ints.promote(v.type)
        e = cast(v.expr, t.scalar)
        if not isinstance(e, (Const, Read)) and v.depth:
            e = x.spill(Value(t, e), node.cond).expr
        dispatch, end = graph.current, graph.location()
        switch = _Switch(t, len(self._sections), [])
        self._switches.append(switch)
        self._breaks.append(_Exit(end, len(self._sections)))
        graph.current = graph.location()
        if node.stmt is not None:
            self._scoped(node.stmt)
        graph.jump(end)
        self._breaks.pop()
        self._switches.pop()
        graph.current = dispatch
        self._dispatch(e, switch, switch.default if switch.default is not None else end, node)
        graph.current = end

    def _dispatch(self, e: Expr, switch: _Switch, otherwise: int, node: c_ast.Switch) -> None:
        """Guards to the cases; those that lead to one place share an edge."""
        graph, where, text = self._x.graph, self._x.unit.where(node.cond), text_of(node.cond)
        by_target: dict[int, list[Expr]] = {}
        for low, high, target in switch.cases:
            by_target.setdefault(graph.find(target), []).append(_in_range(e, low, high))
        if isinstance(e, Const):
            taken = next((q for q, tests in by_target.items() if TRUE in tests), otherwise)
            graph.jump(taken)
            return
        tests = [test for q, part in by_target.items() if q != graph.find(otherwise) for test in part]
        if not tests:
            graph.jump(otherwise)
            return
        for q, part in by_target.items():
            if q != graph.find(otherwise):
                graph.guard(_balanced(part, conjunction=False), q, where, text)
        graph.guard(_balanced([negate(test) for test in tests], conjunction=True), otherwise, where, text)
        graph.stop()

    def _case(self, node: c_ast.Case | c_ast.Default) -> None:
        x, graph = self._x, self._x.graph
        if not self._switches:
            raise x.unit.error(node, "a case label outside of a switch")
        switch = self._switches[-1]
        if switch.sections != len(self._sections):
            raise x.unit.error(node, "a case label inside an atomic or critical block of the switch",
                               "control would jump into the block")
        here = graph.location()
        graph.jump(here)
        graph.current = here
        if isinstance(node, c_ast.Default):
            switch.default = here
        else:
            low, high = self._case_range(node.expr)
            switch.cases.append((switch.type.scalar.wrap(low), switch.type.scalar.wrap(high), here))
        for item in node.stmts or ():
            self.statement(item)

    def _case_range(self, expr: c_ast.Node) -> tuple[int, int]:
        ends = [expr, expr]
        if isinstance(expr, c_ast.FuncCall) and isinstance(expr.name, c_ast.ID) and expr.name.name == "__circ_range":
            ends = list(expr.args.exprs)
        values = [self._x.unit.constant(e, self._x.scope) for e in ends]
        if values[0] is None or values[1] is None:
            raise self._x.unit.error(expr, "the case label is not a constant")
        return values[0], values[1]

    # ------------------------------------------------------------------------------------------- jumps
    def _close(self, keep: int, node: c_ast.Node) -> None:
        """End the sections beyond the first `keep`, innermost first; they stay open for the code that follows."""
        for section in reversed(self._sections[keep:]):
            self._x.emit(AtomicEnd() if section.atomic else CriticalEnd(), node, "}")

    def _leave(self, exits: list[_Exit], node: c_ast.Node) -> None:
        if not exits:
            raise self._x.unit.error(node, "break or continue outside of a loop or switch")
        self._close(exits[-1].sections, node)
        self._x.graph.jump(exits[-1].target)

    def _return(self, node: c_ast.Return) -> None:
        x = self._x
        if node.expr is not None:
            if self._result is None:
                x.effect(node.expr)
            else:
                v = x.math.convert(x.value(node.expr), strip(self._result.type), node)
                x.store(self._result, v, node)
        self._close(0, node)
        x.graph.jump(self._exit)

    def _goto(self, node: c_ast.Goto) -> None:
        x = self._x
        inside = self._label_sections.get(node.name)
        if inside is None:
            raise x.unit.error(node, f"the label '{node.name}' does not exist")
        mine = tuple(id(s.node) for s in self._sections)
        if mine[: len(inside)] != inside:
            raise x.unit.error(node, f"goto into the atomic or critical block around '{node.name}'",
                               "enter the block at its start")
        self._close(len(inside), node)
        x.graph.jump(self._label_location(node.name))

    def _label(self, node: c_ast.Label) -> None:
        graph = self._x.graph
        here = self._label_location(node.name)
        graph.jump(here)
        graph.current = here

    def _label_location(self, name: str) -> int:
        if name not in self._labels:
            self._labels[name] = self._x.graph.location()
        return self._labels[name]

    def _attributed(self, node: c_ast.AttributedStatement) -> None:
        kind = section_kind(node)
        if kind is None:
            if node.stmt is not None:
                self.statement(node.stmt)
            return
        atomic = kind == "atomic"
        self._x.emit(AtomicBegin() if atomic else CriticalBegin(), node, f"{kind} {{")
        self._sections.append(_Section(atomic, node))
        self._scoped(node.stmt)
        self._sections.pop()
        self._x.emit(AtomicEnd() if atomic else CriticalEnd(), node, "}")

    # ------------------------------------------------------------------------------------------- declarations
    def declare(self, node: c_ast.Node) -> None:
        """A declaration in a block."""
        x = self._x
        if isinstance(node, (c_ast.StaticAssert, c_ast.Pragma)):
            self.statement(node)
            return
        if isinstance(node, c_ast.Typedef):
            size = self._variable_size(node.type)
            x.scope.names[node.name] = TypeName(x.types.resolve(node, x.scope), size)
            return
        x.types.declare_tags(node, x.scope)
        if node.name is None:
            if isinstance(node.type, (c_ast.Struct, c_ast.Union)) and node.type.decls is None and node.type.name:
                x.types.record(node.type, x.scope)
            return
        t = self._declared_type(node)
        if isinstance(t, FunctionType):
            x.scope.names[node.name] = FunctionName(node.name, t)
        elif "extern" in node.storage:
            self._extern(node, t)
        elif "static" in node.storage or "_Thread_local" in node.storage or "thread_local" in node.storage \
                or "__thread" in node.storage:
            self._static(node, t)
        else:
            self._automatic(node, t)

    def _declared_type(self, node: c_ast.Decl) -> CType:
        inner = node.type
        if isinstance(inner, c_ast.TypeDecl) and isinstance(inner.type, c_ast.InferredType):
            assert node.init is not None
            found = strip(self._x.unit.scratch(self._x.scope).value(node.init).type)
            return self._x.types._with(found, inner.quals)
        return self._x.types.resolve(node, self._x.scope)

    def _extern(self, node: c_ast.Decl, t: CType) -> None:
        x = self._x
        scope = x.scope
        while scope.parent is not None:
            scope = scope.parent
        found = scope.find(node.name)
        if found is None:
            from frontend.ir import Symbol

            found = MemoryName(node.name, t)
            x.unit.symbols[node.name] = Symbol(node.name, t, Storage.GLOBAL, node.name, defined=False,
                                               location=x.unit.where(node))
            scope.names[node.name] = found
        x.scope.names[node.name] = found

    def _static(self, node: c_ast.Decl, t: CType) -> None:
        x = self._x
        static = node.storage != ["static"] and any(s in node.storage for s in ("_Thread_local", "thread_local", "__thread"))
        symbol = x.local(node.name, t, node, Storage.THREAD if static else Storage.STATIC)
        x.scope.names[node.name] = MemoryName(symbol.name, t)
        if node.init is not None:
            t, parts = leaves(x, t, node.init)
            symbol = replace(symbol, type=t, initial=x.static(parts))
            x.scope.names[node.name] = MemoryName(symbol.name, t)
        attributes = tuple(a.name for a in x.unit.parsed.record_attributes(node))
        x.unit.symbols[symbol.name] = replace(symbol, attributes=attributes)

    def _automatic(self, node: c_ast.Decl, t: CType) -> None:
        x = self._x
        if isinstance(t, VoidType):
            raise x.unit.error(node, f"'{node.name}' has type void")
        if isinstance(t, (IntType, PointerType, FloatType)) and node.name not in x.syntax.taken:
            scalar = x.ints.scalar(t) if not isinstance(t, FloatType) else None
            self._register(node, t, scalar is None)
            return
        size = self._variable_size(node.type)
        symbol = x.local(node.name, t, node)
        x.scope.names[node.name] = MemoryName(symbol.name, t, size)
        if node.init is None:
            return
        if isinstance(t, (ArrayType, RecordType)):
            t, parts = leaves(x, t, node.init)
            if t != symbol.type:
                symbol = replace(symbol, type=t)
                x.memory[-1] = symbol
                x.scope.names[node.name] = MemoryName(symbol.name, t)
            x.initialise(Place(symbol.name, (), t, t), parts, node)
        else:
            v = x.math.convert(x.value(_scalar_init(node.init)), strip(t), node)
            x.store(Cell(Place(symbol.name, (), t, t)), v, node)

    def _register(self, node: c_ast.Decl, t: IntType | PointerType | FloatType, floating: bool) -> None:
        x = self._x
        from frontend.expr import Scalar

        scalar = Scalar(t.bits, False) if isinstance(t, FloatType) else x.ints.scalar(t)
        var = x.graph.register(node.name, scalar)
        x.shown[var.name] = node.name
        x.scope.names[node.name] = RegisterName(var, t)
        if node.init is not None:
            v = x.math.convert(x.value(_scalar_init(node.init)), strip(t), node)
            x.store(Slot(var, t), v, node)
        elif self._again and not floating:
            x.emit(Forget((var,)), node)

    def _variable_size(self, node: c_ast.Node) -> Expr | None:
        """The size in bytes of an array of variable length, with its dimensions evaluated; None for all others."""
        x = self._x
        dims: list[c_ast.ArrayDecl] = []
        while isinstance(node, c_ast.ArrayDecl):
            dims.append(node)
            node = node.type
        if not dims or all(d.dim is None or x.unit.constant(d.dim, x.scope) is not None for d in dims):
            return None
        element = x.types.resolve(node, x.scope)
        if not x.math.has_size(element):
            return None
        total = Value(x.ints.size, Const(x.types.sizeof(element), x.ints.size.scalar))
        for d in dims:
            if d.dim is not None:
                n = x.math.convert(x.value(d.dim), x.ints.size, d)
                assert isinstance(n, Value)
                total = Value(x.ints.size, binary("*", total.expr, n.expr), n.depth + 1)
        return x.spill(total, dims[0].dim).expr


def _scalar_init(init: c_ast.Node) -> c_ast.Node:
    """The expression of a scalar's initialiser, which may stand in braces."""
    while isinstance(init, c_ast.InitList) and init.exprs:
        init = init.exprs[0]
    return init if not isinstance(init, c_ast.InitList) else c_ast.Constant("int", "0", init.coord)


def _is_expression(node: c_ast.Node) -> bool:
    return isinstance(node, (c_ast.ID, c_ast.Constant, c_ast.BinaryOp, c_ast.UnaryOp, c_ast.Assignment, c_ast.ArrayRef,
                             c_ast.StructRef, c_ast.CompoundLiteral, c_ast.FuncCall, c_ast.Cast, c_ast.TernaryOp,
                             c_ast.ExprList, c_ast.GenericSelection))


def _in_range(e: Expr, low: int, high: int) -> Expr:
    if low == high:
        return binary("==", e, Const(low, e.type))
    return both(binary(">=", e, Const(low, e.type)), binary("<=", e, Const(high, e.type)))


def _balanced(tests: list[Expr], conjunction: bool) -> Expr:
    """All (or any) of the tests, as a tree of small height."""
    while len(tests) > 1:
        pairs = [(both if conjunction else either)(tests[i], tests[i + 1]) for i in range(0, len(tests) - 1, 2)]
        tests = pairs + tests[len(pairs) * 2:]
    return tests[0]


def section_kind(node: c_ast.Node) -> str | None:
    """`atomic` or `critical` if the node is such a block."""
    if isinstance(node, c_ast.AttributedStatement):
        for specifier in node.attributes or ():
            for attribute in getattr(specifier, "attributes", None) or [specifier]:
                if attribute.namespace == "circ" and attribute.name in ("atomic", "critical"):
                    return str(attribute.name)
    return None


def label_sections(body: c_ast.Node) -> dict[str, tuple[int, ...]]:
    """For each label the ids of the atomic and critical blocks around it, outermost first."""
    found: dict[str, tuple[int, ...]] = {}
    todo: list[tuple[c_ast.Node, tuple[int, ...]]] = [(body, ())]
    while todo:
        node, around = todo.pop()
        if isinstance(node, c_ast.Label):
            found[node.name] = around
        inner = (*around, id(node)) if section_kind(node) is not None else around
        todo.extend((child, inner) for child in node)
    return found


__all__ = ["Aggregate", "Floating", "Statements", "label_sections"]
