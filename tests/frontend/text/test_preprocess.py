"""The preprocessor: against gcc's on hand-made and random macros, and on its own for locations and annotations."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from circ.scan.sources import find_sources
from frontend import SourceFile, load_project
from frontend.program import FrontendError
from frontend.reading import preprocessed
from frontend.text.compilers import AUTO, OWN
from frontend.text.predefined import predefined_macros
from frontend.text.preprocess import INCLUDE, LIBC, SourceOptions, preprocess
from frontend.text.tokens import scan_preprocessed

GCC = shutil.which("gcc")
needs_gcc = pytest.mark.skipif(GCC is None, reason="gcc is not installed: nothing to compare with")


def ours(path: Path, **options: tuple[str, ...]) -> list[str]:
    return [t.value for t in preprocess(str(path), SourceOptions(**options)).tokens]


def gccs(path: Path, *options: str) -> list[str] | None:
    """gcc's tokens; None if it refuses the file."""
    assert GCC is not None
    done = subprocess.run([GCC, "-E", "-P", "-undef", "-std=gnu11", *options, str(path)], capture_output=True, text=True)
    return [t.value for t in scan_preprocessed(done.stdout, "x")] if done.returncode == 0 else None


TRICKY = {
    "object": "#define A B\n#define B A\nA B\n",
    "self": "#define foo foo + bar\nfoo\n",
    "function": "#define f(x) x + x\nf(1) f (2) f\n(3) f; f(f(f(4)))\n",
    "empty argument": "#define f(x) [x]\n#define g() <>\n#define h(a,b) a:b\nf() g() g( ) h(,) h(1,) h(,2)\n",
    "string": '#define s(x) #x\ns(a  +   b) s("x\\n" \'"\') s( ) s(a\n b) s(\\n)\n',
    "string of expanded": "#define s(x) t(x)\n#define t(x) #x\n#define V 4\ns(V) t(V)\n",
    "paste": "#define c(a,b) a##b\n#define xy 7\nc(x,y) c(1,2) c(,z) c(z,) c(<,<=) c(-,>)\n",
    "paste then expand": "#define c(a,b) c2(a,b)\n#define c2(a,b) a##b\n#define N 3\nc(x,N) c2(x,N) c(N,N)\n",
    "variadic": "#define p(f, ...) q(f, __VA_ARGS__)\np(1,2,3) p(1,) p(1, (2,3))\n",
    "gnu comma": "#define p(f, ...) q(f, ## __VA_ARGS__)\n#define r(f, a...) q(f, ## a)\np(1) p(1,2) p(1,2,3) r(0) r(0,9)\n",
    "va_opt": "#define p(f, ...) q(f __VA_OPT__(,) __VA_ARGS__)\np(1) p(1,2)\n",
    "c11 example 3": (
        "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n"
        "#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n#define r(x,y) x ## y\n"
        "#define str(x) # x\nf(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\ng(x+(3,4)-w) | h 5) & m\n(f)^m(m);\n"
        "p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\nchar c[2][6] = { str(hello), str() };\n"
    ),
    "c11 example 5": "#define t(x,y,z) x ## y ## z\n"
    "int j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };\n",
    "conditions": (
        "#define A 1\n#if defined A && !defined(B) && (A+1)*2 == 4\nyes\n#else\nno\n#endif\n#if 0\n#if 1\nx\n#else\ny\n#endif\n"
        "#elif A\nz\n#else\nw\n#endif\n#ifndef A\na\n#elif -1 < 0u\nb\n#else\nc\n#endif\n"
        "#if 'a' == 97 && '\\n' == 10\nd\n#endif\n"
        "#if (2 || 1/0) && 0x10 == 020 - 0 && 010 == 8\ne\n#endif\n#if 1 ? 2 : (1/0)\nf\n#endif\n"
        "#if -7/2 == -3 && -7%2 == -1\ng\n#endif\n"
        "#if ~0u == 0xffffffffffffffff && (1 << 3 | 1) == 9 && (5 ^ 1) == 4\nh\n#endif\n"
    ),
    "defined by macro": "#define H (defined(A) || defined(B))\n#define B 2\n#if H\nyes\n#else\nno\n#endif\n",
    "directives in arguments": "#define f(x) <x>\nf(1\n#define Q 2\n+ Q\n)\n",
    "line splices": "#define A 1 \\\n + 2\nA\nin\\\nt x;\n\"a\\\nb\"\n// comment \\\n goes on\ny\n",
    "comments": "a/**/b /* x\n y */ c // d\n#define /* e */ M /* f */ 1 /* g */\nM'x'\"/* no */\"\n",
    "skipped quotes": "#if 0\ndon't\n#endif\nok\n",
    "counter": "__COUNTER__ __COUNTER__ __LINE__\n__LINE__\n",
    "line": "#line 40 \"o.c\"\n__LINE__ __FILE__\n#define L __LINE__\nL\nL\n",
    "undef": "#define A 1\nA\n#undef A\nA\n#undef NEVER\n",
    "hide sets": "#define f(x) g(x)\n#define g(x) f(x) + x\nf(1) g(f(2)) f(g)(3)\n#define obj (f)(1)\nobj\n",
    "numbers": "#define e 1\n0x1e+1 1.e-3 .5e 1..2 0b1'0\n",
    "digraphs": "%:define A <: :> <% %>\n",
    "has": "#ifdef __has_include\n#if __has_include(<nope.h>) || !__has_include(\"has.c\")\nno\n#else\nyes\n#endif\n#endif\n",
    "nested parentheses": "#define f(a, b) a;b\nf((1,2),[3])\n",
    "paste operators": "#define cat(a, b) a ## b\ncat(+,+) cat(.,5) cat(L,'a') cat(L,\"s\") cat(x,1)\n",
    "string literal arguments": '#define log(...) printf(__VA_ARGS__)\nlog("%d, (x", 1)\n',
}


