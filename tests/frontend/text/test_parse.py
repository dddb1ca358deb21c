"""Whole files to ASTs: what gcc -E makes of real headers, nesC compiler output, our own headers, locations."""

from __future__ import annotations

import cProfile
import shutil
import subprocess
from pathlib import Path

import pytest
from pycparser import c_ast

from frontend.program import NOWHERE, Location
from frontend.text.parse import ParsedFile, SourceOptions, parse
from frontend.text.preprocess import INCLUDE, LIBC

GCC = shutil.which("gcc")
needs_gcc = pytest.mark.skipif(GCC is None, reason="gcc is not installed: there are no real headers to read")
HEADERS = ("stdio.h", "stdlib.h", "string.h", "pthread.h", "stdatomic.h", "assert.h", "semaphore.h", "unistd.h", "errno.h",
           "threads.h", "sys/types.h", "time.h", "signal.h", "math.h", "limits.h", "ctype.h", "stdarg.h", "inttypes.h",
           "sys/time.h", "sched.h", "fcntl.h", "sys/stat.h", "sys/socket.h", "setjmp.h")
USES_THEM = "".join(f"#include <{h}>\n" for h in HEADERS) + """
atomic_int a; _Atomic(long) b; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; thread_local int tl; sem_t s;
static void *run(void *arg) {
  pthread_mutex_lock(&m); atomic_fetch_add(&a, 1); atomic_store(&b, 2L); b++; pthread_mutex_unlock(&m);
  long expected = 0; while (!atomic_compare_exchange_weak(&b, &expected, 1)) sched_yield();
  errno = EINTR; assert(a > 0 && "positive"); printf("%d %" PRIu64 "\\n", (int)a, (uint64_t)1); sem_post(&s);
  if (isdigit(*(char *)arg) || isnan(1.0)) fputs("x", stderr);
  return NULL;
}
static int sum(int n, ...) { va_list ap; va_start(ap, n); int t = va_arg(ap, int); va_end(ap);
  return t + INT_MAX + (int)sqrt(n); }
int main(void) { pthread_t t; pthread_create(&t, 0, run, "1"); pthread_join(t, 0); atomic { sum(1, 2); } return EXIT_SUCCESS; }
"""


def function(p: ParsedFile, name: str) -> c_ast.FuncDef:
    return next(n for n in p.ast.ext if isinstance(n, c_ast.FuncDef) and n.decl.name == name)


