"""What rounds have in common is made once, and is what would be made anew."""

from circ.abstraction.seen_templates import SeenTemplates
from circ.views.variable_sets import VariableSet
from frontend import loads

TEXT = """
#include "circ.h"
int x, busy, other;
circ_thread void one(void) { atomic { assume(busy == 0); busy = 1; } x++; busy = 0; }
circ_thread void two(void) { other = 1; x = other; }
"""


def test_a_template_that_touches_nothing_new_is_not_looked_at_again() -> None:
    seen = SeenTemplates(loads(TEXT), "x", glue=True)
    before = seen.skeletons(VariableSet(frozenset({"x"})))
    after = seen.skeletons(VariableSet(frozenset({"x", "busy"})))
    assert after[0] is not before[0] and any("busy" in s.writes for row in after[0].segments for s in row)
    assert after[1] is before[1]
    assert all(a is b for a, b in zip(seen.skeletons(VariableSet(frozenset({"x"}))), before, strict=True))


def test_what_is_known_is_what_would_be_made_anew() -> None:
    program = loads(TEXT)
    seen = SeenTemplates(program, "x", glue=True)
    for names in ({"x"}, {"x", "busy"}, {"x", "busy", "other"}, {"x", "other"}):
        kept = VariableSet(frozenset(names), frozenset({("two", v.name) for v in program.template("two").locals}))
        assert seen.skeletons(kept) == SeenTemplates(program, "x", glue=True).skeletons(kept)
