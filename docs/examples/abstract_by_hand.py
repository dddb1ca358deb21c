"""Abstract an automaton made by hand: Algorithm 1 (`reach_and_build`), its quotient (`collapse`), CheckSim (`simulates`).

The program is a lock: any number of threads wait until `m` is 0, set it to 1 in the same step, write `x`, and set `m` to 0.
"""

import circ
from circ.abstraction.predicates import Predicates
from circ.inference.acfa import collapse
from circ.inference.arg import AbstractError, reach_and_build
from circ.inference.inquiry import abstract_system
from circ.inference.simulation import simulates
from circ.verdict import RaceOn, word
from frontend.program import (
    Assign,
    Assume,
    Binary,
    Block,
    Cfa,
    Const,
    Program,
    Read,
    Scalar,
    ThreadTemplate,
    Var,
    Variable,
    plain_edge,
)

INT = Scalar(32, True)
shared = (Variable("m", INT), Variable("x", INT))
m, x = (Var(v.name, INT) for v in shared)
zero, one = Const(0, INT), Const(1, INT)
free = Binary("==", Read(m), zero)

lock = plain_edge(0, 1, Block((Assume(free), Assign(m, one))), shared, protected=True)
write = plain_edge(1, 2, Assign(x, one), shared)
unlock = plain_edge(2, 0, Assign(m, zero), shared, protected=True)
program = Program("by hand", shared, (ThreadTemplate("worker", Cfa(3, 0, (lock, write, unlock))),))

for predicates in ([], [free]):
    known = Predicates(program)
    for predicate in predicates:
        known.add(predicate, "worker")
    print(f"with {len(known)} predicates:")
    system = abstract_system(program, RaceOn("x"), known)
    (graph,) = system.args
    try:
        while True:
            context, _ = collapse(graph, 0)
            starts = tuple(((0, c), 1) for c in sorted(context.start))  # one other thread, in the class of the start
            reach_and_build(system, 0, [context], starts, k=1)
            print(f"  the graph has {graph.size} states, the context had {context.size} classes")
            if simulates(context, graph):
                print("  the context does all that a thread does: no race between two threads")
                break
    except AbstractError as error:
        print(f"  an abstract race after {len(error.trace.steps)} steps")

for answer in circ.check(program).answers:  # for any number of threads, and checked by the kernel
    print(answer.shown, word(answer.question, answer.verdict))
