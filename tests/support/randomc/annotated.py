"""Random small annotated programs, and the arbiter of what `circ verify` says about them: the explicit search.

A program follows a discipline (a lock, a flag, an owner) most of the time. Annotations are drawn from shapes that often hold;
when a condition fails, the clause that it is about is left out and the rest is tried again, so that a good part is proved.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

from circ.guarantee.assume_guarantee import answer
from circ.guarantee.real_runs import breaking_run
from circ.kernel.outcome import Accepted
from circ.run.check import judge
from circ.search.explicit import oracle
from circ.verdict import Assertions, Options, Question, RaceOn, Refuted, Safe, Technique, Unknown, Verdict, silent
from frontend import LoadOptions, load
from frontend.program import Program

ROUNDS = 12
_OPTIONS = Options(max_states=3_000, switches={Technique.HINTS: False})


@dataclass(frozen=True, slots=True)
class Annotated:
    """`clauses` stand on lines of their own, so that one can be told from its line."""

    seed: int
    clauses: tuple[str, ...]
    body: str

    @property
    def text(self) -> str:
        return "#include <circ_locks.h>\nint m, x, y;\n_Bool a, b;\n" + "\n".join(self.clauses) + "\n" + self.body


def annotated(seed: int) -> Annotated:
    return _Maker(seed).program()


class _Maker:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.seed = seed
        self.contract = self.random.random() < 0.25
        self.depth = 0

    def program(self) -> Annotated:
        pick = self.random
        threads = pick.choice([("one", "two"), ("one", "two"), ("many",), ("one", "many")])
        functions = [self.thread(name) for name in threads]
        helper = ["//@ requires m == \\tid && 0 <= v <= 2;\n//@ ensures m == \\tid && x == v;\n"
                  f"static void put(int v) {{ {pick.choice(['x = v;', 'x = 2; x = v;', 'x = v; y = 0;', 'x = 0;'])} }}"] if self.contract else []
        clauses = [c for c in self.clauses(threads) if pick.random() < 0.75]
        helper, functions = self.with_atomic_operation(helper, functions)
        return Annotated(self.seed, tuple(clauses), "\n".join([*helper, *functions]) + "\n")

    def with_atomic_operation(self, helper: list[str], functions: list[str]) -> tuple[list[str], list[str]]:
        """Now and then there is one with a body, which often does what it claims, and is called here and there."""
        pick = random.Random(f"atomic {self.seed}")
        if pick.random() < 0.6:
            return helper, functions
        claim = pick.choice(["y' == 1", "y' == 1 && y >= 0", "y' == 1 || y' == y", "a ? y' == 1 : y' == y", "y' == 1 && x' == x", "m == 0 && y' == 1"])
        body = pick.choice(["y = 1;", "y = 1;", "if (a) y = 1;", "assume(m == 0); y = 1;", "y = 1; x = 1;", "t = x; x = 2; y = 1; x = t;", "y = y; y = 1;"])
        text = f"int t; atomic {{ {body} }}" if pick.random() < 0.8 else f"int t; {body}"
        lines = [[line.replace("    ", "    once(); ", 1) if pick.random() < 0.2 and line.endswith(";") and "while" not in line else line
                  for line in f.split("\n")] for f in functions]
        return [*helper, f"//@ atomic ensures {claim};\nstatic void once(void) {{ {text} }}"], ["\n".join(f) for f in lines]

    def clauses(self, threads: tuple[str, ...]) -> list[str]:
        pick = self.random
        found = ["//@ assumes m == \\tid ==> m' == \\tid;", "//@ assumes m == \\tid ==> x' == x;", "//@ assumes m == \\tid ==> y' == y;",
                 "//@ assumes a ==> a';", "//@ assumes x' >= x;", "//@ assumes !a ==> b' == b;",
                 f"//@ invariant {pick.choice(['x', 'y'])} >= 0;", f"//@ invariant x <= {pick.randrange(1, 4)};",
                 f"//@ invariant m == 0 ==> x == {pick.randrange(2)};", "//@ invariant a ==> b;", "//@ invariant y <= 3;",
                 f"//@ invariant a ==> x == {pick.randrange(3)};"]
        found += [f"//@ for {t}: assumes {v}' == {v};" for t in threads for v in pick.sample(["x", "y", "a", "b"], 2)]
        pick.shuffle(found)
        return found

    def thread(self, name: str) -> str:
        head = "circ_thread" if name == "many" else "circ_threads(1)"
        return f"{head} void {name}(void) {{\n    int t = 0;\n{self.block(self.random.randrange(2, 5))}}}"

    def block(self, length: int) -> str:
        return "".join(self.statement() for _ in range(length))

    def statement(self) -> str:
        pick = self.random
        kind = pick.random()
        if kind < 0.35:
            inner = "".join(self.simple() for _ in range(pick.randrange(1, 4)))
            lock, unlock = ("acq(m); ", "rel(m);") if pick.random() < 0.9 else pick.choice([("", ""), ("acq(m); ", "m = 0;")])
            call = f"put({pick.randrange(-1 if pick.random() < 0.1 else 0, 3)}); " if self.contract and pick.random() < 0.6 else ""
            sure = "assert(m == circ_tid()); t = x; assert(t == x); " if lock and pick.random() < 0.5 else ""
            return f"    {lock}{inner}{call}{sure}{self.claim() if pick.random() < 0.2 else ''}{unlock}\n"
        if kind < 0.5:
            return f"    atomic {{ {self.simple()}{self.simple()}}}\n"
        if kind < 0.62 and self.depth < 2:
            self.depth += 1
            made = f"    if ({self.condition()}) {{\n{self.block(pick.randrange(1, 3))}    }}\n"
            self.depth -= 1
            return made
        if kind < 0.72 and self.depth < 1:
            self.depth += 1
            note = pick.choice(["\\true", "t >= 0", "0 <= t <= 2", "t == 0", "x >= 0"])
            made = f"    t = 0;\n    //@ loop invariant {note};\n    while (t < {pick.randrange(1, 3)}) {{\n" + \
                self.block(pick.randrange(1, 2)) + "    t = t + 1; }\n"
            self.depth -= 1
            return made
        if kind < 0.8:
            return f"    assume({self.condition()});\n"
        if kind < 0.88:
            return f"    {self.claim()}\n"
        return f"    {self.simple()}\n"

    def simple(self) -> str:
        pick = self.random
        return pick.choice([
            f"x = {pick.randrange(3)}; ", f"y = {pick.randrange(3)}; ", "x = y; ", "t = x; ", "t = y; ", "if (t == 1) x = t; ",
            f"a = {pick.randrange(2)}; ", f"b = {pick.randrange(2)}; ", "if (x < 3) x = x + 1; ", "a = 1; "])

    def condition(self) -> str:
        pick = self.random
        return pick.choice(["a", "b", "!a", "!b", f"x == {pick.randrange(3)}", f"y < {pick.randrange(1, 3)}", "t == x", "a && !b", "x <= y"])

    def claim(self) -> str:
        pick = self.random
        return f"assert({pick.choice(['x >= 0', 'y >= 0', 'x <= 3', 'a || x >= 0', 'y <= 3', self.condition()])}); "


# --------------------------------------------------------------------------------------------------- the arbiter
@dataclass(slots=True)
class Tally:
    """What came of a number of programs; `faults` are answers that the search, the kernel or a rerun contradicts."""

    verdicts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.verdicts += other.verdicts
        self.faults += other.faults

    def __str__(self) -> str:
        lines = [f"{count:7}  {what}" for what, count in sorted(self.verdicts.items())]
        return "\n".join([*lines, f"{len(self.faults):7}  wrong", *self.faults])


def examine(seeds: range) -> Tally:
    """`circ verify` on the programs of these seeds, judged."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            _examine(tally, annotated(seed), Path(folder) / f"{seed}.c")
    return tally


