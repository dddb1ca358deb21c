"""Integer constants, conversions and operators against the compiler: both fold the same expressions."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from frontend.ctypes import IntType
from frontend.lower.module import load_module
from frontend.program import DATA_MODELS, FrontendError
from frontend.text.parse import SourceOptions, parse

TYPES = ("_Bool", "char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned int", "long",
         "unsigned long", "long long", "unsigned long long")
LITERALS = ("0", "1", "2", "7", "127", "128", "255", "256", "32767", "32768", "65535", "0x7f", "0xff", "0177777", "0x8000",
            "2147483647", "2147483648", "0x7fffffff", "0x80000000", "0xffffffff", "037777777777", "4294967295", "4294967296",
            "1u", "3U", "5l", "6UL", "7ll", "9223372036854775807", "0xffffffffffffffff", "0x8000000000000000u", "11LLU",
            "'a'", "'\\377'", "'\\0'", "L'z'", "0b1011")
BINARY = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&&", "||")
MODELS = {"lp64": [], "ilp32": ["-m32"], "lp64-uchar": ["-funsigned-char"]}


def expression(r: random.Random, depth: int) -> str:
    """A constant expression in which no divisor is zero and no shift count is out of range."""
    kind = r.random()
    if depth == 0 or kind < 0.15:
        return r.choice(LITERALS)
    inner = expression(r, depth - 1)
    if kind < 0.35:
        return f"({r.choice(TYPES)})({inner})"
    if kind < 0.5:
        return f"{r.choice('-~!+')}({inner})"
    if kind < 0.58:
        return f"({inner} ? {expression(r, depth - 1)} : {expression(r, depth - 1)})"
    op = r.choice(BINARY)
    if op in ("/", "%"):
        return f"(({inner}) {op} ({expression(r, depth - 1)} | {r.choice(('1', '1u', '3ll', '(unsigned char)5'))}))"
    if op in ("<<", ">>"):
        return f"(({inner}) {op} ({expression(r, depth - 1)} & {r.choice(('7', '15', '31'))}))" if r.random() < 0.5 else \
            f"(({inner}) {op} {r.randrange(16)})"
    return f"(({inner}) {op} ({expression(r, depth - 1)}))"


def compiled(source: Path, flags: list[str]) -> dict[str, int]:
    """The values of the `long long` objects v0, v1, ... in the compiler's assembly output."""
    done = subprocess.run(["gcc", "-w", "-S", "-O1", "-fwrapv", *flags, "-o", "-", str(source)], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"gcc cannot compile with {flags}: {done.stderr[:80]}")
    found: dict[str, int] = {}
    for name, body in re.findall(r"^(v\d+):\n((?:\t\.(?:quad|long|zero)\t\S+\n)+)", done.stdout, re.MULTILINE):
        value, shift = 0, 0
        for kind, text in re.findall(r"\.(quad|long|zero)\t(\S+)", body):
            width = {"quad": 64, "long": 32, "zero": 64}[kind]
            value |= (0 if kind == "zero" else int(text) & ((1 << width) - 1)) << shift
            shift += width
        found[name] = value - (1 << 64) if value >> 63 else value
    return found


def elaborated(source: Path, model: str) -> dict[str, int]:
    module = load_module(parse(str(source), SourceOptions(data_model=model)), DATA_MODELS[model])
    found: dict[str, int] = {}
    for name, symbol in module.symbols.items():
        values = [value for _, value in symbol.initial]
        assert all(isinstance(v, int) for v in values)
        found[name] = values[0] if values else 0  # type: ignore[assignment]
    return found


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("model", MODELS)
def test_random_constant_expressions_agree_with_gcc(model: str, tmp_path: Path) -> None:
    r = random.Random(7)
    expressions = [*LITERALS, *(expression(r, r.randrange(1, 5)) for _ in range(1500))]
    source = tmp_path / "constants.c"
    source.write_text("".join(f"long long v{i} = {e};\n" for i, e in enumerate(expressions)))
    reference, mine = compiled(source, MODELS[model]), elaborated(source, model)
    assert len(reference) > 1400
    wrong = [(expressions[int(name[1:])], value, mine[name]) for name, value in reference.items() if mine[name] != value]
    assert not wrong, wrong[:5]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("model", MODELS)
def test_every_pair_of_types_has_the_common_type_of_gcc(model: str, tmp_path: Path) -> None:
    """The usual arithmetic conversions, seen through size and sign of the result."""
    lines = []
    for a in TYPES:
        for b in TYPES:
            lines.append(f"sizeof(({a})1 + ({b})1) * 2 + (({a})0 * ({b})0 - 1 < 0)")
            lines.append(f"sizeof(1 ? ({a})1 : ({b})1)")
            lines.append(f"sizeof(({a})1 << ({b})1)")
    source = tmp_path / "pairs.c"
    source.write_text("".join(f"long long v{i} = {e};\n" for i, e in enumerate(lines)))
    reference, mine = compiled(source, MODELS[model]), elaborated(source, model)
    assert len(reference) == len(lines)
    assert {n: mine[n] for n in reference} == reference


