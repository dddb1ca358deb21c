"""Strongly connected components of a graph of small numbers: Tarjan's algorithm, without recursion.

Our own beside networkx, which takes four to six times as long for automata as adjacency lists and is not imported by those who
only read programs. Functions may have tens of thousands of locations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def components(graph: Mapping[int, Sequence[int]], size: int) -> list[list[int]]:
    """The strongly connected components of the graph on 0 .. size-1, every component before those that lead to it."""
    index: list[int] = [-1] * size
    low: list[int] = [0] * size
    on_stack: list[bool] = [False] * size
    stack: list[int] = []
    found: list[list[int]] = []
    counter = 0
    for root in range(size):
        if index[root] >= 0:
            continue
        work: list[tuple[int, int]] = [(root, 0)]
        while work:
            here, position = work.pop()
            if position == 0:
                index[here] = low[here] = counter
                counter += 1
                stack.append(here)
                on_stack[here] = True
            successors = graph.get(here, ())
            while position < len(successors):
                child = successors[position]
                position += 1
                if index[child] < 0:
                    work.append((here, position))
                    work.append((child, 0))
                    break
                if on_stack[child]:
                    low[here] = min(low[here], index[child])
            else:
                if low[here] == index[here]:
                    component: list[int] = []
                    while True:
                        top = stack.pop()
                        on_stack[top] = False
                        component.append(top)
                        if top == here:
                            break
                    found.append(sorted(component))
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[here])
    return found
