"""Ownership of allocated nodes: what is proved without a lock at the access, and the neighbours that must not be."""

from __future__ import annotations

import pytest

from circ.kernel.other_kinds import check_any_kind
from circ.kernel.outcome import Accepted
from circ.search import explicit
from circ.static.ownership import Ownership
from circ.static.prover import Static
from circ.verdict import Certificate, Options, OutOfTime, ProofKind, RaceOn, Refuted, Safe, silent
from frontend import loads
from frontend.program import Program
from tests.support.randomc.lists import list_program

HEAD = """#include <pthread.h>
#include <stdlib.h>
struct node { int v; struct node *next, *prev; };
struct node *A, *B, *T;
int full;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, k = PTHREAD_MUTEX_INITIALIZER;
#define LOCK pthread_mutex_lock(&m)
#define UNLOCK pthread_mutex_unlock(&m)
#define NEW(p) struct node *p = malloc(sizeof *p); if (!p) return 0; p->v = 0
static struct node *make(void) { NEW(p); return p; }
"""
PUSH = "NEW(p); LOCK; p->next = A; A = p; UNLOCK;"
POP = "LOCK; struct node *q = A; if (q) A = q->next; UNLOCK;"
APPEND = "NEW(p); p->next = 0; LOCK; if (T) T->next = p; else A = p; T = p; UNLOCK;"
TAKE_ALL = "LOCK; struct node *q = A; A = 0; UNLOCK;"
WALK = "while (q) { q->v++; q = q->next; } while (s) { s->v++; s = s->next; }"
USE = "if (q) { q->v++; free(q); }"


def two(maker: str, taker: str, start: str = "", end: str = "") -> str:
    """A thread that makes nodes, two that take them, each in a loop."""
    return (f"{HEAD}void *maker(void *a) {{ for (int i = 0; i < 3; i++) {{ {maker} }} return 0; }}\n"
            f"void *taker(void *a) {{ for (int i = 0; i < 3; i++) {{ {taker} }} return 0; }}\n"
            f"int main(void) {{ pthread_t x, y, z; {start} pthread_create(&x, 0, maker, 0); pthread_create(&y, 0, taker, 0); "
            f"pthread_create(&z, 0, taker, 0); pthread_join(x, 0); pthread_join(y, 0); pthread_join(z, 0); {end} return 0; }}\n")


def proved(program: Program, variable: str) -> bool:
    """Whether there is a proof, which the kernel accepts."""
    body = Ownership(program).body(variable)
    if body is None:
        return False
    question = RaceOn(variable)
    outcome = check_any_kind(program, question, Certificate(program.fingerprint(), question, ProofKind.OWNERSHIP, body))
    assert isinstance(outcome, Accepted), outcome
    return True


def values(program: Program) -> list[str]:
    return [v.name for v in program.globals if v.is_array and v.name.endswith(".v")]


