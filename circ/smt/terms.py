"""Terms of the solver and how they are joined: connectives, constants, elements of arrays.

Trusted: an obligation of the kernel is put together with these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import z3

Term: TypeAlias = Any
"""A z3 expression; z3 carries no static types."""

INDEX_WIDTH = 64
"""Of the indices of arrays, where integers are bit-vectors."""


def without_stores(term: Term) -> Term:
    """The same with every element of an array that was changed as a case distinction: easier where indices are arithmetic."""
    return z3.simplify(term, blast_select_store=True)


_QUOTIENTS = frozenset((
    z3.Z3_OP_BUDIV, z3.Z3_OP_BUREM, z3.Z3_OP_BSDIV, z3.Z3_OP_BSREM, z3.Z3_OP_BSMOD,
    z3.Z3_OP_BUDIV_I, z3.Z3_OP_BUREM_I, z3.Z3_OP_BSDIV_I, z3.Z3_OP_BSREM_I, z3.Z3_OP_BSMOD_I,
    z3.Z3_OP_IDIV, z3.Z3_OP_MOD, z3.Z3_OP_REM,
))

_REMAINDERS = frozenset((z3.Z3_OP_BUREM, z3.Z3_OP_BUREM_I))
_UNSIGNED = frozenset((z3.Z3_OP_BUDIV, z3.Z3_OP_BUDIV_I))
_BITS = (8, 16, 32)
"""Of quotients that are told to be small if the dividend is."""


def loosened(term: Term) -> Term:
    """The term with quotients and remainders taken for any function of the numbers they are of, and of sizes that they cannot
    exceed; the term itself if it has none.

    What is unsatisfiable then is so with the true quotients as well. Dividing is the dearest thing to ask of the solver, and
    an index computed from an address mostly needs no more than that equal addresses have equal indices.
    """
    known = getattr(term, "_circ_loosened", None)
    if known is None:
        known = term
        if _quotients(term):
            sizes: list[Term] = []
            known = conjunction((_loose(z3.simplify(term), sizes), *sizes))
        term._circ_loosened = known
    return known


def _loose(term: Term, sizes: list[Term]) -> Term:
    return z3.substitute(term, *((q, _any_function(q, sizes)) for q in _quotients(term)))


def _any_function(quotient: Term, sizes: list[Term]) -> Term:
    """Some function in place of a quotient or remainder; how large it can be is added to `sizes`."""
    numbers = [_loose(n, sizes) for n in quotient.children()]
    found = z3.Function(f"any {quotient.decl().name()}", *(n.sort() for n in numbers), quotient.sort())(*numbers)
    dividend, divisor = numbers
    kind = quotient.decl().kind()
    if z3.is_bv_value(divisor) and divisor.as_long():
        by, width = divisor.as_long(), quotient.size()
        if kind in _REMAINDERS:
            sizes.append(z3.ULT(found, by))
        elif kind in _UNSIGNED:
            sizes.extend(z3.Implies(z3.ULT(dividend, by << bits), z3.ULT(found, 1 << bits))
                         for bits in _BITS if by << bits < 1 << width)
    return found


def _quotients(term: Term) -> list[Term]:
    """Those that stand in no other one and under no quantifier."""
    found, seen, left = [], set(), [term]
    while left:
        part = left.pop()
        if key(part) in seen or not z3.is_app(part):
            continue
        seen.add(key(part))
        if part.decl().kind() in _QUOTIENTS:
            found.append(part)
        else:
            left += part.children()
    return found


def conjunction(terms: Iterable[Term]) -> Term:
    parts = list(terms)
    return parts[0] if len(parts) == 1 else _joined(z3.Z3_mk_and, parts) if parts else z3.BoolVal(True)


def disjunction(terms: Iterable[Term]) -> Term:
    parts = list(terms)
    return parts[0] if len(parts) == 1 else _joined(z3.Z3_mk_or, parts) if parts else z3.BoolVal(False)


def _joined(make: Callable[..., Any], parts: list[Term]) -> Term:
    """Straight to the C interface: z3.And and z3.Or look at the sort of every part several times, ten times slower."""
    ctx = parts[0].ctx
    return z3.BoolRef(make(ctx.ref(), len(parts), (z3.Ast * len(parts))(*(p.as_ast() for p in parts))), ctx)


def negation(term: Term) -> Term:
    return z3.BoolRef(z3.Z3_mk_not(term.ctx_ref(), term.as_ast()), term.ctx)


def implication(a: Term, b: Term) -> Term:
    return z3.Implies(a, b)


def equality(a: Term, b: Term) -> Term:
    return a == b


def boolean(name: str) -> Term:
    """A Boolean constant, for assumption literals."""
    return z3.Bool(name)


def constant_like(name: str, sort: Term) -> Term:
    return z3.Const(name, sort)


def is_negation(term: Term) -> bool:
    return bool(z3.is_not(term))


def key(term: Term) -> int:
    """A number that identifies a term while the term is alive (z3 shares equal terms). Asked of z3 once, then kept with it."""
    known: int | None = getattr(term, "_circ_key", None)
    if known is None:
        known = term._circ_key = int(term.get_id())
    return known


def names(term: Term) -> frozenset[int]:
    """The constants and functions without a meaning that the term speaks of, by numbers that hold while it is alive."""
    known: frozenset[int] | None = getattr(term, "_circ_names", None)
    if known is None:
        found, seen, left = set(), set(), [term]
        while left:
            part = left.pop()
            if key(part) in seen:
                continue
            seen.add(key(part))
            if z3.is_app(part) and part.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                found.add(int(part.decl().get_id()))
            left += part.children()
        known = term._circ_names = frozenset(found)
    return known


def select(array: Term, index: int, math: bool) -> Term:
    return z3.Select(array, z3.IntVal(index) if math else z3.BitVecVal(index, INDEX_WIDTH))


def element(array: Term, index: Term) -> Term:
    return z3.Select(array, index)


def rename(term: Term, pairs: Sequence[tuple[Term, Term]]) -> Term:
    """The term with constants replaced."""
    return z3.substitute(term, *pairs)
