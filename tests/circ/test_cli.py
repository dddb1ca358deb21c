"""The command line as a user runs it: output, exit statuses, bad input, interruption."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from circ.cli import main
from circ.run.certificate_files import dump
from circ.search import explicit
from circ.verdict import Options, RaceOn, Refuted, silent
from frontend import LoadOptions, load

ROOT = Path(__file__).parents[2]
FIGURE_1 = str(ROOT / "nesc_examples" / "test_and_set.c")
RACY = str(ROOT / "nesc_examples" / "test_and_set_no_atomic.c")
COUNTER = "int x;\nvoid w(void)\n{\n    x = x + 1;\n}\n"
LOCKED = "int x;\nvoid w(void)\n{\n    atomic { x = x + 1; }\n}\n"


def circ(*args: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", "from circ.cli import main; main()", *map(str, args)],
                          capture_output=True, text=True, cwd=cwd or ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)})


@dataclass(frozen=True)
class Ended:
    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Ended]


@pytest.fixture
def inside(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line called in this process, which is quicker than starting another one."""

    def run(*args: str | Path, cwd: Path = ROOT) -> Ended:
        monkeypatch.chdir(cwd)
        capfd.readouterr()
        before = signal.getsignal(signal.SIGTERM)
        with pytest.raises(SystemExit) as end:
            main([str(a) for a in args])
        signal.signal(signal.SIGTERM, before)
        assert isinstance(end.value.code, int)
        out, err = capfd.readouterr()
        return Ended(end.value.code, out, err)

    return run


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    path = tmp_path / "counter.c"
    path.write_text(COUNTER)
    return path


@pytest.fixture
def locked(tmp_path: Path) -> Path:
    path = tmp_path / "locked.c"
    path.write_text(LOCKED)
    return path


# --------------------------------------------------------------------------------------------------- help, engines
def test_help_lists_the_commands_and_loads_no_solver() -> None:
    done = circ("--help")
    assert done.returncode == 0
    for command in ("check", "cfa", "recheck", "replay", "engines"):
        assert command in done.stdout


