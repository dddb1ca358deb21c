"""Random concurrent programs as C text: known protocols around accesses to `x`, half of them damaged by random edits.

Undamaged, a protocol keeps its accesses apart (or not: some are racy by design); an edit (an atomic block opened, statements
swapped or dropped, a constant or test changed) often, but not always, lets two threads in. Types are small and constants smaller,
so that the explicit search can judge every program with up to four threads.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias


@dataclass
class Line:
    text: str


@dataclass
class Braces:
    """`head { body }`, with an else part for an if."""

    head: str
    body: Body
    other: Body | None = None


Body: TypeAlias = list["Line | Braces"]


@dataclass
class Template:
    """A thread function; `count` None: any number."""

    name: str
    count: int | None
    locals: list[str]
    body: Body
    takes_self: bool = False


@dataclass(frozen=True, slots=True)
class ConcurrentProgram:
    seed: int
    text: str
    protocol: str
    edits: int


def concurrent(seed: int) -> ConcurrentProgram:
    """The program of this seed; the question to ask is about `x`."""
    r = random.Random(seed)
    maker = _Maker(r)
    protocol = r.choice(PROTOCOLS)
    protocol(maker)
    edits = r.choice([0, 0, 1, 2, 2, 3])
    for _ in range(edits):
        maker.damage()
    maker.decorate()
    return ConcurrentProgram(seed, maker.text(), protocol.__name__, edits)


class _Maker:
    def __init__(self, r: random.Random) -> None:
        self.r = r
        self.globals: list[str] = []
        self.helpers: list[str] = []
        self.templates: list[Template] = []

    # ----------------------------------------------------------------------------------------------- pieces
    def flag(self, name: str, start: int = 0) -> str:
        t = self.r.choice(["unsigned char", "unsigned char", "_Bool", "int"])
        self.globals.append(f"{t} {name}{f' = {start}' if start else ''};")
        return name

    def state(self, name: str, start: int = 0) -> str:
        """A variable that takes more than two values."""
        self.globals.append(f"{self.r.choice(['unsigned char', 'int', 'short'])} {name}{f' = {start}' if start else ''};")
        return name

    def access(self) -> Body:
        """What a thread does with x when it may."""
        r = self.r
        return r.choice([
            lambda: [Line("x = x + 1;")],
            lambda: [Line("x = 1;")],
            lambda: [Line("x = 1;"), Line("x = 0;")],
            lambda: [Line("x++;")],
            lambda: [Braces("if (x == 0)", [Line("x = 1;")])],
            lambda: [Line("use(x);")] if r.random() < 0.3 else [Line("x = 2;")],
        ])()

    def count(self, *choices: int | None) -> int | None:
        return self.r.choice(choices or (None, None, None, 2, 3))

    def thread(self, body: Body, count: int | None, locals_: list[str], takes_self: bool = False) -> None:
        name = f"worker{len(self.templates)}"
        forever = self.r.random() < 0.7
        self.templates.append(Template(name, count, locals_, [Braces("while (1)", body)] if forever else body, takes_self))

    # ----------------------------------------------------------------------------------------------- damage
    def damage(self) -> None:
        """One random edit of one thread's text."""
        template = self.r.choice(self.templates)
        for _ in range(10):
            (edit,) = self.r.choices([_open_block, _swap, _drop, _retouch, _close_block, _move_out], [4, 2, 1, 2, 1, 2])
            if edit(self.r, template.body):
                return

    def decorate(self) -> None:
        """Edits that keep every verdict: local noise, another variable, calls instead of text."""
        for t in self.templates:
            if self.r.random() < 0.3:
                t.locals.append("int noise = 0;")
                target = self.r.choice(_bodies(t.body))
                target.insert(self.r.randrange(len(target) + 1), Line("noise = noise == 0;"))
        if self.r.random() < 0.2:
            self.globals.append("unsigned char other;")
            body = self.r.choice([b for t in self.templates for b in _bodies(t.body)])
            body.insert(self.r.randrange(len(body) + 1), Line("other = 1;"))

    # ----------------------------------------------------------------------------------------------- text
    def text(self) -> str:
        used = "use(x);" in "".join(_flat(t.body) for t in self.templates)
        lines = ['#include "circ.h"', "", f"{self.r.choice(['int', 'unsigned char'])} x;", *self.globals, ""]
        if used:
            lines += ["static void use(int value)", "{", "    int kept = value;", "    (void)kept;", "}", ""]
        for helper in self.helpers:
            lines += [helper, ""]
        for t in self.templates:
            mark = "circ_thread" if t.count is None else f"circ_threads({t.count})"
            lines += [f"{mark} void {t.name}({'int self' if t.takes_self else 'void'})", "{"]
            lines += [f"    {declaration}" for declaration in t.locals]
            lines += _render(t.body, 1)
            lines += ["}", ""]
        return "\n".join(lines)


