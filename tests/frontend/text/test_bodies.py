"""Bodies of library functions: they do what the C library of this machine does, and programs branch on what they give."""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from circ.search.random_runs import RandomRuns
from circ.verdict import Options, RaceOn, Refuted, silent
from frontend import load
from frontend.program import LP64, Doubt, Program
from frontend.text.bodies.library_bodies import MOST_CALLS, with_bodies
from frontend.text.bodies.printed import printer
from frontend.text.tokens import scan

SOURCE = Path("frontend/include/circ_bodies.h")
TEXTS = ["", "a", "A", "ab", "aB", "b", "abc", "abab", "abba", "\\xe9", "z\\n", "aab", "xyzzy-12"]
FORMATS = [("k%d", "i"), ("%d%%", "i"), ("%5d|", "i"), ("%05d", "i"), ("%u-%x", "uu"), ("%lu:%ld", "UL"), ("%s=%d", "si"), ("%-6s|", "s"), ("%c%c", "ii"), ("%02x", "u"),
           ("%zu", "U"), ("%lld", "L"), ("text", ""), ("%i.", "i")]
ARGUMENTS = {"i": ["0", "-7", "42", "65"], "u": ["0u", "255u", "4000000000u"], "U": ["0ul", "18446744073709551615ul"], "L": ["-3l", "9l"], "s": ['""', '"word"', '"longer words"']}


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
def test_against_the_c_library(tmp_path: Path) -> None:
    code = SOURCE.read_text().replace("__attribute__((weak)) ", "static ")
    names = sorted({n for n in re.findall(r"^static [^\n(]*?(\w+)\(", code, re.MULTILINE) if not n.startswith("__circ_")})
    assert {"strcmp", "strncmp", "strlen", "strchr", "strcpy"} <= set(names)
    for name in names:
        code = re.sub(rf"\b{name}\(", f"own_{name}(", code)
    checks = [_check(name, a, b) for a, b in itertools.product(TEXTS, TEXTS) for name in names]
    for number, (text, kinds) in enumerate(FORMATS):
        made = printer(f"own_format_{number}", "snprintf", text, len(kinds))
        assert made is not None, text
        code += made
        for room, values in itertools.product((1, 3, 60), itertools.product(*(ARGUMENTS[k] for k in kinds))):
            given = "".join(f", {v}" for v in values)
            checks.append(f'memset(x, 7, 64); memset(y, 7, 64); n = snprintf(x, {room}, "{text}"{given}); m = own_format_{number}(y, {room}, "{text}"{given}); '
                          f'same(n == m && !memcmp(x, y, {room}), "{text.replace("%", "%%")} {room}");')
    head = "#define _GNU_SOURCE\n#include <stdio.h>\n#include <string.h>\n#include <strings.h>\nunsigned __VERIFIER_nondet_uint(void) { return 5; }\n" \
        "int __circ_end_of_input(void) { return 0; }\nchar __VERIFIER_nondet_char(void) { return 'c'; }\nstatic int bad;\n" \
        'static void same(int ok, const char *what) { if (!ok) { bad = 1; printf("%s\\n", what); } }\n#define SIGN(v) (((v) > 0) - ((v) < 0))\n'
    parts = [checks[n:n + 200] for n in range(0, len(checks), 200)]
    functions = "".join(f"static void part{k}(void) {{ char x[64], y[64]; int n, m; (void)n; (void)m;\n" + "\n".join(part) + "\n}\n" for k, part in enumerate(parts))
    file = tmp_path / "bodies.c"
    file.write_text(head + code + functions + "int main(void) {" + "".join(f"part{k}();" for k in range(len(parts))) + "return bad; }\n")
    subprocess.run(["gcc", "-w", "-O0", "-o", tmp_path / "bodies", file], check=True)
    ran = subprocess.run([tmp_path / "bodies"], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout[:500]


def _check(name: str, a: str, b: str) -> str:
    """C that compares a function with the library's on two texts."""
    match name:
        case "strcmp" | "strcasecmp":
            return f'same(SIGN({name}("{a}", "{b}")) == SIGN(own_{name}("{a}", "{b}")), "{name}");'
        case "strncmp":
            return f'same(SIGN(strncmp("{a}", "{b}", 2)) == SIGN(own_strncmp("{a}", "{b}", 2)), "strncmp");'
        case "strlen":
            return f'same(strlen("{a}") == own_strlen("{a}"), "strlen");'
        case "strnlen":
            return f'same(strnlen("{a}", 2) == own_strnlen("{a}", 2), "strnlen");'
        case "strchr" | "strrchr":
            return f'{{ const char *s = "{a}"; same({name}(s, "{b}"[0]) == own_{name}(s, "{b}"[0]), "{name}"); }}'
        case "strspn" | "strcspn":
            return f'same({name}("{a}", "{b}") == own_{name}("{a}", "{b}"), "{name}");'
        case "strstr":
            return f'{{ const char *s = "{a}"; same(strstr(s, "{b}") == own_strstr(s, "{b}"), "strstr"); }}'
        case "strtok_r":
            again = " ".join('t = strtok_r(0, s, &p); u = own_strtok_r(0, s, &q); same(t ? u && t - x == u - y : !u, "strtok_r");' for _ in range(3))
            return f'{{ const char *s = "{b}"; char *p, *q, *t, *u; memset(x, 9, 64); memset(y, 9, 64); strcpy(x, "{a}"); strcpy(y, "{a}"); ' \
                   f't = strtok_r(x, s, &p); u = own_strtok_r(y, s, &q); same(t ? u && t - x == u - y : !u, "strtok_r"); {again} ' \
                   'same(!memcmp(x, y, 64), "strtok_r text"); }'
        case _:
            more = ", 3" if name in ("strncpy", "strncat") else ""
            return f'memset(x, 9, 64); memset(y, 9, 64); strcpy(x, "{a}"); strcpy(y, "{a}"); same({name}(x, "{b}"{more}) == x && ' \
                f'own_{name}(y, "{b}"{more}) == y && !memcmp(x, y, 64), "{name}");'


# --------------------------------------------------------------------------------------------------- in programs
PROGRAM = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int x;
static char name[16];
%s
static void *worker(void *arg) { char own[32]; (void)own; if (%s) x++; return 0; }
int main(void) {
    pthread_t a, b;
    strcpy(name, "beta");
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    return 0;
}
"""


def _finds_race(program: Program) -> bool:
    return isinstance(RandomRuns()(program, RaceOn("x"), Options(), silent), Refuted)


@pytest.mark.parametrize(("condition", "race"), [
    ('strcmp(name, "beta") == 0', True), ('strcmp(name, "alpha") == 0', False), ('strcmp(name, "alpha") > 0', True), ("strlen(name) == 4", True),
    ("strlen(name) == 5", False), ('strchr(name, \'t\') == name + 2', True), ('strstr(name, "et") != 0', True), ("strchr(name, 'q') != 0", False),
    ('snprintf(own, sizeof own, "k%d", 12) == 3 && own[2] == \'2\'', True), ('snprintf(own, sizeof own, "k%d", 12) == 2', False),
    ('sprintf(own, "%s-%02x", name, 10u) == 7 && own[5] == \'0\'', True), ('strncmp(name, "bet!", 3) == 0', True), ("strdup(name)[1] == 'e'", True),
])
def test_programs_branch_on_what_library_functions_give(tmp_path: Path, condition: str, race: bool) -> None:
    (tmp_path / "a.c").write_text(PROGRAM % ("", condition))
    assert _finds_race(load(tmp_path / "a.c")) is race


def test_accesses_in_a_body_are_shown_at_the_call(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(PROGRAM % ("", 'strcmp(name, "beta") == 0'))
    program = load(tmp_path / "a.c")
    read = [(e.location.line, e.text) for n, e, a in program.accesses["name[]"] if program.templates[n].name == "worker" and not a.write]
    assert read and set(read) == {(9, 'strcmp(name, "beta")')}


def test_a_line_that_could_not_be_read_may_be_there_in_part(tmp_path: Path) -> None:
    """Its writes are seen also where `fgets` gives null."""
    (tmp_path / "a.c").write_text(PROGRAM % ("", "fgets(name, sizeof name, stdin) == 0"))
    program = load(tmp_path / "a.c")
    written = [a for n, e, a in program.accesses["name[]"] if program.templates[n].name == "worker" and a.write]
    assert len(written) == 3 and _finds_race(program)


def test_a_function_of_the_program_keeps_its_meaning(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(PROGRAM % ("int strcmp(const char *a, const char *b) { return 1; }", 'strcmp(name, "beta") == 0'))
    assert not _finds_race(load(tmp_path / "a.c"))


def test_what_is_not_known_exactly_stays_a_doubt(tmp_path: Path) -> None:
    """A format with a floating-point number, and a copy whose argument must not be evaluated twice."""
    for condition in ('snprintf(own, sizeof own, "%f", 1.5) == 8', "strdup(name + x++)[1] == 'e'"):
        (tmp_path / "a.c").write_text(PROGRAM % ("", condition))
        doubts: list[Doubt] = [d for t in load(tmp_path / "a.c").templates for e in t.cfa.edges for d in e.doubts]
        assert any("not tracked" in d.reason for d in doubts)


def test_several_files_share_a_body(tmp_path: Path) -> None:
    (tmp_path / "b.c").write_text('#include <string.h>\nextern char name[16];\nint is(const char *s) { return strcmp(name, s) == 0; }\n')
    (tmp_path / "a.c").write_text((PROGRAM % ("int is(const char *);", 'is("beta") && strcmp(name, "beta") == 0')).replace("static char", "char"))
    from frontend.api import SourceFile, load_project

    assert _finds_race(load_project([SourceFile(str(tmp_path / "a.c")), SourceFile(str(tmp_path / "b.c"))]))


@pytest.mark.parametrize("text", [
    "int main(void) { return strlen(s); }",  # no threads
    "void f(void) { pthread_create(0, 0, 0, 0); strlen(s); }",  # no main
    "int main(void) { pthread_create(0, 0, 0, 0); " + "strlen(s); " * (MOST_CALLS + 1) + "}",
])
def test_programs_that_get_no_bodies(text: str) -> None:
    tokens = list(scan(text, "a.c", newlines=False))
    assert with_bodies([tokens], LP64) == [tokens]
