"""A pool that is allocated, with its threads in an array of its own: as many threads as the constructor is called with, all joined."""

from __future__ import annotations

import pytest

from frontend import loads
from frontend.program import Assign, Const, Element, Program, primitive

HEAD = """#include <pthread.h>
#include <stdlib.h>
struct pool { int n, work; pthread_mutex_t m; pthread_t *t; };
void *loop(void *a) { struct pool *p = a; pthread_mutex_lock(&p->m); p->work++; pthread_mutex_unlock(&p->m); return 0; }
"""
CREATE = """static struct pool *create(int n) {
    struct pool *p = calloc(1, sizeof *p);
    if (!p) return 0;
    p->n = n;
    p->t = malloc(n * sizeof *p->t);
    if (!p->t) { free(p); return 0; }
    for (int i = 0; i < n; i++) pthread_create(&p->t[i], 0, loop, p);
    return p;
}
"""
DESTROY = "static void destroy(struct pool *p) { for (int i = 0; i < p->n; i++) pthread_join(p->t[i], 0); p->work = 0; free(p->t); }\n"


def copies(program: Program) -> list[int | None]:
    """How many threads there are of each template but `main`."""
    return [t.count for t in program.templates if t.name != "main"]


def waits(program: Program) -> int:
    """The steps of `main` that wait for the end of a thread."""
    main = program.template("main")
    return sum(any("done" in a.variable for a in e.accesses) for e in main.cfa.edges)


def test_every_thread_is_told_apart_and_joined() -> None:
    program = loads(HEAD + CREATE + DESTROY + "int main(void) { struct pool *p = create(3); if (p) destroy(p); return 0; }")
    assert copies(program) == [1, 1, 1]
    assert waits(program) == 3


@pytest.mark.parametrize("others", [
    "int main(int c, char **v) { struct pool *p = create(c); if (p) destroy(p); return 0; }",
    "int main(void) { struct pool *p = create(3), *q = create(2); if (p) destroy(p); if (q) destroy(q); return 0; }",
    "struct pool *(*make)(int) = create; int main(void) { struct pool *p = create(3); if (p) destroy(p); p = make(5); return 0; }",
    "static struct pool *via(struct pool *(*f)(int)) { return f(5); } "
    "int main(void) { struct pool *p = create(3); if (p) destroy(p); p = via(create); return 0; }",
    "static struct pool *again(void) { return create(5); } "
    "int main(void) { struct pool *p = create(3); if (p) destroy(p); p = again(); return 0; }",
])
def test_other_numbers_are_not_taken_for_the_one(others: str) -> None:
    assert None in copies(loads(HEAD + CREATE + DESTROY + others))


def test_each_worker_has_an_element_of_its_own() -> None:
    """Elements of an allocated array that are handed to threads by their addresses."""
    program = loads("""#include <pthread.h>
#include <stdlib.h>
struct worker { pthread_t t; long count; } *all;
void *loop(void *a) { struct worker *w = a; w->count++; return 0; }
static void begin(int n) {
    all = calloc(n, sizeof *all);
    if (!all) exit(1);
    for (int i = 0; i < n; i++) pthread_create(&all[i].t, 0, loop, &all[i]);
}
int main(void) { begin(3); for (int i = 0; i < 3; i++) pthread_join(all[i].t, 0); return 0; }
""")
    assert copies(program) == [1, 1, 1]
    for number, t in enumerate(program.templates[1:]):
        indices = {a.lvalue.index for e in t.cfa.edges for a in e.accesses
                   if isinstance(a.lvalue, Element) and a.variable.endswith(".count")}
        assert [i.value for i in indices if isinstance(i, Const)] == [number]
        assert len(indices) == 1


def test_a_parameter_that_is_changed() -> None:
    program = loads(HEAD + CREATE.replace("for (", "n = n + rand(); for (") + DESTROY
                    + "int main(void) { struct pool *p = create(3); if (p) destroy(p); return 0; }")
    assert copies(program) == [None]


def test_fewer_are_joined_than_started() -> None:
    program = loads(HEAD + CREATE.replace("p->n = n", "p->n = n - 1") + DESTROY
                    + "int main(void) { struct pool *p = create(3); if (p) destroy(p); return 0; }")
    assert copies(program) == [1, 1, 1]
    assert waits(program) == 2


def test_the_loop_stays_behind_the_iterations_that_are_peeled_off() -> None:
    """Another thread changes the bound: nobody knows how many are joined, and all that may be are."""
    program = loads(HEAD.replace("p->work++", "p->n = 9") + CREATE + DESTROY
                    + "int main(void) { struct pool *p = create(3); if (p) destroy(p); return 0; }")
    assert copies(program) == [1, 1, 1]
    main = program.template("main").cfa
    inside = main.behind([e.target for e in main.edges if any("done" in a.variable for a in e.accesses)])
    assert waits(program) > 3
    assert any(e.source in inside and isinstance(p, Assign) and p.target.type.width == 32 and not isinstance(p.value, Const)
               for e in main.edges for p in primitive(e.op))


def test_what_a_constructor_leaves_is_known_where_it_did_not_fail() -> None:
    """The result is tested by the caller: null comes back on the ways on which nothing was started."""
    program = loads(HEAD + CREATE + DESTROY + "int main(void) { struct pool *p = create(2); if (p == 0) return 1; destroy(p); return 0; }")
    assert waits(program) == 2
