"""`make fuzz`: what is trusted is attacked with fresh random input; prints the tables, status 1 if anything is wrong.

    python -m tests.support.fuzz_main --seed 17 --count 2000 --engine omega-circ

The parts, each on its own with `--only`: the lowering against gcc (`gcc`); engines against the explicit search on random C
(`oracle`), on random pthread programs with locks, heap and pointers (`threads`) and on random automata (`automata`); what
circ proves against ThreadSanitizer, which shares nothing with it (`sanitizer`, and object by object, some programs in two files, `sharing`); the mutants of the soundness ledger and readings that were wrong once, all of which must be caught (`mutants`);
forged certificates and sabotaged kernels (`kernel`); the thread-modular family against the explicit search (`finite`); annotated programs against it (`annotated`);
programs with all memory orders against an enumerator of C11's executions (`weak`); lies about where pointers point, none of which may be believed (`facts`).
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from multiprocessing.pool import Pool

from circ import engines
from circ.kernel.other_kinds import check_any_kind
from circ.kernel.outcome import Accepted
from circ.verdict import Assertions, Engine, Options, RaceOn, subjects
from tests.support import finite_arbiter, lies
from tests.support.c11 import random_orders, views_attacked
from tests.support.kernel.attack import attack, random_program
from tests.support.kernel.sabotage import cases
from tests.support.randomc import annotated, ledger, reading_mutants, sanitizer
from tests.support.randomc.arbiter import Table, disagreements, examine, load_text
from tests.support.randomc.differential import Difference, differences
from tests.support.randomc.heap import heap_program
from tests.support.randomc.lists import list_program
from tests.support.randomc.memory import memory_program
from tests.support.randomc.pthreads import pthread_program
from tests.support.randomc.started import started_program

PARTS = ("gcc", "oracle", "threads", "sanitizer", "sharing", "automata", "mutants", "kernel", "finite", "annotated", "weak", "facts")
DECIDED = 0.97
"""What the default engine must decide of the random C programs, also when those that triage proves are not counted."""
_SLICE = 25


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, required=True, help="where the seeds start")
    parser.add_argument("--count", type=int, default=2000, help="how many programs of each kind, and forged certificates")
    parser.add_argument("--engine", action="append", help="engines to judge (default: the default engine)")
    parser.add_argument("--seconds", type=float, default=10.0, help="time limit for each question")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--only", action="append", choices=PARTS, help="these parts, not all")
    options = parser.parse_args(arguments)
    starts = range(options.seed, options.seed + options.count, _SLICE)
    slices = [range(s, min(s + _SLICE, options.seed + options.count)) for s in starts]
    parts = options.only or PARTS
    names: list[str] = options.engine or [engines.DEFAULT]
    wrong = 0
    with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=8) as pool:
        if "gcc" in parts:
            wrong += _against_gcc(pool.imap(differences, slices), options.count)
        for name in names if "oracle" in parts else ():
            title = f"{name} against the explicit search, random C"
            least = DECIDED if name == engines.DEFAULT else 0.0
            wrong += _against_oracle(title, pool.imap(_judge, [(name, s, options.seconds) for s in slices]), least)
        for name in names if "threads" in parts else ():
            title = f"{name} against the explicit search, random pthread programs with locks, heap and pointers"
            wrong += _against_oracle(title, pool.imap(_judge_threads, [(name, s, options.seconds) for s in slices]), 0.0)
        if "sanitizer" in parts:
            wrong += _against_sanitizer("random programs that reach memory in many ways", pool.imap(_sanitize, slices))
        if "sharing" in parts:
            wrong += _against_sanitizer("random programs that share memory in odd ways, object by object",
                                        pool.imap(sanitizer.examine_sharing, slices))
            wrong += _against_sanitizer("random programs that start and join threads in loops", pool.imap(_sanitize_starts, slices))
        for name in names if "automata" in parts else ():
            title = f"{name} against the explicit search, random automata, races and assertions"
            wrong += _against_oracle(title, pool.imap(_judge_automata, [(name, s, options.seconds) for s in slices]), 0.0)
        if "mutants" in parts:
            wrong += _mutants(pool)
            wrong += _wrong_readings(pool)
        if "kernel" in parts:
            wrong += _sabotage()
            wrong += _attacks(pool.imap(_attack, slices))
        if "finite" in parts:
            wrong += _family(pool.imap(finite_arbiter.examine, slices))
        if "annotated" in parts:
            wrong += _annotated(pool.imap(annotated.examine, slices))
        if "weak" in parts:
            for examine in (random_orders.examine, random_orders.examine_mixed, random_orders.examine_many):
                wrong += _weak(pool.imap(examine, slices))
            wrong += _weak_views(pool.imap(views_attacked.attack, slices))
        if "facts" in parts:
            wrong += _facts(pool.imap(lies.examine, slices))
    print(f"{wrong} wrong" if wrong else "nothing wrong", flush=True)
    return 1 if wrong else 0


# --------------------------------------------------------------------------------------------------- gcc
def _against_gcc(found: Iterable[list[Difference]], count: int) -> int:
    if shutil.which("gcc") is None:
        print("gcc is not installed: the lowering is not compared")
        return 0
    differing = [d for part in found for d in part]
    for d in differing:
        print(d)
    print(f"gcc against the interpreter: {count} programs, {len(differing)} differences\n", flush=True)
    return len(differing)


# --------------------------------------------------------------------------------------------------- the oracle
def _fresh(name: str) -> Engine:
    entry = engines.find(name)
    assert entry is not None, f"no engine {name}"
    return entry.load()


def _judge(task: tuple[str, range, float]) -> Table:
    name, seeds, seconds = task
    total = Table()
    for seed in seeds:
        total.add(disagreements(_fresh(name), [seed], Options(), seconds))
    return total


THREADED = (pthread_program, heap_program, memory_program, list_program)


def _judge_threads(task: tuple[str, range, float]) -> Table:
    name, seeds, seconds = task
    total = Table()
    for seed in seeds:
        program = load_text(THREADED[seed % len(THREADED)](seed))
        engine = _fresh(name)
        for v in subjects(program):
            examine(total, engine, seed, program, RaceOn(v.name), Options(), seconds)
    return total


def _sanitize(seeds: range) -> sanitizer.Tally:
    return sanitizer.examine(seeds, memory_program)


def _sanitize_starts(seeds: range) -> sanitizer.Tally:
    return sanitizer.examine_sharing(seeds, program=started_program)


def _against_sanitizer(title: str, tallies: Iterable[sanitizer.Tally]) -> int:
    if shutil.which("gcc") is None:
        print("gcc is not installed: nothing is compared with ThreadSanitizer")
        return 0
    total = sanitizer.Tally()
    for tally in tallies:
        total.add(tally)
    print(f"circ against ThreadSanitizer, {title}\n{total}\n", flush=True)
    return len(total.faults)


def _judge_automata(task: tuple[str, range, float]) -> Table:
    name, seeds, seconds = task
    total = Table()
    for seed in seeds:
        program = random_program(random.Random(seed))
        for question in (RaceOn("x"), Assertions()):
            examine(total, _fresh(name), seed, program, question, Options(), seconds)
    return total


def _against_oracle(title: str, tables: Iterable[Table], least: float) -> int:
    total = Table()
    for table in tables:
        total.add(table)
    print(f"{title}\n{total}", flush=True)
    few = min(total.decided, total.decided_beyond_triage) < least
    if few:
        print(f"TOO FEW decided: at least {least:.0%} are asked for")
    print()
    return len(total.wrong) + few


# --------------------------------------------------------------------------------------------------- the thread-modular family
def _family(tallies: Iterable[finite_arbiter.Tally]) -> int:
    total = finite_arbiter.Tally()
    for tally in tallies:
        total.add(tally)
    print(f"the thread-modular family against the explicit search\n{total}\n", flush=True)
    return len(total.faults)


# --------------------------------------------------------------------------------------------------- annotated programs
def _annotated(tallies: Iterable[annotated.Tally]) -> int:
    total = annotated.Tally()
    for tally in tallies:
        total.add(tally)
    print(f"assume-guarantee against the explicit search, random annotated programs\n{total}\n", flush=True)
    return len(total.faults)


# --------------------------------------------------------------------------------------------------- memory orders
def _weak_views(attacks: Iterable[views_attacked.Attack]) -> int:
    total = views_attacked.Attack()
    for found in attacks:
        total.add(found)
    print("\nall views for memory orders, each by itself, against all executions of C11")
    print(*(f"{view}: {total.counts[view, 'proved']} proofs, {total.counts[view, 'open']} not" for view in ("orders", "happens-before")),
          *(f"WRONG {fault}" for fault in total.faults), sep="\n")
    return len(total.faults)


def _weak(tallies: Iterable[random_orders.Tally]) -> int:
    total = random_orders.Tally()
    for tally in tallies:
        total.add(tally)
    print(f"memory orders against all executions of C11\n{total}\n", flush=True)
    return len(total.faults)


def _facts(tallies: Iterable[lies.Tally]) -> int:
    total = sum(tallies, lies.Tally())
    print(f"lies about what pointers point to\n{total}\n", flush=True)
    return len(total.faults)


# --------------------------------------------------------------------------------------------------- mutants
def _mutants(pool: Pool) -> int:
    rows = list(zip(ledger.MUTANTS, pool.imap(_attempt, range(len(ledger.MUTANTS))), strict=True))
    missed = [mutant.name for mutant, catch in rows if not catch.caught(mutant.harm)]
    print(f"{ledger.table(rows)}\n{len(rows)} mutants of the soundness ledger, {len(rows) - len(missed)} caught\n", flush=True)
    return len(missed)


def _attempt(number: int) -> ledger.Catch:
    return ledger.attempt(ledger.MUTANTS[number], seconds=60.0)


def _wrong_readings(pool: Pool) -> int:
    if shutil.which("gcc") is None:
        return 0
    found = list(pool.imap(_misread, range(len(reading_mutants.MUTANTS))))
    for mutant, faults in zip(reading_mutants.MUTANTS, found, strict=True):
        print(f"misread: {mutant.name}: {faults[0] if faults else 'NOT CAUGHT'}")
    print(flush=True)
    return found.count([])


def _misread(number: int) -> list[str]:
    return reading_mutants.attempt(reading_mutants.MUTANTS[number], runs=6)


# --------------------------------------------------------------------------------------------------- the kernel
def _sabotage() -> int:
    wrong = 0
    for case in cases():
        deceived = isinstance(case.sabotaged(), Accepted)
        sound = not isinstance(check_any_kind(case.program, case.certificate.question, case.certificate), Accepted)
        wrong += not (deceived and sound)
        told = "accepts a forged proof" if deceived else "NOT DECEIVED"
        print(f"sabotaged kernel, {case.name:28}{told}, the real one {'refuses it' if sound else 'ACCEPTS IT'}")
    print(flush=True)
    return wrong


def _attack(seeds: range) -> tuple[Counter[str], int]:
    table, wrongly = attack(seeds.start, len(seeds))
    return table, len(wrongly)


def _attacks(outcomes: Iterable[tuple[Counter[str], int]]) -> int:
    total: Counter[str] = Counter()
    wrong = 0
    for table, accepted in outcomes:
        total += table
        wrong += accepted
    print("forged and mutated certificates")
    for what, count in sorted(total.items()):
        print(f"{count:7}  {what}")
    print(f"{wrong:7}  wrongly accepted\n", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
