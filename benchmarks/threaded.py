"""Threaded C of any size, as people write it: a server of many modules, a few threads, one lock for what each module shares.

Two thirds of the lines are functions over locals and parameters, tables and messages, as in real programs. Each module has a
queue or a cache under its own lock, statistics that are atomic, a table that is read-only once the threads run, settings
that `main` writes before it creates them and a total that it reads behind the join.
"""

from __future__ import annotations

from collections.abc import Iterator

THREADS = 4


def threaded_program(lines: int, racy: bool = False) -> str:
    """A program of about that many lines; `racy`: one module forgets its lock once."""
    head, size = list(_head()), len(list(_module(0, False)))
    count = max(1, (lines - len(head) - 40) // (size + 2))
    text = [*head, *(line for n in range(count) for line in _module(n, racy and n == count // 2))]
    for thread in range(THREADS):
        text += [f"static void *worker_{thread}(void *arg)", "{", "    struct request r;", "    int rounds = *(int *)arg;",
                 "    (void)rounds;", "    while (receive(&r)) {", "        switch (r.kind) {"]
        # Every module is served by two of the threads.
        for n in (n for n in range(count) if thread in (n % THREADS, (n + 1) % THREADS)):
            text += [f"        case {n}: serve_{n}(&r); break;"]
        text += ["        default: break;", "        }", "    }", "    return 0;", "}", ""]
    text += ["int main(void)", "{", f"    pthread_t threads[{THREADS}];", "    int rounds = 3;", "    unsigned long sum = 0;"]
    text += [f"    setup_{n}({n % 7 + 1});" for n in range(count)]
    text += [f"    pthread_create(&threads[{t}], 0, worker_{t}, &rounds);" for t in range(THREADS)]
    text += [f"    pthread_join(threads[{t}], 0);" for t in range(THREADS)]
    text += [f"    sum += report_{n}();" for n in range(count)]
    return "\n".join([*text, '    printf("%lu\\n", sum);', "    return 0;", "}", ""])


def _head() -> Iterator[str]:
    yield from ("#include <pthread.h>", "#include <stdatomic.h>", "#include <stdio.h>", "#include <string.h>", "",
                "struct request {", "    int kind;", "    unsigned id;", "    unsigned length;", "    char text[64];", "};", "",
                "extern int receive(struct request *r);", "extern void reply(const struct request *r, unsigned status);", "")


def _module(n: int, racy: bool) -> Iterator[str]:
    room = (8, 16, 32)[n % 3]
    yield f"/* module {n} */"
    yield f"struct entry_{n} {{"
    yield "    unsigned key;"
    yield "    unsigned value;"
    yield "    int used;"
    yield "};"
    yield ""
    yield f"static pthread_mutex_t lock_{n} = PTHREAD_MUTEX_INITIALIZER;"
    yield f"static struct entry_{n} cache_{n}[{room}];"
    yield f"static unsigned entries_{n}, misses_{n};"
    yield f"static int limit_{n}, verbose_{n};"
    yield f"static atomic_uint requests_{n};"
    yield f"static const unsigned weights_{n}[4] = {{ {n % 9 + 1}, {n % 5 + 2}, {n % 3 + 3}, 4 }};"
    yield ""
    yield f"static unsigned digest_{n}(const char *text, unsigned length)"
    yield "{"
    yield f"    unsigned h = {5381 + n}u;"
    yield "    unsigned i;"
    yield "    for (i = 0; i < length && text[i] != 0; i++) {"
    yield "        h = h * 33u ^ (unsigned char)text[i];"
    yield f"        if ((h & {n % 7 + 1}u) == 0)"
    yield f"            h += weights_{n}[i % 4];"
    yield "    }"
    yield "    return h;"
    yield "}"
    yield ""
    yield f"static int accept_{n}(const struct request *r)"
    yield "{"
    yield "    if (r->length == 0 || r->length > sizeof r->text)"
    yield "        return 0;"
    yield "    switch (r->text[0]) {"
    yield "    case 'g':"
    yield "    case 'p':"
    yield "        return 1;"
    yield "    case 'd':"
    yield f"        return r->id > {n % 11}u;"
    yield "    default:"
    yield "        return 0;"
    yield "    }"
    yield "}"
    yield ""
    yield f"static unsigned score_{n}(unsigned a, unsigned b)"
    yield "{"
    yield "    unsigned best = a > b ? a : b;"
    yield "    unsigned k;"
    yield "    for (k = 0; k < 4; k++) {"
    yield f"        unsigned w = weights_{n}[k];"
    yield "        if (w * best > a + b)"
    yield "            best -= w;"
    yield "        else"
    yield "            best += w ^ k;"
    yield "    }"
    yield f"    return best % {n % 90 + 10}u;"
    yield "}"
    yield ""
    yield f"static struct entry_{n} *slot_{n}(unsigned key)"
    yield "{"
    yield f"    unsigned at = key % {room}u;"
    yield "    unsigned tries;"
    yield f"    for (tries = 0; tries < {room}u; tries++) {{"
    yield f"        struct entry_{n} *e = &cache_{n}[(at + tries) % {room}u];"
    yield "        if (!e->used || e->key == key)"
    yield "            return e;"
    yield "    }"
    yield "    return 0;"
    yield "}"
    yield ""
    yield f"static int store_{n}(unsigned key, unsigned value)"
    yield "{"
    yield f"    struct entry_{n} *e;"
    yield "    int done = 0;"
    yield f"    pthread_mutex_lock(&lock_{n});"
    yield f"    e = slot_{n}(key);"
    yield "    if (e) {"
    yield "        if (!e->used)"
    yield f"            entries_{n}++;"
    yield "        e->used = 1;"
    yield "        e->key = key;"
    yield "        e->value = value;"
    yield "        done = 1;"
    yield "    }"
    yield f"    pthread_mutex_unlock(&lock_{n});"
    yield "    return done;"
    yield "}"
    yield ""
    yield f"static int find_{n}(unsigned key, unsigned *value)"
    yield "{"
    yield f"    struct entry_{n} *e;"
    yield "    int found = 0;"
    yield f"    pthread_mutex_lock(&lock_{n});"
    yield f"    e = slot_{n}(key);"
    yield "    if (e && e->used) {"
    yield "        *value = e->value;"
    yield "        found = 1;"
    if not racy:
        yield "    } else {"
        yield f"        misses_{n}++;"
    yield "    }"
    yield f"    pthread_mutex_unlock(&lock_{n});"
    if racy:
        yield "    if (!found)"
        yield f"        misses_{n}++;"
    yield "    return found;"
    yield "}"
    yield ""
    yield f"static void serve_{n}(struct request *r)"
    yield "{"
    yield "    unsigned key, value = 0, status;"
    yield f"    atomic_fetch_add(&requests_{n}, 1);"
    yield f"    if (!accept_{n}(r)) {{"
    yield "        reply(r, 400);"
    yield "        return;"
    yield "    }"
    yield f"    key = digest_{n}(r->text, r->length);"
    yield f"    if (find_{n}(key, &value)) {{"
    yield f"        status = score_{n}(key, value);"
    yield f"    }} else if (r->length < (unsigned)limit_{n}) {{"
    yield f"        status = store_{n}(key, r->id) ? 201 : 507;"
    yield "    } else {"
    yield f"        status = verbose_{n} ? 413 : 400;"
    yield "    }"
    yield "    reply(r, status);"
    yield "}"
    yield ""
    yield f"static void setup_{n}(int limit)"
    yield "{"
    yield f"    limit_{n} = limit * {room};"
    yield f"    verbose_{n} = limit > {n % 6};"
    yield f"    memset(cache_{n}, 0, sizeof cache_{n});"
    yield "}"
    yield ""
    yield f"static unsigned long report_{n}(void)"
    yield "{"
    yield f"    return entries_{n} + misses_{n} + requests_{n};"
    yield "}"
    yield ""
