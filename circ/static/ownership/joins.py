"""What two shapes have in common, as a shape."""

from __future__ import annotations

from dataclasses import replace

from circ.kernel.ownership import NOTHING, Fact, Label, Shape, Value, aligned, symbols_in


def join(one: Shape, two: Shape) -> Shape:
    """A shape that both entail; the two agree on locks and lives."""
    return _Join(one, two).shape()


class _Join:
    """Symbols of the new shape stand for pairs of values, one in each of the two."""

    def __init__(self, one: Shape, two: Shape) -> None:
        self.one, self.two = one, two
        self.made = Shape(frozenset(), one.dead)
        self.of: dict[tuple[Value, Value], int] = {}

    def shape(self) -> Shape:
        made = self.made
        for term, a in self.one.env.items():
            if term in self.two.env:
                made.env[term] = self._pair(a, self.two.env[term])
        self._texts()
        made.held = frozenset(x for y in self.one.held for x in self._labels(y) if self._second(x[1]) in
                              {index for name, index in self.two.held if name == x[0]})
        done: set[tuple[int | str, str]] = set()
        while True:
            found = [(cell, a, b) for cell, a, b in self._cells() if cell not in done]
            if not found:
                break
            for cell, a, b in found:
                done.add(cell)
                made.cells[cell] = self._pair(a, b)
        self._facts()
        for (a, b), s in self.of.items():
            x, y = self.one.scaled.get(a[0]), self.two.scaled.get(b[0])
            if x is not None and y is not None and not a[1] and not b[1] \
                    and (x.base, x.stride, x.bounds) == (y.base, y.stride, y.bounds):
                made.scaled.update((s, replace(x, index=new, ranged=x.ranged and y.ranged))
                                   for _, new in self._labels(("", x.index)) if self._second(new) == y.index)
        return made.tidy()

    def _texts(self) -> None:
        """Pairs symbols that only indices name, by their place in these."""
        texts = [(x.index, self.two.scaled[b[0]].index) for a, b in list(self.of) if (x := self.one.scaled.get(a[0])) is not None
                 and b[0] in self.two.scaled]
        texts += [(index, other) for name, index in sorted(self.one.held)
                  for lock, other in sorted(self.two.held) if lock == name]
        for one, two in texts:
            for s, t in aligned(one, two) or ():
                self._pair((s, 0), (t, 0))

    def _pair(self, a: Value, b: Value) -> Value:
        off = a[1] if a[1] == b[1] else 0
        key = (a[0], a[1] - off), (b[0], b[1] - off)
        if key not in self.of:
            self.of[key] = self.made.fresh()[0]
        return self.of[key], off

    def _cells(self) -> list[tuple[tuple[int | str, str], Value, Value]]:
        """Cells that both know, in objects that are paired."""
        found: list[tuple[tuple[int | str, str], Value, Value]] = []
        for (a, b), s in self.of.items():
            found += [((s, name), v, self.two.cells[b[0], name]) for (c, name), v in self.one.cells.items()
                      if c == a[0] and (b[0], name) in self.two.cells]
        for (c, name), v in self.one.cells.items():
            if isinstance(c, str):
                found += [((x[1], name), v, self.two.cells[other, name]) for x in self._labels((name, c))
                          if (other := self._second(x[1])) is not None and (other, name) in self.two.cells]
        return found

    def _labels(self, label: Label) -> list[Label]:
        """The label of the first shape in terms of the new one, if it can be said."""
        text = label[1]
        for s in symbols_in(label[1]):
            new = next((n for (a, b), n in self.of.items() if a == (s, 0) and b[1] == 0), None)
            if new is None:
                return []
            text = text.replace(f"#{s}:", f"#@{new}:")
        return [(label[0], text.replace("#@", "#"))]

    def _second(self, text: str) -> str | None:
        """An index over symbols of the new shape as one of the second."""
        back = {n: b for (_, b), n in self.of.items()}
        for s in symbols_in(text):
            if s not in back or back[s][1]:
                return None
        found = text
        for s in symbols_in(text):
            found = found.replace(f"#{s}:", f"#@{back[s][0]}:")
        return found.replace("#@", "#")

    def _facts(self) -> None:
        groups: dict[int, int] = {}
        pairs: list[tuple[int, int | None, int | None]] = []
        for ((a, da), (b, db)), s in self.of.items():
            f, g = self.one.fact(a), self.two.fact(b)
            fact = self._fact(a, da, f, b, db, g)
            own = (f.group is not None or self.one.is_void(a)) and (g.group is not None or self.two.is_void(b)) \
                and not (self.one.is_void(a) and self.two.is_void(b))
            if own:
                fact = Fact(fact.null, fact.site, fact.hit, fact.inside, None, len(pairs) + 1)
                pairs.append((s, f.group, g.group))
            if fact != NOTHING:
                self.made.facts[s] = fact
        groups.update((s, s) for s, _, _ in pairs)
        for _ in pairs:
            for s, p, q in pairs:
                for t, u, w in pairs:
                    if (u == p and p is not None) or (w == q and q is not None):
                        groups[s] = groups[t] = min(groups[s], groups[t])
        for s, p, q in pairs:
            f = self.made.facts[s]
            self.made.facts[s] = Fact(f.null, f.site, f.hit, f.inside, None, groups[s])
            cut = self.one.cuts.get(p or 0, frozenset()) | self.two.cuts.get(q or 0, frozenset())
            if cut:
                self.made.cuts[groups[s]] = self.made.cuts.get(groups[s], frozenset()) | cut

    def _fact(self, a: int, da: int, f: Fact, b: int, db: int, g: Fact) -> Fact:
        null = f.null if f.null == g.null and not da and not db else None
        if self._not_null(f, da) and self._not_null(g, db):
            null = False
        void, other = self.one.is_void(a), self.two.is_void(b)
        site = g.site if void else f.site if other else f.site if f.site == g.site else None
        inside = f.inside + da if f.inside is not None and g.inside is not None and f.inside + da == g.inside + db else None
        hit = f.hit and g.hit and f.site == g.site
        first, second = self.one.labels(a), self.two.labels(b)
        reach: frozenset[Label] | None = None
        if first is not None and second is not None:
            mine = [self._labels(x) for x in sorted(first)]
            named = {x for xs in mine for x in xs}
            theirs = {n: self._first_names(n) for n in second}
            if all(mine) and all(x is not None for x in theirs.values()):
                reach = frozenset(named) | frozenset(x for x in theirs.values() if x is not None)
        return Fact(null, site, hit, inside if hit else None, reach)

    @staticmethod
    def _not_null(f: Fact, d: int) -> bool:
        return f.null is False if d == 0 else f.hit

    def _first_names(self, label: Label) -> Label | None:
        """The label of the second shape in terms of the new one."""
        if "#" not in label[1]:
            return label
        text = label[1]
        for s in symbols_in(label[1]):
            new = next((n for (a, b), n in self.of.items() if b == (s, 0) and a[1] == 0), None)
            if new is None:
                return None
            text = text.replace(f"#{s}:", f"#@{new}:")
        return label[0], text.replace("#@", "#")
