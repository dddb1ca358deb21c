"""Attacks the kernel: mutated certificates and mutated programs, judged by a plain search (`tests.support.kernel.brute`).

Random tiny programs; certificates made of the states that fewer threads, or none but some runs, reach, with what would show
the race cut out, and then altered at random. None may be accepted for a program that the search shows to be racy.

    python -m tests.support.kernel.attack --n 5000 --seed 1
"""

from __future__ import annotations

import argparse
import copy
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from circ.kernel.certificate import Accepted, Outcome
from circ.kernel.other_kinds import check_any_kind
from circ.verdict import Assertions, Certificate, Question, RaceOn
from frontend.program import Program
from tests.support.build import Thread, program, thread
from tests.support.kernel.brute import Brute

GLOBALS = "x:u1 f:u1 s:u2"
OPS = ("skip", "x = 1", "l = x", "[f == 0]", "[f == 1]", "[f == 0]; f = 1", "f = 1", "f = 0", "l = f", "[l == 0]", "[l == 1]",
       "l = *", "s = s + 1", "[s == 1]", "[s != 0]; s = 0", "[s == 0]; s = 1", "f = l", "x = l", "s = 2", "[s == 2]",
       "all a 0 1", "l = 1")
X = RaceOn("x")


def random_program(rng: random.Random) -> Program:
    """One to three templates over a bit that is asked about, a flag and a small counter."""
    threads: list[Thread] = []
    for name in ("a", "b", "c")[: rng.choice((1, 1, 2, 2, 3))]:
        size = rng.randint(2, 4)
        lines = [f"{q} {rng.randrange(size)} {rng.choice(OPS)}" for q in range(size) for _ in range(rng.choice((1, 1, 2)))]
        lines.append(f"{size - 1} {rng.randrange(size)} x = 1")
        atomic = {q for q in range(1, size) if rng.random() < 0.3}
        errors = {size - 1} if rng.random() < 0.3 else set[int]()
        critical = {q for q in range(1, size) if rng.random() < 0.2}
        threads.append(thread(name, " / ".join(lines), rng.choice(("l:u1", "l:u1=*")), rng.choice((1, 1, 2, None)), atomic,
                              critical, errors))
    p = program(GLOBALS, *threads, race_model=rng.choice(("nesc", "c11")))
    sizes = [t.cfa.size for t in p.templates]
    return p if all(0 <= t.cfa.start < n for t, n in zip(p.templates, sizes, strict=True)) else random_program(rng)


def numbers(p: Program, most: int) -> tuple[int, ...]:
    """As many threads as the counts allow, up to `most` of an unbounded template."""
    return tuple(most if t.count is None else t.count for t in p.templates)


def is_wrong(p: Program, question: Question) -> bool | None:
    """Whether the answer is not "safe"; None if the search is too large. Finds what few threads of a template can do."""
    for most in (0, 1, 2, 3, 4):
        here = numbers(p, most)
        if sum(here) > 4 and most > 2:
            break
        search = Brute(p, here, 5000)
        if not search.complete:
            return None
        if search.racy("x") if isinstance(question, RaceOn) else search.wrong():
            return True
    return False


def seeds(p: Program, question: Question, rng: random.Random) -> Iterator[Certificate]:
    """Certificates to begin with: true facts of some number of threads, and those without what shows the race."""
    for most in rng.sample((1, 2, 3), 2):
        search = Brute(p, tuple(min(n, most) for n in numbers(p, most)), 2000)
        if not search.complete or not search.states:
            continue
        facts = search.pair_facts(question)
        yield facts
        body = copy.deepcopy(dict(facts.body))
        body["pairs"] = [row for row in body["pairs"] if not search.conflict("x", (row[0], row[1], ()), (row[2], row[3], ()))]
        yield replace(facts, body=body)


def mutate(body: dict[str, Any], p: Program, rng: random.Random) -> None:
    """One change of a certificate's body, in place; it may no longer be well formed."""
    kind = rng.choice(("pairs", "pairs", "pairs", "holders", "holders", "singles", "formulas", "classes", "merge", "true",
                       "counting"))
    rows: list[Any] = body.get(kind, [])
    match kind:
        case "formulas" if rows:
            i = rng.randrange(len(rows))
            rows[i] = rng.choice((rows[i].replace("==", rng.choice(("!=", "<=", "<"))), rng.choice(rows), f"(! {rows[i]})",
                                  rows[i].replace("@1", "@2"), "0:u1", "1:u1", "(== f:u1 0:u1)", rows[i][:-1], "(== g:u1 0:u1)"))
        case "classes":
            classes = rng.choice(rows)
            classes[rng.randrange(len(classes))] = rng.randrange(len(classes))
        case "merge":
            merge(body, rng.randrange(len(body["classes"])), rng)
        case "true":
            for row in rng.choice((body["pairs"], body["holders"])):
                if rng.random() < 0.5:
                    row[-1] = [[]]
        case "counting":
            body["counting"] = [{"expr": rng.choice(("s:u2", "(- s:u2 1:u2)", "(cast i8 f:u1)")),
                                 "weights": [[rng.choice((0, 0, 1)) for _ in range(max(c) + 1)] for c in body["classes"]]}]
        case _ if rows:
            alter(rows, len(body["formulas"]), p, rng)


