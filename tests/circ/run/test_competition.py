"""The competition's property and task files, its last line, and its time limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from circ.cli import app
from circ.run.competition.tasks import ALLOWED, Task, read_property, read_task
from circ.run.session import Session
from frontend.program import Assumption, FrontendError, Ground

RACE = "CHECK( init(main()), LTL(G ! data-race) )\n"
REACH = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n"
PROGRAM = """
#include <pthread.h>
extern void reach_error(void);
int x, y;
pthread_mutex_t m;
void *t(void *a) { %s x++; pthread_mutex_unlock(&m); return 0; }
int main(void) {
  pthread_t h; pthread_create(&h, 0, t, 0);
  pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);
  if (sizeof(long) == 8) reach_error();
  pthread_join(h, 0); y = x; return 0; }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "race.prp").write_text(RACE)
    (tmp_path / "reach.prp").write_text(REACH)
    (tmp_path / "good.c").write_text(PROGRAM % "pthread_mutex_lock(&m);")
    (tmp_path / "bad.c").write_text(PROGRAM % "")
    for name in ("good", "bad"):
        (tmp_path / f"{name}.yml").write_text(
            f"format_version: '2.0'\n# a comment\ninput_files: '{name}.c'\nproperties:\n  - property_file: race.prp\n"
            "    expected_verdict: true\noptions:\n  language: C\n  data_model: ILP32\n")
    return tmp_path


def run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["check", *map(str, arguments)])
    return done.exit_code, done.stdout.splitlines()[-1]


@pytest.mark.parametrize(("file", "prop", "status", "last"), [
    ("good.yml", "race.prp", 0, "true"),
    ("bad.yml", "race.prp", 1, "false(no-data-race)"),
    ("good.c", "reach.prp", 1, "false(unreach-call)"),  # the default model has a long of 8 bytes
    ("good.yml", "reach.prp", 0, "true"),
])
def test_last_line(folder: Path, file: str, prop: str, status: int, last: str) -> None:
    assert run(folder / file, "--property", folder / prop, "--competition") == (status, last)


def test_a_property_that_cannot_be_checked_is_unknown(folder: Path) -> None:
    (folder / "other.prp").write_text("CHECK( init(main()), LTL(G ! overflow) )")
    assert run(folder / "good.c", "--property", folder / "other.prp", "--competition") == (2, "unknown")


def test_what_was_not_finished_is_unknown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def check(self: Session, file: str, usual: Callable[[Session, str], None] = Session.check) -> None:
        if file.endswith("bad.c"):
            raise RuntimeError
        usual(self, file)

    monkeypatch.setattr(Session, "check", check)
    assert run(folder / "good.c", folder / "bad.c", "--competition") == (4, "unknown")


def test_what_cannot_be_read_is_unknown(folder: Path) -> None:
    (folder / "bad.c").write_text("int main(void) { return")
    assert run(folder / "bad.yml", "--competition") == (2, "unknown")


def test_the_time_is_for_the_whole_run(folder: Path) -> None:
    lines = "".join(f"int v{i}; void f{i}(void) {{ v{i} = v{i - 1} * v{i} + {i}; }}\n" for i in range(1, 3000))
    calls = "".join(f"f{i}();" for i in range(1, 3000))
    (folder / "good.c").write_text(f"int v0;\n{lines}int main(void) {{ {calls} return 0; }}\n")
    begin = time.monotonic()
    assert run(folder / "good.c", "--competition", "--timeout", "0.5") == (3, "unknown")
    assert time.monotonic() - begin < 10


def test_property_files() -> None:
    with pytest.raises(FrontendError):
        read_property("no/such/file.prp")


