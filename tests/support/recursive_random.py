"""Random recursive programs in C, and a search of their product up to a depth of the stacks: the judge of engines with one."""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from circ.finite.system import evaluate
from circ.semantics.conflicts import conflict
from circ.verdict import Assertions, Question, RaceOn
from frontend.program import AllAt, Assign, Assume, Element, Havoc, Procedures, Values, primitive

Activation: TypeAlias = tuple[str, int, tuple[tuple[str, int], ...]]
State: TypeAlias = tuple[tuple[tuple[str, int], ...], tuple[tuple[Activation, ...], ...]]


# --------------------------------------------------------------------------------------------------- programs
def random_text(seed: int, recursive: bool = True) -> str:
    """One or two kinds of threads that call functions which call themselves and each other, over a few Booleans.

    Without recursion a function calls only those before it.
    """
    rng = random.Random(seed)
    functions = [f"f{i}" for i in range(rng.choice((1, 1, 2)))]
    lines = ['#include "circ.h"', "_Bool a, b;", "unsigned char m;"]
    if rng.random() < 0.2:
        lines.append("circ_invariant(!(a && b));")
    lines += [f"_Bool {f}(_Bool p);" for f in functions]
    for i, f in enumerate(functions):
        inner = _body(rng, functions if recursive else functions[:i], 2, ("a", "b", "p", "r"))
        lines += [f"_Bool {f}(_Bool p) {{", "  _Bool r = 0;", *inner, "  return r;", "}"]
    for n in range(rng.choice((1, 1, 2))):
        count = rng.choice((1, 1, 2))
        self = rng.random() < 0.5
        lines.append(f"circ_threads({count}) void t{n}({'int self' if self else 'void'}) {{")
        lines += ["  _Bool p = 0, r = 0;", *_body(rng, functions, 2, ("a", "b", "p", "r"), "self + 1" if self else "1"), "}"]
    return "\n".join(lines) + "\n"


def _body(rng: random.Random, functions: list[str], depth: int, names: tuple[str, ...], mine: str = "1") -> Iterator[str]:
    def some() -> str:
        return rng.choice((*names, f"!{rng.choice(names)}", "0", "1", f"({rng.choice(names)} && {rng.choice(names)})"))

    for _ in range(rng.randint(1, 3)):
        match rng.randrange(9):
            case 0 | 1:
                yield f"  {rng.choice(names)} = {some()};"
            case 2 | 3 if functions:
                yield f"  r = {rng.choice(functions)}({some()});"
            case 4 if depth:
                yield f"  if ({rng.choice((some(), 'nondet()', 'nondet()'))}) {{"
                yield from _body(rng, functions, depth - 1, names, mine)
                yield "  } else {"
                yield from _body(rng, functions, depth - 1, names, mine)
                yield "  }"
            case 5:
                yield f"  atomic {{ assume(m == 0); m = {mine}; }}"
                yield f"  {rng.choice(names)} = {some()};"
                yield "  m = 0;"
            case 6:
                yield f"  atomic {{ {rng.choice(names)} = {some()}; {rng.choice(names)} = {some()}; }}"
            case 7:
                yield f"  circ_critical {{ {rng.choice(names)} = {some()}; }}"
            case _:
                yield f"  assert({some()} || {some()});"


# --------------------------------------------------------------------------------------------------- the product
@dataclass(slots=True)
class Found:
    """`wrong`: an error state was met; `states`: how many were seen; `cut`: some stack or the search reached a limit."""

    wrong: bool
    states: int
    cut: bool


