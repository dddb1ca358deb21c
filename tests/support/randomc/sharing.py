"""Random pthread programs that share memory in the ways that are easily misread: `sharing_program(seed)`.

A program is made of *cells*. A cell is some memory with a rule that keeps its accesses apart: a guard (a lock of any kind, named,
behind a pointer, in a struct, tried, waited for), a part of the memory for each thread, or a hand-over (semaphore, condition,
barrier, flag, mailbox). Memory is reached through pointers that several threads set, thread-local and local variables that were
published, bytes of structs with unions, packed members, bit-fields, copies of structs and parts of arrays. A careful program keeps
to the rules and is free of races by construction; a careless one breaks one of them. After everything else each thread adds to `tail`
with no lock at all: whoever takes a thread for stuck before that misses this race.

`STEP` stands between any two statements: nothing for circ, a random delay where the program is run.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

HEAD = r"""#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
extern int __VERIFIER_nondet_int(void);
#ifdef WATCHED
extern void watched_step(void);
#define STEP watched_step();
/* The sanitizer does not know the locks of <threads.h>. */
#define mtx_init(m, kind) pthread_mutex_init((pthread_mutex_t *)(m), 0)
#define mtx_lock(m) pthread_mutex_lock((pthread_mutex_t *)(m))
#define mtx_trylock(m) (pthread_mutex_trylock((pthread_mutex_t *)(m)) ? thrd_busy : thrd_success)
#define mtx_unlock(m) pthread_mutex_unlock((pthread_mutex_t *)(m))
#else
#define STEP
#endif
"""
THREADS = 2
TAIL = "tail"


@dataclass(frozen=True, slots=True)
class Cell:
    """Some memory and its rule.

    declared: at file level. prepared: by `main` before there are threads. ops[k]: what thread k may do, each already with what the
    rule asks for. broken[k]: the same without it. local: declarations at the head of each thread's function. pinned: threads
    must not end before the others are done, for what is theirs was published. ordered: the operations of a thread in this
    order, each once (a hand-over), instead of any of them any number of times. by_layout: what is done depends on where objects lie.
    """

    declared: str
    ops: Sequence[Sequence[str]]
    broken: Sequence[Sequence[str]]
    prepared: str = ""
    local: str = ""
    pinned: bool = False
    ordered: bool = False
    by_layout: bool = False


@dataclass(frozen=True, slots=True)
class Guard:
    """A lock: `hold(op)` is the operation with it, `forget(op)` what a careless programmer writes instead."""

    declared: str
    hold: Callable[[str], str]
    forget: Callable[[str], str]
    prepared: str = ""


@dataclass(frozen=True, slots=True)
class Sharing:
    """A program; whether it keeps to all rules (then only `tail` may race).

    in_doubt: the way to `tail` depends on where objects lie, or on how many threads there are, so that a race there may stay in doubt.
    """

    text: str
    careful: bool
    in_doubt: bool = False


def sharing_program(seed: int) -> Sharing:
    """The program of this seed."""
    r = random.Random(seed)
    careful = r.random() < 0.4
    cells = [r.choice(CELLS)(r, n) for n in range(r.choice([1, 1, 2]))]
    careless = None if careful else r.randrange(len(cells))
    bodies: list[list[str]] = [[] for _ in range(THREADS)]
    who = r.randrange(THREADS)
    for n, cell in enumerate(cells):
        for k in range(THREADS):
            lines = list(cell.ops[k]) if cell.ordered else [r.choice(cell.ops[k]) for _ in range(r.choice([1, 2, 2, 3]))]
            if n == careless and k == who:
                lines = _careless(r, cell, k, lines)
            bodies[k] += lines
    pinned = any(c.pinned for c in cells)
    with_tail = r.random() < 0.7
    made = [HEAD, *(c.declared + "\n" for c in cells)]
    made += ["static pthread_barrier_t all_done;\n"] if pinned else []
    made += [f"static int {TAIL};\n"] if with_tail else []
    last = ([f"{TAIL}++;"] if with_tail else []) + (["pthread_barrier_wait(&all_done);"] if pinned else [])
    for k, body in enumerate(bodies):
        heads = ["int v = 1, i = __VERIFIER_nondet_int() & 1; (void)arg; (void)v; (void)i;", *(c.local for c in cells if c.local)]
        made.append(function_text(f"static void *thread{k}(void *arg)", heads, body + last, "return 0;"))
    before = [c.prepared for c in cells if c.prepared] + ([f"pthread_barrier_init(&all_done, 0, {THREADS});"] if pinned else [])
    start = [f"pthread_create(&t[{k}], 0, thread{k}, 0);" for k in range(THREADS)]
    wait = [f"pthread_join(t[{k}], 0);" for k in range(THREADS)]
    made.append(function_text("int main(void)", [f"pthread_t t[{THREADS}];"], before + start + wait, "return 0;"))
    return Sharing("".join(made), careful, any(c.by_layout for c in cells))


def _careless(r: random.Random, cell: Cell, k: int, lines: list[str]) -> list[str]:
    broken = r.choice(cell.broken[k])
    if cell.ordered:
        at = r.randrange(len(lines) + 1)
        return [*lines[:at], broken, *lines[at:]]
    lines[r.randrange(len(lines))] = broken
    return lines


def function_text(head: str, heads: Sequence[str], body: Sequence[str], last: str) -> str:
    lines = [*heads, *(f"STEP {line}" for line in body), last]
    return f"{head}\n{{\n" + "".join(f"    {line}\n" for line in lines) + "}\n"


# --------------------------------------------------------------------------------------------------- guards
def _around(take: str, give: str) -> Callable[[str], str]:
    return lambda op: f"{take} STEP {op} STEP {give}"


def _if(taken: str, give: str) -> Callable[[str], str]:
    return lambda op: f"if ({taken}) {{ STEP {op} STEP {give} }}"


def _unless(taken: str, give: str) -> Callable[[str], str]:
    """The operation where the lock was not had: nothing orders it."""
    return lambda op: f"if ({taken}) {{ {give} }} else {{ STEP {op} }}"


def _bare(op: str) -> str:
    return op


def _guard(r: random.Random, n: int) -> Guard:
    m = f"m{n}"
    mutex = f"static pthread_mutex_t {m} = PTHREAD_MUTEX_INITIALIZER;"
    lock, unlock = f"pthread_mutex_lock(&{m});", f"pthread_mutex_unlock(&{m});"
    tried = f"pthread_mutex_trylock(&{m}) == 0"
    other = f"{mutex} static pthread_mutex_t o{n} = PTHREAD_MUTEX_INITIALIZER;"
    timed = f"pthread_mutex_timedlock(&{m}, &soon{n}) == 0"
    plain = _around(lock, unlock)
    return r.choice((
        Guard(mutex, plain, _bare),
        Guard(mutex, plain, lambda op: f"{lock} {unlock} STEP {op}"),
        Guard(other, plain, _around(f"pthread_mutex_lock(&o{n});", f"pthread_mutex_unlock(&o{n});")),
        Guard(mutex, _if(tried, unlock), _unless(tried, unlock)),
        Guard(mutex, plain, _unless(tried, unlock)),
        Guard(f"{mutex} static const struct timespec soon{n} = {{0, 1000}};", _if(timed, unlock), _unless(timed, unlock)),
        Guard(f"{mutex} static pthread_mutex_t *const lp{n} = &{m};",
              _around(f"pthread_mutex_lock(lp{n});", f"pthread_mutex_unlock(lp{n});"), _bare),
        Guard(f"{other} static pthread_mutex_t *volatile lp{n} = &{m};", plain,
              lambda op: f"{{ lp{n} = &o{n}; pthread_mutex_t *l = lp{n}; pthread_mutex_lock(l); STEP {op} pthread_mutex_unlock(l); }}"),
        Guard(f"static struct {{ int pad; pthread_mutex_t lock[2]; }} in{n} = {{ 0, {{ PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER }} }};",
              _around(f"pthread_mutex_lock(&in{n}.lock[1]);", f"pthread_mutex_unlock(&in{n}.lock[1]);"),
              _around(f"pthread_mutex_lock(&in{n}.lock[i]);", f"pthread_mutex_unlock(&in{n}.lock[i]);")),
        Guard(f"static pthread_mutex_t *heap{n};", _around(f"pthread_mutex_lock(heap{n});", f"pthread_mutex_unlock(heap{n});"), _bare,
              f"heap{n} = malloc(sizeof *heap{n}); if (!heap{n}) exit(1); pthread_mutex_init(heap{n}, 0);"),
        Guard(f"static pthread_rwlock_t w{n} = PTHREAD_RWLOCK_INITIALIZER;",
              _around(f"pthread_rwlock_wrlock(&w{n});", f"pthread_rwlock_unlock(&w{n});"),
              _around(f"pthread_rwlock_rdlock(&w{n});", f"pthread_rwlock_unlock(&w{n});")),
        Guard(f"static pthread_rwlock_t w{n} = PTHREAD_RWLOCK_INITIALIZER;",
              _if(f"pthread_rwlock_trywrlock(&w{n}) == 0", f"pthread_rwlock_unlock(&w{n});"),
              _unless(f"pthread_rwlock_trywrlock(&w{n}) == 0", f"pthread_rwlock_unlock(&w{n});")),
        Guard(f"static pthread_spinlock_t s{n};", _around(f"pthread_spin_lock(&s{n});", f"pthread_spin_unlock(&s{n});"), _bare,
              f"pthread_spin_init(&s{n}, 0);"),
        Guard(f"static sem_t s{n};", _around(f"while (sem_wait(&s{n})) ;", f"sem_post(&s{n});"), _bare, f"sem_init(&s{n}, 0, 1);"),
        Guard(f"static sem_t s{n};", _if(f"sem_trywait(&s{n}) == 0", f"sem_post(&s{n});"),
              _unless(f"sem_trywait(&s{n}) == 0", f"sem_post(&s{n});"), f"sem_init(&s{n}, 0, 1);"),
        Guard(f"static sem_t s{n};", _around(f"while (sem_wait(&s{n})) ;", f"sem_post(&s{n});"),
              lambda op: f"sem_post(&s{n}); STEP {op}", f"sem_init(&s{n}, 0, 1);"),
        Guard(f"static mtx_t c{n};", _around(f"mtx_lock(&c{n});", f"mtx_unlock(&c{n});"), _bare, f"mtx_init(&c{n}, mtx_plain);"),
        Guard(f"static mtx_t c{n};", _if(f"mtx_trylock(&c{n}) == thrd_success", f"mtx_unlock(&c{n});"),
              lambda op: f"switch (mtx_trylock(&c{n})) {{ case thrd_success: mtx_unlock(&c{n}); break; case thrd_busy: STEP {op} break; "
              "default: break; }", f"mtx_init(&c{n}, mtx_plain);"),
        Guard(f"static atomic_flag f{n} = ATOMIC_FLAG_INIT;",
              _around(f"while (atomic_flag_test_and_set(&f{n})) STEP ;", f"atomic_flag_clear(&f{n});"), _bare),
        Guard(f"static atomic_int f{n};",
              _around(f"for (int was = 0; !atomic_compare_exchange_strong(&f{n}, &was, 1); was = 0) STEP ;", f"atomic_store(&f{n}, 0);"),
              _if(f"atomic_load(&f{n}) == 0", "(void)0;")),
    ))


# --------------------------------------------------------------------------------------------------- cells under a guard
def _guarded(r: random.Random, n: int, declared: str, ops: Sequence[str], prepared: str = "", local: str = "",
             pinned: bool = False) -> Cell:
    """Memory that every thread may touch, with the guard."""
    guard = _guard(r, n)
    held = [guard.hold(op) for op in ops]
    broken = [guard.forget(op) for op in ops]
    return Cell(f"{guard.declared} {declared}", [held] * THREADS, [broken] * THREADS, f"{guard.prepared} {prepared}".strip(), local, pinned)


def _shared_pointer(r: random.Random, n: int) -> Cell:
    """Two variables, and a pointer that every thread sets to either of them."""
    pointer, p = r.choice((
        (f"static int *p{n} = &a{n};", f"p{n}"),
        (f"static _Atomic(int *) p{n} = &a{n};", f"p{n}"),
        (f"static int *volatile p{n} = &a{n};", f"p{n}"),
        (f"static struct {{ char tag; int *to[2]; }} b{n}_in = {{ 0, {{ &a{n}, &a{n} }} }};", f"b{n}_in.to[1]"),
        (f"static int *p{n} = &a{n}, **pp{n} = &p{n};", f"*pp{n}"),
    ))
    ops = [f"{p} = &a{n}; STEP *({p}) = 2;", f"{p} = &b{n};", f"{p} = &b{n}; STEP b{n} = 1;", f"(*({p}))++;", f"v = *({p});",
           f"{{ int *q = {p}; STEP *q += v; }}", f"a{n} = v;", f"b{n}++;", f"v = a{n};"]
    return _guarded(r, n, f"static int a{n}, b{n}; {pointer}", ops)


def _heap_pointer(r: random.Random, n: int) -> Cell:
    """The pointer lies in a block of the heap; another block is replaced now and then."""
    declared = f"struct box{n} {{ int *p; int own; struct box{n} *next; }}; static struct box{n} *h{n}; static int a{n}, b{n};"
    prepared = f"h{n} = calloc(1, sizeof *h{n}); if (!h{n}) exit(1); h{n}->p = &a{n};"
    ops = [f"h{n}->p = &b{n}; STEP *h{n}->p = v;", f"h{n}->p = &h{n}->own; STEP (*h{n}->p)++;", f"h{n}->own = v;", f"a{n}++;",
           f"v = *h{n}->p;", f"b{n} = v;", f"{{ struct box{n} c = *h{n}; STEP *c.p = 3; }}",
           f"{{ struct box{n} *o = malloc(sizeof *o); if (o) {{ *o = *h{n}; o->p = &a{n}; o->next = h{n}; h{n} = o; }} }}"]
    return _guarded(r, n, declared, ops, prepared)


def _thread_local(r: random.Random, n: int) -> Cell:
    """Each thread publishes the address of its own instance."""
    declared = f"static {r.choice(('_Thread_local', '__thread'))} int mine{n}; static int *all{n}; static int spare{n};"
    ops = [f"all{n} = &mine{n}; STEP *all{n} = v;", f"all{n} = &mine{n};", f"if (all{n}) *all{n} += 1;", f"mine{n}++;", f"v = mine{n};",
           f"all{n} = i ? &mine{n} : &spare{n}; *all{n} = 1;", f"spare{n}++;"]
    return _guarded(r, n, declared, ops, pinned=True)


def _published_local(r: random.Random, n: int) -> Cell:
    """Each thread publishes the address of a local variable."""
    what = r.choice((f"int own{n} = 0;", f"volatile int own{n} = 0;"))
    declared = f"static {'volatile ' if 'volatile' in what else ''}int *all{n};"
    ops = [f"all{n} = &own{n};", f"all{n} = &own{n}; STEP *all{n} = v;", f"if (all{n}) (*all{n})++;", f"own{n} += v;", f"v = own{n};"]
    return _guarded(r, n, declared, ops, local=what, pinned=True)


def _union_bytes(r: random.Random, n: int) -> Cell:
    """A struct with a union, reached as a whole, by members and by bytes."""
    union = r.choice(("union { int *p; char c; short s[3]; } u;", "union { struct { char x; int y; } in; long all; } u;",
                      "union { unsigned char c; double d; } u;"))
    declared = f"struct g{n} {{ {union} int a; char t[3]; int *last; }}; static struct g{n} g{n}; static int z{n};"
    at = r.randrange(12)
    ops = [f"{{ char *q = (char *)&g{n}; STEP q[{at}] = 0; }}", f"g{n}.a++;", f"memset(&g{n}.u, 0, sizeof g{n}.u);", f"g{n}.t[i + 1] = v;",
           f"{{ struct g{n} c = g{n}; STEP g{n} = c; }}", f"memcpy(&g{n}.a, &v, sizeof v);", f"g{n}.last = &z{n}; STEP *g{n}.last = 1;",
           f"v = ((unsigned char *)&g{n})[sizeof g{n} - 1];", f"memset((char *)&g{n} + {at}, 0, 3);", f"z{n} = v;"]
    return _guarded(r, n, declared, ops)


# --------------------------------------------------------------------------------------------------- a part for each thread
def _parts(n: int, declared: str, own: Callable[[int], Sequence[str]]) -> Cell:
    """Memory of which each thread has its part; a careless thread does what is the other one's."""
    ops = [own(k) for k in range(THREADS)]
    return Cell(declared, ops, ops[::-1])