def _render(body: Body, indent: int) -> list[str]:
    pad = "    " * indent
    lines = []
    for item in body:
        if isinstance(item, Line):
            lines.append(pad + item.text)
            continue
        lines += [f"{pad}{item.head} {{", *_render(item.body, indent + 1)]
        if item.other is not None:
            lines += [f"{pad}}} else {{", *_render(item.other, indent + 1)]
        lines.append(pad + "}")
    return lines


def _flat(body: Body) -> str:
    return "\n".join(_render(body, 0))


def _bodies(body: Body) -> list[Body]:
    """All statement lists in a thread's text, the outermost first."""
    found = [body]
    for item in body:
        if isinstance(item, Braces):
            found += _bodies(item.body)
            found += _bodies(item.other) if item.other is not None else []
    return found


# --------------------------------------------------------------------------------------------------- edits
def _open_block(r: random.Random, body: Body) -> bool:
    """An atomic block loses its braces."""
    places = [(b, i) for b in _bodies(body) for i, item in enumerate(b) if isinstance(item, Braces) and item.head == "atomic"]
    if not places:
        return False
    b, i = r.choice(places)
    item = b[i]
    assert isinstance(item, Braces)
    b[i:i + 1] = item.body
    return True


def _close_block(r: random.Random, body: Body) -> bool:
    """One statement becomes atomic."""
    places = [(b, i) for b in _bodies(body) for i, item in enumerate(b) if isinstance(item, Line)]
    if not places or ("atomic" in _flat(body) and r.random() < 0.5):
        return False
    b, i = r.choice(places)
    if any(isinstance(item, Braces) and item.head == "atomic" and b is inner for outer in _bodies(body)
           for item in outer for inner in ([item.body] if isinstance(item, Braces) else [])):
        return False
    b[i] = Braces("atomic", [b[i]])
    return True


def _swap(r: random.Random, body: Body) -> bool:
    places = [b for b in _bodies(body) if len(b) > 1]
    if not places:
        return False
    b = r.choice(places)
    i = r.randrange(len(b) - 1)
    b[i], b[i + 1] = b[i + 1], b[i]
    return True


def _drop(r: random.Random, body: Body) -> bool:
    places = [b for b in _bodies(body) if len(b) > 1]
    if not places:
        return False
    b = r.choice(places)
    del b[r.randrange(len(b))]
    return True


def _move_out(r: random.Random, body: Body) -> bool:
    """The last statement of a block goes behind it."""
    places = [(b, i) for b in _bodies(body) for i, item in enumerate(b) if isinstance(item, Braces) and len(item.body) > 1]
    if not places:
        return False
    b, i = r.choice(places)
    item = b[i]
    assert isinstance(item, Braces)
    b.insert(i + 1, item.body.pop())
    return True


def _retouch(r: random.Random, body: Body) -> bool:
    """A constant or a test changes."""
    pairs = [("== 0", "== 1"), ("== 1", "== 0"), ("= 0;", "= 1;"), ("= 1;", "= 0;"), ("== 2", "== 1"), ("= 2;", "= 1;"),
             ("== 0", "!= 1"), ("<", "<="), ("1 - self", "self"), ("= 3;", "= 2;")]
    places: list[tuple[Line | Braces, str, str]] = []
    for b in _bodies(body):
        for item in b:
            text = item.text if isinstance(item, Line) else item.head
            places += [(item, old, new) for old, new in pairs if old in text and not text.startswith("while (1)")]
    if not places:
        return False
    item, old, new = r.choice(places)
    if isinstance(item, Line):
        item.text = item.text.replace(old, new, 1)
    else:
        item.head = item.head.replace(old, new, 1)
    return True