def alter(rows: list[Any], formulas: int, p: Program, rng: random.Random) -> None:
    i = rng.randrange(len(rows))
    row = rows[i]
    match rng.randrange(8):
        case 0:
            del rows[i]
        case 1:
            rows[:] = [r for r in rows if rng.random() < 0.7]
        case 2 if row[-1]:
            del row[-1][rng.randrange(len(row[-1]))]
        case 3 if row[-1]:
            conjunct = rng.choice(row[-1])
            if conjunct:
                del conjunct[rng.randrange(len(conjunct))]
        case 4:
            row[-1].append([rng.randrange(formulas) for _ in range(rng.randint(0, 3))] if formulas else [])
        case 5:
            row[rng.randrange(len(row) - 1)] = rng.randrange(4)
        case 6:
            place = [n for t in (rng.randrange(len(p.templates)) for _ in range(len(row) // 2))
                     for n in (t, rng.randrange(p.templates[t].cfa.size))]
            rows.append([*place, [[]]])
        case _:
            row[-1] = rng.choice((rng.choice(rows)[-1], [], [[]]))


def merge(body: dict[str, Any], t: int, rng: random.Random) -> None:
    """Two classes become one; its rows are the union of theirs."""
    classes = body["classes"][t]
    old, new = rng.choice(classes), rng.choice(classes)
    body["classes"][t] = [new if c == old else c for c in classes]
    for kind in ("pairs", "holders", "singles"):
        found: dict[tuple[int, ...], list[Any]] = {}
        for row in body[kind]:
            where = list(row[:-1])
            for i in range(0, len(where), 2):
                if where[i] == t and where[i + 1] == old:
                    where[i + 1] = new
            found.setdefault(tuple(where), []).extend(row[-1])
        body[kind] = [[*where, dnf] for where, dnf in found.items()]


def mutated_program(p: Program, rng: random.Random) -> Program:
    """The program with one thing changed: a count, an atomic location, an edge, the model."""
    i = rng.randrange(len(p.templates))
    t = p.templates[i]
    cfa = t.cfa
    match rng.randrange(5):
        case 0:
            t = replace(t, count=rng.choice((1, 2, 3, None)))
        case 1 if cfa.atomic:
            t = replace(t, cfa=replace(cfa, atomic=cfa.atomic - {rng.choice(sorted(cfa.atomic))}))
        case 2:
            k = rng.randrange(len(cfa.edges))
            edge = replace(cfa.edges[k], target=rng.randrange(cfa.size))
            t = replace(t, cfa=replace(cfa, edges=(*cfa.edges[:k], edge, *cfa.edges[k + 1:])))
        case 3:
            k = rng.randrange(len(cfa.edges))
            edge = replace(rng.choice(rng.choice(p.templates).cfa.edges), source=cfa.edges[k].source, target=cfa.edges[k].target)
            t = replace(t, cfa=replace(cfa, edges=(*cfa.edges[:k], edge, *cfa.edges[k + 1:])))
        case _:
            p = replace(p, race_model="c11" if p.race_model == "nesc" else "nesc")
    return replace(p, templates=(*p.templates[:i], t, *p.templates[i + 1:]))


Kernel = Callable[[Program, Question, Certificate], Outcome]


def attack(seed: int, n: int, kernel: Kernel = check_any_kind) -> tuple[Counter[str], list[tuple[Program, Certificate]]]:
    """Tries `n` certificates, fewer if the kernel fails: how many of each sort, and those that were wrongly accepted."""
    rng = random.Random(seed)
    table: Counter[str] = Counter()
    wrongly: list[tuple[Program, Certificate]] = []

    def judge(p: Program, certificate: Certificate, bad: bool) -> None:
        outcome = kernel(p, certificate.question, certificate)
        table["tried"] += 1
        table[f"{'wrong' if bad else 'safe'} program, {'accepted' if isinstance(outcome, Accepted) else 'refused'}"] += 1
        if not isinstance(outcome, Accepted):
            table[f"refused by {outcome.obligation}"] += 1
        elif bad:
            wrongly.append((p, certificate))

    while table["tried"] < n and not wrongly:
        p = random_program(rng)
        question = rng.choice((X, X, Assertions()))
        bad = is_wrong(p, question)
        if bad is None or (not bad and rng.random() < 0.8):
            continue
        for certificate in seeds(p, question, rng):
            judge(p, certificate, bad)
            for _ in range(4):
                body = copy.deepcopy(dict(certificate.body))
                for _ in range(rng.choice((1, 1, 2, 3))):
                    mutate(body, p, rng)
                judge(p, replace(certificate, body=body), bad)
            for _ in range(2):
                other = mutated_program(p, rng)
                otherwise = is_wrong(other, question)
                if otherwise is not None:
                    judge(other, replace(certificate, program=other.fingerprint()), otherwise)
    return table, wrongly


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--n", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    table, wrongly = attack(options.seed, options.n)
    for what, count in sorted(table.items()):
        print(f"{count:7}  {what}")
    for p, certificate in wrongly[:3]:
        print("WRONGLY ACCEPTED", p, certificate, sep="\n")
    return 1 if wrongly else 0


if __name__ == "__main__":
    raise SystemExit(main())