def _array_of_unions(_: random.Random, n: int) -> Cell:
    def own(k: int) -> Sequence[str]:
        return (f"au{n}[{k}].w = v;", f"memset(&au{n}[{k}], 0, sizeof au{n}[{k}]);", f"((char *)au{n})[{4 * k + 3}] = 0;",
                f"au{n}[{k}].b[i] = v;", f"au{n}[{k}].h[i]++;", f"{{ union u{n} c = au{n}[{k}]; STEP au{n}[{k}] = c; }}",
                f"memset((char *)au{n} + {4 * k}, 0, 4);", f"memcpy(au{n} + {k}, &v, sizeof v);",
                f"{{ union u{n} *q = au{n}; for (int j = 0; j < {k}; j++) q++; q->w++; }}", f"au{n}[{k} + 2].h[1] = v;")

    return _parts(n, f"union u{n} {{ int w; char b[4]; short h[2]; }}; static union u{n} au{n}[4];", own)


def _packed(r: random.Random, n: int) -> Cell:
    """Members of a packed struct, by name and by the bytes they lie at."""
    front, back = r.choice((("__attribute__((packed))", ""), ("", "__attribute__((packed))")))
    declared = f"struct {front} k{n} {{ char c; int i; short s; char e; }} {back}; static struct k{n} k{n};"
    parts = ((f"k{n}.c = v;", f"k{n}.s++;", f"*(char *)&k{n} = 1;", f"((char *)&k{n})[6] = v;", f"memset(&k{n}.s, 0, sizeof k{n}.s);"),
             (f"k{n}.i = v;", f"((char *)&k{n})[1 + i] = v;", f"k{n}.e++;", f"((char *)&k{n})[4] = v;", f"v = k{n}.i;",
              f"((char *)&k{n})[sizeof k{n} - 1] = 0;"))
    return _parts(n, declared, lambda k: parts[k])


