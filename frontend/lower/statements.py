"""Statements, declarations and whole function bodies."""

from __future__ import annotations

from collections.abc import Callable

from pycparser import c_ast

from frontend.annotations.notes import Note, NotePlace
from frontend.ctypes import IntType
from frontend.ctypes.conversions import binary, both, cast, either, strip
from frontend.ctypes.scope import RegisterName, Scope
from frontend.ir import AtomicBegin, AtomicEnd, CriticalBegin, CriticalEnd
from frontend.ir.builder import GraphBuilder
from frontend.lower.called.not_modelled import (
    NOT_TRACKED,
    StatementNotModelled,
    UnknownEffects,
    lowering_failed,
    without_initialiser,
)
from frontend.lower.declared.local_declarations import Locals
from frontend.lower.expressions import Expressions
from frontend.lower.operands import Designated, Nothing, Operand, ScalarValue
from frontend.lower.unit import Unit, failed_assertion
from frontend.program import BOOL, TRUE, Const, Expr, FrontendError, NotModelled, Read, negate
from frontend.records import dataclass
from frontend.text.ast_text import text_of
from frontend.text.attributes import cleanup_of
from frontend.text.keywords import ASM_GOTO, COMPUTED_GOTO, NOT_MODELLED
from frontend.text.side_effects import Syntax, is_call, section_kind


@dataclass(frozen=True, slots=True)
class _Section:
    """An atomic or critical block around the code being lowered."""

    atomic: bool
    node: c_ast.Node


@dataclass(frozen=True, slots=True)
class _Cleanup:
    """A local variable in scope whose `cleanup` function is called when the scope ends, with the names of that scope."""

    call: c_ast.FuncCall
    scope: Scope
    node: c_ast.Node