class Product:
    """Breadth-first search with stacks of at most `depth` activations; an open value of a wide type is tried as 0 and 1."""

    def __init__(self, source: Procedures, question: Question, depth: int, limit: int = 3000) -> None:
        self.source, self.question, self.depth, self.limit = source, question, depth, limit
        self.functions = {t.name: t for t in source.program.templates}
        self.leaving = {t.name: t.cfa.leaving() for t in source.program.templates}
        self.sites = {name: {self.functions[name].cfa.edges[c.edge]: c for c in sites} for name, sites in source.calls.items()}
        self.cut = False

    def search(self) -> Found:
        globals_ = []
        for v in self.source.program.globals:
            assert isinstance(v.start, Values) and not v.is_array
            globals_.append((v.name, v.start.default))
        threads = [self._activation(name, {p.name: n for p in self.source.params[name]})
                   for name, count in self.source.threads for n in range(count)]
        start: State = tuple(globals_), tuple((t,) for t in threads)
        seen, todo = {start}, deque([start])
        while todo:
            state = todo.popleft()
            if self._wrong(state):
                return Found(True, len(seen), self.cut)
            for new in self._successors(state):
                if new not in seen:
                    if len(seen) >= self.limit:
                        return Found(False, len(seen), True)
                    seen.add(new)
                    todo.append(new)
        return Found(False, len(seen), self.cut)

    def _activation(self, name: str, params: dict[str, int]) -> Activation:
        own = {v.name: params.get(v.name, 0) for v in self.functions[name].locals}
        return name, self.functions[name].cfa.start, tuple(own.items())

    def _successors(self, state: State) -> Iterator[State]:
        g, stacks = state
        holders = [n for n, s in enumerate(stacks) if s and s[-1][1] in self.functions[s[-1][0]].cfa.atomic]
        for n, stack in enumerate(stacks):
            if stack and (not holders or holders == [n]):
                for g2, stack2 in self._moves(g, stack):
                    yield g2, (*stacks[:n], stack2, *stacks[n + 1:])

    def _moves(self, g: tuple[tuple[str, int], ...],
               stack: tuple[Activation, ...]) -> Iterator[tuple[tuple[tuple[str, int], ...], tuple[Activation, ...]]]:
        name, at, own = stack[-1]
        place, result = self.source.returns[name]
        if at == place:
            below = stack[:-1]
            if below:
                caller, where, values = below[-1]
                edge, site = next((e, c) for e, c in self.sites[caller].items() if e.source == where)
                changed = dict(values)
                if site.result is not None and result is not None:
                    changed[site.result.name] = dict(own)[result.name]
                below = (*below[:-1], (caller, edge.target, tuple(changed.items())))
            yield g, below
            return
        for edge in self.leaving[name][at]:
            call = self.sites[name].get(edge)
            if call is None:
                for env in self._run(list(primitive(edge.op)), {**dict(g), **dict(own)}):
                    yield (tuple((k, env[k]) for k, _ in g),
                           (*stack[:-1], (name, edge.target, tuple((k, env[k]) for k, _ in own))))
            elif len(stack) >= self.depth:
                self.cut = True
            else:
                env = {**dict(g), **dict(own)}
                values = [evaluate(a, lambda n, i, env=env: env[n]) for a in call.args]  # type: ignore[misc]
                params = dict(zip((p.name for p in self.source.params[call.callee]), values, strict=True))
                yield g, (*stack, self._activation(call.callee, params))

    def _run(self, parts: list[Assume | Assign | Havoc | AllAt], env: dict[str, int]) -> Iterator[dict[str, int]]:
        if not parts:
            yield env
            return
        match parts[0]:
            case Assume(cond=c):
                if evaluate(c, lambda n, i: env[n]):
                    yield from self._run(parts[1:], env)
            case Assign(target=t, value=e):
                assert not isinstance(t, Element)
                yield from self._run(parts[1:], {**env, t.name: evaluate(e, lambda n, i: env[n])})
            case Havoc(targets=ts):
                names = [t.name for t in ts if not isinstance(t, Element)]
                for values in itertools.product((0, 1), repeat=len(names)):
                    yield from self._run(parts[1:], {**env, **dict(zip(names, values, strict=True))})
            case AllAt():
                raise AssertionError

    def _wrong(self, state: State) -> bool:
        g, stacks = state
        tops = [s[-1] for s in stacks if s]
        if isinstance(self.question, RaceOn):
            x = self.question.variable
            near = []
            for n, (name, at, _) in enumerate(tops):
                for e in self.leaving[name][at]:
                    if not isinstance(next(iter(primitive(e.op)), None), Assume):
                        near += [(n, e, a) for a in e.accesses if a.variable == x]
            model = self.source.program.race_model
            return any(n != m and conflict(model, e, a, f, b) for (n, e, a), (m, f, b) in itertools.combinations(near, 2))
        assert isinstance(self.question, Assertions)
        values = dict(g)
        return (any(at in self.functions[name].cfa.errors for name, at, _ in tops)
                or sum(at in self.functions[name].cfa.critical for name, at, _ in tops) > 1
                or any(not evaluate(i.cond, lambda n, k: values[n]) for i in self.source.program.invariants))
