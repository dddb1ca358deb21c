"""Where a pointer from outside may lead: to objects whose address is taken, but not to locks and string literals."""

from __future__ import annotations

from pathlib import Path

from frontend import load
from frontend.program import Program

TEXT = """#include <pthread.h>
int *from_elsewhere(void);
void keep(const char *text, int *n);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int guarded, known, *where = &known;
static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    guarded++;
    pthread_mutex_unlock(&lock);
    %s
    return arg;
}
int main(void)
{
    pthread_t t;
    const char *text = "text";
    keep(text, where);
    pthread_create(&t, 0, work, 0);
    work(0);
    return 0;
}
"""


def written_plainly(tmp_path: Path, statement: str) -> tuple[set[str], Program]:
    path = tmp_path / "a.c"
    path.write_text(TEXT % statement)
    program = load(path)
    edges = program.template("work").cfa.edges
    return {a.variable for e in edges for a in e.accesses if a.write and not a.orders}, program


def test_an_unknown_pointer_leads_to_what_has_an_address_but_no_lock_and_no_string(tmp_path: Path) -> None:
    written, program = written_plainly(tmp_path, "*from_elsewhere() = 1;")
    assert {"known", "memory from outside"} <= written
    assert not [n for n in written if n.startswith(("lock", "<string>", '"'))]
    assert "unknown pointers lead to no lock and no string literal" in {a.text for a in program.assumptions}


def test_a_known_pointer_assumes_nothing(tmp_path: Path) -> None:
    written, program = written_plainly(tmp_path, "known = 2;")
    assert "known" in written
    assert "unknown pointers lead to no lock and no string literal" not in {a.text for a in program.assumptions}


def test_an_unknown_lock_may_be_any(tmp_path: Path) -> None:
    """A function that takes a lock through such a pointer is not assumed to mean another one."""
    _, program = written_plainly(tmp_path, "pthread_mutex_unlock((pthread_mutex_t *)from_elsewhere());")
    edges = [e for e in program.template("work").cfa.edges if "from_elsewhere" in e.text]
    assert any(a.variable.startswith("lock") for e in edges for a in e.accesses)