OWNED = {
    "popped": two(PUSH, f"{POP} {USE}"),
    "all taken at once": two(PUSH, "LOCK; struct node *q = A; A = 0; UNLOCK; while (q) { struct node *s = q; q = q->next; s->v++; free(s); }"),
    "second one unlinked": two(PUSH, f"LOCK; struct node *s = A, *q = s ? s->next : 0; if (q) s->next = q->next; UNLOCK; {USE}"),
    "unlinked by a pointer to the link": two(
        PUSH, "LOCK; struct node **l = &A; while (*l && (*l)->v != i) l = &(*l)->next; struct node *q = *l; if (q) *l = q->next; UNLOCK;"
        + USE),
    "queue with a tail": two(APPEND, f"LOCK; struct node *q = A; if (q) {{ A = q->next; if (!A) T = 0; }} UNLOCK; {USE}"),
    "queue whose tail dangles while it is empty": two(
        "NEW(p); p->next = 0; LOCK; if (!A) A = p; else T->next = p; T = p; UNLOCK;", f"{POP} {USE}"),
    "moved to another list": two(PUSH, f"{POP} if (q) {{ pthread_mutex_lock(&k); q->next = B; B = q; pthread_mutex_unlock(&k); }}"
                                 f"pthread_mutex_lock(&k); q = B; if (q) B = q->next; pthread_mutex_unlock(&k); {USE}"),
    "one place, emptied by who takes": two("NEW(p); LOCK; if (!B) { B = p; p = 0; } UNLOCK; if (p) p->v = 1;",
                                            f"LOCK; struct node *q = B; B = 0; UNLOCK; {USE}"),
    "walked under the lock": two(PUSH, f"LOCK; for (struct node *s = A; s; s = s->next) s->v++; UNLOCK; {POP} {USE}"),
    "filled before, emptied after": two("struct node *p = make(); if (p) { LOCK; p->next = A; A = p; UNLOCK; }", f"{POP} {USE}",
                                        "for (int i = 0; i < 3; i++) { struct node *n = make(); if (n) { n->next = A; A = n; } }",
                                        "while (A) { struct node *n = A; A = n->next; n->v = 0; free(n); }"),
}
SHARED = {
    "only looked at": two(PUSH, f"LOCK; struct node *q = A; UNLOCK; {USE}"),
    "popped sometimes": two(PUSH, f"LOCK; struct node *q = A; if (q && q->v) A = q->next; UNLOCK; {USE}"),
    "used after it was pushed": two(f"{PUSH} p->v++;", f"{POP} {USE}"),
    "pushed twice": two("NEW(p); LOCK; p->next = A; A = p; UNLOCK; pthread_mutex_lock(&m); B = p; UNLOCK;",
                        f"{POP} {USE} LOCK; q = B; B = 0; UNLOCK; {USE}"),
    "kept by an iterator": two(PUSH, f"LOCK; struct node *s = A; UNLOCK; {POP} {USE} if (s) s->v++;"),
    "popped under another lock": two(PUSH, f"pthread_mutex_lock(&k); struct node *q = A; if (q) A = q->next; pthread_mutex_unlock(&k); {USE}"),
    "popped without a lock": two(PUSH, f"struct node *q = A; if (q) A = q->next; {USE}"),
    "tail left behind": two(APPEND, f"{POP} {USE}"),
    "list taken but not emptied": two(PUSH, "LOCK; struct node *q = A; UNLOCK; while (q) { q->v++; q = q->next; }"),
    "found by a second pointer": two("NEW(p); LOCK; p->next = A; if (A) A->prev = p; A = p; UNLOCK;",
                                     f"{POP} if (q) q = q->prev; if (q) q->v++;"),
    "unlinked, but the rest is used": two(PUSH, f"{POP} if (q) q = q->next; if (q) q->v++;"),
    "the rest of a list that was given away": two(PUSH, f"{TAKE_ALL} if (q) {{ struct node *s = q->next; LOCK; B = q; UNLOCK; "
                                                  "if (s) s->v++; } LOCK; q = B; B = 0; UNLOCK; while (q) { q->v++; q = q->next; }"),
    "one list made two that share a node": two(PUSH, "LOCK; struct node *q = A, *s = q ? q->next : 0; A = q; B = s; UNLOCK;"
                                               f"LOCK; q = A; A = 0; s = B; B = 0; UNLOCK; {WALK}"),
    "found again by what was cut off": two(PUSH, f"{TAKE_ALL} if (q) {{ struct node *s = q->next; LOCK; B = s; UNLOCK; s = q->next; "
                                           "if (s) s->v++; } LOCK; q = B; B = 0; UNLOCK; if (q) q->v++;"),
    "the new first one": two(PUSH, "LOCK; struct node *q = A, *s = 0; if (q) { A = q->next; s = A; } UNLOCK; if (s) s->v++;"),
    "a second name for what was pushed": two("NEW(p); struct node *s = p; LOCK; p->next = A; A = p; UNLOCK; s->v++;", f"{POP} {USE}"),
    "linked to itself": two("NEW(p); LOCK; p->next = A; A = p; p->next = A; A = p; UNLOCK;", f"{POP} {USE}"),
    "in two roots": two("NEW(p); LOCK; A = p; B = p; UNLOCK;", f"LOCK; struct node *q = A; A = 0; UNLOCK; {USE} "
                        f"LOCK; q = B; B = 0; UNLOCK; {USE}"),
    "main does not wait": two(PUSH, f"{POP} {USE}", end="").replace("pthread_join(z, 0);", "while (A) { A->v++; A = A->next; }"),
}


@pytest.mark.parametrize("text", OWNED.values(), ids=list(OWNED))
def test_what_has_one_owner_is_proved(text: str) -> None:
    program = loads(text)
    assert values(program) and all(proved(program, v) for v in values(program))


@pytest.mark.parametrize("text", SHARED.values(), ids=list(SHARED))
def test_what_two_may_have_is_not(text: str) -> None:
    program = loads(text)
    assert values(program) and not any(proved(program, v) for v in values(program))


