"""A `triples` certificate over concrete values: the triples of local states that can occur, closed under a fourth thread's steps.

For what pairs of threads cannot tell: two of them and a number beside them say nothing of a third that the number counts too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import combinations, combinations_with_replacement, permutations
from typing import Any, TypeAlias

from circ.abstraction.counters import Key
from circ.counting.concrete_pairs import CannotExpress, formula
from circ.counting.local_states import LocalStates
from circ.verdict import Certificate, ProofKind
from frontend.program.exact import show_exact

MOST_TRIPLES = 40_000

Triple: TypeAlias = tuple[int, tuple[Key, ...]]
"""Globals, and three local states in order."""
Place: TypeAlias = tuple[int, int]


def certificate_of(states: LocalStates, check_time: Callable[[], None]) -> Certificate:
    """The certificate of the closed triples; raises CannotExpress if they show an error."""
    if any(t.cfa.atomic for t in states.program.templates):
        raise CannotExpress("atomic sections that are no single steps")
    if states.total is not None and states.total < 3:
        raise CannotExpress("fewer than three threads")
    return _write(states, _closed(states, check_time))


def _closed(states: LocalStates, check_time: Callable[[], None]) -> list[Triple]:
    found: dict[Triple, None] = {}
    queue: list[Triple] = []
    beside: dict[tuple[int, Key, Key], dict[Key, None]] = defaultdict(dict)

    def add(g: int, keys: tuple[Key, ...]) -> None:
        triple = (g, tuple(sorted(keys)))
        if triple in found:
            return
        if states.broken(g) or any(map(states.is_error, keys)) or any(
                states.clash(g, *pair) is not None for pair in permutations(keys, 2)):
            raise CannotExpress("three threads, disturbed by a fourth")
        if len(found) >= MOST_TRIPLES:
            raise CannotExpress(f"more than {MOST_TRIPLES} triples of local states")
        found[triple] = None
        queue.append(triple)
        for one, two, three in permutations(triple[1]):
            beside[g, one, two][three] = None

    def steps(g: int, mover: Key, others: tuple[Key, ...], among: bool) -> None:
        """A step of the mover, which is one of the triple (`among`) or a fourth thread."""
        for taken, g2, after in states.moves(mover, g):
            if not taken.guards or all(states.allows(taken.guards, key) for key in others):
                add(g2, (after, *others) if among else others)

    for starts in combinations_with_replacement([key for key, _, _ in states.starts], 3):
        if all(n is None or starts.count(key) <= n for key, _, n in states.starts):
            add(states.start_globals, starts)
    for n, (g, keys) in enumerate(queue):
        if n % 64 == 0:
            check_time()
        for i, mover in enumerate(keys):
            steps(g, mover, keys[:i] + keys[i + 1:], among=True)
        one, two, three = keys
        for four in list(beside[g, one, two]):
            if four in beside[g, one, three] and four in beside[g, two, three] and states.exist(*keys, four):
                for others in combinations((*keys, four), 3):
                    mover = next(key for key in (*keys, four) if (*keys, four).count(key) > others.count(key))
                    steps(g, mover, others, among=False)
    return list(found)


def _write(states: LocalStates, triples: list[Triple]) -> Certificate:
    def place(key: Key) -> Place:
        return key[0], states.thread(key)[0]

    by_place: dict[tuple[int, ...], list[Triple]] = defaultdict(list)
    for g, keys in triples:
        for order in dict.fromkeys(permutations(keys)):
            places = [place(key) for key in order]
            if places == sorted(places):
                by_place[tuple(n for p in places for n in p)].append((g, order))
    formulas: dict[str, int] = {}
    rows: list[list[Any]] = []
    for where, facts in sorted(by_place.items()):
        text = show_exact(formula(states, facts))
        rows.append([*where, [[formulas.setdefault(text, len(formulas))]]])
    body = {"classes": [list(range(t.cfa.size)) for t in states.program.templates], "formulas": list(formulas), "triples": rows}
    return Certificate(states.program.fingerprint(), states.question, ProofKind.TRIPLES, body)