@needs_gcc
@pytest.mark.parametrize("name", TRICKY)
def test_same_tokens_as_gcc(name: str, tmp_path: Path) -> None:
    path = tmp_path / "has.c"
    path.write_text(TRICKY[name])
    assert ours(path) == gccs(path)


def random_macros(rng: random.Random) -> str:
    """A few macros that use each other, and lines that use them."""
    names = ["A", "B", "C", "F", "G", "H"]
    words = [*names, "x", "y", "1", "2", "+", "(", ")", ","]
    lines = []
    for name in names:
        if name in "ABC":
            lines.append(f"#define {name} " + " ".join(rng.choices(words, k=rng.randint(0, 4))))
        else:
            params = rng.choice(["a", "a, b", "a, ...", "..."])
            parts = [*words, "a", "a", "b", "__VA_ARGS__", "#a", "a ## b", "x ## a", "a ## 1"]
            usable = [p for p in parts if not ("b" in p and "b" not in params) and not ("VA" in p and "..." not in params)
                      and not ("a" in p and params == "...")]
            lines.append(f"#define {name}({params}) " + " ".join(rng.choices(usable, k=rng.randint(0, 5))))
        if rng.random() < 0.2:
            lines.append(f"#undef {rng.choice(names)}")
    for _ in range(6):
        lines.append(" ".join(rng.choices([*words, "F(", "G(", "H(", "F(x", ")", ")"], k=rng.randint(3, 10))))
    return "\n".join([*lines, ")))))", ""])


@needs_gcc
def test_random_macros_as_gcc(tmp_path: Path) -> None:
    rng = random.Random(2)
    path = tmp_path / "m.c"
    agreed = 0
    for _ in range(60):
        path.write_text(random_macros(rng))
        expected = gccs(path)
        if expected is None:
            continue
        assert ours(path) == expected, path.read_text()
        agreed += 1
    assert agreed > 10


@needs_gcc
def test_shipped_headers_as_gcc(tmp_path: Path) -> None:
    path = tmp_path / "h.c"
    path.write_text("#include <stdint.h>\n#include <limits.h>\n#include <stdatomic.h>\n#include <pthread.h>\n"
                    "int32_t a = INT32_MAX, b = INT_MIN; uint64_t c = UINT64_C(7);\n"
                    "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n")
    defines = [f"-D{m.replace(' ', '=', 1)}" for m in predefined_macros("lp64")]
    assert ours(path) == gccs(path, "-nostdinc", f"-I{INCLUDE}", f"-I{LIBC}", *defines)


