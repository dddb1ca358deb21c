"""Expressions with a side effect in the places where C evaluates them, evaluates them once, or does not evaluate them at all."""

from __future__ import annotations

import random

_PIECES = ("\\x4", "\\x1", "1", "\\0", "12", "\\12", "\\101", "a", "\\\\", "f", "0")


def odd_place(r: random.Random, effect: str, place: str, name: str) -> str:
    """A statement with `effect`, an expression with a side effect, in such a place; what comes of it goes to `place`.

    `name` is fresh. No two of the accesses are unsequenced: what `place` gets is computed before.
    """
    length = f"({effect} & 3) + 1"
    return r.choice((
        lambda: f"(void)(int (*)[{length}])0;",
        lambda: f"{{ char *{name} = (char *)(short (*(*)[2])[{length}])0; (void){name}; }}",
        lambda: f"{{ int (*{name})[{length}] = 0; (void){name}; }}",
        lambda: f"{{ typedef char {name}[{length}]; {place} ^= sizeof({name}); }}",
        lambda: f"{{ typedef long (*{name})[{length}]; {name} {name}_1 = 0, {name}_2 = 0; (void){name}_1; (void){name}_2; }}",
        lambda: f"{{ typeof(int (*)[{length}]) {name} = 0; (void){name}; }}",
        lambda: f"{{ unsigned long {name} = sizeof(short[{length}]); {place} ^= {name}; }}",
        lambda: f"{{ int (**{name})[1] = (void *)&(int (*)[{length}]){{ 0 }}; (void){name}; }}",
        lambda: f"{{ int {name}[4] = {{ [0 ... 3] = {effect} }}; {place} ^= {name}[0] - {name}[3] + {name}[1]; }}",
        lambda: f"{{ struct {{ int a[3]; long b; }} {name}[2] = {{ [0 ... 1] = {{ .b = {effect} }} }}; {place} += {name}[1].b; }}",
        lambda: f"{{ int {name}[2] = {{ [1] = {effect}, [1] = 5 }}; {place} ^= {name}[1]; }}",
        lambda: f"{{ unsigned long {name} = sizeof({effect}) + _Alignof(int[{length}]); {place} ^= {name}; }}",
        lambda: f"{{ typeof({effect}) {name} = 1; {place} += {name} + _Generic({effect}, default: 3); }}",
        lambda: f"{{ long {name} = {effect} ?: 5; {place} ^= {name}; }}",
        lambda: f"{place} ^= {_text(r)};",
    ))()


def _text(r: random.Random) -> str:
    """An element of several string literals that are one."""
    pieces = [r.choice(_PIECES) for _ in range(r.choice((2, 2, 3)))]
    literal = " ".join(f'"{piece}"' for piece in pieces)
    return f"({literal})[{r.randrange(len(pieces))}] + sizeof({literal})"
