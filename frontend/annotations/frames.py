"""Functions with a contract that call themselves: what an activation has before such a call, it has again behind it.

An automaton has no stack. Where a function returns to itself, its registers have any value (`Doubt.frame`), which is all
that a search can say. For those who go round a call by its contract the step also says what the values are: they are saved
before the call, in variables that the step then forgets, because the call's own activations write them as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from frontend.annotations.notes import NOTE, NotePlace, is_note
from frontend.program import (
    RETURN,
    Arbitrary,
    Assign,
    Assume,
    Binary,
    Block,
    Const,
    Edge,
    Expr,
    Havoc,
    Op,
    Read,
    Var,
    Variable,
    name_of,
    primitive,
)


def with_frames(edges: Sequence[Edge], kept: dict[str, Variable]) -> list[Edge]:
    """The edges with what is saved before calls and given back behind them; `kept` are the contracts' locals, and gets more."""
    pairs: dict[tuple[str, int], tuple[tuple[Var, Var], ...]] = {}
    made: list[Edge] = []
    for edge in edges:
        if not any(d.frame for d in edge.doubts):
            made.append(edge)
            continue
        function, number = _returns(edge, edges)
        olds = [Var(v.name, v.type) for name, v in kept.items() if name.startswith(f"{function}::\\old(")]
        lost = [t for p in primitive(edge.op) if isinstance(p, Havoc) for t in p.targets if isinstance(t, Var)]
        saved = tuple((v, Var(f"{function}::<saved {number}> {v.name}", v.type)) for v in (*lost, *olds))
        pairs[function, number] = saved
        forget = Havoc(tuple(s for _, s in saved))
        doubts = tuple(replace(d, values=tuple(v.name for v, _ in saved)) if d.frame else d for d in edge.doubts)
        made.append(replace(edge, op=Block((forget, *(Assign(v, Read(s)) for v, s in saved))), doubts=doubts))
    for saved in pairs.values():
        kept |= {s.name: Variable(s.name, s.type, None, Arbitrary(), "", ghost=True) for _, s in saved}
    return [_saving(edge, pairs) for edge in made]


def _returns(edge: Edge, edges: Iterable[Edge]) -> tuple[str, int]:
    """The function, and the number of the call, behind which the edge stands."""
    for e in edges:
        match e.op:
            case Assume(cond=Binary(op="==", left=Read(lvalue=Var(name=r)), right=Const(value=n))) if (
                    e.target == edge.source and r.endswith(RETURN)):
                return r.removesuffix(RETURN), n
    raise AssertionError("a frame is given back behind no call")


def _saving(edge: Edge, pairs: dict[tuple[str, int], tuple[tuple[Var, Var], ...]]) -> Edge:
    parts = list(primitive(edge.op))
    at = next((i for i, p in enumerate(parts) if isinstance(p, Assign) and is_note(name_of(p.target))), None)
    if at is None:
        return edge
    head = parts[at]
    assert isinstance(head, Assign)
    _, place, function, number = name_of(head.target).split(":")
    assert place == NotePlace.SAVED.value
    values = {name_of(p.target).removeprefix(f"{NOTE} "): p.value for p in parts[at + 1:] if isinstance(p, Assign)}
    return replace(edge, op=Block((*parts[:at], *_saves(pairs.get((function, int(number)), ()), values))))


def _saves(pairs: Iterable[tuple[Var, Var]], values: dict[str, Expr]) -> Iterator[Op]:
    for v, saved in pairs:
        yield Assign(saved, values.get(v.name, Read(v)))
