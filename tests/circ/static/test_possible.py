"""Possible races: no race of the corpus is thought excluded; locks, creation and joining; ranks and words."""

from __future__ import annotations

from pathlib import Path

import pytest

from circ.static.possible.possible_races import PossibleRaces, by_rank, possible_races
from circ.verdict import PossibleRace, Rank, subjects
from frontend import load
from frontend.program import Program
from tests.support.corpus import PROGRAMS, Example, collect
from tests.test_corpus import load_options

PRODUCTS = collect(PROGRAMS / "products")
STOLEN = {("error_checking_mutex_broken", "value"), ("mutex_reinitialised", "total")}
"""Locks that somebody gives back who does not hold them."""


def test_no_race_of_the_corpus_is_thought_excluded() -> None:
    folders = sorted(f for f in PROGRAMS.iterdir() if f.is_dir())
    missed, ranked = set(), 0
    for example in collect(*folders):
        racy = {x.subject for x in example.expectations if x.verdict == "race"}
        if racy and not example.option("--entry"):
            program = load(example.path, load_options(example))
            known = PossibleRaces(program)
            for v in subjects(program):
                if v.shown in racy:
                    found = known.race_on(v.name)
                    missed |= {(example.path.stem, v.shown)} if found is None else set()
                    ranked += found is not None
    assert missed == STOLEN
    assert ranked > 200


@pytest.mark.parametrize("example", PRODUCTS, ids=[e.path.stem for e in PRODUCTS])
def test_what_is_wrong_in_a_product_comes_first(example: Example) -> None:
    p = load(example.path, load_options(example))
    found = possible_races(p, [v.name for v in subjects(p)])
    planted = {x.subject for x in example.expectations}
    assert {p.variable(name).shown for name in by_rank(found)[:len(planted)]} == planted


def program(tmp_path: Path, globals_: str, thread: str, main: str = "", more: str = "") -> Program:
    """Two threads run `thread`, main runs `main` beside them; all in one file."""
    path = tmp_path / "a.c"
    path.write_text(f"""#include <pthread.h>
#include <stdlib.h>
{globals_}
{more}
static void *worker(void *arg) {{ {thread} return 0; }}
int main(void) {{
    pthread_t one, two;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, worker, 0);
    {main}
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}}
""")
    return load(path)


def on(p: Program, name: str) -> PossibleRace | None:
    return PossibleRaces(p).race_on(next(v.name for v in p.globals if v.shown == name))


LOCK, UNLOCK = "pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"


@pytest.mark.parametrize(("thread", "main", "rank"), [
    ("x++;", "", Rank.WRITES),
    (f"{LOCK} x++; {UNLOCK}", "", None),
    (f"{LOCK} x++; {UNLOCK}", "int y = x;", Rank.WRITE_AND_READ),
    (f"if (arg) {LOCK} x++; if (arg) {UNLOCK}", "", Rank.WRITES),
    ("if (pthread_mutex_trylock(&m) == 0) { x++; pthread_mutex_unlock(&m); }", "", None),
    ("if (pthread_mutex_trylock(&m) == 0) pthread_mutex_unlock(&m); else x++;", "", Rank.WRITES),
    ("int e = pthread_mutex_trylock(&m); if (e) return 0; x++; pthread_mutex_unlock(&m);", "", None),
    (f"while (!ready) {{ {LOCK} {UNLOCK} }} {LOCK} while (!ready) pthread_cond_wait(&c, &m); x++; {UNLOCK}", "", None),
    ("pthread_rwlock_rdlock(&rw); x++; pthread_rwlock_unlock(&rw);", "", Rank.WRITES),
    ("pthread_rwlock_wrlock(&rw); x++; pthread_rwlock_unlock(&rw);", "", None),
    ("pthread_rwlock_rdlock(&rw); int y = x; pthread_rwlock_unlock(&rw);",
     "pthread_rwlock_wrlock(&rw); x = 1; pthread_rwlock_unlock(&rw);", None),
    (f"{LOCK} x++; {UNLOCK}", "pthread_mutex_lock(&n); x++; pthread_mutex_unlock(&n);", Rank.WRITES),
    ("int y = x;", "x = 1;", Rank.WRITE_AND_READ),
    ("int y = x;", "pthread_join(one, 0); pthread_join(two, 0); x = 1;", None),
    ("int y = x;", "pthread_join(one, 0); x = 1;", Rank.WRITE_AND_READ),
])
def test_locks_and_joining(tmp_path: Path, thread: str, main: str, rank: Rank | None) -> None:
    p = program(tmp_path, "int x, ready; pthread_mutex_t m, n; pthread_cond_t c; pthread_rwlock_t rw;", thread, main)
    found = on(p, "x")
    assert (found and found.rank) == rank


def test_elements_instances_and_pointers_come_last(tmp_path: Path) -> None:
    p = program(tmp_path, "int a[8], x; struct n { int v; pthread_mutex_t m; } *all;", "a[rand() & 7]++; x++; all->v++;",
                "for (;;) { struct n *q = calloc(1, sizeof *q); q->v = 1; all = q; }")
    found = possible_races(p, [v.name for v in subjects(p)])
    shown = [p.variable(name).shown for name in by_rank(found)]
    assert shown[:2] == ["x", "all"] and set(shown[2:4]) == {"a[]", next(s for s in shown if s.endswith(".v"))}
    assert isinstance(found["x"], PossibleRace) and found["x"].rank is Rank.WRITES
    assert isinstance(found["a[]"], PossibleRace) and found["a[]"].rank is Rank.ELEMENTS


def test_a_lock_beside_the_data_protects_it(tmp_path: Path) -> None:
    slots = "struct s { pthread_mutex_t m; int v, w; } t[8];"
    p = program(tmp_path, slots, "struct s *q = &t[(long)arg & 7]; pthread_mutex_lock(&q->m); q->v++; pthread_mutex_unlock(&q->m); q->w++;")
    assert on(p, "t[].v") is None
    assert on(p, "t[].w") is not None


def test_what_is_told_of_an_access(tmp_path: Path) -> None:
    p = program(tmp_path, "int x; pthread_mutex_t m;", "tick();", f"{LOCK} x = 0; {UNLOCK}",
                "static void count(void) { x++; }\nstatic void tick(void) { count(); }")
    found = on(p, "x")
    assert found is not None
    first, second = found.first, found.second
    assert (first.thread, first.function, first.text, first.locks) == ("worker", "count", "x++", ())
    assert [name for name, _ in first.path] == ["tick", "count"] and [where.line for _, where in first.path] == [6, 5]
    assert [where.line for where in first.started] == [9, 10]
    assert (second.thread, second.write) == ("worker", True) and found.why == "no lock is held at either"
    q = program(tmp_path, "int x; pthread_mutex_t m;", f"{LOCK} x++; {UNLOCK}", "int y = x;")
    told = on(q, "x")
    assert told is not None and told.first.locks == ("m",) and told.second.thread == "main"
    assert told.why == "m is held at line 5 only, no lock at line 10" and told.others == 0


def test_threads_that_follow_each_other(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    path.write_text("""#include <pthread.h>
int x, y;
static void *first(void *arg) { x++; y++; return 0; }
static void *second(void *arg) { x++; return 0; }
static void *third(void *arg) { y++; return 0; }
int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, first, 0);
    pthread_create(&c, 0, third, 0);
    pthread_join(a, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(b, 0); pthread_join(c, 0);
    return x;
}
""")
    p = load(path)
    assert on(p, "x") is None
    assert on(p, "y") is not None