TABLE = """
struct bucket {{ pthread_mutex_t lock; struct node *first; }} table[8];
void *maker(void *a) {{ for (int i = 0; i < 3; i++) {{ NEW(p); struct bucket *b = &table[{0}]; pthread_mutex_lock(&b->lock);
  p->next = b->first; b->first = p; pthread_mutex_unlock(&b->lock); }} return 0; }}
void *taker(void *a) {{ for (int i = 0; i < 3; i++) {{ struct bucket *b = &table[{0}], *l = &table[{1}]; pthread_mutex_lock(&l->lock);
  {2} pthread_mutex_unlock(&l->lock); if (q) {{ q->v++; free(q); }} }} return 0; }}
int main(void) {{ pthread_t x, y, z; for (int i = 0; i < 8; i++) {{ pthread_mutex_init(&table[i].lock, 0); table[i].first = 0; }}
  pthread_create(&x, 0, maker, 0); pthread_create(&y, 0, taker, 0); pthread_create(&z, 0, taker, 0);
  pthread_join(x, 0); pthread_join(y, 0); pthread_join(z, 0); return 0; }}
"""
FIRST = "struct node *q = b->first; if (q) b->first = q->next;"
BY_LINK = "struct node **k = &b->first, *q; while ((q = *k) && q->v) k = &q->next; if (q) *k = q->next;"


@pytest.mark.parametrize(("index", "lock", "removal", "owned"), [
    ("i % 8", "i % 8", FIRST, True),
    ("(unsigned)i & 7", "(unsigned)i & 7", BY_LINK, True),
    ("i", "i", FIRST, True),
    ("i % 8", "i % 4", FIRST, False),
    ("i % 8", "(i + 1) % 8", BY_LINK, False),
    ("i % 8", "i % 8", "struct node *q = b->first;", False),
    ("i % 8", "i % 8", "struct node *q = b->first; if (q) table[i].first = q->next;", False),
], ids=["remainder", "mask, by a pointer to the link", "as it is", "fewer locks", "the neighbour's", "not unlinked", "unlinked elsewhere"])
def test_a_lock_in_each_bucket(index: str, lock: str, removal: str, owned: bool) -> None:
    program = loads(HEAD + TABLE.format(index, lock, removal))
    assert [proved(program, v) for v in values(program)] == [owned]


def test_one_list_of_nodes_from_two_places() -> None:
    for kept, owned in (("", True), ("LOCK; if (B) B->v++; UNLOCK;", False)):
        program = loads(two(APPEND, f"LOCK; struct node *q = A; if (q) {{ A = q->next; if (!A) T = 0; }} UNLOCK; {USE} {kept}",
                            "for (int i = 0; i < 3; i++) { NEW(n); n->next = A; if (!A) T = n; A = n; B = n; }"))
        assert len(values(program)) == 2 and all(proved(program, v) for v in values(program)) is owned


ARGUMENT = """
void *worker(void *a) {{ struct node *n = a; if (n) n->v++; return 0; }}
int main(void) {{ pthread_t x; for (int i = 0; i < 40; i++) {{ NEW(n); {0} pthread_create(&x, 0, worker, n); {1} }} return 0; }}
"""


@pytest.mark.parametrize(("before", "after", "owned"), [
    ("n->v = i;", "", True),
    ("", "n->v = 1;", False),
    ("", "pthread_create(&x, 0, worker, n);", False),
    ("LOCK; n->next = A; A = n; UNLOCK;", "", False),
], ids=["handed over", "used afterwards", "handed to two", "put into a list as well"])
def test_arguments_belong_to_the_thread_that_gets_them(before: str, after: str, owned: bool) -> None:
    program = loads(HEAD + ARGUMENT.format(before, after))
    assert [proved(program, v) for v in values(program)] == [owned]


def test_the_engine_gives_such_proofs() -> None:
    program = loads(OWNED["popped"])
    verdict = Static()(program, RaceOn("malloc@maker:11.v"), Options(), silent)
    assert isinstance(verdict, Safe) and verdict.certificate.kind == ProofKind.OWNERSHIP


def test_whatever_is_proved_of_random_lists_does_not_race() -> None:
    count = 0
    for seed in range(10):
        program = loads(list_program(seed))
        for v in program.globals:
            if v.is_array and "@" in v.name and proved(program, v.name):
                count += 1
                try:
                    verdict = explicit.engine()(program, RaceOn(v.name), Options(max_states=800), silent)
                except OutOfTime:
                    continue
                assert not isinstance(verdict, Refuted), (seed, v.name)
    assert count >= 4