@pytest.mark.parametrize("text", ["CHECK( init(main()), LTL(F end) )", "", "CHECK( init(main()), LTL(G valid-free) )"])
def test_properties_that_are_not_checked(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.prp").write_text(text)
    with pytest.raises(FrontendError, match=r"a\.prp:1"):
        read_property(str(tmp_path / "a.prp"))


@pytest.mark.parametrize(("text", "task"), [
    ("input_files: a.c\n", Task(("{0}/a.c",), None)),
    ("input_files: ['a.c', \"b.c\"]\noptions:\n  data_model: LP64 # wide\n", Task(("{0}/a.c", "{0}/b.c"), "lp64")),
    ("input_files: ['a # 1.c',\n  b.c]\ndata_model: &m ilp32\n", Task(("{0}/a # 1.c", "{0}/b.c"), "ilp32")),
    ("input_files:\n  - a.c\n  - 'b.c'\nproperties:\n  - property_file: p.prp\n", Task(("{0}/a.c", "{0}/b.c"), None)),
])
def test_task_files(tmp_path: Path, text: str, task: Task) -> None:
    (tmp_path / "a.yml").write_text(text)
    assert read_task(str(tmp_path / "a.yml")) == Task(tuple(f.format(tmp_path) for f in task.files), task.data_model)


def test_a_task_file_has_an_end(tmp_path: Path) -> None:
    (tmp_path / "a.yml").write_text("input_files: a.c\n" + "# and more\n" * 20_000)
    with pytest.raises(FrontendError, match="more than 100000 characters"):
        read_task(str(tmp_path / "a.yml"))


@pytest.mark.parametrize("text", [
    "format_version: '2.0'\n", "input_files: []\n", "input_files: [1]\n", "input_files: {a: b}\n", "- a\n", "", "input_files: ''\n"])
def test_a_task_without_files(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.yml").write_text(text)
    with pytest.raises(FrontendError, match="input_files"):
        read_task(str(tmp_path / "a.yml"))


@pytest.mark.parametrize(("text", "line"), [("a: 1\ninput_files: [a.c\n", 3), ("input_files: *x\n", 1), ("x: !!python/name:os.system\n", 1),
                                            ("a: 2001-99-99\n", 1), ("[" * 5000, 1), ("{" * 90_000, 1), ("? " * 2000, 1),
                                            ("a: &a {x: 1}\n" + "".join(f"k{n}: &a {{<<: [*a, *a]}}\n" for n in range(60)), 2)])
def test_what_is_no_yaml_is_refused_with_its_line(tmp_path: Path, text: str, line: int) -> None:
    (tmp_path / "a.yml").write_text(text)
    with pytest.raises(FrontendError, match="no YAML") as refusal:
        read_task(str(tmp_path / "a.yml"))
    assert refusal.value.location.line == line


QUEUE_LOCK = """
#include <pthread.h>
#include <stdatomic.h>
typedef struct { atomic_uint locked; } node;
typedef struct { node *mine, *before; node own; } waiter;
node first; node *_Atomic tail = &first; waiter waiters[2]; int x;
void *t(void *arg) {
  waiter *w = arg;
  atomic_store_explicit(&w->mine->locked, 1, memory_order_relaxed);
  w->before = atomic_exchange_explicit(&tail, w->mine, memory_order_acq_rel);
  while (atomic_load_explicit(&w->before->locked, %s)) ;
  x++;
  atomic_store_explicit(&w->mine->locked, 0, memory_order_release);
  return 0; }
int main(void) {
  pthread_t h[2];
  for (int i = 0; i < 2; i++) { waiters[i].mine = &waiters[i].own; pthread_create(&h[i], 0, t, &waiters[i]); }
  for (int i = 0; i < 2; i++) pthread_join(h[i], 0);
  return x; }
"""


@pytest.mark.parametrize(("order", "status", "last"), [
    ("memory_order_acquire", 0, "true"), ("memory_order_relaxed", 1, "false(no-data-race)")])
def test_memory_orders(tmp_path: Path, order: str, status: int, last: str) -> None:
    """The memory model is sequential consistency, which is told; but a race that orders make is one."""
    (tmp_path / "clh.c").write_text(QUEUE_LOCK % order)
    done = CliRunner().invoke(app, ["check", str(tmp_path / "clh.c"), "--competition", "--timeout", "300"])
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (status, last)
    assert ("atomic accesses with weaker memory orders are sequentially consistent" in done.stdout) == (last == "true")


RESTS = """
#include <pthread.h>
#include <stdlib.h>
int x, y, a[4];
pthread_mutex_t m;
%s
void *t(void *p) { pthread_mutex_lock(&m); x++; %s pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_t h; pthread_create(&h, 0, t, 0); t(0); return 0; }
"""


@pytest.mark.parametrize(("before", "inside", "last"), [
    ("", "", "true"),
    ("int nondet(void);", "int i = nondet(); a[i] = 1;", "true"),  # within bounds
    ("int nondet(void);", "char *p = malloc(nondet()); if (p) p[0] = 1;", "true"),  # bounded memory
    ("volatile int v;", "v++;", "true"),  # no hardware
    ("double d;", "d = d * 2;", "true"),  # any value
    ("int f(void) { return x++; } int g(void) { return y++; }", "y = f() + g() * x++;", "unknown"),  # in which order
    ("struct s { int *p; };", "{ struct s *q = malloc(sizeof *q); if (q && q->p) *q->p = 1; if (q) q->p = &a[1]; }", "true"),  # unset
    ("int nondet(void); int f(int k) { return k * 3; }", "a[f(x) & 3] = f(nondet()) + a[0];", "true"),  # nobody can tell
])
def test_what_a_proof_may_rest_on(tmp_path: Path, before: str, inside: str, last: str) -> None:
    (tmp_path / "a.c").write_text(RESTS % (before, inside))
    done = CliRunner().invoke(app, ["check", str(tmp_path / "a.c"), "--competition"])
    assert done.stdout.splitlines()[-1] == last
    assert "possible race" not in done.stdout and ("no answer of the competition" in done.stdout) == (last == "unknown")


def test_every_ground_is_allowed_or_refused_in_one_place() -> None:
    """Only what has no ground is refused: who adds a ground must say whether the competition has it."""
    assert set(Ground) - set(ALLOWED) == {Ground.NONE}
    assert Assumption("something new").ground is Ground.NONE