@needs_gcc
@pytest.mark.parametrize("model, flag", [("lp64", "-m64"), ("ilp32", "-m32"), ("lp64-uchar", "-funsigned-char")])
def test_predefined_macros_are_those_of_gcc(model: str, flag: str) -> None:
    """Those that are defined, and by their values: sizes, limits, orders; what names a type is tested by the types."""
    printed = subprocess.run(["gcc", flag, "-dM", "-E", "-x", "c", "-include", "stdc-predef.h", "/dev/null"], capture_output=True,
                             text=True, check=True).stdout.splitlines()
    real = {line.split()[1]: line.split(" ", 2)[2:] for line in printed}
    for macro in predefined_macros(model):
        name, _, value = macro.partition(" ")
        if name in ("__CIRC__", "__DATE__", "__TIME__"):
            continue
        assert name in real, name
        mine, other = (v.rstrip("uUlL") for v in (value, *real[name]))
        if mine[:1].isdigit() and "." not in mine and not name.startswith(("__GNUC_", "__GNUC__", "__FLT_EVAL_METHOD")):
            assert int(mine, 0) == int(other.replace("__INT_MAX__", "0x7fffffff"), 0), name
    for name in ("__GNUC__", "__linux__", "__unix__", "__x86_64__" if model.startswith("lp64") else "__i386__", "__SIZEOF_POINTER__"):
        assert name in {m.partition(" ")[0] for m in predefined_macros(model)}


@needs_gcc
def test_features_are_those_of_gcc(tmp_path: Path) -> None:
    asked = ["builtin(__builtin_expect)", "builtin(__builtin_assume)", "builtin(__sync_fetch_and_add)", "builtin(__atomic_load_n)",
             "builtin(__builtin_rotateleft32)", "builtin(__builtin_unreachable)", "builtin(frobnicate)", "attribute(packed)",
             "attribute(__aligned__)", "attribute(diagnose_if)", "attribute(cleanup)", "attribute(noreturn)", "attribute(weak)",
             "attribute(nonsense)", "c_attribute(nodiscard)", "c_attribute(gnu::cold)", "c_attribute(clang::fallthrough)"]
    path = tmp_path / "f.c"
    path.write_text("#if defined(__has_feature)\nint clang;\n#endif\n" + "".join(
        f"#if __has_{a}\nint yes{n};\n#else\nint no{n};\n#endif\n" for n, a in enumerate(asked)))
    assert ours(path) == gccs(path)


def test_a_platform_has_no_system(tmp_path: Path) -> None:
    path = tmp_path / "p.c"
    path.write_text("#if defined(__GNUC__) && !defined(__linux__) && !defined(__x86_64__)\nint bare;\n#endif\n")
    assert [t.value for t in preprocess(str(path), SourceOptions(bare=True)).tokens] == ["int", "bare", ";"]
    assert not preprocess(str(path), SourceOptions()).tokens


