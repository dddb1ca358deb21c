"""A shorter run to the same race: rounds of threads that it does without are left out, as long as the kernel can replay it.

A round is what a thread does from its start location until it is there again: one time a handler fires or a task runs, one
turn of an endless loop. Many at once are tried first, then fewer (Zeller and Hildebrandt's delta debugging); then turns of any
loop, and what threads do after the last step that matters.
"""

from __future__ import annotations

from dataclasses import replace

from circ.kernel.replay import Replayed, replay
from circ.semantics.interpreter import Machine
from circ.verdict import Choice, Trace
from frontend.program import Program

ENOUGH = 40
"""Runs of so many steps are short."""
TURNS = 3
"""Ends of loops that are tried for one beginning, the last ones first."""


def shortened(machine: Machine, trace: Trace, effort: int) -> Trace:
    """The run with fewer rounds; `effort` is how many steps may be replayed for it."""
    program = machine.program
    if len(trace.steps) <= ENOUGH:
        return trace
    rounds = _rounds(program, trace)
    size = (len(rounds) + 1) // 2
    while size and effort > 0:
        at = 0
        while at < len(rounds) and effort > 0:
            fewer = rounds[:at] + rounds[at + size:]
            shorter = _only(trace, fewer)
            effort -= len(shorter.steps) + 1
            if isinstance(replay(program, shorter, machine), Replayed):
                rounds = fewer
            else:
                at += size
        size //= 2
    return _without_idle(machine, _without_turns(machine, _only(trace, rounds), effort))


def _without_turns(machine: Machine, trace: Trace, effort: int) -> Trace:
    """Without the last steps of threads that do not race, and without turns of loops, as far as it does without them."""
    program = machine.program
    racing = {thread for thread, _, _ in trace.accesses}
    cfas = [program.template(name).cfa for name in trace.threads]
    for thread in sorted(range(len(trace.threads)), key=lambda t: t in racing):
        at = 0
        while effort > 0:
            own = [n for n, step in enumerate(trace.steps) if step.thread == thread]
            if at >= len(own):
                break
            here = cfas[thread].edges[trace.steps[own[at]].edge].source
            again = [k for k in range(at + 1, len(own)) if cfas[thread].edges[trace.steps[own[k]].edge].source == here]
            ends = [*([len(own)] if thread not in racing else []), *again[:-TURNS - 1:-1]]
            shorter = trace
            for end in ends:
                left_out = set(own[at:end])
                tried = replace(trace, steps=tuple(s for n, s in enumerate(trace.steps) if n not in left_out))
                effort -= len(tried.steps) + 1
                if isinstance(replay(program, tried, machine), Replayed):
                    shorter = tried
                    break
            at += shorter is trace
            trace = shorter
    return trace


def _rounds(program: Program, trace: Trace) -> list[list[int]]:
    """The positions of the steps of each round, in the order in which rounds begin."""
    found: list[list[int]] = []
    running: dict[int, list[int]] = {}
    cfas = [program.template(name).cfa for name in trace.threads]
    for n, step in enumerate(trace.steps):
        cfa = cfas[step.thread]
        if step.thread not in running or cfa.edges[step.edge].source == cfa.start:
            running[step.thread] = []
            found.append(running[step.thread])
        running[step.thread].append(n)
    return found


def _only(trace: Trace, rounds: list[list[int]]) -> Trace:
    return replace(trace, steps=tuple(trace.steps[n] for n in sorted(n for r in rounds for n in r)))


def _without_idle(machine: Machine, trace: Trace) -> Trace:
    """Without the threads of unbounded number that do nothing, if that makes no difference."""
    program = machine.program
    busy = {step.thread for step in trace.steps} | {thread for thread, _, _ in trace.accesses}
    left = [i for i, name in enumerate(trace.threads) if i in busy or program.template(name).count is not None]
    number = {old: new for new, old in enumerate(left)}

    def renamed(c: Choice) -> Choice:
        return c if c.thread is None else replace(c, thread=number[c.thread])

    fewer = replace(
        trace, threads=tuple(trace.threads[i] for i in left),
        start=tuple(renamed(c) for c in trace.start if c.thread is None or c.thread in number),
        steps=tuple(replace(s, thread=number[s.thread], choices=tuple(map(renamed, s.choices))) for s in trace.steps),
        accesses=tuple((number[thread], edge, access) for thread, edge, access in trace.accesses))
    return fewer if isinstance(replay(program, fewer, machine), Replayed) else trace
