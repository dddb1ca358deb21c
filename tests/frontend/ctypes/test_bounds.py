"""Numbers in declarations and constants that no compiler takes: each is told of where it stands, as gcc does, and none is our bug."""

from __future__ import annotations

from fractions import Fraction

import pytest

from frontend import loads
from frontend.ctypes.literals import floating
from frontend.program import FrontendError, Location
from frontend.text.tokens import character_codes

THREAD = "\nint a, d;\n__attribute__((circ_thread)) void w(void) { a = a + 1; }\n"
STRUCT = "struct s {{ {} }} v;"


def message(text: str) -> str:
    with pytest.raises(FrontendError) as error:
        loads(text + THREAD, name="a.c")
    assert error.value.location.line >= 1 and error.value.location.file == "a.c"
    return error.value.message


@pytest.mark.parametrize(("member", "expected"), [
    ("int x : 99999999999;", "has 99999999999 bits, its type has 32"), ("int x : -1;", "has -1 bits"), ("int x : 33;", "has 33 bits"),
    ("int x : 0;", "'x' has 0 bits"), ("char x : 9;", "its type has 8"), ("_Bool x : 2;", "its type has 1"), ("int : -3;", "a bit field has -3"),
    ("float x : 3;", "of no integer type"), ("int *x : 3;", "of no integer type"), ("int x : 1.5;", "not a constant"),
    ("_Alignas(3) int x;", "the alignment 3"), ("_Alignas(-4) int x;", "the alignment -4"), ("int x __attribute__((aligned(6)));", "the alignment 6"),
    ("int x __attribute__((aligned(1ull << 40)));", "alignment 1099511627776"), ("int x[-1];", "negative"), ("int x[1ull << 63];", "larger than any object"),
])
def test_members(member: str, expected: str) -> None:
    assert expected in message(STRUCT.format(member))


@pytest.mark.parametrize("member", ["int : 0; int y;", "unsigned x : 32;", "_Bool x : 1;", "long long x : 64;", "enum {A, B} x : 2;", "_Alignas(0) int x;",
                                    "_Alignas(64) char x;", "int x __attribute__((aligned));", "int x __attribute__((aligned(sizeof(long))));"])
def test_members_that_are_right(member: str) -> None:
    assert loads(STRUCT.format(member) + THREAD, name="a.c")


@pytest.mark.parametrize(("text", "expected"), [
    ("int v[99999999999999999999];", "larger than any object"), ("int v[3] = {[3] = 1};", "outside of the array"), ("int v[] = {[-1] = 1};", "outside of the array"),
    ("int v[3] = {[2 ... 1] = 1};", "outside of the array"), ("int v[2][] = {{1}};", "arrays that have no size"), ("int v[][];", "arrays that have no size"),
    ("typedef int t __attribute__((vector_size(-16))); t v;", "a vector of size -16"), ("typedef int t __attribute__((vector_size(0))); t v;", "size 0"),
    ("_BitInt(0) v;", "a _BitInt of 0 bits"), ("_BitInt(9999999) v;", "a _BitInt of 9999999"), ("enum e : float {A};  enum e v;", "of no integer type"),
    ("int v = (struct nothing){1};", "incomplete where it is initialised"), ("int v = '\\x';", "without hexadecimal digits"), ("char *v = \"\\u12\";", "no character"),
    ("int v = '\\U00110000';", "no character"), ("int v = '\\ud800';", "no character"), ("#if '\\x'\n#endif", "without hexadecimal digits"),
    ("#line 1\u00b2", "#line takes a line number"), ("int v = __builtin_constant_p();", "too few arguments"),
    ("int b; __attribute__((circ_thread)) void v(void) { __sync_fetch_and_add(&b); }", "too few arguments"),
    ("int b; __attribute__((circ_thread)) void v(void) { b = 1; __circ_cleanup_push(b); }", "too few arguments"),
])
def test_declarations_and_constants(text: str, expected: str) -> None:
    assert expected in message(text)