def _bit_fields(_: random.Random, n: int) -> Cell:
    declared = f"static struct {{ unsigned a : 3, b : 5; unsigned : 0; unsigned c : 4; int d; }} f{n};"
    parts = ((f"f{n}.a = v;", f"v = f{n}.b;", f"f{n}.b++;", f"*(unsigned char *)&f{n} = 0;"), (f"f{n}.c = v;", f"f{n}.d++;", f"v = f{n}.c;"))
    return _parts(n, declared, lambda k: parts[k])


def _by_address(r: random.Random, n: int) -> Cell:
    """What is done depends on addresses; both ways keep to the parts."""
    test = r.choice((f"&x{n}[0] < &x{n}[1]", f"(uintptr_t)&x{n} & 16", f"(uintptr_t)&x{n} < (uintptr_t)&y{n}", f"(void *)&x{n} == (void *)&y{n}"))

    def own(k: int) -> Sequence[str]:
        return (f"if ({test}) x{n}[{k}] = v; else x{n}[{k} + 2] = v;", f"if ({test}) x{n}[{k}]++;", f"if (!({test})) x{n}[{k}]--;",
                f"y{n}[{k}] = ({test}) ? 1 : 2;")

    return replace(_parts(n, f"static int x{n}[4], y{n}[4];", own), by_layout=True)


