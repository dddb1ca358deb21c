"""Counter abstraction: how many context threads are in each class, exactly up to k, else omega (any number above k).

The paper has omega - 1 = omega everywhere. That loses races that need several threads to leave a class, and keeps an
atomic class occupied for ever; here true infinity exists only at the start class of an unbounded template, and elsewhere
omega - 1 is k *or* omega (soundness ledger).
"""

from __future__ import annotations

from typing import TypeAlias

OMEGA = 1 << 30

ContextClass: TypeAlias = tuple[int, int]
"""A template's number and a class of its ACFA."""

Context: TypeAlias = tuple[tuple[ContextClass, int], ...]
"""The occupied classes with their counts, sorted; a class that is not named holds no thread."""


def count(context: Context, key: ContextClass) -> int:
    for other, n in context:
        if other == key:
            return n
    return 0


def with_count(context: Context, key: ContextClass, n: int) -> Context:
    """The context with `n` threads at `key`."""
    rest = [item for item in context if item[0] != key]
    if n:
        rest.append((key, n))
        rest.sort()
    return tuple(rest)


def enter(context: Context, key: ContextClass, k: int) -> Context:
    """One thread more at `key`: alpha.k of the sum."""
    n = count(context, key)
    return with_count(context, key, n + 1 if n < k else OMEGA)


def leave(context: Context, key: ContextClass, k: int, endless: bool) -> tuple[Context, ...]:
    """One thread less at `key`; `endless` if the class holds infinitely many (the start of an unbounded template)."""
    n = count(context, key)
    if n != OMEGA:
        return (with_count(context, key, n - 1),)
    if endless:
        return (context,)
    return with_count(context, key, k), context


def move(context: Context, source: ContextClass, target: ContextClass, k: int, endless: bool) -> tuple[Context, ...]:
    """One thread goes from `source` to `target`; every abstract context that this may lead to."""
    return tuple(enter(c, target, k) for c in leave(context, source, k, endless))
