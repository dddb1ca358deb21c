"""Write an engine: a breadth-first search of the runs of two threads with circ's interpreter. The kernel replays what it finds.

An engine that is part of a package is registered by an entry point of the group `circ.engines`:

    [project.entry-points."circ.engines"]
    breadth-first = "my_package.my_module:engine"    # engine() gives the engine; then: circ check --engine breadth-first
"""

from collections import deque

import circ
import frontend
from circ.search.trace_building import FoundState, build_trace
from circ.semantics.conflicts import clash, ready
from circ.semantics.interpreter import Domain, Machine
from circ.verdict import Certificate, RaceOn, Refuted, Safe, Unknown, word

PROGRAM = """
#include "circ.h"
int busy, data;
circ_thread void worker(void) {
    if (busy == 0) {      /* two threads may both see 0 */
        busy = 1;
        data = data + 1;
        busy = 0;
    }
}
"""


def breadth_first(program, question, options, observer):
    """All runs of two threads of the first template, values that are left open taken from a few."""
    if not isinstance(question, RaceOn):
        return Unknown("it looks for races only")
    machine, crew, domain = Machine(program), (0, 0), Domain()
    first = machine.open_start(crew)
    paths = {(first.globals, first.threads): ()}
    queue = deque(paths)
    while queue:
        state = queue.popleft()
        g, threads = state
        options.check_time()
        if machine.holder(crew, threads) is None:
            mine, yours = (ready(machine, question.variable, t, g, thread) for t, thread in zip(crew, threads, strict=True))
            if found := clash(machine, crew[0], mine, crew[1], yours):
                accesses = tuple((n, edge, access) for n, (edge, access, *_) in enumerate(found))
                trace = build_trace(program, machine, question, crew, paths[state], (0, 1), FoundState(0, accesses))
                return Refuted(trace)
        holder = machine.holder(crew, threads)
        for me in (0, 1) if holder is None else (holder,):
            for move in machine.moves(crew[me], g, threads[me], domain):
                if not machine.guards_pass(move.guards, crew, threads, me):
                    continue
                after = (move.globals, tuple(move.thread if n == me else thread for n, thread in enumerate(threads)))
                if after not in paths:
                    paths[after] = (*paths[state], (me, move))
                    queue.append(after)
    return Unknown(f"no race in {len(paths)} states of two threads, which proves nothing about three")


def liar(program, question, options, observer):
    """An engine that is wrong: it says that everything is protected by atomic sections."""
    return Safe(Certificate(program.fingerprint(), question, "protected", {}))


program = frontend.loads(PROGRAM, name="worker.c")
for engine in (breadth_first, liar):
    for answer in circ.check(program, engine=engine).answers:
        verdict = answer.verdict
        what = f"{len(verdict.trace.steps)} steps" if isinstance(verdict, Refuted) else getattr(verdict, "reason", "")
        print(f"{answer.engine}: {answer.shown}: {word(answer.question, verdict)}, {what}")
