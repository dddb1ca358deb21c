"""Random pthread programs that reach memory in every way that C has, each object under its lock, or now and then not.

Objects are scalars, arrays, structs with members of all sorts, unions, heap cells; accesses go through names, pointers,
members, casts, `container_of`, copies of structs, library functions, functions that get or give pointers, tables of
functions. What is touched is known when the text is made, so that the right locks are taken; a few programs forget one.
The programs end by themselves, so that they can also be run under ThreadSanitizer.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

HEAD = r"""#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
extern int some(void);
struct small { short s; char c; };
struct thing { int a; int b; int in[2]; struct small t; struct thing *next; };
union word { int whole; unsigned char bytes[4]; struct { short low, high; } half; };
struct bits { unsigned int one : 3; unsigned int two : 5; int after; };
struct job { int number; struct thing *on; int *result; };
static pthread_mutex_t l0 = PTHREAD_MUTEX_INITIALIZER, l1 = PTHREAD_MUTEX_INITIALIZER, l2 = PTHREAD_MUTEX_INITIALIZER;
static int g0, g1, arr[4], grid[2][2], pick;
static struct thing s0, s1, ss[2];
static union word u;
static struct bits f;
static char text[8];
static int *gp = &g0;
static struct thing *sp = &s0, *heap;
static void inc(int *p) { (*p)++; }
static int get(const int *p) { return *p; }
static void set(struct thing *s, int v) { s->a = v; s->in[v & 1] = v; }
static int *member(struct thing *s, int which) { return which ? &s->b : &s->in[1]; }
static int *either(int which, int *p, int *q) { return which ? p : q; }
static struct thing by_value(struct thing s) { s.a++; return s; }
static void down(struct thing *s, int n) { if (n > 0) { s->b += n; down(s, n - 1); } }
static void each(int *p, int n, void (*what)(int *)) { for (int i = 0; i < n; i++) what(&p[i]); }
static void (*table[2])(int *) = { inc, inc };
#define owner(p) ((struct thing *)((char *)(p) - offsetof(struct thing, in)))
"""
LOCKS = ("l0", "l1", "l2")


@dataclass(frozen=True, slots=True)
class Access:
    """A statement, and the groups of objects that it touches. Locals: int v, k (0 or 1), *p; struct thing *q, c; char *b."""

    text: str
    groups: frozenset[str]


def _access(text: str, *groups: str) -> Access:
    return Access(text, frozenset(groups))


ACCESSES = (
    _access("g0 = v;", "g0"), _access("v = g0 + g1;", "g0", "g1"), _access("p = &g0; *p += 1;", "g0"),
    _access("inc(&g1);", "g1"), _access("v = get(k ? &g0 : &g1);", "g0", "g1"), _access("p = either(k, &g0, &g1); *p = v;", "g0", "g1"),
    _access("table[k](&g1);", "g1"), _access("v = *gp;", "gp", "g0"), _access("*gp = v;", "gp", "g0"),
    _access("p = gp;", "gp"), _access("memset(&g1, 0, sizeof g1);", "g1"), _access("memcpy(&v, &g0, sizeof v);", "g0"),
    _access("arr[1] = v;", "arr"), _access("v = arr[k + 2];", "arr"), _access("p = arr; p[3]++;", "arr"),
    _access("p = &arr[1]; p++; *p = v;", "arr"), _access("each(arr, 2, inc);", "arr"), _access("memset(arr, 0, sizeof arr);", "arr"),
    _access("for (p = arr; p < arr + 4; p++) v += *p;", "arr"), _access("arr[pick & 3] = v;", "arr", "pick"),
    _access("grid[k][1] = v;", "grid"), _access("p = &grid[0][0]; v = p[k];", "grid"), _access("inc(grid[1]);", "grid"),
    _access("pick = k;", "pick"), _access("v = pick;", "pick"),
    _access("s0.a = v;", "s0"), _access("v = s0.t.c;", "s0"), _access("q = &s0; q->in[k] = v;", "s0"), _access("set(&s0, v);", "s0"),
    _access("p = member(&s0, k); *p = v;", "s0"), _access("p = s0.in; owner(p)->b = v;", "s0"), _access("down(&s0, 2);", "s0"),
    _access("c = s0; v = c.b;", "s0"), _access("s0 = by_value(s0);", "s0"), _access("s0.t = c.t;", "s0"),
    _access("memset(&s0.t, 0, sizeof s0.t);", "s0"), _access("b = (char *)&s0; v = b[k];", "s0"),
    _access("p = (int *)&s0; p[1] = v;", "s0"), _access("v = sp->a;", "sp", "s0"), _access("sp->t.s = v;", "sp", "s0"),
    _access("q = sp;", "sp"), _access("inc(&sp->b);", "sp", "s0"), _access("s1 = s0;", "s0", "s1"),
    _access("memcpy(&s1, &s0, sizeof s1);", "s0", "s1"), _access("q = k ? &s0 : &s1; q->b = v;", "s0", "s1"),
    _access("s1.in[1]++;", "s1"), _access("v = s1.a ? s1.b : 0;", "s1"), _access("s1.next = &s0;", "s1"),
    _access("q = s1.next; if (q) v = 1;", "s1"), _access("s1.next = 0;", "s1"), _access("(&s1)->t.c = v;", "s1"),
    _access("ss[k].a = v;", "ss"), _access("q = ss; q++; q->b = v;", "ss"), _access("set(&ss[1], v);", "ss"),
    _access("for (q = ss; q != ss + 2; q++) q->a = 0;", "ss"), _access("v = ss[1 - k].t.s;", "ss"), _access("c = ss[k];", "ss"),
    _access("u.whole = v;", "u"), _access("v = u.bytes[2];", "u"), _access("u.half.low = v;", "u"), _access("b = (char *)&u; b[3] = v;", "u"),
    _access("f.one = v & 7;", "f"), _access("v = f.two;", "f"), _access("f.after++;", "f"),
    _access('strcpy(text, "abc");', "text"), _access("v = text[k];", "text"), _access("b = text; while (*b) b++;", "text"),
    _access("v = strlen(text);", "text"), _access("*(short *)(text + 2) = v;", "text"),
    _access("if (heap) heap->a = v;", "heap"), _access("q = heap; while (q) { v += q->b; q = q->next; }", "heap"),
    _access("q = malloc(sizeof *q); if (q) { q->a = v; q->b = 0; q->next = heap; heap = q; }", "heap"),
    _access("q = heap; if (q) { heap = q->next; free(q); }", "heap"), _access("if (heap) set(heap, v);", "heap"),
    _access("q = calloc(1, sizeof *q); if (q) { q->b = v; free(q); }"),
    _access("c.a = v; p = &c.a; inc(p);"), _access("c.in[k] = v; q = &c; v = q->in[1];"),
)


def memory_program(seed: int) -> str:
    """The program of this seed; ask about all that is shared."""
    r = random.Random(seed)
    groups = sorted({g for a in ACCESSES for g in a.groups})
    some = {g for a in r.sample(ACCESSES, r.choice([1, 2, 2])) for g in a.groups}
    usable = [a for a in ACCESSES if a.groups <= some]
    lock = {g: r.choice(LOCKS[:2]) for g in groups}
    quiet = {g for g in sorted(some) if r.random() < 0.15}  # only read while threads run
    careless = r.random() < 0.6
    made = [HEAD]
    argument = r.random() < 0.4
    for w in range(2):
        body = [line for _ in range(r.choice([2, 3, 4])) for line in _locked(r, usable, lock, quiet, careless)]
        if argument:
            body += ["if (j) { j->on->a = j->number; *j->result = j->on->b; }"]
        made.append(_function(f"static void *worker{w}(void *arg)", ["struct job *j = arg;", *body, "(void)j;"], "return 0;"))
    made.append(_function("int main(void)", _main(r, usable, lock, quiet, careless, argument), "return 0;"))
    return "".join(made)


def _function(head: str, body: list[str], last: str) -> str:
    own = ["int v = 1, k = some() & 1, *p = &v;", "struct thing *q = 0, c = {0};", 'char *b = "";']
    lines = [*own, *body, "(void)v; (void)k; (void)p; (void)q; (void)c; (void)b;", last]
    return f"{head}\n{{\n" + "".join(f"    {line}\n" for line in lines) + "}\n"


def _locked(r: random.Random, usable: list[Access], lock: dict[str, str], quiet: set[str], careless: bool) -> list[str]:
    """One access with the locks of all that it touches, in their order; a careless one forgets a lock now and then."""
    one = r.choice(usable) if usable else Access("v++;", frozenset())
    if one.groups & quiet and _writes(one):
        return ["v += k;"]
    needed = sorted({lock[g] for g in one.groups if g not in quiet})
    if careless and needed and r.random() < 0.3:
        needed.pop(r.randrange(len(needed)))
    taken = [f"pthread_mutex_lock(&{m});" for m in needed]
    given = [f"pthread_mutex_unlock(&{m});" for m in reversed(needed)]
    return [*taken, one.text, *given]


def _writes(one: Access) -> bool:
    """Whether the statement may write a shared object; those that surely do not are named here."""
    return not one.text.startswith(("v = ", "p = gp;", "q = sp;", "c = ", "memcpy(&v", "for (p = arr", "b = text; while"))


def _main(r: random.Random, usable: list[Access], lock: dict[str, str], quiet: set[str], careless: bool,
          argument: bool) -> list[str]:
    before = [r.choice(usable).text for _ in range(r.choice([0, 1, 2]))] if usable else []
    between = [line for _ in range(r.choice([0, 0, 1])) for line in _locked(r, usable, lock, quiet, careless)]
    joins = ["pthread_join(t, 0);", "pthread_join(o, 0);"]
    if careless and r.random() < 0.3:
        joins.pop()
    after = [r.choice(usable).text for _ in range(r.choice([0, 1]))] if usable and len(joins) == 2 else []
    jobs: list[str] = []
    args = ("0", "0")
    if argument:
        other = 1 if not careless or r.random() < 0.6 else 0
        jobs = ["static struct thing own[2]; static int results[2];",
                f"struct job jobs[2] = {{ {{ 1, &own[0], &results[0] }}, {{ 2, &own[{other}], &results[1] }} }};"]
        args = ("&jobs[0]", "&jobs[1]")
    creates = [f"pthread_create(&t, 0, worker0, {args[0]});", f"pthread_create(&o, 0, worker{r.choice([0, 1, 1])}, {args[1]});"]
    wait = joins if len(joins) == 2 or not argument else ["pthread_join(t, 0);", "pthread_join(o, 0);"]
    return ["pthread_t t, o;", *jobs, *before, *creates, *between, *wait, *after]
