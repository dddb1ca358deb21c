"""One random run in which threads are held back at their accesses, until another one is at the same cell.

After Sen, "Race directed random testing of concurrent programs" (PLDI 2008). A run has its own random numbers, chosen by its
number; what it finds, and which choices led nowhere, it leaves in `RunKnowledge` for the runs after it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random

from circ.search.run_knowledge import SMALL, RunKnowledge
from circ.search.sample_values import CHARACTERS
from circ.semantics.conflicts import Ready, clash, ready
from circ.semantics.evaluation import Undefined, Value, Where
from circ.semantics.interpreter import Code, LocalState, Move, settle
from frontend.program import (
    AllAt,
    Assume,
    Edge,
    Role,
    Scalar,
    primitive,
)

SWITCHES = (0.03, 0.15, 0.4)
HOLDS = (1.0, 0.6, 0.25)
COPIES = (2, 3, 1, 4, 2, 8, 3, 16)
"""Threads of each template of unbounded number, in turn."""
MOST_THREADS = 256
"""Threads of one template, where some thread waits until another one of them starts."""
FEW = 4
"""One of so many runs does with few threads also where some thread would start more."""
CREATED_LAST = 0.7
"""How often, in runs in which some threads go before others, those that are created come after those that create them."""
RANKED, DEMOTED = 4, (0.002, 0.0002)
TRIES = 10
"""Values for what a step reads and nobody has chosen, every second one of those that the step itself speaks of."""
CAREFUL, CAREFUL_REACTIVE = (0.999, 0.95, 0.99, 1.0), (0.95, 0.999, 0.99)
"""How often, in turn, a run avoids what led nowhere before; the same in programs with handlers."""
CREATING = 8
"""In one of so many runs it may be that a thread cannot be created."""
MOST_NESTED = 3
"""Copies of a handler that runs again and again: more than so many on the stack at once are seldom needed."""
LOOK = 200
"""After so many steps it is looked whether a run can still come to a race."""
JOINS = 0.2
"""How much less often a thread is held back where another one is already, and they do no harm to each other."""
RELEASES = (0.01, 0.0, 0.03)
CALM = (0.0, 0.01, 0.003)
"""How often a thread is no longer held back although others could go on, in programs with handlers and in those without."""
DISTRACTIONS = (0.02, 0.1, 0.02, 1.0)
"""How often handlers and tasks that do not access what is wanted may start while a thread is held back."""
SWARM, SHY = 5, 0.02
"""In two of so many runs some handlers seldom start, the others do when nobody has anything else to do: a race may need that
one of them stays quiet, or that it is the only one that does not (Groce et al., "Swarm testing", ISSTA 2012)."""
UNCONCERNED, WAITING = 4, 0.1
SPELLED, WORDS = 2, 0.4
"""In one of so many runs input is made of words of the program, as fuzzers do with a dictionary."""
TELLING = 0.6
"""How often what is open is a number that the program speaks of, and not a small one."""


class DirectedRun:
    """One run; `held` are the threads that wait at an access."""

    def __init__(self, shared: RunKnowledge, wanted: frozenset[str], number: int, holding: bool = True) -> None:
        self.shared, self.wanted, self.program, self.machine = shared, wanted, shared.program, shared.machine
        self.random = Random(number)
        self.switch = SWITCHES[number % len(SWITCHES)]
        self.hold = HOLDS[number // len(SWITCHES) % len(HOLDS)] if holding else 0.0
        self.reactive = frozenset(i for i, t in enumerate(self.program.templates) if t.role in (Role.HANDLER, Role.TASK))
        careful = CAREFUL_REACTIVE if self.reactive else CAREFUL
        self.careful = careful[number % len(careful)]
        self.creates = number % CREATING != CREATING - 2
        self.release = (RELEASES if self.reactive else CALM)[number % len(RELEASES)]
        self.distraction = DISTRACTIONS[number % len(DISTRACTIONS)]
        self.concerned = frozenset(n for x in wanted for n, _, _ in self.program.accesses.get(x, ()))
        """Templates that access what is wanted: while a thread is held back for them, others would fire for ever."""
        self.scheduler = frozenset(i for i, t in enumerate(self.program.templates)
                                   if self.reactive and t.role is Role.MAIN and i not in self.concerned)
        """`main`, which goes round and round in its loop while others have something to do."""
        self.swarm = bool(self.reactive) and number % SWARM >= SWARM - 2
        self.shy = _shy(sorted(self.reactive), 2 * (number // SWARM) + number % 2) if self.swarm else frozenset()
        self.since: dict[int, tuple[LocalState, tuple[Value, ...]]] = {}
        self.spinning = False
        """Where the last thread to move has been since it moves alone; whether it came back to the same, as if waiting."""
        self.starts: Counter[int] = Counter()
        copies = COPIES[number % len(COPIES)]
        if self.reactive:
            copies = min(copies, MOST_NESTED)
        self.many = number % FEW != 0
        self.goals = shared.goals(wanted)
        created = frozenset() if self.reactive else self.goals.created()
        self.most = MOST_THREADS if self.many else copies
        """Threads of one template that there may be where others start them; one that has not started is there till then."""
        self.crew = [i for i, t in enumerate(self.program.templates) for _ in range(
            t.count if t.count is not None else 1 if i in created else min(copies, t.most or copies))]
        start = self.machine.open_start(tuple(self.crew))
        self.globals: list[Value] = list(start.globals)
        self.threads: list[LocalState] = list(start.threads)
        self.near = [self._near(i) for i in range(len(self.crew))]
        self.held: set[int] = set()
        self.ranks = self.random.sample(range(len(self.crew)), len(self.crew)) \
            if number % RANKED == RANKED - 1 and not self.reactive else []
        """In some runs threads go on as long as they can, the first of these before the others."""
        self.created_last = bool(self.ranks) and self.random.random() < CREATED_LAST
        if self.created_last:
            self.ranks.sort(key=lambda i: not self.goals.starts(self.crew[i]))  # else many threads end before all start
        self.path: list[tuple[int, Move]] = []
        self.spells = number % SPELLED == 0 and bool(shared.words)
        self.spelled: dict[int, tuple[int, ...]] = {}
        """In some runs characters of input come from words of the program: what is left of the one that a thread reads."""
        self.chosen: dict[int, int] = {}
        """For each thread the last edge that it took by a free choice, of a way or a value, if it came to no goal since."""
        self.atomic = [t.cfa.atomic for t in self.program.templates]
        self.watched: list[set[int]] = [set() for _ in self.crew]
        self.rounds: list[dict[int, tuple[tuple[Value, ...], tuple[Value, ...]]]] = [{} for _ in self.crew]
        self.waiting: dict[int, tuple[Value, ...]] = {}
        """What each thread has read; where it was when a turn of a loop began; and the globals as those saw them who came back to
        the same state: they seem to wait until somebody writes what they read."""
        self.idle = [self._idle(i) for i in range(len(self.crew))]
        """Which threads are handlers or tasks that have not started."""
        self._waits: dict[tuple[int, int], tuple[tuple[int, frozenset[int]], ...]] = {}

    def resume(self, globals_: Sequence[Value], threads: Sequence[LocalState], path: Sequence[tuple[int, Move]],
               held: int | None = None) -> None:
        """Goes on from a state that `path` leads to, with a thread held back if it is at an access."""
        self.globals, self.threads, self.path = list(globals_), list(threads), list(path)
        self.near = [self._near(i) for i in range(len(self.crew))]
        self.idle = [self._idle(i) for i in range(len(self.crew))]
        self.held = {held} if held is not None and self.near[held] else set()

    def is_near(self, i: int) -> bool:
        """Whether its next step may access what is wanted."""
        return bool(self._near(i))

    def shows(self, i: int) -> bool:
        """Whether a thread and another one show a race, where they are now."""
        self.near = [self._near(j) for j in range(len(self.crew))]
        return self._judge(i)

    def is_idle(self, i: int) -> bool:
        """Whether it is a handler or a task that is not in the middle of a turn."""
        return self._idle(i)

    def step(self, i: int) -> bool:
        """Whether a thread can take a step, which it then has taken."""
        return self._step(i)

    def follow(self, i: int, e: int, known: dict[Where, int]) -> bool:
        """Takes an edge with these values for what it leaves open, and others at random where they are not enough."""
        template, (location, local) = self.crew[i], self.threads[i]
        code = self.machine.code(template, e)
        if self.machine.edge(template, e).source != location or not all(
                self.threads[j][0] in places for j, places in self._awaited(i, e, code.guards)):
            return False
        known = dict(known)
        passed = self._attempt(template, e, known, self.globals, local, False)
        if passed is None:
            return False
        after, mine = passed
        thread = self.machine.edge(template, e).target, tuple(mine)
        self.path.append((i, Move(e, tuple(after), thread, tuple(known.items()), code.guards)))
        self.globals, self.threads[i] = after, thread
        return True

    def go(self, steps: int) -> int:
        """Takes up to so many steps; ends early when nobody can go on, or with a race on a wanted variable. How many it took."""
        current = 0
        for n in range(steps):
            mover = self._mover(current)
            if mover is None:
                self._blame()
            if mover is None or (n % LOOK == LOOK - 1 and self._is_hopeless()):
                return n + 1
            if self.swarm:
                self._wait(mover, current)
            current = mover
            if self.idle[mover]:
                self.starts[self.crew[mover]] += 1
            self.idle[mover] = self._idle(mover)
            self.held.discard(mover)
            if not self.reactive:
                self._note_turn(mover)
            self.near[mover] = self._near(mover)
            if self.near[mover]:
                if self._judge(mover):
                    return n + 1
                if self.random.random() < self.hold * (JOINS if self._waited_for(mover) else 1.0):
                    self.held.add(mover)
        return steps

    def _is_hopeless(self) -> bool:
        """Whether only threads that are held back have anything wanted ahead; in programs with handlers others may start."""
        return not self.reactive and not any(
            self.goals.ahead(t, self.threads[i][0]) for i, t in enumerate(self.crew) if i not in self.held)

    def _waited_for(self, mover: int) -> bool:
        """Whether a thread is held back at the same variable, which it may only read, as this one does: it may write it next."""
        return any(x in self.near[j] for j in self.held for x in self.near[mover])

    def _mover(self, current: int) -> int | None:
        """Who takes a step: mostly the same thread as before; None if nobody can."""
        holder = self._holder(current)
        if holder is not None:
            return holder if self._step(holder) else None
        if not self.ranks and not self.reactive and current not in self.held and self.random.random() >= self.switch \
                and not self._waits_still(current) and self._step(current):
            return current
        for i in self._order(current):
            if self._step(i):
                return i
        return None

    def _grow(self, n: int) -> bool:
        """Sees to it that there is a thread of the template that has not started; False if there are too many."""
        template = self.program.templates[n]
        ones = [j for j, t in enumerate(self.crew) if t == n]
        if any(self.threads[j][0] == template.cfa.start for j in ones):
            return True
        if template.count is not None or self.reactive or len(ones) >= min(self.most, template.most or self.most):
            return False
        i = len(self.crew)
        self.crew.append(n)
        self.threads.append(self.machine.open_start(tuple(self.crew)).threads[i])
        self.near.append(self._near(i))
        self.watched.append(set())
        self.rounds.append({})
        self.idle.append(self._idle(i))
        self._waits.clear()
        if self.ranks:
            self.ranks.insert(i if self.created_last else self.random.randint(0, i), i)
        return True

    def _note_turn(self, mover: int) -> None:
        """Notes whether a thread has gone round a loop and nothing is different: it seems to wait for somebody."""
        move = self.path[-1][1]
        template, (location, local) = self.crew[mover], move.thread
        watched = self.watched[mover]
        watched.update(self.shared.watches(template, move.edge))
        if location in self.shared.heads(template):
            before = self.rounds[mover].get(location)
            if before is not None and before[0] == local and all(before[1][s] == move.globals[s] for s in watched):
                self.waiting[mover] = move.globals
            else:
                self.waiting.pop(mover, None)
            self.rounds[mover][location] = local, move.globals

    def _waits_still(self, i: int) -> bool:
        """Whether a thread that seems to wait would find the same again."""
        seen = self.waiting.get(i)
        if seen is None:
            return False
        if all(seen[s] == self.globals[s] for s in self.watched[i]):
            return True
        del self.waiting[i]
        return False

    def _wait(self, mover: int, before: int) -> None:
        """Notes whether the thread that moved goes round and round and nothing changes."""
        if mover != before:
            self.since, self.spinning = {}, False
        move = self.path[-1][1]
        state = move.thread, move.globals
        self.spinning = self.spinning or self.since.get(move.thread[0]) == state
        self.since[move.thread[0]] = state

    def _holder(self, current: int) -> int | None:
        """The thread in an atomic section: only the last one that moved can be."""
        return current if self.threads[current][0] in self.atomic[self.crew[current]] else None

    def _order(self, current: int) -> list[int]:
        """Whom to try in turn: mostly the same as before, those held back last.

        Handlers can fire at any time: they start seldom, those first that did so least, and no thread is held back for ever.
        """
        if self.held and self.random.random() < self.release:
            self.held.discard(self.random.choice(sorted(self.held)))
        if self.ranks:
            if self.random.random() < DEMOTED[self.many]:
                self.ranks.remove(current)
                self.ranks.append(current)
            order = [i for i in self.ranks if i not in self.held] + [i for i in self.ranks if i in self.held]
            return sorted(order, key=self._waits_still)
        free = [i for i in range(len(self.crew)) if i not in self.held and not self._waits_still(i)]
        self.random.shuffle(free)
        late = sorted(self.held)
        self.random.shuffle(late)
        if self.random.random() >= self.switch:
            for order in (free, late):
                if current in order:
                    order.remove(current)
                    order.insert(0, current)
        if self.reactive:
            idle = sorted((i for i in free if self.idle[i]), key=self._turns)
            busy = [i for i in free if not self.idle[i]]
            free = idle + busy if self.spinning or self.random.random() < self.switch else busy + idle
            if self.random.random() >= WAITING:
                free.sort(key=lambda i: self.crew[i] in self.scheduler)
            if late and self.random.random() >= self.distraction:
                apart = [i for i in idle if self.crew[i] not in self.concerned]
                return [i for i in free if i not in apart] + late + apart
            if self.swarm:
                shy = [i for i in idle if self.crew[i] in self.shy and not (late and self.crew[i] in self.concerned)
                       and self.random.random() >= SHY]
                return [i for i in free if i not in shy] + late + shy
        if not self.waiting:
            return free + late
        waiting = [i for i in self.waiting if i not in self.held]
        self.random.shuffle(waiting)
        return free + late + waiting

    def _turns(self, i: int) -> int:
        """How often a thread's template has started, those that are concerned counted less."""
        template = self.crew[i]
        return self.starts[template] * (1 if template in self.concerned else UNCONCERNED)

    def _idle(self, i: int) -> bool:
        """Whether it is a handler or a task that has not started."""
        return self.crew[i] in self.reactive and self.threads[i][0] == self.program.templates[self.crew[i]].cfa.start

    # ----------------------------------------------------------------------------------------------- steps
    def _step(self, i: int) -> bool:
        """One step of a thread, by an edge chosen at random of those that pass; none that the program may not have."""
        template, (location, local) = self.crew[i], self.threads[i]
        edges = self.shared.ways(template, location)
        if len(edges) > 1:
            self.random.shuffle(edges)
            if self.random.random() < self.careful:
                edges.sort(key=lambda e: (not self.reactive and bool(self.machine.edge(template, e).doubts),
                                          (template, e) in self.shared.blamed, self.shared.fails(template, e),
                                          self.shared.loses(self.goals, template, e)))
        awaited = self.goals.awaited(template, location)
        waits = bool(awaited) and sum(self._grow(n) for n in awaited) == len(awaited) and (
            self.creates or self.random.random() < self.careful)
        for e in edges:
            if waits and not self.goals.reaches(template, e):
                continue  # rather than fail to start a thread it waits until another one has started
            code = self.machine.code(template, e)
            if code.guards and not all(self.threads[j][0] in places for j, places in self._awaited(i, e, code.guards)):
                continue
            for attempt in range(TRIES):
                known: dict[Where, int] = self._characters(i, code) if self.spells else {}
                g, own = self.globals, local
                passed = self._attempt(template, e, known, g, own, attempt % 2 > 0)
                if passed is not None:
                    after, mine = passed
                    thread = self.machine.edge(template, e).target, tuple(mine)
                    self.path.append((i, Move(e, tuple(after), thread, tuple(known.items()), code.guards)))
                    self.globals, self.threads[i] = after, thread
                    if len(edges) > 1 and (known or _free(self.machine.edge(template, e))):
                        self.chosen[i] = e
                    if self.goals.loses(template, location, thread[0]):
                        self._blame_one(i)
                    elif self.goals.reaches(template, e):
                        self.chosen.pop(i, None)
                    return True
                if not known:
                    break
        return False

    def _characters(self, i: int, code: Code) -> dict[Where, int]:
        """Values for the characters that a step reads from outside."""
        found: dict[Where, int] = {}
        for k, hole in enumerate(code.holes):
            if hole.type.width == 8 and not hole.whole:
                literal = self.shared.words and self.random.random() < WORDS
                word = self.spelled.get(i) or (
                    self.random.choice(self.shared.words) if literal else (self.random.choice(CHARACTERS),))
                found["h", k, None], self.spelled[i] = hole.type.wrap(word[0]), word[1:]
        return found

    def _awaited(self, i: int, e: int, guards: tuple[AllAt, ...]) -> tuple[tuple[int, frozenset[int]], ...]:
        """The threads that must be at certain locations for thread i to take an edge, with these locations."""
        found = self._waits.get((i, e))
        if found is None:
            found = self._waits[i, e] = tuple((j, guard.locations) for guard in guards for j, t in enumerate(self.crew)
                                              if j != i and t == self.machine.index[guard.template])
        return found

    def _blame(self) -> None:
        """Nobody can go on: choices of threads that have not come to their end were bad ones."""
        for i in list(self.chosen):
            if self.machine.leaving(self.crew[i], self.threads[i][0]):
                self._blame_one(i)

    def _blame_one(self, i: int) -> None:
        """What a thread chose last led it nowhere."""
        e = self.chosen.pop(i, None)
        if e is not None:
            self.shared.blamed.add((self.crew[i], e))

    def _attempt(
        self, template: int, e: int, known: dict[Where, int], g: list[Value], own: tuple[Value, ...], here: bool,
    ) -> tuple[list[Value], list[Value]] | None:
        """Globals and locals after an edge, with values for what it reads and nobody has chosen; None if it does not pass."""
        code = self.machine.code(template, e)

        def fill(k: int, _: int | None) -> Value:
            hole = code.holes[k]
            if hole.whole:
                return (0 if hole.eager else None), ()
            if hole.eager and ("h", k, None) not in known:
                raise Undefined(("h", k, None))
            return known.get(("h", k, None))

        while True:
            after, mine = list(g), list(own)
            settle(after, mine, known)
            try:
                return (after, mine) if code.run(after, mine, fill) else None
            except Undefined as missing:
                where = missing.where
                t = code.holes[where[1]].type if where[0] == "h" else self.machine.variable(template, where).type
                known[where] = self._value(template, e, t, own, here)

    def _compared(self, template: int, e: int, own: tuple[Value, ...]) -> list[int]:
        """The values of the variables that an edge reads, as far as they are chosen."""
        found = []
        for owner, slot, _ in self.shared.compared(template, e):
            value = self.globals[slot] if owner == "g" else own[slot]
            if isinstance(value, int):
                found.append(value)
        return found

    def _value(self, template: int, e: int, t: Scalar, own: tuple[Value, ...], here: bool) -> int:
        """A value for what an edge reads and nobody has chosen; `here`: one that the edge speaks of."""
        if here:
            compared = [v for v in self._compared(template, e, own) if t.low <= v <= t.high]
            return self.random.choice([*self.shared.nearby(template, e, t), *compared])
        telling = self.random.random() < TELLING
        return self.random.choice(self.shared.values(t)) if telling else t.wrap(self.random.randrange(SMALL))

    # ----------------------------------------------------------------------------------------------- races
    def _near(self, i: int) -> dict[str, tuple[Ready, ...]]:
        """The accesses that are next for a thread, of wanted variables."""
        template, (location, _) = self.crew[i], self.threads[i]
        names = {a.variable: None for e in self.machine.leaving(template, location)
                 for a in self.machine.edge(template, e).accesses if a.variable in self.wanted}
        return {x: found for x in names if (found := self._ready(i, x))}

    def _ready(self, i: int, x: str) -> tuple[Ready, ...]:
        try:
            return ready(self.machine, x, self.crew[i], tuple(self.globals), self.threads[i])
        except Undefined:
            return ()

    def _judge(self, mover: int) -> bool:
        """Whether the thread that has moved now shows a race with another one."""
        for x, ones in self.near[mover].items():
            for j in range(len(self.crew)):
                if j == mover or x not in self.near[j] or x in self.shared.found:
                    continue
                pair = clash(self.machine, self.crew[mover], ones, self.crew[j], self._ready(j, x))
                crew = tuple(self.crew)
                if pair is not None and self.shared.keep(x, crew, self.path, (mover, *pair[0][:2]), (j, *pair[1][:2])):
                    return True
        return False


def _shy(handlers: Sequence[int], number: int) -> frozenset[int]:
    """Those that seldom start in the runs of a number: each one alone in its turn, then in its turn all but each one."""
    one = handlers[number // 2 % len(handlers)]
    return frozenset((one,) if number % 2 == 0 else (h for h in handlers if h != one))


def _free(edge: Edge) -> bool:
    """Whether the step can always be taken."""
    return not any(isinstance(p, Assume | AllAt) for p in primitive(edge.op))