def _trailing_array(r: random.Random, n: int) -> Cell:
    """An array at the end of a struct on the heap, of which each thread has its elements, reached by name and by pointers."""
    length, size = r.choice((("", f"sizeof *fa{n} + 8 * sizeof(int)"), ("0", f"sizeof *fa{n} + (8 + (v & 1)) * sizeof(int)"),
                             ("1", f"sizeof *fa{n} + (7 + (v & 1)) * sizeof(int)")))
    members = r.choice(("int count;", "long count; int more;", "char count;"))
    declared = f"struct fa{n} {{ {members} int slot[{length}]; }}; static struct fa{n} *fa{n};"

    def own(k: int) -> Sequence[str]:
        return (f"fa{n}->slot[{k}] = v;", f"{{ int *q = fa{n}->slot; STEP q[{k}]++; }}", f"{{ int *q = fa{n}->slot + 4; q[{k}] = v; }}",
                f"*(&fa{n}->slot[0] + {k}) = 1;", f"{{ struct fa{n} *q = fa{n}; STEP q->slot[{k} + 4] = v; }}", f"v = fa{n}->slot[{k}];",
                f"v = (int)fa{n}->count;")

    prepared = f"{{ int v = __VERIFIER_nondet_int(); fa{n} = malloc({size}); if (!fa{n}) exit(1); fa{n}->count = 1; (void)v; }}"
    return replace(_parts(n, declared, own), prepared=prepared)


