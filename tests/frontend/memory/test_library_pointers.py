"""Which pointers stay known where library functions write beside them, free them or hand them on."""

from __future__ import annotations

from pathlib import Path

import pytest

import frontend
from frontend.program import Program

HEAD = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct item { int number; char label[20]; struct item *next; };
struct item *list;
int sum;
"""
THREADS = """
void *worker(void *arg) { BODY }
int main(void)
{
    pthread_t a, b;
    START
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    END
    return 0;
}
"""


def load(tmp_path: Path, body: str, start: str = "", end: str = "", head: str = "") -> Program:
    path = tmp_path / "p.c"
    path.write_text(HEAD + head + THREADS.replace("BODY", body).replace("START", start).replace("END", end))
    return frontend.load(str(path))


def outside(program: Program) -> bool:
    """Whether some access may be one to memory that is no object of the program."""
    return any(a.variable == "memory from outside" for t in program.templates for e in t.cfa.edges for a in e.accesses)


def accessed(program: Program, line: str, write: bool) -> set[str]:
    """The variables that threads access on lines with this text."""
    return {a.variable for t in program.templates for e in t.cfa.edges for a in e.accesses if line in e.text and a.write is write}


KNOWN = [
    "struct item *it = malloc(sizeof *it); sprintf(it->label, \"%d\", 1); it->next = list; list = it; sum += list->number;",
    "struct item *it = malloc(sizeof *it); strcpy(it->label, \"x\"); it->next = list; list = it; sum += list->next->number;",
    "struct item *it = calloc(1, sizeof *it); it->next = list; list = it; sum += it->next->number; free(it);",
    "struct item *it = malloc(sizeof *it); memset(it, 0, sizeof *it); it->label[sum] = 1; it->next = list; list = it->next;",
    "struct item *it = malloc(sizeof *it); read(0, it->label, 20); it->next = list; list = it; sum += list->number;",
]


@pytest.mark.parametrize("body", KNOWN)
def test_text_beside_a_pointer_leaves_it_known(tmp_path: Path, body: str) -> None:
    program = load(tmp_path, body + " return 0;")
    assert not outside(program)


@pytest.mark.parametrize("body", [
    "struct item *it = malloc(sizeof *it); read(0, it, sizeof *it); list = it; sum += list->next->number;",
    "struct item *it = malloc(sizeof *it); read(0, &it->next, sizeof it->next); list = it; sum += list->next->number;",
])
def test_a_pointer_that_is_read_from_a_file_may_be_any(tmp_path: Path, body: str) -> None:
    program = load(tmp_path, body + " return 0;")
    assert outside(program)


def test_bytes_read_into_a_struct_are_not_only_those_of_its_first_array(tmp_path: Path) -> None:
    record = "struct record { char name[8]; int value; } shared;"
    program = load(tmp_path, "read(0, &shared, sizeof shared); return 0;", end="sum = shared.value;", head=record)
    assert accessed(program, "read(", write=True) == {"shared.name[]", "shared.value"}


@pytest.mark.parametrize("end", ["return it;", "pthread_exit(it);"])
def test_what_a_joined_thread_returns_is_what_its_function_does(tmp_path: Path, end: str) -> None:
    body = f"struct item *it = malloc(sizeof *it); it->number = 1; {end}"
    program = load(tmp_path, body, end="void *r; pthread_join(a, &r); sum = ((struct item *)r)->number;")
    assert not outside(program)
    assert len(accessed(program, "->number", write=False)) >= 1


def test_text_that_is_kept_beside_a_list_is_text(tmp_path: Path) -> None:
    node = "struct node { struct node *next; char *key; int n; } *nodes;"
    body = "struct node *n = malloc(sizeof *n); n->key = strdup(\"k\"); n->next = nodes; nodes = n; sum += nodes->next->n;"
    program = load(tmp_path, body + " free(nodes->key); return 0;", head=node)
    assert accessed(program, "free(", write=True) == {"strdup@worker:11[]"}
