"""ARGs and ACFAs as DOT, for `--dump`: drawn only when somebody asks for the text."""

from __future__ import annotations

from circ.abstraction.predicates import bits
from circ.inference.acfa import collapse, moves_of
from circ.inference.arg import Arg
from circ.inference.results.minterms import cover
from frontend.program import show, show_op
from frontend.records import dataclass


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


@dataclass(frozen=True, slots=True)
class ArgPicture:
    """An abstract reachability graph: nodes with their anchor and region, edges with their operations."""

    arg: Arg

    def __str__(self) -> str:
        arg, ab = self.arg, self.arg.abstraction
        lines = [f"digraph {_quote('ARG of ' + arg.skeleton.template)} {{", "  node [shape=ellipse];"]
        nodes = arg.nodes()
        number = {root: i for i, root in enumerate(nodes)}
        for root, states in nodes.items():
            q = root[0]
            region = cover((ab.join(g, l) for _, g, l in states), tuple(bits(ab.active[q])), ab.all)
            star = "*" if arg.skeleton.atomic[q] else ""
            lines.append(f"  n{number[root]} [label={_quote(f'{q}{star}' + chr(10) + show(region))}];")
        edges = dict.fromkeys((number[arg.find(s)], number[arg.find(t)], show_op(segment.op)) for s, segment, t in arg.edges())
        lines += [f"  n{a} -> n{b} [label={_quote(text)}];" for a, b, text in edges]
        return "\n".join([*lines, "}", ""])


@dataclass(frozen=True, slots=True)
class AcfaPicture:
    """The abstract thread that a graph collapses to: classes with labels, moves with what holds before and after."""

    arg: Arg

    def __str__(self) -> str:
        acfa, ab = collapse(self.arg, 0)[0], self.arg.abstraction
        positions = tuple(range(ab.width))

        def meaning(masks: frozenset[int]) -> str:
            return show(cover(masks, positions, ab.all))

        lines = [f"digraph {_quote('ACFA of ' + ab.skeleton.template)} {{", "  node [shape=box, style=rounded];"]
        for c in range(acfa.size):
            star = "*" if acfa.atomic[c] else ""
            start = ", penwidth=2" if c in acfa.start else ""
            lines.append(f"  c{c} [label={_quote(f'{c}{star}' + chr(10) + meaning(acfa.label[c]))}{start}];")
        for c in range(acfa.size):
            for goal, written, before, after in moves_of(acfa, c):
                text = f"{{{', '.join(written)}}}" + chr(10) + f"{meaning(before)} -> {meaning(after)}"
                lines.append(f"  c{c} -> c{goal} [label={_quote(text)}];")
        return "\n".join([*lines, "}", ""])