# --------------------------------------------------------------------------------------------------- protocols
def test_and_set(m: _Maker) -> None:
    """Figure 1 of the CIRC paper."""
    s = m.flag("s")
    body: Body = [
        Braces("atomic", [Line(f"old = {s};"), Braces(f"if ({s} == 0)", [Line(f"{s} = 1;")])]),
        Braces("if (old == 0)", [*m.access(), Line(f"{s} = 0;")]),
    ]
    m.thread(body, m.count(), [m.r.choice(["int old;", "unsigned char old;", "int old = 1;"])])


def spin_lock(m: _Maker) -> None:
    """A lock taken by waiting inside an atomic block; in a function, or not."""
    s = m.flag("m")
    take: Body = [Braces("atomic", [Line(f"assume({s} == 0);"), Line(f"{s} = 1;")])]
    if m.r.random() < 0.4:
        m.helpers.append("static void take(void)\n{\n" + "\n".join(_render(take, 1)) + "\n}")
        take = [Line("take();")]
    for _ in range(m.r.choice([1, 1, 2])):
        m.thread([*copy.deepcopy(take), *m.access(), Line(f"{s} = 0;")], m.count(), [])


def try_lock(m: _Maker) -> None:
    """A function that says whether it took the lock."""
    s = m.flag("m")
    inner = f"    atomic {{\n        if ({s} == 0) {{\n            {s} = 1;\n            ok = 1;\n        }}\n    }}\n"
    if m.r.random() < 0.3:
        inner = f"    if ({s} == 0) {{\n        {s} = 1;\n        ok = 1;\n    }}\n"
    m.helpers.append(f"static _Bool try_lock(void)\n{{\n    _Bool ok = 0;\n{inner}    return ok;\n}}")
    wait = m.r.random() < 0.3
    body: Body = [Braces("while (!try_lock())", []), *m.access(), Line(f"{s} = 0;")] if wait else [
        Braces("if (try_lock())", [*m.access(), Line(f"{s} = 0;")])]
    m.thread(body, m.count(), [])


def state_machine(m: _Maker) -> None:
    """Phases 0, 1, 2: each is entered atomically by one thread, which touches x and moves on."""
    s = m.state("phase")
    phases = m.r.choice([2, 3])
    for phase in range(phases):
        after = (phase + 1) % phases
        busy = phases + phase
        step: Body = [
            Line("go = 0;"),
            Braces("atomic", [Braces(f"if ({s} == {phase})", [Line(f"{s} = {busy};"), Line("go = 1;")])]),
            Braces("if (go == 1)", [*m.access(), Line(f"{s} = {after};")]),
        ]
        m.thread(step, m.count(None, None, 1, 2), [m.r.choice(["_Bool go = 0;", "int go = 0;"])])


def hand_over(m: _Maker) -> None:
    """A producer and a consumer take turns by a flag that each of them alone may change."""
    f = m.flag("full")
    wait = m.r.choice([lambda c: Line(f"assume({c});"), lambda c: Braces(f"while (!({c}))", [])])
    one = m.r.choice([1, 1, 1, None])
    m.thread([wait(f"{f} == 0"), *m.access(), Line(f"{f} = 1;")], one, [])
    m.thread([wait(f"{f} == 1"), *m.access(), Line(f"{f} = 0;")], m.r.choice([1, 1, 1, 2]), [])


def turns(m: _Maker) -> None:
    """Two numbered threads take turns."""
    t = m.state("turn")
    body: Body = [Line(f"assume({t} == self);"), *m.access(), Line(f"{t} = 1 - self;")]
    m.thread(body, m.r.choice([2, 2, 2, 3]), [], takes_self=True)


def owner(m: _Maker) -> None:
    """A lock that holds its owner's number."""
    o = m.state("owner")
    check = m.r.random() < 0.5
    release: Body = [Braces(f"if ({o} == self + 1)", [Line(f"{o} = 0;")])] if check else [Line(f"{o} = 0;")]
    body: Body = [
        Braces("atomic", [Braces(f"if ({o} == 0)", [Line(f"{o} = self + 1;")])]),
        Braces(f"if ({o} == self + 1)", [*m.access(), *release]),
    ]
    m.thread(body, m.r.choice([2, 3, None]), [], takes_self=True)


def peterson(m: _Maker) -> None:
    """Two threads, each with a flag, and a turn."""
    m.flag("in0")
    m.flag("in1")
    t = m.state("turn")
    for i in (0, 1):
        other = 1 - i
        body: Body = [Line(f"in{i} = 1;"), Line(f"{t} = {other};"),
                      Line(f"assume(in{other} == 0 || {t} == {i});"), *m.access(), Line(f"in{i} = 0;")]
        m.thread(body, 1, [])