# --------------------------------------------------------------------------------------------------- without gcc
def test_locations_are_the_users(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("#define TWICE(e) ((e) +\\\n (e))\nint  y = TWICE(  x );\n#line 100 \"b.nc\"\nint z;\n")
    tokens = preprocess(str(path), SourceOptions()).tokens
    at = {(t.value, t.filename.rsplit("/")[-1], t.lineno, t.column) for t in tokens}
    assert ("y", "a.c", 3, 6) in at
    assert ("x", "a.c", 3, 18) in at
    assert ("+", "a.c", 3, 10) in at  # a body's token stands where the macro is used
    assert ("z", "b.nc", 100, 5) in at


def test_annotations_survive_with_their_places(tmp_path: Path) -> None:
    (tmp_path / "h.h").write_text("int h; //@ invariant h == 0;\n")
    path = tmp_path / "a.c"
    path.write_text('#include "h.h"\n#include <stdio.h>\n// circ-note here\nint x; /*@ loop\n invariant 1; */ int y;\n'
                    "#if 0\n//@ not this\n#endif\n// plain\n")
    found = preprocess(str(path), SourceOptions()).annotations
    assert [(a.text, Path(a.location.file).name, a.location.line, a.location.column) for a in found] == [
        ("//@ invariant h == 0;", "h.h", 1, 8), ("// circ-note here", "a.c", 3, 1), ("/*@ loop\n invariant 1; */", "a.c", 4, 8)]


def test_include_search_and_next(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    (tmp_path / "one" / "h.h").write_text("one\n#include_next <h.h>\n")
    (tmp_path / "two" / "h.h").write_text("#pragma once\ntwo\n")
    path = tmp_path / "a.c"
    path.write_text('#define H <h.h>\n#include H\n#include "two/h.h"\n')
    assert ours(path, include=(str(tmp_path / "one"), str(tmp_path / "two"))) == ["one", "two"]


def test_define_and_undefine_options(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("A B C __CIRC__\n")
    assert ours(path, define=("A", "B=b + 1", "C=1"), undefine=("C",)) == ["1", "b", "+", "1", "C", "1"]


def test_sizes_follow_the_data_model(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("#include <limits.h>\n#if INT_MAX == 32767\nsixteen\n"
                    "#elif LONG_MAX == INT_MAX\nthirty-two\n#else\nsixty-four\n#endif\n"
                    "#if SIZE_MAX_TEST\n#endif\n__SIZE_TYPE__\n")
    shown = {m: [t.value for t in preprocess(str(path), SourceOptions(data_model=m)).tokens] for m in ("ip16", "ilp32", "lp64")}
    assert shown["ip16"] == ["sixteen", "unsigned", "int"]
    assert shown["ilp32"] == ["thirty", "-", "two", "unsigned", "int"]
    assert shown["lp64"] == ["sixty", "-", "four", "unsigned", "long", "int"]


def test_a_macro_bomb_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.c"
    lines = ["#define X0 a"] + [f"#define X{i} X{i - 1} X{i - 1} X{i - 1} X{i - 1}" for i in range(1, 20)]
    path.write_text("\n".join([*lines, "X19", ""]))
    with pytest.raises(FrontendError, match="a macro produces more than"):
        ours(path)


@pytest.mark.parametrize("source", [
    '#define s(x) #x\n#define S(x) s(x)\n' + "S(" * 80 + r'"\""' + ")" * 80 + "\n",
    "#define E(a, b) a##b\n#define D(x) E(x, x)\n" + "D(" * 80 + "a" + ")" * 80 + "\n",
    "#define f(x) x x\n" + "f(" * 80 + "a" + ")" * 80 + "\n",
])
def test_doubling_macros_are_refused(source: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.c"
    path.write_text(source)
    with pytest.raises(FrontendError, match=r"a macro (makes a token of|produces) more than"):
        ours(path)


LACKING = "#include <sys/epoll.h>\n#include <pthread.h>\npthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint x = EPOLLIN;\n"


@needs_gcc
def test_a_header_that_we_lack_is_the_systems(tmp_path: Path) -> None:
    """Then all of the file is; of a program, all of its files, so that types agree."""
    (tmp_path / "a.c").write_text(LACKING + "void *t(void *p) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return p; }\n")
    (tmp_path / "b.c").write_text("#include <pthread.h>\nextern pthread_mutex_t m; extern int x; void *t(void *);\nint main(void) { pthread_t h; "
                                  "pthread_create(&h, 0, t, 0); pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return 0; }\n")
    assert preprocess(str(tmp_path / "a.c"), SourceOptions()).cpp == AUTO
    assert preprocess(str(tmp_path / "b.c"), SourceOptions()).cpp is None
    files = [tmp_path / "b.c", tmp_path / "a.c"]
    texts = preprocessed(files)
    for program in (load_project(files), load_project(files, texts=texts)):
        assert [v.shown for v in program.shared] == ["x"]
        assert any("headers that circ does not have" in w.text and w.location.file.endswith("a.c") for w in program.warnings)


def test_no_compiler_is_taken_from_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder that is scanned, of which a file's own may be a part."""
    for folder in ("src", "bin"):
        (tmp_path / folder).mkdir()
    (tmp_path / "bin" / "cc").write_text("#!/bin/sh\necho 'int x;'\n")
    (tmp_path / "bin" / "cc").chmod(0o755)
    (tmp_path / "src" / "a.c").write_text("#include <nobody_has_it.h>\n")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin")
    [source] = find_sources([str(tmp_path)])
    assert source.all_files[0].project == str(tmp_path)
    with pytest.raises(FrontendError, match="cannot find the header"):
        preprocessed(source.all_files)
    assert preprocessed([SourceFile(source.path)])[0].cpp == AUTO


@needs_gcc
@pytest.mark.parametrize(("text", "options"), [
    (LACKING, SourceOptions(cpp=OWN)), (LACKING, SourceOptions(data_model="ilp32")), (LACKING, SourceOptions(bare=True)),
    (LACKING, SourceOptions(text=LACKING)), ("#include \"nothere.h\"\n", SourceOptions()),
])
def test_where_the_systems_headers_would_be_others(tmp_path: Path, text: str, options: SourceOptions) -> None:
    (tmp_path / "a.c").write_text(text)
    with pytest.raises(FrontendError, match="cannot find the header"):
        preprocess(str(tmp_path / "a.c"), options)


def test_no_compiler_is_taken_from_the_programs_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cc").write_text("#!/bin/sh\ntouch \"$0.ran\"\n")
    (tmp_path / "cc").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "a.c").write_text(LACKING)
    with pytest.raises(FrontendError, match="cannot find the header"):
        preprocess(str(tmp_path / "a.c"), SourceOptions())
    assert not (tmp_path / "cc.ran").exists()