def _used_again(r: random.Random, n: int) -> Cell:
    """What is done depends on whether memory is used again, or on what lies behind an array; both ways keep to the parts."""
    test = r.choice((f"again{n}()", f"calls{n}()", f"&x{n}[4] == y{n}", f"&y{n}[4] == x{n}"))
    declared = f"""static int x{n}[4], y{n}[4];
static int again{n}(void) {{ char *p = malloc(8); uintptr_t u = (uintptr_t)p; free(p); p = malloc(8); int same = u == (uintptr_t)p; free(p); return same; }}
static uintptr_t one{n}(void) {{ int here; return (uintptr_t)&here; }}
static uintptr_t two{n}(void) {{ int there; return (uintptr_t)&there; }}
static int calls{n}(void) {{ return one{n}() == two{n}(); }}"""

    def own(k: int) -> Sequence[str]:
        return (f"if ({test}) x{n}[{k}] = v; else x{n}[{k} + 2] = v;", f"if ({test}) x{n}[{k}]++;", f"y{n}[{k}] = ({test}) ? 1 : 2;")

    return replace(_parts(n, declared, own), by_layout=True)


# --------------------------------------------------------------------------------------------------- hand-over
def _handed(n: int, declared: str, give: Sequence[str], take: Sequence[str], prepared: str = "") -> Cell:
    """Thread 0 writes and gives, thread 1 takes and uses; careless: using before it is given, or after."""
    uses = [f"d{n} = v;", f"d{n}++;", f"v = d{n};"]
    return Cell(f"static int d{n}; {declared}", [[f"d{n} = 1;", *give], [*take, f"d{n}++;"]], [uses, uses], prepared, ordered=True)