def ticket(m: _Maker) -> None:
    """Tickets are drawn atomically and served in order; modulo a number that may be too small."""
    n, s = m.state("next"), m.state("served")
    size = m.r.choice([2, 3, 4])
    body: Body = [
        Braces("atomic", [Line(f"mine = {n};"), Line(f"{n} = ({n} + 1) % {size};")]),
        Line(f"assume({s} == mine);"), *m.access(), Line(f"{s} = ({s} + 1) % {size};"),
    ]
    m.thread(body, m.r.choice([2, 2, 3, None]), ["unsigned char mine;"])


def once(m: _Maker) -> None:
    """Whoever comes first initialises; the others wait until it is done, then only read."""
    b, d = m.flag("begun"), m.flag("done")
    mine: Body = [*m.access(), Line(f"{d} = 1;")]
    read = m.r.choice(["use(x);", "use(x);", "x = 3;"])
    body: Body = [
        Line("first = 0;"),
        Braces("atomic", [Braces(f"if ({b} == 0)", [Line(f"{b} = 1;"), Line("first = 1;")])]),
        Braces("if (first == 1)", mine, [Line(f"assume({d} == 1);"), Line(read)]),
    ]
    m.thread(body, m.count(None, None, 2, 3), ["_Bool first = 0;"])


def interrupt_style(m: _Maker) -> None:
    """A handler that runs only while it is enabled, and a task that disables it around its accesses."""
    e = m.flag("enabled", 1)
    m.thread([Line(f"{e} = 0;"), *m.access(), Line(f"{e} = 1;")], 1, [])
    action = Line("x = x + 1;" if m.r.random() < 0.6 else f"{e} = 0;")
    handler: Body = [Braces("atomic", [Line(f"assume({e} == 1);"), action])]
    if m.r.random() < 0.4:
        handler += [*m.access(), Line(f"{e} = 1;")]
    m.thread(handler, m.r.choice([1, 1, None]), [])


def readers(m: _Maker) -> None:
    """Readers are counted, a writer waits until there is none."""
    n, w = m.state("inside"), m.flag("writing")
    m.thread([Braces("atomic", [Line(f"assume({w} == 0);"), Line(f"{n} = {n} + 1;")]), Line("use(x);"),
              Braces("atomic", [Line(f"{n} = {n} - 1;")])], m.r.choice([1, 2]), [])
    m.thread([Braces("atomic", [Line(f"assume({w} == 0 && {n} == 0);"), Line(f"{w} = 1;")]), *m.access(), Line(f"{w} = 0;")],
             m.r.choice([1, 1, 2]), [])


def relay(m: _Maker) -> None:
    """Racy only if several threads come together: each opens a door for the next one."""
    doors = m.r.choice([1, 2])
    names = [m.flag(f"door{i}") for i in range(doors)]
    body: Body = [*m.access(), Line("stop = 1;")]
    for name in reversed(names):
        body = [Line("pass = 0;"), Braces("atomic", [Braces(f"if ({name} == 0)", [Line(f"{name} = 1;")], [Line("pass = 1;")])]),
                Braces("if (pass == 1)", body)]
    keeper = m.r.random() < 0.5
    if keeper:
        s = m.flag("held")
        body = [*body[:2], Braces("if (pass == 1)", [
            Braces("atomic", [Line(f"assume({s} == 0);"), Line(f"{s} = 1;")]), *m.access(), Line(f"{s} = 0;")])]
    m.thread(body, m.count(None, None, 3), ["_Bool pass = 0;", "_Bool stop = 0;"])


def plain(m: _Maker) -> None:
    """No protocol, or only atomic blocks: what triage decides."""
    kind = m.r.randrange(3)
    body: Body = m.access() if kind == 0 else [Braces("atomic", m.access())] if kind == 1 else [Line("use(x);")]
    m.thread(body, m.count(), [])


PROTOCOLS: tuple[Callable[[_Maker], None], ...] = (
    test_and_set, test_and_set, spin_lock, try_lock, state_machine, state_machine, hand_over, turns, owner, peterson, ticket,
    once, interrupt_style, readers, relay, plain,
)
