"""Sets of variables: locals belong to their template, and certificates write them in the order of the templates."""

from __future__ import annotations

from circ.views.variable_sets import VariableSet, everything, from_rows, named_in
from tests.support.build import program, thread

P = program("x y", thread("v", "0 0", locals="a b"), thread("w", "0 0", locals="b"))


def test_names_as_a_template_sees_them() -> None:
    kept = from_rows(P, ["x"], [["b"], []])
    assert (kept.of("v"), kept.of("w")) == ({"x", "b"}, {"x"})
    assert (kept.own("v"), kept.own("w")) == ({"b"}, set())


def test_there_and_back() -> None:
    kept = from_rows(P, ["y"], [["b", "a"], ["b"]])
    assert kept.rows(P) == [["a", "b"], ["b"]]
    assert from_rows(P, kept.globals, kept.rows(P)) == kept
    assert everything(P) == kept | VariableSet(frozenset({"x"}))


def test_names_used_in_a_template() -> None:
    assert named_in(P, "w", frozenset({"x", "b"})) == VariableSet(frozenset({"x"}), frozenset({("w", "b")}))
