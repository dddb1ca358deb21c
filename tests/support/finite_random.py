"""Random finite-state programs of two to four threads, small enough for every engine and for brute force."""

from __future__ import annotations

import random
from dataclasses import dataclass

from frontend.program import Program
from tests.support.build import Thread, program, thread


@dataclass
class _Maker:
    """The random choices that the threads of one program share. `lock`: each loop is a section behind a lock, mostly."""

    rng: random.Random
    names: list[str]
    array: bool
    lock: bool
    owner: bool
    critical: bool

    def thread(self, number: int, count: int) -> Thread:
        rng = self.rng
        local, numbered = rng.random() < 0.5, rng.random() < 0.4
        size = rng.randint(3, 5)
        own = [*self.names, *(["l"] if local else [])]
        edges = []
        if self.lock:
            token = "me + 1" if numbered and self.owner else "1"
            edges.append(f"0 1 lock = {token}" if rng.random() < 0.1 else f"0 1 [lock == 0]; lock = {token}")
            edges.append(f"{size - 1} 0 lock = 0")
            if rng.random() < 0.1:
                edges.append("0 0 lock = 0")
        for q in range(1, size - 1) if self.lock else range(size):
            for _ in range(rng.choice([1, 1, 2])):
                target = rng.randrange(1 if self.lock else 0, size) if rng.random() < 0.4 else (q + 1) % size
                edges.append(f"{q} {target} {self.operation(own, numbered)}")
        atomic = {rng.randrange(1, size)} if rng.random() < 0.35 else set()
        critical = ({rng.randrange(1, size)} if rng.random() < 0.5 else set(range(1, size))) if self.critical else set()
        errors = set()
        if rng.random() < 0.3:
            edges.append(f"{rng.randrange(size)} {size} {self.condition(own, numbered)}; {self.condition(own, numbered)}")
            errors = {size}
        locals_ = " ".join((["l:u2=0"] if local else []) + (["me:u2=self"] if numbered else []))
        return thread(f"t{number}", " / ".join(edges), locals_, count, atomic, critical, errors)

    def value(self, own: list[str], numbered: bool) -> str:
        rng = self.rng
        options = [str(rng.randint(0, 2)), rng.choice(own), f"{rng.choice(own)} + 1", f"1 - {rng.choice(own)}"]
        return rng.choice([*options, "me"] if numbered else options)

    def condition(self, own: list[str], numbered: bool) -> str:
        right = self.rng.choice(["0", "1", "1", "2", *(["me"] if numbered else [])])
        return f"[{self.rng.choice(own)} {self.rng.choice(['==', '!=', '==', '<'])} {right}]"

    def operation(self, own: list[str], numbered: bool) -> str:
        rng = self.rng
        kind, target = rng.random(), rng.choice(own)
        if self.array and kind < 0.2:
            index = rng.choice(["0", "1", *(["me % 3"] if numbered else [])])
            return rng.choice([f"a[{index}] = {rng.randint(0, 1)}", f"[a[{index}] == {rng.randint(0, 1)}]"])
        if kind < 0.3:
            return self.condition(own, numbered)
        if kind < 0.55:
            return f"{self.condition(own, numbered)}; {target} = {self.value(own, numbered)}"
        if kind < 0.6:
            return f"{target} = *"
        return f"{target} = {self.value(own, numbered)}"


def random_program(seed: int) -> Program:
    """A program from a seed: identical or different threads over small globals, with locals, self, atomic sections, havoc."""
    rng = random.Random(seed)
    types = [rng.choice(["u1", "u2", "u1"]) for _ in range(rng.randint(1, 3))]
    maker = _Maker(rng, [f"g{i}" for i in range(len(types))], rng.random() < 0.25, rng.random() < 0.5, rng.random() < 0.5,
                   rng.random() < 0.6)
    shared = [f"{n}:{t}" for n, t in zip(maker.names, types, strict=True)]
    shared += (["a:u1[3]"] if maker.array else []) + (["lock:u3"] if maker.lock else [])
    counts = [rng.randint(2, 4)] if rng.random() < 0.6 else [rng.randint(1, 2) for _ in range(rng.randint(2, 3))]
    threads = [maker.thread(n, count) for n, count in enumerate(counts)]
    invariants = [f"g0 != {rng.choice([1, 3])} or {maker.names[-1]} != 1"] if rng.random() < 0.1 else []
    return program(" ".join(shared), *threads, race_model=rng.choice(["nesc", "c11"]), invariants=invariants)
