"""circ as a library: in workers and threads of others, with engines of others, on programs that were made by hand."""

from __future__ import annotations

import gc
import multiprocessing
import pickle
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import networkx
import pytest

import circ
import frontend
from circ import engines
from circ.verdict import Certificate, Observer, Options, Question, Refuted, Safe, Unknown, Verdict
from frontend.program import Access, Assign, Cfa, Const, Edge, Havoc, Location, Program, ThreadTemplate, Var, plain_edge
from tests.support.build import INT, program, thread
from tests.support.build import variable as declared
from tests.support.shown import DOCUMENTS, sections

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = str(ROOT / "nesc_examples" / "test_and_set.c")
RACE = str(ROOT / "nesc_examples" / "test_and_set_no_atomic.c")
SAFE = [("x", "Safe"), ("state", "Safe")]


def verdicts(path: str) -> list[tuple[str, str]]:
    return [(a.shown, type(a.verdict).__name__) for a in circ.check(frontend.load(path)).answers]


def refused(text: str) -> None:
    frontend.loads(text)


# ------------------------------------------------------------------------------------------------ in others' processes
@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_in_a_daemonic_worker_of_a_pool(how: str) -> None:
    with multiprocessing.get_context(how).Pool(1) as pool:
        assert pool.map(verdicts, [EXAMPLE]) == [SAFE]


def test_what_is_wrong_with_the_c_gets_out_of_a_worker() -> None:
    with ProcessPoolExecutor(1) as pool:
        error = pool.submit(refused, "int f(void) { return }").exception(timeout=60)
    assert isinstance(error, frontend.FrontendError) and error.location.file == "<text>" and error.message


def test_in_several_threads_at_once_and_nothing_stays_changed() -> None:
    before = sys.getrecursionlimit(), gc.isenabled(), signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(verdicts, [EXAMPLE] * 4)) == [SAFE] * 4
    assert before == (sys.getrecursionlimit(), gc.isenabled(), signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT))
    assert multiprocessing.active_children() == []


def test_a_setting_is_kept_while_any_thread_needs_it() -> None:
    before, inside, leave = sys.getrecursionlimit(), threading.Event(), threading.Event()

    def other() -> None:
        with frontend.program.deep_recursion():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with frontend.program.deep_recursion():
        thread.start()
        inside.wait(10)
        deep = sys.getrecursionlimit()
    assert sys.getrecursionlimit() == deep > before, "the other thread still needs it"
    leave.set()
    thread.join()
    assert sys.getrecursionlimit() == before


def test_results_can_be_pickled() -> None:
    for path in (EXAMPLE, RACE):
        result = circ.check(frontend.load(path), ["x"], engine="omega-circ")
        assert pickle.loads(pickle.dumps(result)) == result


def test_there_is_a_version() -> None:
    assert re.match(r"\d+\.\d+", circ.__version__)


