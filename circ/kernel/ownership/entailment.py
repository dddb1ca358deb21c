"""Whether all that one shape says holds wherever another one does."""

from __future__ import annotations

from dataclasses import replace

from circ.kernel.ownership.shapes import Fact, Label, Shape, Value, aligned, symbols_in


def entails(strong: Shape, weak: Shape) -> bool:
    """Whether the second shape holds in every state in which the first does, after fields of own objects were cut if need be."""
    return strong.dead == weak.dead and _Match(strong.copy(), weak).holds()


class _Match:
    """Finds for each symbol of the weak shape the value in the strong one that it stands for."""

    def __init__(self, strong: Shape, weak: Shape) -> None:
        self.strong, self.weak = strong, weak
        self.of: dict[int, Value] = {}

    def holds(self) -> bool:
        return self._matched() and self._owned() and self._held() and self._scaled() \
            and all(self._fact(s, f) for s, f in self.weak.facts.items())

    def _matched(self) -> bool:
        """Follows what the weak shape names: registers, then the cells that they lead to."""
        for term, (s, off) in self.weak.env.items():
            if term not in self.strong.env or not self._same(s, off, self.strong.env[term]):
                return False
        self._texts()
        rest = dict(self.weak.cells)
        while rest:
            ready = [(c, n) for c, n in rest if all(s in self.of for s in ((c,) if isinstance(c, int) else symbols_in(c)))]
            if not ready:
                return False
            for c, n in ready:
                s, off = rest.pop((c, n))
                container: int | str | None = self.of[c][0] if isinstance(c, int) else self._index(c)
                if container is None:
                    return False
                found = self.strong.cells.get((container, n))
                if found is None or not self._same(s, off, found):
                    return False
        return all(s in self.of for s in self.weak.facts)

    def _texts(self) -> None:
        """Symbols that only indices name are found by their place in these; whether all fits is seen later."""
        texts = [(x.index, self.strong.scaled[self.of[s][0]].index) for s, x in self.weak.scaled.items()
                 if s in self.of and self.of[s][0] in self.strong.scaled]
        texts += [(index, other) for name, index in sorted(self.weak.held)
                  for lock, other in sorted(self.strong.held) if lock == name]
        for one, two in texts:
            for s, t in aligned(one, two) or ():
                self.of.setdefault(s, (t, 0))

    def _same(self, s: int, off: int, value: Value) -> bool:
        """A value with a distance lies in its symbol's object; so does the symbol that stands for such a value."""
        if off not in (0, value[1]):
            return False
        stands_for = value[0], value[1] - off
        return self.of.setdefault(s, stands_for) == stands_for

    def _index(self, text: str) -> str | None:
        """The text of an index over the symbols of the strong shape; None if one of them is no plain symbol."""
        found = text
        for s in sorted(symbols_in(text), reverse=True):
            if s not in self.of or self.of[s][1] != 0:
                return None
            found = found.replace(f"#{s}:", f"#@{self.of[s][0]}:")
        return found.replace("#@", "#")

    def _held(self) -> bool:
        held = [self._label(x) for x in self.weak.held]
        return None not in held and frozenset(held) == self.strong.held

    def _scaled(self) -> bool:
        for s, x in self.weak.scaled.items():
            known = self.strong.scaled.get(self.of[s][0]) if s in self.of and self.of[s][1] == 0 else None
            if known is None or known != replace(x, index=self._index(x.index) or "", ranged=known.ranged) \
                    or (x.ranged and not known.ranged):
                return False
        return True

    def _label(self, label: Label) -> Label | None:
        index = self._index(label[1])
        return None if index is None else (label[0], index)

    def _owned(self) -> bool:
        """Groups: what is asked to be the thread's own is, and two groups never have one object."""
        groups: dict[int, int] = {}
        for s, f in self.weak.facts.items():
            symbol = self.of[s][0]
            if f.group is None or self.strong.is_void(symbol):
                continue
            if self.strong.fact(symbol).group is None and not self._cut_off(symbol):
                return False
        for s, f in self.weak.facts.items():
            symbol = self.of[s][0]
            if f.group is None or self.strong.is_void(symbol):
                continue
            group = self.strong.fact(symbol).group
            if group is None or groups.setdefault(group, f.group) != f.group:
                return False
            if not self.strong.cuts.get(group, frozenset()) <= self.weak.cuts.get(f.group, frozenset()):
                return False
        return True

    def _cut_off(self, symbol: int) -> bool:
        """Cuts the live link from an own object to this one, if there is such a link."""
        for (c, n), value in self.strong.cells.items():
            group = self.strong.fact(c).group if isinstance(c, int) else None
            if value[0] == symbol and group is not None and n not in self.strong.cuts.get(group, frozenset()):
                assert isinstance(c, int)
                self.strong.cut(c, n)
                self.strong.own(symbol)
                return True
        return False

    def _fact(self, s: int, said: Fact) -> bool:
        symbol, off = self.of[s]
        known = self.strong.fact(symbol)
        if said.null is not None and said.null != (known.null if off == 0 else False if known.hit else None):
            return False
        if self.strong.is_void(symbol):
            return not said.hit
        inside = None if known.inside is None else known.inside + off
        if said.site is not None and said.site != known.site:
            return False
        if (said.hit and not known.hit) or (said.inside is not None and said.inside != inside):
            return False
        if said.reach is None:
            return True
        labels, wanted = self.strong.labels(symbol), [self._label(x) for x in said.reach]
        return labels is not None and labels <= frozenset(x for x in wanted if x is not None)
