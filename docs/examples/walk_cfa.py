"""Walk a control-flow automaton with networkx: the steps without which an access to a variable cannot be reached.

    python walk_cfa.py [FILE VARIABLE]
"""

import sys

import networkx

import frontend

path, name = sys.argv[1:] or ("nesc_examples/test_and_set.c", "x")
program = frontend.load(path)
for template in program.templates:
    start, graph = template.cfa.start, template.cfa.to_networkx()
    print(f"{template.name}: {graph.number_of_nodes()} locations, {graph.number_of_edges()} edges")
    for source, _, edge in graph.edges(data="edge"):
        for access in (a for a in edge.accesses if a.variable == name):
            must = []
            for a, b, key, label in graph.edges(keys=True, data="label"):
                without = networkx.restricted_view(graph, [], [(a, b, key)])
                if not networkx.has_path(without, start, source):
                    must.append((networkx.shortest_path_length(graph, start, a), label))
            what = "written" if access.write else "read"
            print(f"  line {access.location.line}: {what}, never before {', then '.join(label for _, label in sorted(must))}")