def _handover(r: random.Random, n: int) -> Cell:
    mutex = f"static pthread_mutex_t m{n} = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c{n} = PTHREAD_COND_INITIALIZER; static int ready{n};"
    lock, unlock = f"pthread_mutex_lock(&m{n});", f"pthread_mutex_unlock(&m{n});"
    wait = r.choice((f"while (!ready{n}) pthread_cond_wait(&c{n}, &m{n});", f"for (;;) {{ if (ready{n}) break; pthread_cond_wait(&c{n}, &m{n}); }}"))
    return r.choice((
        lambda: _handed(n, f"static sem_t s{n};", [f"sem_post(&s{n});"], [f"while (sem_wait(&s{n})) ;"], f"sem_init(&s{n}, 0, 0);"),
        lambda: _handed(n, f"static sem_t s{n};", [f"sem_post(&s{n});"], [f"while (sem_trywait(&s{n})) STEP ;"], f"sem_init(&s{n}, 0, 0);"),
        lambda: _handed(n, mutex, [f"{lock} ready{n} = 1; pthread_cond_signal(&c{n}); {unlock}"], [f"{lock} {wait} {unlock}"]),
        lambda: _handed(n, mutex, [f"{lock} ready{n} = 1; {unlock} pthread_cond_broadcast(&c{n});"], [f"{lock} {wait} {unlock}"]),
        lambda: _handed(n, f"static pthread_barrier_t b{n};", [f"pthread_barrier_wait(&b{n});"], [f"pthread_barrier_wait(&b{n});"],
                        f"pthread_barrier_init(&b{n}, 0, 2);"),
        lambda: _handed(n, f"static atomic_int f{n};", [f"atomic_store(&f{n}, 1);"], [f"while (atomic_load(&f{n}) == 0) STEP ;"]),
        lambda: _handed(n, f"static _Atomic int f{n};", [f"f{n} = 1;"], [f"while (!f{n}) STEP ;"]),
        lambda: _handed(n, f"static atomic_int f{n};", [f"atomic_fetch_add(&f{n}, 2);"], [f"while (atomic_fetch_or(&f{n}, 0) != 2) STEP ;"]),
    ))()


