"""Random pthread programs about which threads there are and when they have ended: `started_program(seed)`.

`main` starts its threads in loops of every shape (counted up and down, to a bound that is constant or not, through a helper, until
one fails), hands each its number or a struct of its own, joins them in another loop, and uses afterwards what they have used. A careful
program gives each thread its own elements, takes the lock for what is common, and waits for all threads before `main` goes on; a
careless one breaks one of these rules. Every thread ends with `tail++`, which no lock protects.
"""

from __future__ import annotations

import random

from tests.support.randomc.sharing import HEAD, TAIL, Sharing, function_text

_DECLARED = """static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int total, out[6];
struct job { int id, step; int *to; };
static struct job jobs[6];
"""
_AFTER = ("total++;", "v = total;", "for (i = 0; i < 6; i++) v += out[i];", "out[0] = 0; STEP out[1] = 0;", "memset(out, 0, sizeof out);")
_NUMBER, _STRUCT, _HEAP, _SLOT = "number", "struct", "heap", "slot"


def started_program(seed: int) -> Sharing:
    """The program of this seed."""
    r = random.Random(f"started {seed}")
    careful = r.random() < 0.5
    careless = None if careful else r.choice(("element", "lock", "join", "late", "argument", "third"))
    many = 3 if careless == "third" else r.choice((2, 2, 3))
    argument = r.choice((_NUMBER, _STRUCT, _SLOT) if careless == "third" else (_NUMBER, _STRUCT, _HEAP, _SLOT))
    bound = "n" if careless == "join" else r.choice((str(many), str(many), "n"))
    rounds = r.choice((1, 1, 2))
    body = _thread(r, argument, careless)
    limit = r.choice((f"int n = __VERIFIER_nondet_int() & 1 ? 2 : {many},", f"int n = 2; n += __VERIFIER_nondet_int() & {many - 2}; int",
                      "int n = 2 + (unsigned)__VERIFIER_nondet_int() % 3; int", "int n = __VERIFIER_nondet_int(); if (n < 2 || n > 4) n = 3; int"))
    main = [f"{limit} v = 0, i; (void)n;", *_prepared(r, argument)]
    for turn in range(rounds):
        last = turn == rounds - 1
        main += _start(r, bound, argument, careless if last else None)
        main += _between(r, careless if last else None)
        main += _join(r, bound, careless if last else None)
        main += r.sample(_AFTER, 2)
    helper = "static int launch(pthread_t *t, void *arg) { return pthread_create(t, 0, work, arg); }\n"
    text = [HEAD, _DECLARED, f"static int {TAIL};\n", function_text("static void *work(void *arg)", body[:1], [*body[1:], f"{TAIL}++;"], "return 0;"),
            helper, function_text("int main(void)", ["pthread_t t[6];"], main, "return 0;")]
    return Sharing("".join(text), careful, in_doubt=bound == "n")


def _prepared(r: random.Random, argument: str) -> list[str]:
    filled = "jobs[i].id = i; jobs[i].step = 1; jobs[i].to = &out[i];"
    return [r.choice((f"for (i = 0; i < 6; i++) {{ {filled} }}", f"i = 0; while (i < 6) {{ {filled} i++; }}"))] if argument in (_STRUCT, _SLOT) else []