@pytest.mark.parametrize("command", ["--help", "check --help", "engines", f"cfa {FIGURE_1}", f"cfa {FIGURE_1} --format svg"])
def test_no_solver_is_loaded_where_none_is_needed(command: str) -> None:
    script = ("import sys\nfrom circ.cli import main\ntry:\n    main()\n"
              "finally:\n    print('LOADED' if 'z3' in sys.modules else 'not loaded', file=sys.stderr)")
    done = subprocess.run([sys.executable, "-c", script, *command.split()], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0
    assert done.stderr.splitlines()[-1] == "not loaded"


def test_engines_are_listed_with_what_they_claim(inside: Run) -> None:
    done = inside("engines")
    assert done.returncode == 0
    assert "omega-circ" in done.stdout and "(default)" in done.stdout and "explicit" in done.stdout


# --------------------------------------------------------------------------------------------------- cfa
def test_cfa_of_figure_1(inside: Run) -> None:
    done = inside("cfa", FIGURE_1)
    assert (done.returncode, done.stderr) == (0, "")
    assert "any number of copies" in done.stdout
    assert "[state == 0]" in done.stdout and "*" in done.stdout


@pytest.mark.parametrize("form", ["text", "json", "dot", "svg"])
def test_cfa_writes_to_a_file(inside: Run, form: str, tmp_path: Path) -> None:
    done = inside("cfa", FIGURE_1, "--format", form, "-o", tmp_path / "out")
    assert (done.returncode, done.stdout) == (0, "")
    text = (tmp_path / "out").read_text()
    assert text == inside("cfa", FIGURE_1, "--format", form).stdout
    if form == "json":
        assert json.loads(text)["format"] == "circ-cfa"


def test_cfa_takes_the_source_options(inside: Run, tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "my.h").write_text("int shared;\n")
    (tmp_path / "a.c").write_text('#include "my.h"\n#ifdef GONE\n#error gone\n#endif\nvoid t(void) { shared = LEVEL; }\n')
    done = inside("cfa", "a.c", "-I", "inc", "-D", "LEVEL=41", "-D", "GONE", "-U", "GONE", "--thread", "t=3",
                "--data-model", "ip16", "--ints", "math", "--race-model", "c11", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "thread t, 3 copies" in done.stdout and "shared = 41" in done.stdout
    assert "ip16, math integers, race model c11" in done.stdout


# --------------------------------------------------------------------------------------------------- check
def test_a_race_is_status_1_and_names_both_lines(counter: Path) -> None:
    done = circ("check", counter, "--thread", "w")
    assert done.returncode == 1, done.stderr
    first = done.stdout.splitlines()[0]
    assert first.startswith(f"{counter}:4:") and "warning: race on 'x'" in first
    assert "thread 1 (w)" in done.stdout and "thread 2 (w)" in done.stdout
    assert done.stdout.splitlines()[-1] == "circ: 1 race"


def test_a_proof_is_status_0(inside: Run, locked: Path) -> None:
    done = inside("check", locked, "--thread", "w")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "safe: no race on 'x'" in done.stdout
    assert done.stdout.splitlines()[-1] == "circ: 1 safe"


def test_figure_1_is_proved_and_explained(inside: Run) -> None:
    done = inside("check", FIGURE_1, "--explain")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "safe: no race on 'x'" in done.stdout and "predicate" in done.stdout and "k = 1" in done.stdout


def test_predicates_of_the_user_enter_the_proof(inside: Run) -> None:
    done = inside("check", FIGURE_1, "-x", "x", "--engine", "omega-circ", "--predicate", "state == 1", "--explain=full")
    assert done.returncode == 0
    [line] = [line for line in done.stdout.splitlines() if "rests on the predicates" in line]
    assert "state == 1" in line


def test_the_same_report_twice(counter: Path, locked: Path) -> None:
    runs = [circ("check", counter, "--thread", "w") for _ in range(2)]
    assert runs[0].stdout == runs[1].stdout


def test_json_report(inside: Run, counter: Path, locked: Path, tmp_path: Path) -> None:
    out = tmp_path / "report.json"
    done = inside("check", counter, "--thread", "w", "--format", "json", "-o", out)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
    data = json.loads(out.read_text())
    assert data["status"] == 1 and data["summary"]["race"] == 1 and data["summary"]["safe"] == 0
    assert [(f["status"], f["program"]["files"]) for f in data["files"]] == [(1, [str(counter)])]
    assert data["options"]["threads"] == ["w"]
    done = inside("check", locked, tmp_path / "missing.c", "--thread", "w", "--format", "json", "-o", out)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert [(f["status"], f["program"]) for f in json.loads(out.read_text())["files"]] == [(2, None)]


def test_a_timeout_is_unknown_and_status_3(inside: Run) -> None:
    # Lamport's bakery with numbers of 32 bits: what orders them is a relation of two threads' numbers, and the search is endless.
    done = inside("check", str(ROOT / "tests/programs/circ/bakery2.c"), "-x", "goods", "--timeout", "4")
    assert done.returncode == 3, done.stdout
    assert "possible race on 'goods'" in done.stdout and "--timeout" in done.stdout
    plain = inside("check", str(ROOT / "tests/programs/circ/bakery2.c"), "-x", "goods", "--timeout", "1", "--no-possible")
    assert plain.returncode == 3 and "unknown: races on 'goods'" in plain.stdout and "possible race" not in plain.stdout


def test_a_preprocessor_named_in_a_certificate_is_not_run_unasked(inside: Run, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int x;\nvoid w(void) { x = 1; }\n")
    cpp = f"{sys.executable} -c 'import sys; print(open(sys.argv[-1]).read())'"
    assert inside("check", "a.c", "--thread", "w=1", "--cpp", cpp, "--certificate", "certs", cwd=tmp_path).returncode == 0
    [path] = (tmp_path / "certs").iterdir()
    unasked = inside("recheck", path, "a.c", cwd=tmp_path)
    assert unasked.returncode == 2 and "--cpp" in unasked.stderr and len(unasked.stderr.splitlines()) == 1
    assert inside("recheck", path, "a.c", "--cpp", "echo", cwd=tmp_path).returncode == 2
    assert inside("recheck", path, "a.c", "--cpp", cpp, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize("file", [FIGURE_1, RACY])
def test_certificates_can_be_judged_again_with_the_c_file_alone(inside: Run, file: str, tmp_path: Path) -> None:
    certificates = tmp_path / "certs"
    checked = inside("check", file, "-x", "x", "--certificate", certificates, "--data-model", "ilp32")
    [path] = certificates.iterdir()
    good, wrong = ("recheck", "replay") if checked.returncode == 0 else ("replay", "recheck")
    accepted = inside(good, path, file)
    assert (accepted.returncode, accepted.stderr) == (0, "") and "accepted" in accepted.stdout
    assert inside(wrong, path, file).returncode == 2
    refused = inside(good, path, RACY if file == FIGURE_1 else FIGURE_1)
    assert refused.returncode == 1 and "refused" in refused.stdout
    path.write_text(path.read_text()[:-20])
    broken = inside(good, path, file)
    assert broken.returncode == 2 and len(broken.stderr.splitlines()) == 1


def test_mathematical_integers_are_an_assumption_of_the_verdict_and_of_the_proof(inside: Run, tmp_path: Path, locked: Path) -> None:
    folder, said = tmp_path / "proofs", "assuming: integers are mathematical"
    assert said in inside("check", locked, "--thread", "w", "-x", "x", "--ints", "math", "--certificate", folder).stdout
    assert said in inside("recheck", next(folder.iterdir()), locked).stdout
    assert said not in inside("check", locked, "--thread", "w", "-x", "x").stdout


def test_what_a_proof_decides_about_the_program_is_said(inside: Run, tmp_path: Path) -> None:
    """A proof about one thread, or under a macro, is none about the program as the reader may think of it."""
    (tmp_path / "a.c").write_text("int x;\nvoid w(void) { x = STEP; }\n")
    checked = inside("check", "a.c", "--thread", "w=1", "-D", "STEP=2", "--certificate", "certs", cwd=tmp_path)
    said = inside("recheck", next((tmp_path / "certs").iterdir()), "a.c", cwd=tmp_path).stdout
    assert checked.returncode == 0
    assert "thread w (1)" in said and "race model nesc" in said and "read with: -D STEP=2" in said


def test_a_proof_about_fewer_threads_is_refused_unless_it_is_asked_for(inside: Run, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text('#include "circ.h"\nint x;\ncirc_thread void w(void) { x = x + 1; }\n')
    (tmp_path / "b.c").write_text("// CIRC: --thread w=1\nint x;\nvoid w(void) { x = x + 1; }\n")
    for file in ("a.c", "b.c"):
        assert inside("check", file, "--thread", "w=1", "--certificate", file + ".d", cwd=tmp_path).returncode == 0
    [of_many], [of_one] = ((tmp_path / d).iterdir() for d in ("a.c.d", "b.c.d"))
    refused = inside("recheck", of_many, "a.c", cwd=tmp_path)
    assert refused.returncode == 1 and "w (1) instead of w (any number)" in refused.stdout
    told = inside("recheck", "--as-recorded", of_many, "a.c", cwd=tmp_path)
    assert told.returncode == 0 and "WARNING: about other threads than the files have: w (1)" in told.stdout
    assert inside("recheck", of_one, "b.c", cwd=tmp_path).returncode == 0  # the file says so itself


def test_a_trace_that_depends_on_what_is_not_known_of_the_program_is_refused(inside: Run, tmp_path: Path) -> None:
    """`check` says `unknown` of such a run: floating-point values are not followed."""
    file = tmp_path / "a.c"
    file.write_text("double d;\nint x;\nvoid w(void) { if (d > 1.0) x = 1; }\n")
    options = LoadOptions(threads=("w=2",))
    found = explicit.answer(load(file, options), RaceOn("x"), Options(), silent)
    assert isinstance(found, Refuted)
    (tmp_path / "trace.json").write_text(dump(found.trace, options))
    again = inside("replay", tmp_path / "trace.json", file)
    assert again.returncode == 1 and "floating-point" in again.stdout


def test_dump(inside: Run, tmp_path: Path, locked: Path) -> None:
    inside("check", locked, "--thread", "w", "--dump", tmp_path / "dump")
    assert (tmp_path / "dump" / "x" / "01-cfa.dot").read_text().startswith("digraph")


def test_the_dumps_of_two_programs_stay_apart(inside: Run, tmp_path: Path, locked: Path) -> None:
    dump = tmp_path / "dump"
    inside("verify", locked, "--thread", "w", "--property", "races", "--dump", tmp_path / "alone")
    other = tmp_path / "other" / locked.name
    other.parent.mkdir()
    other.write_text(locked.read_text())
    inside("verify", locked, other, "--thread", "w", "--property", "races", "--dump", dump)
    assert {p.name for p in (dump / "x").iterdir()} == {p.name for p in (tmp_path / "alone" / "x").iterdir()}
    assert (dump / f"2-{locked.name}" / "x" / "01-cfa.dot").read_text() == (dump / "x" / "01-cfa.dot").read_text()


def test_a_file_named_twice_is_checked_once(inside: Run, locked: Path) -> None:
    again = locked.parent / "." / ".." / locked.parent.name / locked.name
    assert inside("check", locked, locked, again, "--thread", "w").stdout.splitlines()[-1] == "circ: 1 safe"


# --------------------------------------------------------------------------------------------------- bad input and usage
@pytest.mark.parametrize("args", [
    ["check"], ["nosuch"], ["check", "--nosuch", "a.c"], ["cfa", FIGURE_1, "--format", "png"],
    ["check", FIGURE_1, "--timeout", "x"],
    ["check", FIGURE_1, "--timeout", "-1"], ["check", FIGURE_1, "--engine", "nosuch"], ["cfa"],
    ["check", FIGURE_1, "--property", "x"], ["recheck", "nosuch.json", FIGURE_1], ["check", FIGURE_1, "--k", "0"],
    ["check", FIGURE_1, "--predicate", "nosuch == 1"],
    ["check", FIGURE_1, "-x", "nosuch"], ["check", FIGURE_1, "--thread", "nosuch"], ["cfa", "nosuch.c"], ["cfa", str(ROOT)],
    ["cfa", FIGURE_1, "-o", "/nosuch/dir/out"], ["check", FIGURE_1, "--certificate", "/dev/null/x"],
])
def test_bad_usage_and_bad_input_are_status_2_without_a_traceback(inside: Run, args: list[str]) -> None:
    done = inside(*args)
    assert done.returncode == 2, done.stdout + done.stderr
    [line] = done.stderr.splitlines()
    assert "error: " in line and line.endswith(")")  # it says what to do


def test_pictures_leave_stderr_alone(tmp_path: Path) -> None:
    done = circ("cfa", FIGURE_1, "--format", "svg", "-o", tmp_path / "x.svg")
    assert done.returncode == 0 and not done.stderr and "<svg" in (tmp_path / "x.svg").read_text()


def test_assertions_that_fold_away_are_answered(inside: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text("#include <assert.h>\n// EXPECT: safe asserts\nint g; int main(void) { int x = 2; assert(x == 2); g = x; }\n")
    for prop in ("asserts", "all"):
        assert "safe: no assertion can fail" in inside("check", file, "--property", prop, "--certificate", tmp_path / "c").stdout
    assert circ("recheck", tmp_path / "c" / "a.c.asserts.triage.json", file).returncode == 0


def test_names_and_indices_as_they_are_shown(inside: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.i"
    file.write_text('# 1 "a.c"\nvoid *malloc(unsigned long); int pthread_create(unsigned long *, void *, void *(*)(void *), void *);\n'
                    "int m[3][4][5]; void *w(void *a) { *(int *)a = 1; m[1][2][3] = 1; return 0; }\n"
                    "int main(void) { unsigned long t; int *p = malloc(4); pthread_create(&t, 0, w, p); *p = 2; m[1][2][3] = 2; }\n")
    assert "race on 'malloc@main:3'" in inside("check", file, "-x", "malloc@main:3").stdout
    assert "race on 'm[][][]': thread 1 (main) writes m[1][2][3] in" in inside("check", file, "-x", "m").stdout


@pytest.mark.parametrize(("text", "what"), [
    ("", "empty.c"), ("this is not C\n", "a.c"), ("int x; /* no end\n", "a.c"),
    ("#include <nosuch.h>\nint x;\n", "a.c"),
])
def test_bad_files_get_one_located_line(inside: Run, text: str, what: str, tmp_path: Path) -> None:
    (tmp_path / what).write_text(text)
    done = inside("check", what, cwd=tmp_path)
    [line] = done.stderr.splitlines()
    assert done.returncode == 2
    assert line.startswith(f"{what}:") and "error: " in line


def test_an_internal_error_is_status_4_and_one_line(tmp_path: Path) -> None:
    script = "import frontend.api, circ.cli\ndef load(*a): raise RuntimeError('oops')\ncirc.run.reading.load_project = load\ncirc.cli.main()"
    run = [sys.executable, "-c", script, "cfa", FIGURE_1]
    done = subprocess.run(run, capture_output=True, text=True, cwd=ROOT, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert done.returncode == 4
    [line] = done.stderr.splitlines()
    assert line.startswith("circ: internal error: ") and "RuntimeError: oops" in line
    [saved] = tmp_path.iterdir()
    assert "Traceback" in saved.read_text() and str(saved) in line
    debugged = subprocess.run([*run, "--debug"], capture_output=True, text=True, cwd=ROOT)
    assert debugged.returncode == 4 and "Traceback" in debugged.stderr


# --------------------------------------------------------------------------------------------------- interruption
@pytest.mark.parametrize(("how", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interruption_tells_what_is_known(how: signal.Signals, status: int, tmp_path: Path) -> None:
    script = ("import ctypes, circ.engines as e, tests.support.fake_engine\n"
              "e.ENGINES = (e.Entry('fake', 'tests.support.fake_engine', '', ''),)\nfrom circ.cli import main\nmain()")
    (tmp_path / "a.c").write_text("int x, stuck;\nvoid w(void) { x = 1; stuck = 1; }\n")
    run = [sys.executable, "-c", script, "check", str(tmp_path / "a.c"), "--thread", "w", "--engine", "fake", "--timeout", "600",
           "--no-possible"]
    process = subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # tests may run in the background
    assert process.stdout is not None and process.stderr is not None
    first = process.stdout.readline()
    assert "unknown: races on 'x': asked 1" in first
    time.sleep(0.2)
    process.send_signal(how)
    rest, errors = process.communicate(timeout=20)
    assert process.returncode == status
    assert errors == ""
    assert "unknown: races on 'stuck': the run was interrupted" in rest and "note: race model nesc" in rest
    assert rest.splitlines()[-1] == "circ: 2 unknown, interrupted"


def test_a_closed_pipe_is_no_error() -> None:
    shell = f"{sys.executable} -c 'from circ.cli import main; main()' cfa {FIGURE_1} --format json | true"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, cwd=ROOT)
    assert done.stderr == ""


# ------------------------------------------------------------------------------------------------ what is not there
ABSENT = "int x;\nextern int shared;\nvoid start(void);\nvoid idle(void) { x = 1; }\nint main(void) { %s return x; }\n"


@pytest.mark.parametrize(("body", "what"), [
    ("start();", "unknown function 'start'"), ("shared = 1; idle();", "no other file touches 'shared'"),
    ("", "no other file calls 'idle'"),
])
def test_no_proof_rests_on_what_is_not_there_unless_that_is_assumed(inside: Run, tmp_path: Path, body: str, what: str) -> None:
    (tmp_path / "a.c").write_text(ABSENT % body)
    done = inside("check", "-x", "x", "a.c", cwd=tmp_path)
    assert done.returncode == 0 and f"assuming: {what}" in done.stdout
    done = inside("check", "-x", "x", "--assume", "none", "a.c", cwd=tmp_path)
    assert done.returncode == 3 and f"there is a proof, which rests on what is not here: {what}" in done.stdout


def test_nothing_is_missing_and_nothing_is_assumed(inside: Run, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int x;\nint main(void) { return x; }\n")
    assert inside("check", "--assume", "none", "a.c", cwd=tmp_path).returncode == 0


# --------------------------------------------------------------------------------------------------- reports
def test_the_version(inside: Run) -> None:
    assert inside("--version").stdout.startswith("circ 0.")


@pytest.mark.parametrize(("format_", "begin"), [
    ("gcc", "counter.c:4:5: warning: race on 'x'"), ("sarif", '{\n "$schema"'), ("junit", "<?xml"), ("github", "::error file=counter.c,line=4"),
    ("codeclimate", "[\n {"), ("html", "<!doctype html>"), ("csv", "name,lines"), ("md", "| name"), ("json", '{\n "format"'),
])
def test_every_form_of_a_report(inside: Run, counter: Path, format_: str, begin: str) -> None:
    done = inside("check", "counter.c", "--thread", "w", "--format", format_, cwd=counter.parent)
    assert (done.returncode, done.stderr) == (1, "") and done.stdout.startswith(begin), done.stdout
    scanned = inside("scan", "counter.c", "--thread", "w", "--format", format_, "--no-cache", cwd=counter.parent)
    assert scanned.returncode == 1 and scanned.stdout.startswith(begin)


def test_a_race_with_its_source(inside: Run, counter: Path) -> None:
    lines = inside("check", "counter.c", "--thread", "w", cwd=counter.parent).stdout.splitlines()
    assert lines[1:3] == ["    4 |     x = x + 1;", "      |     ^"]
    assert lines[3].startswith("counter.c:4:9: note: thread 2 (w) reads x") and lines[5] == "      |         ^"


def test_what_a_run_fails_on(inside: Run, tmp_path: Path) -> None:
    (tmp_path / "cube.c").write_text("int x, n;\nvoid w(void)\n{\n    if (n * n * n == 8) x = 1;\n    n = n + 1;\n}\n")
    words = ("check", "cube.c", "--thread", "w", "--engine", "thread-modular", "-x", "x")
    statuses = {level: inside(*words, "--fail-on", level, cwd=tmp_path).returncode for level in ("race", "possible", "unknown")}
    assert statuses == {"race": 0, "possible": 3, "unknown": 3} and inside(*words, cwd=tmp_path).returncode == 3
    assert inside(*words, "--no-possible", "--fail-on", "possible", cwd=tmp_path).returncode == 0


def test_one_file_is_one_file(inside: Run, locked: Path) -> None:
    assert "; 1 file, " in inside("scan", locked, "--thread", "w", "--no-cache").stdout


def test_a_scan_writes_a_document_to_the_output(inside: Run, locked: Path) -> None:
    done = inside("scan", "locked.c", "--thread", "w", "--no-cache", "--format", "sarif", "-o", "out.sarif", "--results", "r.jsonl", cwd=locked.parent)
    assert (done.returncode, done.stdout) == (0, "")
    assert json.loads((locked.parent / "out.sarif").read_text())["version"] == "2.1.0"
    assert (locked.parent / "r.jsonl").read_text().startswith('{"format": "circ-results"')


# --------------------------------------------------------------------------------------------------- headers of files
def test_a_header_holds_for_check_verify_and_cfa_as_for_scan(inside: Run, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("// CIRC: --thread w=1 -D STEP=2 --ints math\nint x;\nvoid w(void) { x = x + STEP; }\n")
    assert "thread w (1)" in inside("check", "a.c", cwd=tmp_path).stdout
    assert "math integers" in inside("verify", "a.c", cwd=tmp_path).stdout
    assert "thread w, 1 copy" in inside("cfa", "a.c", cwd=tmp_path).stdout
    twice = inside("check", "a.c", "--thread", "w=2", cwd=tmp_path)
    assert twice.returncode == 1 and "thread w (2)" in twice.stdout  # the command line wins


@pytest.mark.parametrize("command", ["check", "verify", "cfa"])
def test_a_header_may_not_say_everything(inside: Run, tmp_path: Path, command: str) -> None:
    (tmp_path / "a.c").write_text("// CIRC: --cpp 'touch pwned'\nint x;\nvoid w(void) { x = 1; }\n")
    done = inside(command, "a.c", cwd=tmp_path)
    assert done.returncode == 2 and "a.c:1:10: error: a file's header may not say '--cpp'" in done.stderr
    assert not (tmp_path / "pwned").exists()
