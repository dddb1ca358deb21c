"""Bad input up to the AST: one located error that says what to do, quickly, and never another exception."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from frontend.program import MAX_SOURCE, FrontendError
from frontend.text.parse import SourceOptions, parse


def error_of(path: Path, **options: object) -> str:
    with pytest.raises(FrontendError) as caught:
        parse(str(path), SourceOptions(**options))  # type: ignore[arg-type]
    error = caught.value
    assert error.location.line >= 1
    assert error.hint, f"no hint: {error}"
    assert "\n" not in str(error)
    return str(error).replace(f"{path.parent}/", "")


CASES = {
    "empty": ("", "a.c:1:1: error: there is no C in this file"),
    "comments only": ("// nothing\n/* here */\n", "a.c:1:1: error: there is no C in this file"),
    "not C": ("Dear sir,\nthe program does not work.\n", "a.c:1:6: error: syntax error at 'sir'"),
    "python": ("def f(x):\n    return x\n", "a.c:1:5: error: syntax error at 'f'"),
    "unterminated comment": ("int x;\n  /* open\nint y;\n", "a.c:2:3: error: unterminated comment"),
    "unterminated comment in skipped code": ("#if 0\n/* open\n#endif\n", "a.c:2:1: error: unterminated comment"),
    "unterminated string": ('int x;\nchar *s = "open;\n', "a.c:2:11: error: unterminated string literal"),
    "unterminated character": ("int c = 'a;\n", "a.c:1:9: error: unterminated or empty character constant"),
    "missing include": ('int x;\n#include "nothere.h"\n', "a.c:2:10: error: cannot find the header 'nothere.h'"),
    "missing system include": ("#include <linux/nothere.h>\n", "a.c:1:10: error: cannot find the header 'linux/nothere.h'"),
    "include of nothing": ("#include\n", "a.c:1:2: error: #include takes"),
    "unterminated if": ("#ifdef A\nint x;\n#if 1\n#endif\n", "a.c:1:2: error: #ifdef without #endif"),
    "endif alone": ("int x;\n#endif\n", "a.c:2:2: error: #endif without #if"),
    "else twice": ("#if 1\n#else\n#else\n#endif\n", "a.c:3:2: error: #else after #else"),
    "elif alone": ("#elif 1\n", "a.c:1:2: error: #elif without #if"),
    "error directive": ("#if 1\n#  error do not \"use\" this\n#endif\n", 'a.c:2:4: error: #error do not "use" this'),
    "unknown directive": ("#frobnicate\n", "a.c:1:2: error: unknown directive #frobnicate"),
    "bad condition": ("#if 1 +\n#endif\n", "a.c:1:2: error: the expression of #if is not complete"),
    "empty condition": ("#if\n#endif\n", "a.c:1:2: error: #if without an expression"),
    "division by zero": ("#if 1 / 0\n#endif\n", "a.c:1:7: error: division by zero"),
    "bad define": ("#define 3 4\n", "a.c:1:9: error: '3' cannot be the name of a macro"),
    "bad parameters": ("#define f(a, 3) a\n", "a.c:1:14: error: '3' in the parameters"),
    "open macro call": ("#define f(x) x\nint a = f(1;\n", "a.c:2:9: error: the call of macro 'f' has no end"),
    "wrong macro arguments": ("#define f(x, y) x\nint a = f(1);\n", "a.c:2:9: error: macro 'f' takes 2 arguments, here are 1"),
    "bad paste": ("#define c(a, b) a ## b\nint a = c(+, 1x);\n", "a.c:2:9: error: '##' makes '+1x'"),
    "open brace": ("int f(void) {\n  if (1) {\n", "a.c:2:10: error: '{' is never closed"),
    "wrong bracket": ("int f(void) { return (1]; }\n", "a.c:1:24: error: ']' while '(' is open"),
    "extra brace": ("int x; }\n", "a.c:1:8: error: '}' closes nothing"),
    "missing semicolon": ("int f(void)\n{\n  int x = 1\n  return x;\n}\n", "a.c:4:3: error: syntax error at 'return'"),
    "unknown type": ("uint32_t x;\n", "a.c:1:10: error: syntax error at 'x' (is 'uint32_t' a type?"),
    "unknown type of a parameter": ("void f(foo_t x);\n", "a.c:1:14: error: syntax error at 'x' (is 'foo_t' a type?"),
    "unknown type in a block": (
        "void f(void) { foo_t *x; foo_t y; }\n", "a.c:1:32: error: syntax error at 'y' (is 'foo_t' a type?",
    ),
    "missing semicolon at file level": (
        "int x\nvoid *w(void *a) { return a; }\n", "a.c:2:18: error: syntax error at '{' (a ';' is missing behind the declaration"),
    "a body without parameters": ("int x;\nint main { return 0; }\n", "a.c:2:5: error: 'main' has a body but is no function"),
    "a body behind a pointer": ("void *worker\n{\n  return 0;\n}\n", "a.c:1:6: error: 'worker' has a body but is no function"),
    "half an expression": ("int f(int x) { return x + ; }\n", "a.c:1:27: error: syntax error at ';'"),
    "cut off": ("int x = 3", "a.c:1:9: error: the file ends in the middle"),
    "two types": ("int struct s x;\n", "a.c:1:12: error: invalid multiple types"),
    "attribute unfinished": ("int x __attribute__((packed);\n", "a.c:1:20: error: '(' is never closed"),
    "critical without block": ("void f(void) { circ_critical x = 1; }\n", "a.c:1:16: error: circ_critical takes a block"),
    "attribute out of place": ("int f(int x) { return x + atomic { }; }\n", "a.c:1:34: error: syntax error at '{'"),
    "assembly out of place": ("int f(int x) { return asm(\"nop\"); }\n", "a.c:1:23: error: assembly where C has none"),
    "atomic before nothing": ("void f(void) { if (1) atomic { } 3 } \n", "a.c:1:36: error: syntax error at '}'"),
    "bad line": ("#line x\n", "a.c:1:2: error: #line takes"),
    "c plus plus": ("class A { public: int x; };\n", "a.c:1:7: error: syntax error at 'A'"),
}


@pytest.mark.parametrize("name", CASES)
def test_one_located_error(name: str, tmp_path: Path) -> None:
    source, expected = CASES[name]
    path = tmp_path / "a.c"
    path.write_text(source)
    assert error_of(path).startswith(expected)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "no such file" in error_of(tmp_path / "missing.c")
    assert "directory" in error_of(tmp_path)
    (tmp_path / "b.c").write_bytes(b"int x;\n\x7fELF\0\0\1")
    assert error_of(tmp_path / "b.c").startswith("b.c:2:5: error: a NUL byte")
    (tmp_path / "u.c").write_bytes("int x;".encode("utf-16"))
    assert "NUL byte" in error_of(tmp_path / "u.c")
    (tmp_path / "latin.c").write_bytes(b'char *s = "\xe9\xff";')
    assert parse(str(tmp_path / "latin.c"), SourceOptions()).ast.ext


def test_preprocessor_commands_that_fail(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("int x;\n")
    assert "cannot run the preprocessor" in error_of(path, cpp="no-such-preprocessor -E")
    assert "the preprocessor failed" in error_of(path, cpp="false")
    assert "is not a command" in error_of(path, cpp="gcc 'open")
    path.write_text("int x;\n#include <nothere.h>\n")
    assert error_of(path, cpp="gcc -E").startswith("a.c:2:10: error: nothere.h") or "cannot run" in error_of(path, cpp="gcc -E")


@pytest.mark.parametrize("suffix", [".c", ".i"])
def test_too_large(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"big{suffix}"
    path.write_text("int x;\n" * (MAX_SOURCE // 7 + 1))
    assert "million characters" in error_of(path)
    path.write_text("x" * (MAX_SOURCE + 1))
    assert "million characters" in error_of(path)


DEEP = {
    "parentheses": "int x = " + "(" * 10_000 + "1" + ")" * 10_000 + ";",
    "braces": "void f(void) " + "{" * 10_000 + "}" * 10_000,
    "brackets": "int f(int *a) { return " + "a[" * 5_000 + "0" + "]" * 5_000 + "; }",
    "open parentheses": "int x = " + "(" * 10_000,
    "else if": "int f(int x) { if (x == 0) return 0;" + "".join(f" else if (x == {i}) return {i};" for i in range(3_000)) + " }",
    "unary": "int x = " + "!" * 60_000 + "1;",
    "sums": "int x = " + "+".join(["1"] * 8_000) + ";",
    "assignments": "void f(int a) { " + "a = " * 8_000 + "1; }",
    "conditionals": "int x = " + "1 ? 2 : " * 8_000 + "3;",
    "casts": "int x = " + "(int)" * 8_000 + "1;",
    "pointers": "int " + "*" * 8_000 + "x;",
    "nested if": "void f(int a) { " + "if (a) " * 8_000 + "; }",
    "labels": "void f(int a) { " + "".join(f"l{i}: " for i in range(8_000)) + "; }",
    "declarators": "int " + "(" * 200 + "x" + ")" * 200 + "[2]" * 8_000 + ";",
    "initialisers": "int x[] = " + "{" * 5_000 + "}" * 5_000 + ";",
    "structs": "struct s { " * 5_000 + "int x; " + "} y;" * 5_000,
    "members": "int f(void) { return a" + ".b" * 8_000 + "; }",
    "macros": "#define f(x) (x)\nint x = " + "f(" * 5_000 + "1" + ")" * 5_000 + ";",
    "condition": "#if " + "(" * 10_000 + "1" + ")" * 10_000 + "\n#endif\nint x;",
}


@pytest.mark.parametrize("name", DEEP)
def test_too_deep(name: str, tmp_path: Path) -> None:
    path = tmp_path / "deep.c"
    path.write_text(DEEP[name] + "\n")
    message = error_of(path)
    assert re.match(r"deep\.c:\d+:\d+: error: .*(deep|never closed)", message), message


def test_what_is_not_too_deep(tmp_path: Path) -> None:
    path = tmp_path / "fine.c"
    path.write_text(
        "int x = " + "(" * 200 + "1" + ")" * 200 + ";\nint y = " + "+".join(["1"] * 900) + ";\n"
        "int f(int x) { if (x == 0) return 0;" + "".join(f" else if (x == {i}) return {i};" for i in range(900)) + "}\n"
        "int g(int x) { switch (x) { " + "".join(f"case {i}: " for i in range(900)) + "return 1; } return 0; }\n"
        "int a[] = { " + ", ".join(map(str, range(5_000))) + " };\n"
    )
    assert len(parse(str(path), SourceOptions()).ast.ext) == 5


def test_damaged_programs_never_raise_anything_else(tmp_path: Path) -> None:
    """Random edits of a program that uses most of the dialect: an AST or a FrontendError, nothing else."""
    good = Path(__file__).with_name("nesc_output.txt").read_text()
    pieces = ["(", ")", "{", "}", "[", "]", "'", '"', "/*", "*/", "#", "\\", ";", ",", "int", "struct", "__attribute__((", "asm(",
              "atomic", "case", "...", "?", ":", "&&", "0x", "typeof", "enum", "=", "#if ", "#define f(", "##",
              "[[", "]]", "_Generic(", "$", "\n"]
    rng = random.Random(5)
    path = tmp_path / "d.c"
    for _ in range(80):
        lines = good.splitlines(keepends=True)
        start = rng.randrange(len(lines) - 40)
        text = "".join(lines[start:start + 40])
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice(pieces) + text[at + rng.choice([0, 0, 1, 5]):]
        path.write_text(text)
        try:
            parse(str(path), SourceOptions())
        except FrontendError as error:
            assert error.location.line >= 1