def _mailbox(r: random.Random, n: int) -> Cell:
    """A block of the heap goes from one thread to the other through a pointer."""
    kind = r.choice(("lock", "atomic", "exchange"))
    lock, unlock = f"pthread_mutex_lock(&m{n});", f"pthread_mutex_unlock(&m{n});"
    declared = f"struct job{n} {{ int x; int *on; }}; static int d{n};"
    made = f"mine{n} = malloc(sizeof *mine{n}); if (!mine{n}) exit(1); mine{n}->x = 1; mine{n}->on = &d{n}; d{n} = 1;"
    if kind == "lock":
        declared += f" static pthread_mutex_t m{n} = PTHREAD_MUTEX_INITIALIZER; static struct job{n} *box{n};"
        put, get = f"{lock} box{n} = mine{n}; {unlock}", f"while (!got{n}) {{ {lock} got{n} = box{n}; box{n} = 0; {unlock} STEP }}"
    elif kind == "atomic":
        declared += f" static _Atomic(struct job{n} *) box{n};"
        put, get = f"box{n} = mine{n};", f"while (!(got{n} = box{n})) STEP ;"
    else:
        declared += f" static _Atomic(struct job{n} *) box{n};"
        put, get = f"atomic_store(&box{n}, mine{n});", f"do {{ STEP got{n} = atomic_exchange(&box{n}, 0); }} while (!got{n});"
    use = f"got{n}->x++; STEP *got{n}->on += got{n}->x;"
    late = [f"if (mine{n}) mine{n}->x = 2;", f"d{n}++;", f"if (mine{n}) v = *mine{n}->on;"]
    return Cell(declared, [[f"{made} STEP {put}"], [f"{get} STEP {use}"]], [late, [f"d{n} = v;", f"v = d{n};"]],
                local=f"struct job{n} *mine{n} = 0, *got{n} = 0;", ordered=True)


def _in_pieces(r: random.Random, n: int) -> Cell:
    """The address of a variable goes from one thread to the other in pieces; who has it may use the variable."""
    put, get = r.choice((
        (f"for (unsigned j = 0; j < sizeof q; j++) raw{n}[j] = ((char *)&q)[j];", f"memcpy(&q, raw{n}, sizeof q);"),
        (f"for (unsigned j = 0; j < sizeof q; j++) raw{n}[j] = (uintptr_t)q >> 8 * j;", f"q = *(int **)raw{n};"),
        (f"memcpy(raw{n}, &q, sizeof q);", f"for (unsigned j = 0; j < sizeof q; j++) ((char *)&q)[j] = raw{n}[j];"),
        (f"un{n}.p = q;", f"memcpy(&q, un{n}.c, sizeof q);"),
        (f"half{n}.low = (unsigned)(uintptr_t)q; half{n}.high = (unsigned)((uintptr_t)q >> 32);", f"memcpy(&q, &half{n}, sizeof q);"),
        (f"if (write(ends{n}[1], &q, sizeof q) != sizeof q) exit(1);",
         f"if (read(ends{n}[0], raw{n}, sizeof q) != sizeof q) exit(1); memcpy(&q, raw{n}, sizeof q);"),
        (f"if (write(ends{n}[1], &q, sizeof q) != sizeof q) exit(1);",
         f"if (read(ends{n}[0], &un{n}, sizeof q) != sizeof q) exit(1); q = un{n}.p;"),
    ))
    declared = f"""static int d{n}, ends{n}[2]; static _Alignas(8) unsigned char raw{n}[16]; static sem_t s{n};
static union {{ int *p; char c[12]; }} un{n}; static _Alignas(8) struct {{ unsigned low, high; }} half{n};"""
    give = f"{{ int *q = &d{n}; d{n} = 1; {put} STEP sem_post(&s{n}); }}"
    take = f"{{ int *q = 0; while (sem_wait(&s{n})) ; {get} STEP (*q)++; }}"
    return Cell(declared, [[give], [take]], [[f"d{n} = v;", f"v = d{n};"], [f"d{n}++;"]],
                f"sem_init(&s{n}, 0, 0); if (pipe(ends{n})) exit(1);", ordered=True, by_layout=True)


CELLS: tuple[Callable[[random.Random, int], Cell], ...] = (
    _shared_pointer, _shared_pointer, _heap_pointer, _thread_local, _published_local, _union_bytes, _array_of_unions, _packed,
    _bit_fields, _by_address, _handover, _handover, _mailbox, _trailing_array, _used_again, _in_pieces)