RECORDS = """
struct a { char c; int i; char d; long long l; short s; };
struct b { char c; double d; char e[3]; void *p; long double x; };
struct __attribute__((packed)) c { char c; int i; short s; };
struct d { unsigned a:3; unsigned b:30; char c; int e:7; long long f:33; unsigned g:1; _Bool h:1; };
struct __attribute__((packed)) e { unsigned a:3; unsigned b:30; char c; int d:7; };
union u { char c[5]; short s; int i; };
struct f { struct a a; union u u; struct { char x; short y; }; };
struct g { char c; int i __attribute__((aligned(16))); char d; };
struct __attribute__((aligned(32))) h { char c; };
struct i { char a; int :0; char b; int :5; int c:4; };
struct j { unsigned char a:4, b:4; unsigned short c:12; unsigned char d; };
struct m { char c; int i; } __attribute__((packed));
typedef struct { char c; int i; } n __attribute__((aligned(16)));
typedef int o __attribute__((aligned(16)));
struct p { char c; o x; };
struct q { char c; int i __attribute__((packed)); short s; };
struct r { char c; _Alignas(8) char d; };
typedef enum { S = 200 } __attribute__((packed)) s;
#pragma pack(push, 2)
struct t { char a; int b; long long c; };
#pragma pack(pop)
enum k { K = 1 }; enum l { L = -1, LL = 0x7fffffff };
"""
MEMBERS = ["sizeof(struct a)", "offsetof(struct a, l)", "offsetof(struct a, s)", "_Alignof(struct a)", "sizeof(struct b)",
           "offsetof(struct b, d)", "offsetof(struct b, p)", "sizeof(struct c)", "offsetof(struct c, s)", "sizeof(struct d)",
           "offsetof(struct d, c)", "sizeof(struct e)", "offsetof(struct e, c)", "sizeof(union u)", "_Alignof(union u)",
           "sizeof(struct f)", "offsetof(struct f, u.c[2])", "offsetof(struct f, y)", "sizeof(struct g)", "offsetof(struct g, d)",
           "sizeof(struct h)", "sizeof(struct h[3])", "sizeof(struct i)", "offsetof(struct i, b)", "sizeof(struct j)",
           "offsetof(struct j, d)", "sizeof(enum k)", "sizeof(enum l)", "sizeof(L'x')", "sizeof(\"abc\")", "sizeof(L\"abc\")",
           "sizeof(long double)", "_Alignof(long long)", "_Alignof(double)", "sizeof(void *)", "sizeof(1.0f)", "sizeof(1.0)",
           "sizeof(struct m)", "_Alignof(n)", "sizeof(struct p)", "offsetof(struct p, x)", "offsetof(struct q, s)",
           "offsetof(struct r, d)", "sizeof(s)", "sizeof(struct t)", "offsetof(struct t, c)",
           "(enum k)-1 > 0", "(enum l)-1 > 0", "sizeof(int[3][4])", "sizeof(int (*)[4])", "sizeof((char)1)", "sizeof(+(char)1)"]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("model", MODELS)
def test_layout_agrees_with_gcc(model: str, tmp_path: Path) -> None:
    source = tmp_path / "layout.c"
    source.write_text("#define offsetof(t, m) __builtin_offsetof(t, m)\n" + RECORDS
                      + "".join(f"long long v{i} = {e};\n" for i, e in enumerate(MEMBERS)))
    reference, mine = compiled(source, MODELS[model]), elaborated(source, model)
    wrong = [(MEMBERS[int(n[1:])], value, mine[n]) for n, value in reference.items() if mine[n] != value]
    assert len(reference) == len(MEMBERS) and not wrong, wrong


def test_ip16_literals_and_promotions(tmp_path: Path) -> None:
    """16-bit int: what avr-gcc does, from C's rules."""
    cases = {"40000 + 1 > 0": 1, "32767 + 1": -32768, "0x8000 > 0": 1, "sizeof(0x8000)": 2, "sizeof(40000)": 4,
             "(unsigned char)255 + (unsigned char)1": 256, "65535u + 1": 0, "-1 < 1u": 0, "-1 < 1ul": 0, "sizeof(void *)": 2,
             "(unsigned short)65535 + 1": 0, "1 << 15": -32768, "1L << 15": 32768, "sizeof(long)": 4, "'\\377'": -1,
             "sizeof(double)": 4, "(int)70000": 4464, "(unsigned char)200 * (unsigned char)200": -25536}
    source = tmp_path / "small.c"
    source.write_text("".join(f"long long v{i} = {e};\n" for i, e in enumerate(cases)))
    mine = elaborated(source, "ip16")
    assert {e: mine[f"v{i}"] for i, e in enumerate(cases)} == cases


def test_literal_types_follow_base_and_suffix(tmp_path: Path) -> None:
    source = tmp_path / "types.c"
    source.write_text("typeof(2147483648) a; typeof(0x80000000) b; typeof(1u) c; typeof(0xfffffffff) d; typeof(1ull) e;\n")
    module = load_module(parse(str(source), SourceOptions()), DATA_MODELS["lp64"])
    types = {name: s.type for name, s in module.symbols.items()}
    assert {n: t.name for n, t in types.items() if isinstance(t, IntType)} == {
        "a": "long", "b": "unsigned int", "c": "unsigned int", "d": "long", "e": "unsigned long long"}


@pytest.mark.parametrize("text", ["int a[1 / 0];", "enum { E = 3 + 1 % (2 - 2) }; int a[E];", "int f(int x) { switch (x) { case 1 / 0: ; } }"])
def test_constants_divided_by_zero(tmp_path: Path, text: str) -> None:
    source = tmp_path / "zero.c"
    source.write_text(f"{text} int b[1 ? 2 : 1 / 0]; int main(void) {{ return sizeof b; }}")
    module = load_module(parse(str(source), SourceOptions()), DATA_MODELS["lp64"])
    with pytest.raises(FrontendError, match="divides by zero in a constant"):
        _ = [module.symbols, *map(module.function, module.declarations)]