def _thread(r: random.Random, argument: str, careless: str | None) -> list[str]:
    """The body of the threads; the first line is of declarations."""
    mine = {
        _NUMBER: ("int v = 1, id = (int)(intptr_t)arg;", "out[id]", "out[(id + 1) % 2]"),
        _STRUCT: ("struct job *j = arg; int v = 1, id = j->id; (void)id;", "out[j->id]", "out[j->step]"),
        _HEAP: ("struct job *j = arg; int v = 1;", "(*j->to)", "out[0]"),
        _SLOT: ("int *to = ((struct job *)arg)->to, v = 1;", "(*to)", "out[1]"),
    }[argument]
    own = [f"{mine[1]} = v;", f"{mine[1]}++;", f"v = {mine[1]};", f"for (int k = 0; k < 2; k++) {mine[1]} += k;"]
    if argument == _STRUCT:
        own += ["j->step += 2;", "{ struct job c = *j; STEP out[c.id]++; }"]
    if argument == _HEAP:
        own += ["{ struct job c = *j; STEP *c.to = v; }"]
    common = ["total += v;", "v = total;", "total++;", "if (total < 3) total = 3;"]
    lines = [r.choice(own), _locked(r, r.choice(common)), r.choice(own)]
    if careless == "element":
        lines.append(f"{mine[2]}++;")
    if careless == "third":
        lines.append({_NUMBER: "if (id == 2) out[0]++;", _STRUCT: "if (id > 1) out[0]++;"}.get(argument, "if (arg == &jobs[2]) out[0]++;"))
    if careless == "lock":
        lines.append(r.choice(common[1:3]) + " total = v;")
    r.shuffle(lines)
    if argument == _HEAP:
        lines.append("free(j);")
    return [mine[0], *lines]


def _locked(r: random.Random, line: str) -> str:
    return r.choice((f"pthread_mutex_lock(&m); STEP {line} STEP pthread_mutex_unlock(&m);",
                     f"if (pthread_mutex_trylock(&m) == 0) {{ STEP {line} pthread_mutex_unlock(&m); }}"))


def _start(r: random.Random, bound: str, argument: str, careless: str | None) -> list[str]:
    arg = {_NUMBER: "(void *)(intptr_t)i", _STRUCT: "&jobs[i]", _HEAP: "p", _SLOT: "jobs + i"}[argument]
    before = "struct job *p = malloc(sizeof *p); if (!p) exit(1); p->id = i; p->to = &out[i]; " if argument == _HEAP else ""
    if careless == "argument":
        arg = {_NUMBER: "(void *)(intptr_t)(i & 1 ? 0 : i)", _STRUCT: "&jobs[0]", _SLOT: "jobs"}.get(argument, arg)
        before = before.replace("&out[i]", "&out[0]")
    created = r.choice((f"pthread_create(&t[i], 0, work, {arg})", f"pthread_create(t + i, 0, work, {arg})", f"launch(&t[i], {arg})"))
    call = r.choice((f"{created};", f"if ({created}) exit(1);"))
    loop = r.choice((
        *[f"for (i = 0; i < {bound}; i++) {{ {before}STEP {call} }}"] * 4,
        f"for (i = {bound} - 1; i >= 0; i--) {{ {before}STEP {call} }}",
        f"i = 0; while (i != {bound}) {{ {before}STEP {call} i += 1; }}",
        f"i = 0; do {{ {before}STEP {call} }} while (++i < {bound});",
        f"for (i = 0; ; i++) {{ if (i >= {bound}) break; {before}STEP {call} }}",
        f"{{ int low = 0; for (i = low; i <= {bound} - 1; i = i + 1) {{ {before}STEP {call} }} }}",
    ))
    return [loop]


def _between(r: random.Random, careless: str | None) -> list[str]:
    lines = [_locked(r, "total++;")] if r.random() < 0.4 else []
    return [*lines, r.choice(("total++;", "v = out[1];", "out[0] = v;"))] if careless == "late" else lines


def _join(r: random.Random, bound: str, careless: str | None) -> list[str]:
    if careless == "join":
        return [r.choice((f"for (i = 0; i < {bound} - 1; i++) pthread_join(t[i], 0);", f"for (i = 1; i < {bound}; i++) pthread_join(t[i], 0);",
                          "pthread_join(t[0], 0);", "pthread_join(t[1], 0);"))]
    return [r.choice((f"for (i = 0; i < {bound}; i++) pthread_join(t[i], 0);", f"for (i = {bound} - 1; i >= 0; i--) pthread_join(t[i], 0);",
                      f"i = 0; while (i < {bound}) {{ pthread_join(t[i], 0); ++i; }}",
                      f"for (i = 0; i < {bound}; i++) {{ void *got; STEP if (pthread_join(t[i], &got)) exit(1); }}"))]