@dataclass(frozen=True, slots=True)
class _Exit:
    """Where `break` or `continue` goes, and how many sections and cleanups are open there."""

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
    """Lowers the statements of one function; `expressions` lowers what is in them."""

    def __init__(self, unit: Unit, graph: GraphBuilder, scope: Scope, syntax: Syntax) -> None:
        self.expressions = x = Expressions(unit, graph, scope, syntax, self)
        self._x = x
        self._exit: int | None = None
        self._result: Designated | None = None
        self._sections: list[_Section | _Cleanup] = []
        """What must end when control leaves the code being lowered, outermost first."""
        self._breaks: list[_Exit] = []
        self._continues: list[_Exit] = []
        self._switches: list[_Switch] = []
        self._labels: dict[str, int] = {}
        self._label_sections = x.syntax.labels
        self._again = bool(self._label_sections)
        """Whether declarations may be passed more than once."""
        self._locals = Locals(x)
        self._effects = UnknownEffects(x, self._attempt)

    @classmethod
    def unevaluated(cls, unit: Unit, scope: Scope) -> Expressions:
        """A lowering whose code is thrown away: for constants and types."""
        graph = GraphBuilder()
        made = cls(unit, graph, scope, Syntax())
        made._exit = graph.location()
        return made.expressions

    def body(self, node: c_ast.Node, exit_: int, result: Designated | None) -> None:
        """Lower a function's body: it returns to `exit_`, its value goes to `result`."""
        self._exit, self._result = exit_, result
        self.statement(node)

    # ------------------------------------------------------------------------------------------- blocks
    def scratch(self) -> Expressions:
        """A lowering in the same scope whose code is thrown away."""
        return self.unevaluated(self._x.unit, self._x.scope)

    def block_value(self, node: c_ast.Compound) -> Operand:
        """A statement expression: the value of its last statement if that is an expression."""
        outer, open_ = self._x.scope, len(self._sections)
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
                if isinstance(result, ScalarValue) and not isinstance(result.expr, Const):
                    result = self._x.spill(result, last) if result.depth else result
            else:
                self.statement(last)
        if len(self._sections) > open_ and not isinstance(result, Nothing):
            if not isinstance(result, ScalarValue):
                raise self._x.unit.error(node, "the value of a block that ends with a cleanup is no scalar", "use a variable")
            result = self._x.spill(result, items[-1])
        self._end_scope(outer, open_, node)
        return result

    def _compound(self, node: c_ast.Compound) -> None:
        outer, open_ = self._x.scope, len(self._sections)
        self._x.scope = Scope(outer)
        for item in node.block_items or ():
            self.statement(item)
        self._end_scope(outer, open_, node)

    def _end_scope(self, outer: Scope, open_: int, node: c_ast.Node) -> None:
        """Control leaves a scope at its end: cleanups of its variables are done."""
        self._close(open_, node)
        del self._sections[open_:]
        self._x.scope = outer

    def _declare(self, node: c_ast.Decl | c_ast.Typedef) -> None:
        self._attempt(node, lambda: self._locals.declare(node, self._again), lambda: self._declare_only(node))
        function = cleanup_of(node)
        if function is not None:
            variable = c_ast.UnaryOp("&", c_ast.ID(node.name, node.coord), node.coord)
            call = c_ast.FuncCall(c_ast.ID(function, node.coord), c_ast.ExprList([variable], node.coord), node.coord)
            self._sections.append(_Cleanup(call, self._x.scope, node))

    # ------------------------------------------------------------------------------------------- statements
    def statement(self, node: c_ast.Node) -> None:  # noqa: C901 - one line for each statement of C
        """Put the code of a statement behind what there is; an expression is evaluated for its effects."""
        match node:
            case c_ast.Compound():
                self._compound(node)
            case c_ast.Decl() | c_ast.Typedef():
                self._declare(node)
            case c_ast.DeclList():
                for decl in node.decls:
                    self.statement(decl)
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
            case c_ast.FuncCall() if is_call(node, COMPUTED_GOTO):
                self._computed_goto(node)
            case c_ast.FuncCall() if is_call(node, NOT_MODELLED):
                self._effects.of_body([part.value.strip('"') for part in node.args.exprs], node, self._result)
            case c_ast.FuncCall() if is_call(node, ASM_GOTO):
                self._asm_goto(node)
            case _:
                self._attempt(node, lambda: self._x.effect(node), lambda: self._effects.of(node))

    # ------------------------------------------------------------------------------------------- what is not modelled
    def _attempt(self, node: c_ast.Node, lower: Callable[[], None], instead: Callable[[], None]) -> None:
        """Lower a part of the function, or do what stands for it if that is known not to be modelled."""
        if id(node) in self._x.unit.skipped:
            instead()
            return
        try:
            lower()
        except NotModelled as error:
            raise StatementNotModelled(node, error) from None
        except (FrontendError, StatementNotModelled, MemoryError):
            raise
        except Exception as error:
            raise StatementNotModelled(node, lowering_failed(error, self._x.unit.where(node))) from error

    def _declare_only(self, node: c_ast.Decl | c_ast.Typedef) -> None:
        """The declaration without its initialiser, whose value is not known."""
        self._locals.declare(without_initialiser(node), True)
        self._effects.of(node)

    def _branch(self, cond: c_ast.Node, yes: int, no: int) -> None:
        """Go on at one of two locations, as the condition is zero or not."""
        def either() -> None:
            self._x.graph.branch(self._effects.value(cond, BOOL), yes, no, self._x.unit.where(cond), text_of(cond))

        self._attempt(cond, lambda: self._x.branch(cond, yes, no), either)

    def _static_assert(self, node: c_ast.StaticAssert) -> None:
        if self._x.unit.constant(node.cond, self._x.scope) == 0:
            raise failed_assertion(self._x.unit, node)

    def _if(self, node: c_ast.If) -> None:
        graph = self._x.graph
        end = graph.location()
        rest: c_ast.Node | None = node
        while isinstance(rest, c_ast.If):  # an `else if` chain may be long
            yes, no = graph.location(), graph.location()
            self._branch(rest.cond, yes, no)
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
        outer, open_ = self._x.scope, len(self._sections)
        self._x.scope = Scope(outer)
        self.statement(node)
        self._end_scope(outer, open_, node)

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

    def _note(self, node: c_ast.Node) -> None:
        """The invariants of a loop, at its head."""
        attached = self._x.unit.attached
        numbers = attached.loops.get(self._x.unit.where(node), ()) if attached is not None else ()
        if attached is None or not numbers:
            return
        names = dict.fromkeys(w.text for n in numbers for w in attached.clauses[n].words if w.kind == "name")
        found = {name: self._x.scope.find(name) for name in names}
        registers = tuple((name, e.var) for name, e in found.items() if isinstance(e, RegisterName))
        self._x.emit(Note(NotePlace.LOOP, numbers, registers), node)

    def _while(self, node: c_ast.While) -> None:
        graph = self._x.graph
        head, body, end = graph.location(), graph.location(), graph.location()
        graph.jump(head)
        graph.current = head
        self._note(node)
        self._branch(node.cond, body, end)
        graph.current = body
        self._loop(node.stmt, head, end)
        graph.current = end

    def _do(self, node: c_ast.DoWhile) -> None:
        graph = self._x.graph
        body, test, end = graph.location(), graph.location(), graph.location()
        graph.jump(body)
        graph.current = body
        self._note(node)
        self._loop(node.stmt, test, end)
        graph.current = test
        self._branch(node.cond, body, end)
        graph.current = end

    def _for(self, node: c_ast.For) -> None:
        graph = self._x.graph
        outer, open_ = self._x.scope, len(self._sections)
        self._x.scope = Scope(outer)
        if node.init is not None:
            self.statement(node.init)
        head, body, step, end = (graph.location() for _ in range(4))
        graph.jump(head)
        graph.current = head
        self._note(node)
        if node.cond is not None:
            self._branch(node.cond, body, end)
        else:
            graph.jump(body)
        graph.current = body
        self._loop(node.stmt, step, end)
        graph.current = step
        if node.next is not None:
            self.statement(node.next)
        graph.jump(head)
        graph.current = end
        self._end_scope(outer, open_, node)

    # ------------------------------------------------------------------------------------------- switch
    def _switch(self, node: c_ast.Switch) -> None:
        graph = self._x.graph
        t, e = self._switched(node)
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

    def _switched(self, node: c_ast.Switch) -> tuple[IntType, Expr]:
        """The value that a switch tests, with its promoted type."""
        x = self._x
        found: list[tuple[IntType, Expr]] = []

        def evaluate() -> None:
            v = x.scalar(node.cond)
            if not isinstance(v.type, IntType):
                raise x.unit.error(node, "the value of a switch is not an integer", "switch over an integer")
            t = x.ints.promote(v.type)
            e = cast(v.expr, t.scalar)
            spilled = not isinstance(e, (Const, Read)) and v.depth
            found.append((t, x.spill(ScalarValue(t, e), node.cond).expr if spilled else e))

        def instead() -> None:
            t = x.ints.named("long long")
            found.append((t, self._effects.value(node.cond, t.scalar)))

        self._attempt(node.cond, evaluate, instead)
        return found[0]

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
            raise x.unit.error(node, "a case label outside of a switch", "put it inside a switch")
        switch = self._switches[-1]
        if switch.sections != len(self._sections):
            raise x.unit.error(node, "a case label inside an atomic or critical block of the switch, or behind a variable "
                               "with a cleanup", "control would jump into the block")
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
            raise self._x.unit.error(expr, "the case label is not a constant", "write it as a constant")
        return values[0], values[1]

    # ------------------------------------------------------------------------------------------- jumps
    def close_all(self, node: c_ast.Node) -> None:
        """End the atomic and critical blocks that are open; a thread that ends does no cleanup."""
        for section in reversed(self._sections):
            if isinstance(section, _Section):
                self._end(section, node)

    def _close(self, keep: int, node: c_ast.Node) -> None:
        """End the sections beyond the first `keep`, innermost first; they stay open for the code that follows."""
        open_ = self._sections
        for n in reversed(range(keep, len(open_))):
            self._sections = open_[:n]  # so that a cleanup does not find itself open
            self._end(open_[n], node)
        self._sections = open_

    def _end(self, section: _Section | _Cleanup, node: c_ast.Node) -> None:
        if isinstance(section, _Section):
            self._x.emit(AtomicEnd() if section.atomic else CriticalEnd(), node, "}")
            return
        outer, self._x.scope = self._x.scope, section.scope
        self._x.effect(section.call)
        self._x.scope = outer

    def _leave(self, exits: list[_Exit], node: c_ast.Node) -> None:
        if not exits:
            raise self._x.unit.error(node, "break or continue outside of a loop or switch", "remove it")
        self._close(exits[-1].sections, node)
        self._x.graph.jump(exits[-1].target)

    def _return(self, node: c_ast.Return) -> None:
        x = self._x

        def evaluate() -> None:
            if self._result is None:
                x.effect(node.expr)
            else:
                v = x.math.convert(x.value(node.expr), strip(self._result.type), node)
                x.objects.store(self._result, v, node)

        if node.expr is not None:
            self._attempt(node, evaluate, lambda: self._effects.of(node, self._result))
        self._close(0, node)
        assert self._exit is not None
        x.graph.jump(self._exit)

    def _goto(self, node: c_ast.Goto) -> None:
        x = self._x
        inside = self._label_sections.get(node.name)
        if inside is None:
            raise x.unit.error(node, f"the label '{node.name}' does not exist", "write the label, or correct its name")
        mine = tuple(id(s.node) for s in self._sections)
        if mine[: len(inside)] != inside:
            raise x.unit.error(node, f"goto into the atomic or critical block around '{node.name}', or the scope of a cleanup",
                               "enter the block at its start")
        self._close(len(inside), node)
        x.graph.jump(self._label_location(node.name))

    def _computed_goto(self, node: c_ast.FuncCall) -> None:
        """Go to the label whose address the value is; any other value is none that a program may use here."""
        x, graph = self._x, self._x.graph
        value = x.scalar(node.args.exprs[0]).expr
        here = tuple(id(s.node) for s in self._sections)
        for label in x.syntax.addresses:
            if self._label_sections.get(label) != here:
                raise x.unit.error(node, f"computed goto into or out of an atomic or critical block to '{label}'", "use goto")
            target = Const(x.unit.label(x.scope.owner, label), value.type)
            graph.guard(binary("==", value, target), self._label_location(label), x.unit.where(node), text_of(node))
        graph.stop()

    def _asm_goto(self, node: c_ast.FuncCall) -> None:
        """Assembly that goes on behind it, or at one of the labels."""
        x, graph = self._x, self._x.graph
        assembly, *labels = node.args.exprs
        x.effect(assembly)
        for label in labels:
            jump, stay = graph.location(), graph.location()
            graph.branch(x.arbitrary(BOOL, node, NOT_TRACKED), jump, stay, x.unit.where(node), text_of(node))
            graph.current = jump
            self._goto(c_ast.Goto(label.name, node.coord))
            graph.current = stay

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