# ------------------------------------------------------------------------------------------------ engines of others
def undecided(program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
    observer("thinking", {"about": str(question)})
    return Unknown("no idea")


class Trusting:
    """Says of everything that it is protected."""

    def __call__(self, program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
        return Safe(Certificate(program.fingerprint(), question, "protected", {}))


def nothing(program: Program, question: Question, options: Options, observer: Observer) -> Verdict:
    return None  # type: ignore[return-value]


def test_an_engine_may_be_a_function() -> None:
    heard: list[object] = []
    result = circ.check(frontend.load(RACE), engine=undecided, observer=lambda event, data: heard.append((event, data.get("about"))))
    assert [(a.engine, a.verdict.reason) for a in result.answers if isinstance(a.verdict, Unknown)] == [("undecided", "no idea")] * 2
    assert ("thinking", "x") in heard


def test_what_an_engine_of_others_says_is_not_believed() -> None:
    answers = {a.shown: a for a in circ.check(frontend.load(RACE), engine=Trusting()).answers}
    verdict = answers["x"].verdict
    assert answers["x"].engine == "Trusting" and isinstance(verdict, Unknown) and "the kernel refused" in verdict.reason


def test_an_engine_that_answers_nothing_is_told_of() -> None:
    verdict = circ.check(frontend.load(RACE), ["x"], engine=nothing).answers[0].verdict
    assert isinstance(verdict, Unknown) and "the engine nothing answered NoneType" in verdict.reason


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A folder with an installed package that adds an engine, and one that would hide ours."""
    (tmp_path / "guesses.py").write_text("from circ.verdict import Unknown\n"
                                         "def engine():\n    return lambda p, q, o, observer: Unknown('guessed nothing')\n")
    info = tmp_path / "guesses-2.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: guesses\nVersion: 2.5\n")
    (info / "entry_points.txt").write_text("[circ.engines]\nguess = guesses:engine\nauto = guesses:engine\n")
    return tmp_path


def circ_in(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    script = "import sys; sys.path.insert(0, sys.argv.pop(1)); from circ.cli import main; main()"
    return subprocess.run([sys.executable, "-c", script, str(folder), *words], capture_output=True, text=True, cwd=ROOT)


def test_packages_add_engines_by_entry_points(package: Path) -> None:
    listed = circ_in(package, "engines").stdout
    assert re.search(r"^guess +added by guesses 2\.5$", listed, re.M) and listed.count("(default)") == 1
    done = circ_in(package, "check", RACE, "--engine", "guess", "-x", "x", "-v")
    assert done.returncode == 3 and "guessed nothing" in done.stdout
    assert circ_in(package, "check", EXAMPLE, "-x", "x").returncode == 0, "auto is ours"
    done = circ_in(package, "check", RACE, "--engine", "gues")
    assert done.returncode == 2 and "guess" in done.stderr


def test_an_engine_that_there_is_not() -> None:
    with pytest.raises(ValueError, match="unknown engine 'magic': one of auto, "):
        circ.check(frontend.load(EXAMPLE), engine="magic")
    assert engines.find("magic") is None


# ------------------------------------------------------------------------------------------------ text and projects
def test_a_text_is_read_like_a_file(tmp_path: Path) -> None:
    text = '#include "own.h"\n#include "circ.h"\ncirc_thread void w(void) {\r\n  x = x + 1; }\n'
    (tmp_path / "own.h").write_text("int x;\n")
    (tmp_path / "a.c").write_text(text)
    in_memory = frontend.loads(text, name=str(tmp_path / "a.c"))
    assert in_memory == frontend.load(tmp_path / "a.c") and in_memory.files == (str(tmp_path / "a.c"),)
    (tmp_path / "a.c").write_text("int y;\n")
    assert frontend.loads(text, name=str(tmp_path / "a.c")) == in_memory, "the text is meant, not the file"


@pytest.mark.parametrize(("text", "place"), [("int x;\n in\0t", "<text>:2:4"), ("", "<text>:1:1"), ("int x\nint y;", "<text>:2:1")])
def test_a_text_that_is_no_c_is_refused_with_its_place(text: str, place: str) -> None:
    with pytest.raises(frontend.FrontendError, match=f"^{re.escape(place)}") as refusal:
        frontend.loads(text)
    assert str(refusal.value).startswith(place)


def test_a_text_is_not_given_to_another_preprocessor() -> None:
    with pytest.raises(frontend.FrontendError, match="another preprocessor"):
        frontend.loads("int x;", frontend.LoadOptions(cpp="cpp"))


def test_files_of_a_program_may_be_paths_or_texts(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text('#include "circ.h"\nextern int x;\ncirc_thread void w(void) { x = 1; }\n')
    both = frontend.load_project([tmp_path / "a.c", frontend.SourceFile("b.c", text="int x;")])
    assert [v.shown for v in both.shared] == ["x"]
    with pytest.raises(ValueError, match="at least one file"):
        frontend.load_project([])


# ------------------------------------------------------------------------------------------------ graphs
def test_an_automaton_as_a_graph() -> None:
    cfa = frontend.load(EXAMPLE).templates[0].cfa
    graph = cfa.to_networkx()
    assert sorted(graph.nodes) == list(range(cfa.size)) and graph.number_of_edges() == len(cfa.edges)
    assert {q for q, inside in graph.nodes(data="atomic") if inside} == cfa.atomic != frozenset()
    assert [q for q, first in graph.nodes(data="start") if first] == [cfa.start]
    assert all(cfa.edges[key] is edge for _, _, key, edge in graph.edges(keys=True, data="edge"))


def test_two_edges_between_two_locations_are_two() -> None:
    (t,) = program("x y", thread("w", "0 1 x = 1 / 0 1 y = 1 / 1 0")).templates
    assert t.cfa.to_networkx().number_of_edges(0, 1) == 2


def test_the_context_that_was_inferred_as_data() -> None:
    (answer,) = circ.check(frontend.load(EXAMPLE), ["x"], engine="omega-circ").answers
    assert isinstance(answer.verdict, Safe)
    (automaton,) = answer.verdict.context
    graph = automaton.to_networkx()
    taken = [e for e in automaton.edges if automaton.locations[e.target].places and e.writes == ("state",)]
    assert len(taken) == 2 and any(location.start for location in automaton.locations)
    assert networkx.is_strongly_connected(graph) and "state == 0 -> state != 0 writes state" in dict(graph.edges.items())[0, 1, 0]["label"]


# ------------------------------------------------------------------------------------------------ by hand
def by_hand(edges: Sequence[Edge], **changes: object) -> Program:
    cfa = replace(Cfa(2, 0, tuple(edges)), **changes)
    return Program("by hand", (declared("x"), declared("a[4]")), (ThreadTemplate("w", cfa),))


def test_a_program_made_by_hand_is_checked_like_any_other() -> None:
    x = Var("x", INT)
    bare = by_hand([plain_edge(0, 1, Assign(x, Const(1, INT)), (declared("x"),))])
    assert isinstance(circ.check(bare, ["x"]).answers[0].verdict, Refuted)
    one = replace(bare, templates=(replace(bare.templates[0], count=1),))
    assert isinstance(circ.check(one, ["x"]).answers[0].verdict, Safe)


def test_a_plain_edge_has_all_its_accesses() -> None:
    shared = (declared("x"), declared("a[4]"))
    edge = plain_edge(0, 1, Havoc((Var("x", INT), Var("own", INT)), ("a",)), shared, location=Location("a.c", 3))
    assert edge.accesses == (Access(Var("a", INT), True, Location("a.c", 3), whole=True), Access(Var("x", INT), True, Location("a.c", 3)))


X = Assign(Var("x", INT), Const(1, INT))


@pytest.mark.parametrize(("wrong", "why"), [
    (by_hand([Edge(0, 7, X)]), "w: edge 0: there is no location 7"),
    (by_hand([Edge(0, 1, Assign(Var("y", INT), Const(1, INT)))]), "w: edge 0: there is no variable 'y'"),
    (by_hand([Edge(0, 1, X)], atomic=frozenset({0})), "w: the start 0 is atomic"),
    (by_hand([Edge(0, 1, X)], atomic=frozenset({1})), "w: edge 0 is at an atomic location, and not protected"),
    (by_hand([], start=5), "w: there is no location 5"),
    (program("x", thread("w", "0 1 all v 0")), "w: edge 0 waits for 'v', which is no thread"),
    (program("x", thread("w", "0 1 x = 1"), thread("w", "0 1 x = 2")), "two threads are called 'w'"),
    (program("x x", thread("w", "0 1 x = 1")), "w: two variables are called 'x'"),
])
def test_what_is_no_program_is_refused(wrong: Program, why: str) -> None:
    with pytest.raises(ValueError, match=re.escape(why)):
        circ.check(wrong)


# ------------------------------------------------------------------------------------------------ examples
def test_every_example_is_shown_and_so_run() -> None:
    (page,) = (d for d in DOCUMENTS if d.name == "library.md")
    shown = {part.text for section in sections(page) for part in section.parts if hasattr(part, "output")}
    scripts = sorted((ROOT / "docs" / "examples").glob("*.py"))
    assert len(scripts) == 6
    assert [s.name for s in scripts if f"python docs/examples/{s.name}" not in shown] == []
