"""Decision diagrams over variables with many values: sets of states, for obligations that are finite through and through.

A set is a number: 0 empty, 1 everything, n a node that asks for one variable and has a set for each listed value and one
for all other values. Equal nodes are one. Where every value that a variable can have is listed, its other values mean
nothing; sets are compared accordingly, so an answer never depends on how a set happens to be written.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

NOTHING, EVERYTHING = 0, 1
LISTED = 256
"""Values of a variable are told one by one up to this number."""


class Endless(Exception):
    """More values, or more nodes, than can be listed."""


class Decisions:
    """Sets over variables 0, 1, ...; `domains[n]` are the least and the greatest value of variable n."""

    def __init__(self, domains: Sequence[tuple[int, int]], limit: int) -> None:
        self._domains = domains
        self._limit = limit
        deepest = len(domains)
        self._nodes: list[tuple[int, Mapping[int, int], int]] = [(deepest, {}, NOTHING), (deepest, {}, EVERYTHING)]
        self._known: dict[tuple[int, tuple[tuple[int, int], ...], int], int] = {}
        self._both: dict[tuple[int, int], int] = {}
        self._either: dict[tuple[int, int], int] = {}
        self._not: dict[int, int] = {NOTHING: EVERYTHING, EVERYTHING: NOTHING}
        self._apart: dict[tuple[int, ...], bool] = {}

    def node(self, variable: int, children: Mapping[int, int], other: int) -> int:
        """The set that asks for the variable; values without a child go on to `other`."""
        if self._all(variable, len(children)):
            other = children[max(children)]
        kept = tuple(sorted((v, c) for v, c in children.items() if c != other))
        if not kept:
            return other
        key = (variable, kept, other)
        found = self._known.get(key)
        if found is None:
            if len(self._nodes) > self._limit:
                raise Endless("too many nodes")
            found = self._known[key] = len(self._nodes)
            self._nodes.append((variable, dict(kept), other))
        return found

    def asks(self, variable: int, children: Mapping[int, int]) -> int:
        """The variable has one of the values, and the state is in the set of that value; the sets may ask for anything."""
        if all(self._nodes[c][0] > variable for c in children.values()):
            return self.node(variable, children, NOTHING)
        found = NOTHING
        for c in sorted(set(children.values())):
            found = self.either(found, self.both(self.among(variable, [v for v, d in children.items() if c == d]), c))
        return found

    def among(self, variable: int, values: Iterable[int]) -> int:
        """The variable has one of the values."""
        return self.node(variable, dict.fromkeys(values, EVERYTHING), NOTHING)

    def _all(self, variable: int, count: int) -> bool:
        """Whether so many different values are all that the variable can have."""
        low, high = self._domains[variable]
        return count == high - low + 1

    # ----------------------------------------------------------------------------------------------- operations
    def both(self, a: int, b: int) -> int:
        if a == b or NOTHING in (a, b):
            return min(a, b)
        if EVERYTHING in (a, b):
            return max(a, b)
        return self._joined(a, b, self.both, self._both)

    def either(self, a: int, b: int) -> int:
        if EVERYTHING in (a, b):
            return EVERYTHING
        if a == b or NOTHING in (a, b):
            return max(a, b)
        return self._joined(a, b, self.either, self._either)

    def _joined(self, a: int, b: int, join: Callable[[int, int], int], memo: dict[tuple[int, int], int]) -> int:
        key = (a, b) if a < b else (b, a)
        found = memo.get(key)
        if found is None:
            variable, (left, right) = self._opened(a, b)
            values: Iterable[int] = {**left[0], **right[0]}
            if join == self.both:
                # Where one side has no other values, those of the other side do not matter.
                values = left[0] if left[1] == NOTHING else right[0] if right[1] == NOTHING else values
            children = {v: join(left[0].get(v, left[1]), right[0].get(v, right[1])) for v in values}
            other = NOTHING if self._all(variable, len(children)) else join(left[1], right[1])
            found = memo[key] = self.node(variable, children, other)
        return found

    def _opened(self, *sets: int) -> tuple[int, list[tuple[Mapping[int, int], int]]]:
        """The first variable that one of the sets asks for, and each set as it depends on it."""
        variable = min(self._nodes[s][0] for s in sets)
        return variable, [self._nodes[s][1:] if self._nodes[s][0] == variable else ({}, s) for s in sets]

    def without(self, a: int) -> int:
        """Everything that is not in the set."""
        found = self._not.get(a)
        if found is None:
            variable, children, other = self._nodes[a]
            found = self.node(variable, {v: self.without(c) for v, c in children.items()}, self.without(other))
            self._not[a] = found
        return found

    def apart(self, *sets: int) -> bool:
        """Whether no state is in all of the sets."""
        key = tuple(sorted({s for s in sets if s != EVERYTHING}))
        if not key or key[0] == NOTHING:
            return bool(key)
        found = self._apart.get(key)
        if found is None:
            found = all(self.apart(*parts) for parts in self._cases(*key))
            if len(self._apart) > 8 * self._limit:
                raise Endless("too many comparisons")
            self._apart[key] = found
        return found

    def _cases(self, *sets: int) -> Iterator[list[int]]:
        """The sets for each value of the first variable that one asks for; cases in which one is empty may be missing."""
        variable, parts = self._opened(*sets)
        closed = [children for children, other in parts if other == NOTHING]
        values: Collection[int]
        if closed:
            values = min(closed, key=len)
        else:
            values = {v: None for children, _ in parts for v in children}
            if not self._all(variable, len(values)):
                yield [other for _, other in parts]
        for v in values:
            yield [children.get(v, other) for children, other in parts]

    def never_into(self, sets: tuple[int, ...], a: int, puts: Mapping[int, int], free: frozenset[int]) -> bool:
        """Whether no state of all `sets` is in `a` once the variables in `puts` have these values and those in `free` any."""
        known: dict[tuple[int, ...], bool] = {}

        def go(n: int, inside: list[int]) -> bool:
            while self._nodes[n][0] in puts:
                _, children, other = self._nodes[n]
                n = children.get(puts[self._nodes[n][0]], other)
            if n == NOTHING or NOTHING in inside:
                return True
            if n == EVERYTHING:
                return self.apart(*inside)
            key = (n, *inside)
            if key not in known:
                if self._nodes[n][0] in free:
                    variable, children, other = self._nodes[n]
                    rest = () if self._all(variable, len(children)) else (other,)
                    known[key] = all(go(c, inside) for c in (*rest, *dict.fromkeys(children.values())))
                else:
                    known[key] = self._no_case(n, inside, go)
            return known[key]

        return go(a, list(sets))

    def _no_case(self, n: int, inside: list[int], go: Callable[[int, list[int]], bool]) -> bool:
        if self._nodes[n][0] <= min(self._nodes[s][0] for s in inside):
            return all(go(parts[0], parts[1:]) for parts in self._cases(n, *inside))
        return all(go(n, parts) for parts in self._cases(*inside))

    def forget(self, a: int, variables: frozenset[int]) -> int:
        """The states that are in the set once these variables are changed suitably."""
        known: dict[int, int] = {}

        def go(n: int) -> int:
            if n <= EVERYTHING:
                return n
            if n not in known:
                variable, children, other = self._nodes[n]
                rest = NOTHING if self._all(variable, len(children)) else go(other)
                if variable in variables:
                    for c in sorted(set(children.values())):
                        rest = self.either(rest, go(c))
                    known[n] = rest
                else:
                    known[n] = self.node(variable, {v: go(c) for v, c in children.items()}, rest)
            return known[n]

        return go(a)

    def values(self, a: int, variable: int) -> list[int]:
        """The values that the variable has in the set."""
        low, high = self._domains[variable]
        listed = self._mentioned(a, variable)
        if not self.apart(a, self.without(self.among(variable, listed))):
            if high - low >= LISTED:
                raise Endless("too many values")
            listed = list(range(low, high + 1))
        return [v for v in listed if not self.apart(a, self.among(variable, (v,)))]

    def _mentioned(self, a: int, variable: int) -> list[int]:
        found: set[int] = set()
        seen, todo = {a}, [a]
        while todo:
            here, children, other = self._nodes[todo.pop()]
            found.update(children if here == variable else ())
            # Deeper nodes ask for later variables only.
            fresh = {c for c in (*children.values(), other) if here < variable} - seen
            seen |= fresh
            todo.extend(fresh)
        return sorted(found)