@needs_gcc
@pytest.mark.parametrize("flags", ["", "-P", "-std=c11", "-std=gnu11 -P", "-std=gnu2x", "-D_GNU_SOURCE", "-O2", "-m32"])
def test_real_headers_through_gcc(flags: str, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(USES_THEM)
    if flags == "-m32" and subprocess.run([GCC or "", "-E", "-m32", str(path)], capture_output=True).returncode != 0:
        pytest.skip("gcc has no 32-bit headers here")
    p = parse(str(path), SourceOptions(cpp=f"gcc -E {flags}"))
    last = function(p, "main")
    if "-P" not in flags:
        assert p.location(last) == Location(str(path), USES_THEM.count("\n"), 5)
    assert isinstance(last.body.block_items[-2], c_ast.AttributedStatement)


@needs_gcc
def test_the_same_as_a_preprocessed_file(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(USES_THEM)
    output = tmp_path / "a.i"
    subprocess.run([GCC or "", "-E", str(path), "-o", str(output)], check=True)
    p = parse(str(output), SourceOptions())
    assert p.location(function(p, "main")).file == str(path)


@pytest.mark.parametrize("model", ["lp64", "ilp32", "ip16"])
def test_our_headers(model: str, tmp_path: Path) -> None:
    shipped = sorted(str(h.relative_to(LIBC)) for h in Path(LIBC).rglob("*.h") if h.parent.name != "parts")  # one at a time
    path = tmp_path / "a.c"
    path.write_text("#include <circ.h>\n" + "".join(f"#include <{h}>\n" for h in shipped)
                    + "ISR(ADC_vect) { ADCSR &= ~_BV(ADSC); }\n")
    p = parse(str(path), SourceOptions(data_model=model))
    assert [a.name for a in p.attributes["__vector_21"]] == ["signal"]


def test_a_program_with_our_headers(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    ours = USES_THEM.replace("#include <sys/socket.h>\n", "")
    path.write_text(ours)
    p = parse(str(path), SourceOptions())
    assert p.location(function(p, "main")) == Location(str(path), ours.count("\n"), 5)


@needs_gcc
def test_our_headers_are_c(tmp_path: Path) -> None:
    for header in sorted(Path(LIBC).rglob("*.h")):
        if header.parent.name not in ("avr", "util", "parts"):  # macros for another machine
            command = [GCC or "", "-fsyntax-only", "-fno-builtin", "-w", "-nostdinc", f"-I{LIBC}", "-x", "c", str(header)]
            done = subprocess.run(command, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr


CIRC = """#include "circ.h"
int x; int y; circ_invariant(x >= 0); circ_range(y, 0, 7);
circ_thread void worker(void) { atomic { x++; } circ_critical { y = nondet(); assume(y > 2); assert(y > 1); } }
circ_threads(2) void f(int self) { x = self; }
circ_interrupt(x) void h(void) { }
circ_task void t(void) { circ_invariant(x == 1); }
circ_exception(x, y);
"""


@pytest.mark.parametrize("cpp", [None, pytest.param("gcc -E", marks=needs_gcc)])
def test_circ_h(cpp: str | None, tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(CIRC)
    p = parse(str(path), SourceOptions(cpp=cpp))
    kept = {n: [(a.name, a.args) for a in p.attributes[n]] for n in ("worker", "f", "h", "t")}
    assert kept == {"worker": [("circ_thread", ())], "f": [("circ_threads", ("2",))], "h": [("circ_interrupt", ("x",))],
                    "t": [("circ_task", ())]}
    assert [(a.text, a.location.line) for a in p.annotations] == [
        ("circ_invariant(x >= 0)", 2), ("circ_range(y, 0, 7)", 2), ("circ_exception(x, y)", 7)]


@needs_gcc
def test_circ_h_compiles_with_gcc(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text(CIRC)
    done = subprocess.run([GCC or "", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}", str(path)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@needs_gcc
def test_annotations_through_gcc(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("#include <stdio.h>\n#if 0\n//@ not this\n#endif\nint x; //@ invariant x == 0;\n"
                    "int y; /* plain */\n  // circ-note\n")
    p = parse(str(path), SourceOptions(cpp="gcc -E"))
    mine = [(a.text, a.location.line, a.location.column) for a in p.annotations if a.location.file == str(path)]
    assert mine == [("//@ invariant x == 0;", 5, 8), ("// circ-note", 7, 3)]


# --------------------------------------------------------------------------------------------------- nesC
@pytest.mark.parametrize("suffix", [".c", ".i"])
def test_nesc_compiler_output(suffix: str, tmp_path: Path) -> None:
    source = Path(__file__).with_name("nesc_output.txt").read_text()
    if suffix == ".i":
        source = "".join(line for line in source.splitlines(keepends=True) if not line.startswith("#define"))
    path = tmp_path / f"app{suffix}"
    path.write_text(source)
    p = parse(str(path), SourceOptions(data_model="ip16"))
    ready = function(p, "FramerM$ByteComm$txByteReady")
    framer = "/opt/tinyos-1.x/tos/system/FramerM.nc"
    assert p.location(ready) == Location(framer, 483, 26)
    assert p.location(ready.body) == Location(framer, 483, 1)
    switch = next(s for s in ready.body.block_items if isinstance(s, c_ast.Switch))
    assert p.location(switch) == Location(framer, 493, 3)
    error = ready.body.block_items[2].iftrue.block_items[0].block_items[1]
    assert p.location(error) == Location(framer, 488, 9)
    assert [a.name for a in p.attributes["__vector_18"]] == ["signal"]
    assert [a.name for a in p.attributes["__vector_20"]] == ["interrupt"]
    assert str(p.attributes["__vector_20"][0].location) == "/opt/tinyos-1.x/tos/platform/mica/HPLUARTM.nc:170:19"
    assert [a.name for a in p.attributes["main"]] == ["C", "spontaneous"]
    message = next(n for n in p.ast.ext if isinstance(n, c_ast.Typedef) and n.name == "TOS_Msg")
    assert [a.name for a in p.record_attributes(message.type.type)] == ["packed"]


# --------------------------------------------------------------------------------------------------- locations
def test_locations_of_nodes(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text('int x;\nvoid f(void)\n{\n    x = __extension__ (x + 1);\n#line 7 "b.nc"\n  if (x) __typeof__(x) y;\n}\n'
                    .replace("if (x) __typeof__(x) y;", "{ __typeof__(x) y; }"))
    p = parse(str(path), SourceOptions())
    assign, block = function(p, "f").body.block_items
    assert p.location(assign) == Location(str(path), 4, 5)
    assert p.location(assign.rvalue.right) == Location(str(path), 4, 28)
    assert p.location(block.block_items[0]) == Location("b.nc", 7, 19)
    assert p.location(block.coord) == Location("b.nc", 7, 3)
    assert p.location(None) == NOWHERE


def test_growth_is_linear(tmp_path: Path) -> None:
    """Counted in function calls, which do not depend on the machine: eight times the text, about eight times the calls."""
    unit = """#define LIMIT{0} (9 + 1)
struct s{0} {{ int a[LIMIT{0}]; int b; }} __attribute__((packed));
static int f{0}(int *p, struct s{0} *q) {{ int i; for (i = 0; i < LIMIT{0}; i++) {{ q->a[i] += *p; }} return q->b; }}
"""
    calls = []
    for n in (25, 200):
        path = tmp_path / f"n{n}.c"
        path.write_text("".join(unit.format(i) for i in range(n)))
        profile = cProfile.Profile()
        profile.runcall(parse, str(path), SourceOptions())
        calls.append(sum(entry.callcount for entry in profile.getstats()))
    assert calls[1] < 9 * calls[0]