def test_what_pragma_pack_cannot_mean_is_ignored() -> None:
    program = loads("#pragma pack(0)\nstruct s { char c; int i; } v[sizeof(struct s) == 8 ? 1 : -1];\n#pragma pack(3)\nstruct t { char c; int i; } "
                    "u[sizeof(struct t) == 8 ? 1 : -1];" + THREAD, name="a.c")
    assert any(v.name.startswith("u") for v in program.globals)


@pytest.mark.parametrize("call", ["pthread_key_create(g)", "memcpy(g, g, g)", "qsort(g, g, g, g)", "on_exit(g, g)", "pthread_create(g, g, g, g)",
                                  "sem_init(g, g, g)", "mtx_init(g, g)", "pthread_once(g, g)", "call_once(g, g)", "bsearch(g, g, g, g, g)"])
def test_calls_of_the_library_with_other_arguments(call: str) -> None:
    assert loads("void *realloc();\n__attribute__((circ_thread)) void v(void) { realloc(); }" + THREAD, name="a.c")
    with pytest.raises(FrontendError, match="other arguments than it takes"):
        loads(f"struct s {{ int f; }} g; int b;\n__attribute__((circ_thread)) void v(void) {{ b = 1; {call}; }}" + THREAD, name="a.c")


def test_escapes() -> None:
    here = Location("a.c", 1)
    assert character_codes(r"a\n\q\0\101\x41\u00e9\\\'", False, here) == [97, 10, 113, 0, 65, 65, 0xC3, 0xA9, 92, 39]
    assert character_codes(r"\U0001F600\x100", True, here) == [0x1F600, 0x100]
    assert loads("#if 'ab' == 24930 && L'a' == 97 && '\\8' == 56\nint right;\n#endif" + THREAD, name="a.c").globals[0].name == "right"


def test_exponents_without_end() -> None:
    assert floating("1.5e2") == 150 and floating("0x1.8p1") == 3 and floating("25e-2f") == Fraction(1, 4)
    assert floating("1e99999999999") > 10 ** 5000 and floating("0x1p-99999999999") < Fraction(1, 10 ** 5000)


@pytest.mark.parametrize(("text", "expected"), [
    ("_Alignas(3) int v;", "the alignment 3"), ("_Alignas(-8) int v;", "the alignment -8"), ("_Alignas(1ull << 40) int v;", "alignment 1099511627776"),
    ("_Alignas(2) int v;", "an alignment of 2, the type has 4"), ("_Alignas(1.5) int v;", "not a constant"), ("int n; _Alignas(n) int v;", "not a constant"),
    ("int v __attribute__((aligned(3)));", "the alignment 3"), ("_Alignas(8) int v(void) { return a; }", "'v' can have no alignment"),
    ("struct s { _Alignas(16) int b : 3; } v;", "a bit field can have no alignment"), ("struct s { _Alignas(2) int b; } v;", "an alignment of 2"),
    ("struct s { int b; _Static_assert(sizeof(int) == 8, \"no\"); } v;", "static assertion failed"),
    ("__attribute__((circ_thread)) void u(void) { _Alignas(3) int b; b = 1; }", "the alignment 3"),
    ("__attribute__((circ_thread)) void u(void) { static _Alignas(12) int b; b = 1; }", "the alignment 12"),
    ("__attribute__((circ_thread)) void u(void) { register _Alignas(8) int b = 1; }", "'b' can have no alignment"),
])
def test_alignments_of_variables(text: str, expected: str) -> None:
    assert expected in message("extern int a;\n" + text)


@pytest.mark.parametrize("text", ["_Alignas(0) int v;", "_Alignas(16) int v;", "_Alignas(double) int v;", "_Alignas(2) _Alignas(8) int v;", "_Alignas(1) char v;",
                                  "int v __attribute__((aligned(1)));", "struct s { int b; _Static_assert(sizeof(int) == 4, \"yes\"); } v;"])
def test_alignments_that_are_right(text: str) -> None:
    assert loads(text + THREAD, name="a.c")
