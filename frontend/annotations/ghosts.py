"""Ghost variables that say which thread is where: `//@ ghost owner = \\tid at f: 3, 4 if e, g: 7;`

The variable is 0 at the start. A thread of `f` that comes to location 3, or to location 4 while `e` holds, puts its number
there; one that is anywhere else after a step takes it away again if it is its own. Locations are those of the automaton
(`circ cfa --contracts`); steps inside atomic sections are part of the one that ends it. No step depends on a ghost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from frontend.annotations.attached import Clause, ClauseToken, tid_of
from frontend.annotations.two_state import NameLookup, read_formula
from frontend.program import (
    FALSE,
    TRUE,
    ZERO,
    Assign,
    Binary,
    Block,
    Const,
    DataModel,
    Edge,
    Expr,
    FrontendError,
    Ite,
    Program,
    Read,
    ThreadTemplate,
    Var,
    Variable,
    primitive,
)
from frontend.records import dataclass

_SYNTAX = "//@ ghost name = \\tid at f: 3, 4 if e;"


@dataclass(frozen=True, slots=True)
class Ghost:
    """For each template and location the condition under which a thread there has its number in the variable."""

    variable: Var
    tid: Var
    places: Mapping[str, Mapping[int, Expr]]


def with_ghosts(program: Program, clauses: Sequence[Clause], model: DataModel) -> tuple[Program, tuple[Ghost, ...]]:
    """The program with the variables; `followed` then makes the steps follow them."""
    made: list[Ghost] = []
    for clause in clauses:
        ghost = _GhostReader(program, clause, model).ghost()
        if any(ghost.variable.name in (v.name, v.shown) for v in program.globals):
            raise FrontendError(clause.location, f"there is a variable '{ghost.variable.name}' already",
                                "give the ghost another name")
        variable = Variable(ghost.variable.name, ghost.variable.type, None, ZERO, ghost.variable.name, ghost=True,
                            location=clause.location)
        program = replace(program, globals=(*program.globals, variable))
        made.append(ghost)
    return program, tuple(made)


def followed(edge: Edge, template: ThreadTemplate, ghosts: Sequence[Ghost]) -> Edge:
    """The step together with what it does to ghosts."""
    cfa = template.cfa
    if edge.target in cfa.atomic or edge.target in cfa.errors or edge.target >= cfa.size:
        return edge
    ops = list(primitive(edge.op))
    for ghost in ghosts:
        places = ghost.places.get(template.name.partition("#")[0], {})
        here = places.get(edge.target, FALSE)
        if here == FALSE and edge.source not in places and edge.source not in cfa.atomic:
            continue
        if places:
            ops.append(Assign(ghost.variable, _value(ghost, here)))
    return edge if len(ops) == len(list(primitive(edge.op))) else replace(edge, op=Block(tuple(ops)))


def _value(ghost: Ghost, here: Expr) -> Expr:
    mine, owner = Read(ghost.tid), Read(ghost.variable)
    if here == TRUE:
        return mine
    away = Ite(Binary("==", owner, mine), Const(0, ghost.variable.type), owner)
    return away if here == FALSE else Ite(here, mine, away)


class _GhostReader:
    def __init__(self, program: Program, clause: Clause, model: DataModel) -> None:
        self.program, self.clause, self.model = program, clause, model
        self.words = list(clause.words)

    def ghost(self) -> Ghost:
        head = [w.text for w in self.words[:4]]
        if len(head) < 4 or self.words[0].kind != "name" or head[1:] != ["=", "\\tid", "at"]:
            raise FrontendError(self.clause.location, "a ghost variable holds the number of the thread at some locations",
                                _SYNTAX)
        tid = tid_of(self.model)
        places: dict[str, dict[int, Expr]] = {}
        template: ThreadTemplate | None = None
        for words in self._items(self.words[4:]):
            if len(words) > 2 and words[0].kind == "name" and words[1].text == ":":
                template, words = self._template(words[0]), words[2:]
            if template is None or not words or words[0].kind != "number":
                raise FrontendError(words[0].location if words else self.clause.end,
                                    "a thread function and locations are wanted here", _SYNTAX)
            place = int(words[0].text)
            if not 0 <= place < template.cfa.size:
                raise FrontendError(words[0].location, f"'{template.name}' has no location {place}",
                                    "circ cfa --contracts shows them")
            places.setdefault(template.name.partition("#")[0], {})[place] = self._condition(template, words[1:])
        return Ghost(Var(head[0], tid.type), tid, places)

    @staticmethod
    def _items(words: list[ClauseToken]) -> list[list[ClauseToken]]:
        """The words between commas."""
        items: list[list[ClauseToken]] = [[]]
        depth = 0
        for word in words:
            depth += (word.text in "([") - (word.text in ")]")
            if word.text == "," and depth == 0:
                items.append([])
            else:
                items[-1].append(word)
        return items

    def _template(self, word: ClauseToken) -> ThreadTemplate:
        found = next((t for t in self.program.templates if t.name.partition("#")[0] == word.text), None)
        if found is None:
            raise FrontendError(word.location, f"'{word.text}' is not the function of a thread",
                                f"threads run {', '.join(t.name for t in self.program.templates)}")
        return found

    def _condition(self, template: ThreadTemplate, words: list[ClauseToken]) -> Expr:
        if not words:
            return TRUE
        if words[0].text != "if" or len(words) == 1:
            raise FrontendError(words[0].location, f"unexpected '{words[0].text}'", _SYNTAX)

        def find(name: str) -> Variable | Expr | None:
            known = (*template.locals, *self.program.globals)
            return next((v for v in known if name in (v.name, v.shown)), None) or next(
                (v for v in template.locals if v.name.rpartition("::")[2] == name), None)

        return read_formula(replace(self.clause, words=tuple(words[1:])), NameLookup(find), self.model)
