"""Prove a variable by context inference and read the automaton that was inferred: what the other threads may do meanwhile.

    python read_context.py [FILE VARIABLE]
"""

import sys

import networkx

import circ
import frontend
from circ.verdict import Safe
from frontend.program import TRUE, show

path, name = sys.argv[1:] or ("nesc_examples/test_and_set.c", "x")
(answer,) = circ.check(frontend.load(path), [name], engine="omega-circ").answers
if not isinstance(answer.verdict, Safe):
    sys.exit(f"{name} is not proved: {answer.verdict}")
print(f"no race on {name}; predicates: {', '.join(answer.verdict.statistics.predicates)}")
for automaton in answer.verdict.context:
    print(f"{automaton.template}, as the others see it:")
    for number, location in enumerate(automaton.locations):
        holds = "anything" if location.holds == TRUE else show(location.holds)
        print(f"  {number}: {holds}{' (start)' if location.start else ''}{' (atomic)' if location.atomic else ''}")
    for edge in automaton.edges:
        step = f"{show(edge.needs)} becomes {show(edge.makes)}"
        print(f"  {edge.source} -> {edge.target}: {step}, writes {', '.join(edge.writes) or 'nothing'}")
    graph = automaton.to_networkx()
    print(f"  cycles: {sorted(networkx.simple_cycles(graph))}")
