"""Who may run when: handlers, tasks and what they interrupt, said with ghost variables and guards. See docs/interrupts.md.

A pass over a finished program. Every handler and task waits at the start location of its automaton (idle). Its start step
tests all that hardware or the scheduler tests; every other step of a thread that others could notice waits until those
that may preempt the thread are idle again: `AllAt(handler, idle)`. Such a wait suspends a thread, it does not take back
its next access: a suspended thread's access counts for races. Where two handlers may preempt each other, or one itself,
locations do not tell who is on top; there a depth counter does.

Steps that touch nothing but locals carry no guard: a suspended thread that takes one could have taken it before it was
interrupted, and the state is the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from frontend.interrupts.handler_facts import BY_SOFTWARE, given_priorities, stays_off
from frontend.interrupts.registers import HardwareRegisters, armed, tracked
from frontend.ir.interrupt_table import Bit, HandlerRule, Test
from frontend.program import (
    BOOL,
    FALSE,
    TRUE,
    AllAt,
    Assign,
    Assume,
    Assumption,
    Binary,
    Block,
    Const,
    Doubt,
    Edge,
    Expr,
    FrontendError,
    Op,
    Preemption,
    Program,
    Read,
    Role,
    ThreadTemplate,
    Values,
    Var,
    Variable,
    name_of,
    negate,
    op_reads,
    op_writes,
    primitive,
    truth,
)
from frontend.program.connectives import conjuncts
from frontend.program.fold import conjunction, fold
from frontend.program.schedule_ghosts import (
    ACTIVE,
    COUNT,
    DEPTH,
    IE,
    LEVEL,
    ON_TOP,
    SCHEDULING,
    STACK,
    enabled,
    ghost,
    posted,
)
from frontend.records import dataclass
from frontend.threads.sources import ThreadSource


def schedule(program: Program, sources: Mapping[str, ThreadSource], registers: HardwareRegisters,
             starts_on: bool, numbers: Mapping[str, int]) -> tuple[Program, Callable[[str, str], bool]]:
    """The program with interrupts and tasks as `program.preemption` says; `starts_on`: interrupts are on at the start;
    `numbers`: of the handlers, in calls that give them priorities.

    Also who may run between two steps of whom, of two threads by their names.
    """
    program = registers.track(program)
    scheduler = _Scheduler(program, sources, registers, starts_on, numbers)
    return scheduler.program(), scheduler.interrupts


def in_parallel(one: str, other: str) -> bool:
    """Who may run between two steps of whom, of threads that run in parallel: everybody."""
    return True


@dataclass(frozen=True, slots=True)
class _Preempted:
    """About one handler or task: where it waits, whether anything can preempt it, and whether it looks at `IE`."""

    idle: int
    closed: bool
    looks: bool


class _Scheduler:
    def __init__(self, program: Program, sources: Mapping[str, ThreadSource], registers: HardwareRegisters,
                 starts_on: bool, numbers: Mapping[str, int]) -> None:
        self._registers = registers
        self._starts_on = starts_on
        self._nested = program.preemption == Preemption.NESTED
        self._sources = sources
        numbered = {name: bool(s.rule and s.rule.on_calls and not s.rule.on_at_reset) for name, s in sources.items()
                    if name in numbers and s.role is Role.HANDLER and s.ranked}
        program, self._given = given_priorities(program, numbered)
        self._templates = {t.name: t for t in program.templates}
        self._shared = {v.name for v in program.globals}
        self._handlers = [t.name for t in program.templates if t.role is Role.HANDLER]
        self._tasks = [t.name for t in program.templates if t.role is Role.TASK]
        self._uses_ie = not starts_on or any(IE.name in op_writes(e.op) for t in program.templates for e in t.cfa.edges)
        self._facts = {name: self._look(self._templates[name]) for name in (*self._handlers, *self._tasks)}
        for name in self._handlers:
            self._templates[name] = replace(self._templates[name], count=self._count(name))
        program = replace(program, templates=tuple(self._templates[t.name] for t in program.templates))
        self._program = program
        self._mutual = frozenset(a for a in self._handlers if self._nested
                                 and any(self._preempts(a, b) and self._preempts(b, a) for b in self._handlers))
        self._waiting = {t.name: w for t in program.templates if t.role is Role.MAIN and (w := _scheduling(t))}

    def program(self) -> Program:
        templates = tuple(map(self._template, self._program.templates))
        used = {n for t in templates for e in t.cfa.edges for n in (*op_writes(e.op), *map(name_of, op_reads(e.op)))}
        gone = {ACTIVE.name, SCHEDULING.name}
        made = [replace(v, start=Values(int(self._starts_on))) if v.name == IE.name else v
                for v in self._program.globals if v.name not in gone]
        if self._mutual:
            made.append(Variable(STACK.name, DEPTH, None, Values(0), STACK.name, ghost=True))
        known = {v.name for v in made}
        made += [v for v in self._registers.needed() if v.name in used and v.name not in known]
        never = [ghost(IE, int(self._starts_on)), *(ghost(enabled(h), int(self._on_at_reset(h))) for h in self._handlers)]
        made += [v for v in never if v.name in used and v.name not in known]
        return replace(self._program, globals=tuple(made), templates=templates,
                       assumptions=(*self._program.assumptions, *self._assumptions()),
                       warnings=(*self._program.warnings, *self._warnings()))

    def _warnings(self) -> Iterable[Assumption]:
        for handler in map(self._templates.__getitem__, self._handlers):
            if not _returns(handler):
                yield Assumption(f"handler '{handler.name}' never returns: what it interrupts does not go on", handler.location)

    def _assumptions(self) -> Iterable[Assumption]:
        if self._nested and self._handlers:
            yield Assumption("there is one processor: a handler runs to its end before what it interrupted goes on")
        ranked = [h for h in self._handlers if self._sources[h].ranked]
        open_ = [h for h in ranked if self._urgency(h) is None]
        if self._nested and open_ and len(ranked) > 1:
            yield Assumption(f"handlers whose priorities are not known may preempt each other: {', '.join(open_)}")
        if self._nested and len(self._given) > 1:
            yield Assumption("handlers have the priorities that calls such as 'NVIC_SetPriority' give them, "
                             "which the processor has")
        software = [h for h in self._given if h in BY_SOFTWARE and h not in open_]
        if self._nested and software:
            yield Assumption(f"a handler does not start before its priority is set: {', '.join(software)}")

    # ------------------------------------------------------------------------------------------- who preempts whom
    def _look(self, template: ThreadTemplate) -> _Preempted:
        source = self._sources[template.name]
        if template.role is Role.TASK and not _returns(template):
            raise FrontendError(template.location, f"task '{template.name}' never returns",
                                "a thread that runs for ever is marked circ_thread")
        looks = any(IE.name in (*op_writes(e.op), *map(name_of, op_reads(e.op))) for e in template.cfa.edges)
        return _Preempted(template.cfa.start, source.masked and (not looks or stays_off(template)), looks)

    def _count(self, name: str) -> int | None:
        """How many activations of a handler there can be: one, unless interrupts can be on while it runs."""
        source = self._sources[name]
        if not source.masked:
            return self._templates[name].count
        return 1 if self._facts[name].closed or source.ranked else None

    def _on_at_reset(self, name: str) -> bool:
        rule = self._sources[name].rule
        return rule is not None and rule.on_at_reset

    def _urgency(self, name: str) -> tuple[int, int] | None:
        """Its least and its greatest urgency, as far as they are known."""
        rule, given = self._sources[name].rule, self._given.get(name)
        if rule is not None and rule.priority is not None:
            return rule.priority, rule.priority
        return None if given is None else (-max(given), -min(given))

    def _preempts(self, one: str, other: str) -> bool:
        """Whether handler `one` may start while handler `other` runs."""
        if self._sources[one].unmaskable or self._sources[other].unmaskable:
            return one != other and not self._sources[other].unmaskable
        if self._facts[other].closed:
            return False
        mine, its = self._urgency(one), self._urgency(other)
        if mine is not None and its is not None:
            return one != other and mine[1] > its[0]
        return one != other or self._templates[one].count is None

    def _may_be_as_urgent(self, one: str, other: str) -> bool:
        """Whether a handler that may start while another one runs need not be more urgent all the time."""
        mine, its = self._given.get(one), self._given.get(other)
        return self._preempts(one, other) and mine is not None and its is not None and max(mine) >= min(its)

    def interrupts(self, one: str, other: str) -> bool:
        """Whether a thread may run between two steps of another; in doubt it may."""
        if not self._nested or other not in self._handlers:
            return True
        return one in self._handlers and self._preempts(one, other)

    def _idle(self, name: str) -> AllAt:
        return AllAt(name, frozenset({self._facts[name].idle}))

    def _suspended_by(self, template: ThreadTemplate) -> list[AllAt]:
        """What must be idle for the thread to go on."""
        if template.role is Role.HANDLER:
            above = [a for a in self._handlers if self._preempts(a, template.name) and not self._preempts(template.name, a)]
            return [self._idle(a) for a in above] if self._nested else []
        handlers = [self._idle(a) for a in self._handlers] if self._nested else []
        if template.role is Role.TASK or template.name in self._waiting:
            return handlers
        return handlers + ([self._idle(t) for t in self._tasks] if self._nested else [])

    # ------------------------------------------------------------------------------------------- templates
    def _template(self, template: ThreadTemplate) -> ThreadTemplate:
        guards: list[Op] = list(self._suspended_by(template))
        locals_ = template.locals
        if template.name in self._mutual:
            guards.append(ON_TOP)
            locals_ = (*locals_, Variable(LEVEL.name, DEPTH, None, Values(0), "", ghost=True))
        edges: list[Edge] = []
        for edge in template.cfa.edges:
            if _is_mark(edge, ACTIVE, 1):
                edges.extend(replace(edge, op=op, accesses=(), doubts=doubts) for op, doubts in self._start(template))
            elif _is_mark(edge, ACTIVE, 0):
                edges.append(replace(edge, op=_block([*guards, *self._return(template)]), accesses=()))
            elif _is_mark(edge, SCHEDULING, 1):
                edges.append(replace(edge, op=_block([*_without(edge.op, SCHEDULING), *guards]), accesses=()))
            elif _is_mark(edge, SCHEDULING, 0):
                tasks = [self._idle(t) for t in self._tasks]
                edges.append(replace(edge, op=_block([*_without(edge.op, SCHEDULING), *guards, *tasks]), accesses=()))
            elif guards and self._noticed(template, edge):
                edges.append(replace(edge, op=_block([*primitive(edge.op), *guards])))
            else:
                edges.append(edge)
        return replace(template, cfa=replace(template.cfa, edges=tuple(edges)), locals=locals_)

    def _noticed(self, template: ThreadTemplate, edge: Edge) -> bool:
        """Whether others could notice the step. In an atomic section nobody else runs anyway."""
        atomic = template.cfa.atomic
        if edge.source in atomic:
            return False
        own = {v.name for v in template.locals}
        touched = {*op_writes(edge.op), *map(name_of, op_reads(edge.op))} & self._shared - own
        return bool(touched or edge.accesses or edge.target in atomic)

    # ------------------------------------------------------------------------------------------- starting
    def _start(self, template: ThreadTemplate) -> list[tuple[Op, tuple[Doubt, ...]]]:
        """The ways to start, each one step."""
        source = self._sources[template.name]
        if template.role is Role.TASK:
            return self._start_task(template)
        conditions = [IE_ON] if self._uses_ie and not source.unmaskable else []
        conditions += [self._flag(source)] if source.flag is not None else []
        rule = source.rule
        effects: list[Op] = []
        if rule is not None:
            conditions += self._terms(rule, rule.enable)
            if rule.on_calls or rule.off_calls:
                conditions.append(Read(enabled(template.name)))
            effects += [self._registers.act(bit) for bit in rule.effects]
        if source.masked and self._facts[template.name].looks:
            effects.append(Assign(IE, Const(0, BOOL)))
        waits: list[Op] = []
        if self._nested:
            waits += [self._idle(other) for other in self._handlers
                      if other != template.name and not self._preempts(template.name, other)]
        if template.name in self._mutual:
            effects += [Assign(LEVEL, Binary("+", Read(STACK), Const(1, DEPTH))), Assign(STACK, Read(LEVEL))]
        ways: list[_Way] = self._armed(template.name, rule) if rule is not None and rule.armed_by else [(TRUE, [], ())]
        perhaps: list[Op] = [self._idle(b) for b in self._handlers if self._nested and self._may_be_as_urgent(template.name, b)]
        made: list[tuple[Op, tuple[Doubt, ...]]] = []
        unsure = self._nested and any(self._sources[b].unsure and self._preempts(template.name, b) for b in self._handlers)
        for extra, more, doubts in ways:
            for alone in ([_ALONE], []) if unsure else ([],):
                block = _block([*_assume([*conditions, extra, *alone]), *waits, *more, *effects])
                made.append((block, doubts if alone or not unsure else (*doubts, _NESTING)))
        if not perhaps:
            return made
        return [*((_block([*primitive(op), *perhaps]), doubts) for op, doubts in made),
                *((op, (*doubts, _URGENCY)) for op, doubts in made)]

    def _start_task(self, template: ThreadTemplate) -> list[tuple[Op, tuple[Doubt, ...]]]:
        waits: list[Op] = [self._idle(other) for other in self._tasks if other != template.name]
        if self._nested:
            waits += [self._idle(h) for h in self._handlers]
        waits += [AllAt(main, places) for main, places in self._waiting.items()]
        count = posted(template.name)
        if count.name not in self._shared:
            return [(_block(waits), ())]
        return [(_block([*_assume([extra]), *waits, *more]), doubts) for extra, more, doubts in _counted(count)]

    def _armed(self, name: str, rule: HandlerRule) -> list[_Way]:
        count = armed(name)
        triggers: list[_Way] = []
        for conditions in rule.triggered:
            holds: Expr = TRUE
            for term in self._terms(rule, conditions):
                holds = conjunction(holds, term)
            triggers.append((holds, [], ()))
        if not rule.stays_armed:
            return [*_counted(count), *triggers]
        stays: Expr = TRUE
        for term in self._terms(rule, rule.stays_armed):
            stays = conjunction(stays, term)
        never = negate(stays)
        some = Binary("!=", Read(count), Const(0, COUNT))
        counted = ((conjunction(c, never), ops, doubts) for c, ops, doubts in _counted(count))
        return [*counted, (conjunction(some, stays), [], ()), *triggers]

    def _return(self, template: ThreadTemplate) -> list[Op]:
        source = self._sources[template.name]
        done: list[Op] = []
        if template.name in self._mutual:
            done.append(Assign(STACK, Binary("-", Read(LEVEL), Const(1, DEPTH))))
        if source.reenables and self._facts[template.name].looks:
            done.append(Assign(IE, Const(1, BOOL)))
        return done

    # ------------------------------------------------------------------------------------------- conditions
    def _flag(self, source: ThreadSource) -> Expr:
        assert source.flag is not None
        if re.fullmatch(r"0[xX][0-9a-fA-F]+|[0-9]+", source.flag):
            return TRUE if int(source.flag, 0 if source.flag[:2].lower() == "0x" else 10) else FALSE
        found = next((v for v in self._program.globals if source.flag in (v.name, v.shown)), None)
        if found is None or found.is_array:
            what = "is not a scalar" if found is not None else "does not exist"
            raise FrontendError(source.location, f"the variable '{source.flag}' that enables '{source.function}' {what}",
                                "name a global integer variable")
        return truth(Read(Var(found.name, found.type)))

    def _terms(self, rule: HandlerRule, terms: tuple[Bit | Test, ...]) -> list[Expr]:
        return [_bit(term) if isinstance(term, Bit) else self._test(rule, term) for term in terms]

    def _test(self, rule: HandlerRule, term: Test) -> Expr:
        found = next((v for v in self._program.globals if term.name in (v.name, v.shown)), None)
        if found is None or found.is_array:
            raise FrontendError(rule.location, f"'{term.name}' is neither a register nor a variable of the program",
                                "correct the table of interrupts")
        if found.type.wrap(term.value) != term.value:
            raise FrontendError(rule.location, f"'{term.name}' cannot have the value {term.value}",
                                "correct the table of interrupts")
        value = Read(Var(found.name, found.type))
        return Binary(term.op, value, Const(found.type.wrap(term.value), found.type))


IE_ON: Expr = Read(IE)
_ALONE: Expr = Binary("==", Read(STACK), Const(0, DEPTH))
"""No handler that may be interrupted by itself is running."""
_URGENCY = Doubt("which of two handlers is more urgent changes in the program", step=True)
_NESTING = Doubt("whether a handler is interrupted by others, or by itself, is not known of this processor", step=True)


def _bit(term: Bit) -> Expr:
    is_set = Read(tracked(term.address, term.bit))
    return is_set if term.on else negate(is_set)


_Way: TypeAlias = tuple[Expr, list[Op], tuple[Doubt, ...]]
"""When a handler or task may start, what that changes, and what is doubtful about it."""


def _counted(count: Var) -> list[_Way]:
    """One is used up: of exactly one none stays, of several one or several."""
    def is_(n: int) -> Expr:
        return Binary("==", Read(count), Const(n, COUNT))

    several = Doubt("more than two at once are not counted", step=True)
    none, one = Assign(count, Const(0, COUNT)), Assign(count, Const(1, COUNT))
    return [(is_(1), [none], ()), (is_(2), [one], ()), (is_(2), [], (several,))]


def _scheduling(main: ThreadTemplate) -> frozenset[int]:
    """Where `main` lets tasks run: inside the scheduler, and behind its end."""
    inside = {e.target for e in main.cfa.edges if _is_mark(e, SCHEDULING, 1)}
    ends = {q for q, out in enumerate(main.cfa.leaving()) if not out}
    return frozenset(inside | ends) if inside else frozenset()


def _returns(template: ThreadTemplate) -> bool:
    """Whether a handler or a task can come to its end."""
    return any(_is_mark(e, ACTIVE, 0) for e in template.cfa.edges)


def _is_mark(edge: Edge, mark: Var, value: int) -> bool:
    return any(p == Assign(mark, Const(value, BOOL)) for p in primitive(edge.op))


def _without(op: Op, mark: Var) -> list[Op]:
    return [p for p in primitive(op) if not (isinstance(p, Assign) and p.target == mark)]


def _assume(conditions: list[Expr]) -> list[Op]:
    """One guard a condition, so that a proof can name the one that matters."""
    folded = (fold(part) for condition in conditions for part in conjuncts(condition))
    return [Assume(c) for c in folded if c != TRUE]


def _block(ops: Iterable[Op]) -> Op:
    parts = tuple(ops)
    return parts[0] if len(parts) == 1 else Block(parts)