def loaded(made: Annotated, path: Path) -> Program:
    path.write_text(made.text)
    return load(path, LoadOptions(contracts=True))


def _examine(tally: Tally, made: Annotated, path: Path) -> None:
    program = loaded(made, path)
    quick = replace(_OPTIONS, switches={Technique.HINTS: False, Technique.SEARCH: False})
    for _ in range(ROUNDS):
        fewer = _fewer(program, answer(program, Assertions(), quick, silent))
        if fewer is None:
            break
        program = fewer
    verdict = answer(program, Assertions(), _OPTIONS, silent)
    _judge(tally, made, program, Assertions(), verdict)
    if isinstance(verdict, Safe):
        _judge(tally, made, program, RaceOn("x"), answer(program, RaceOn("x"), _OPTIONS, silent))


def _fewer(program: Program, verdict: Verdict) -> Program | None:
    """The program without the clause that a failed condition is about; None if it is about no clause."""
    if not isinstance(verdict, Unknown):
        return None
    named = {int(n) for n in re.findall(rf"{re.escape(program.file)}:(\d+)", verdict.reason)} | {verdict.where.line}
    relies = tuple(r for r in program.relies if r.location.line not in named)
    invariants = tuple(i for i in program.invariants if i.location.line not in named)
    if (relies, invariants) == (program.relies, program.invariants):
        return None
    return replace(program, relies=relies, invariants=invariants)


def _judge(tally: Tally, made: Annotated, program: Program, question: Question, verdict: Verdict) -> None:
    what = "asserts" if question == Assertions() else "races"
    tally.verdicts[f"{what} {type(verdict).__name__.lower()}"] += 1
    wrong = None
    match verdict:
        case Safe(certificate=evidence):
            if not isinstance(judge(program, question, evidence), Accepted):
                wrong = f"the kernel refuses the proof: {judge(program, question, evidence)}"
            elif any(oracle(program, question, n, 20_000) for n in ((2, 3) if any(t.count is None for t in program.templates) else (0,))):
                wrong = "the search finds a run"
            elif question == Assertions() and breaking_run(program, Options(max_states=20_000)) is not None:
                wrong = "the search finds a step that breaks an assumption"
        case Refuted(trace=evidence):
            if not isinstance(judge(program, question, evidence), Accepted):
                wrong = "the run does not replay"
        case Unknown(reason=reason):
            if reason.startswith("internal"):
                wrong = reason
    if wrong is not None:
        kept = [str(c.location.line) for c in (*program.relies, *program.invariants)]
        tally.faults.append(f"seed {made.seed}, {what}: {wrong}; clauses kept: {', '.join(dict.fromkeys(kept))}\n{made.text}")


__all__ = ["Annotated", "Tally", "annotated", "examine"]
