"""The arguments of a call to a function whose meaning is known here, not from a declaration that they could be compared with."""

from __future__ import annotations

from collections.abc import Iterator

from pycparser import c_ast

from frontend.lower.lowering import Lowering


class Arguments:
    """The arguments in their order; to ask for one that is not there raises a FrontendError at the call."""

    def __init__(self, x: Lowering, node: c_ast.FuncCall) -> None:
        self._x, self._call = x, node
        self._nodes: list[c_ast.Node] = list(node.args.exprs) if node.args is not None else []

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[c_ast.Node]:
        return iter(self._nodes)

    def __getitem__(self, number: int) -> c_ast.Node:
        if number >= len(self._nodes):
            raise self._x.unit.error(self._call, f"too few arguments: {len(self._nodes)}", "add what is missing")
        return self._nodes[number]

    def behind(self, number: int, most: int | None = None) -> list[c_ast.Node]:
        """Those from this one on, `most` at most; none if there are no more."""
        return self._nodes[number:] if most is None else self._nodes[number:number + most]
