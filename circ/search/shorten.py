"""A shorter run to the same race: rounds of threads that it does without are left out, as long as the kernel can replay it.

A round is what a thread does from its start location until it is there again: one time a handler fires or a task runs, one
turn of an endless loop. Many at once are tried first, then fewer (Zeller and Hildebrandt's delta debugging).
"""

from __future__ import annotations

from dataclasses import replace

from circ.kernel.replay import Replayed, replay
from circ.semantics.interpreter import Machine
from circ.verdict import Choice, Trace
from frontend.program import Program

ENOUGH = 40
"""Runs of so many steps are short."""


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
    return _without_idle(machine, _only(trace, rounds))


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
