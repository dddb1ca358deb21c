"""`circ serve`: requests and events line by line; what is remembered, what an edit costs, what ends a request."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import frontend
from circ.run.process_tree import below
from circ.serve.memory import Known, Moved, usable
from circ.verdict import Answer, RaceOn, Refuted, Safe, Trace, Unknown

ROOT = Path(__file__).resolve().parents[3]
LOCKED = """#include <pthread.h>
int x, y;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *first(void *p) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return p; }
void *second(void *p) { y = 1; return p; }
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, first, 0); pthread_create(&t, 0, second, 0);
    first(0); second(0); return 0;
}
"""
SLOW = """#include <pthread.h>
unsigned a, b, c, x;
void *work(void *p) { while (1) { a = a * 3 + b; b = b * 5 + c; c = c * 7 + a; if (a * a + b * b == c * c + 7) x++; } return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); work(0); return 0; }
"""
STATE = (ROOT / "nesc_examples" / "test_and_set.c").read_text()


class Client:
    def __init__(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-m", "circ", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
        self.number = 0

    def send(self, data: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(data) + "\n" if not isinstance(data, str) else data)
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        event: dict[str, Any] = json.loads(self.process.stdout.readline())
        return event

    def ask(self, *files: Path, options: tuple[str, ...] = (), texts: dict[str, str] | None = None) -> int:
        self.number += 1
        params = {"files": list(map(str, files)), "options": list(options), "texts": texts or {}}
        self.send({"id": self.number, "method": "check", "params": params})
        return self.number

    def check(self, *files: Path, options: tuple[str, ...] = (), texts: dict[str, str] | None = None) -> list[dict[str, Any]]:
        number, events = self.ask(*files, options=options, texts=texts), []
        while not events or events[-1]["event"] not in ("end", "failed", "cancelled"):
            events.append(self.hear())
            assert events[-1]["id"] == number
        return events


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    it = Client()
    yield it
    assert it.process.stdin is not None
    it.process.stdin.close()
    assert it.process.wait(20) == 0


def verdicts(events: list[dict[str, Any]]) -> dict[str, tuple[str, bool]]:
    return {e["answer"]["variable"]: (e["answer"]["verdict"], e["reused"]) for e in events if e["event"] == "answer"}


def test_an_edit_costs_what_it_changes(client: Client, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(LOCKED)
    events = client.check(file)
    assert [e["event"] for e in events] == ["read", "answer", "answer", "end"] and events[-1]["status"] == 1
    assert verdicts(events) == {"x": ("safe", False), "y": ("race", False)}
    (x,) = [v for v in events[0]["program"]["variables"] if v["name"] == "x"]
    assert {(a["thread"], a["write"], a["location"]["line"]) for a in x["accesses"]} == {
        (t, w, 4) for t in ("main", "first") for w in (True, False)}

    assert verdicts(client.check(file)) == {"x": ("safe", True), "y": ("race", True)}, "nothing has changed"

    file.write_text("/* a comment */\n" + LOCKED)
    events = client.check(file)
    assert verdicts(events) == {"x": ("safe", True), "y": ("race", True)}, "lines have moved"
    places = [e["answer"]["trace"]["accesses"][0]["location"]["line"] for e in events if "trace" in e.get("answer", {})]
    assert places == [6], "and the race is shown where it is now"

    mended = LOCKED.replace("{ y = 1;", "{ pthread_mutex_lock(&m); y = 1; pthread_mutex_unlock(&m);")
    file.write_text(mended)
    assert verdicts(client.check(file))["y"] == ("safe", False), "what was a race is none any more, whatever was known"
    file.write_text(mended.replace("x++;", "x++; pthread_mutex_unlock(&m); x++; pthread_mutex_lock(&m);"))
    assert verdicts(client.check(file))["x"] == ("race", False), "an old proof is no proof of a new program"


def test_a_proof_that_still_holds_is_checked_and_not_found_again(client: Client, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(STATE)
    assert verdicts(client.check(file)) == {"x": ("safe", False), "state": ("safe", False)}
    file.write_text(STATE.replace("x = x + 1;", "x = x + 2;"))
    events = client.check(file)
    assert verdicts(events)["x"] == ("safe", True)


def test_the_text_of_an_editor_is_meant_not_the_file(client: Client, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text("no C at all")
    assert verdicts(client.check(file, texts={str(file): LOCKED}))["y"][0] == "race"
    (failed,) = client.check(file)
    assert failed["event"] == "failed" and failed["location"]["file"] == str(file)


def test_options_are_those_of_the_command_line_and_of_the_header(client: Client, tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text("// CIRC: -x x\nint x, y;\nvoid f(void) { x = 1; y = 1; }\n")
    assert verdicts(client.check(file, options=("--thread", "f"))) == {"x": ("race", False)}
    for wrong in (("--engine", "magic"), ("--nonsense",), ("--timeout", "soon")):
        (failed,) = client.check(file, options=wrong)
        assert failed["event"] == "failed" and failed["location"]["line"] == 1


@pytest.mark.parametrize("request_", ["{\n", "[]\n", {"id": 7, "method": "fly"}, {"id": 7, "method": "check", "params": {}},
                                      {"id": 7, "method": "check", "params": {"files": ["a.c"], "options": "-x"}},
                                      {"id": 7, "method": "check", "params": []}, {"id": 7, "method": "cancel"}])
def test_what_is_no_request_is_told(client: Client, request_: object) -> None:
    client.send(request_)
    event = client.hear()
    assert event["event"] == "failed" and event["message"].startswith("bad request: ")
    assert event["id"] == (request_["id"] if isinstance(request_, dict) else None)


def test_a_newer_request_and_a_cancel_end_the_work_at_once(client: Client, tmp_path: Path) -> None:
    file, other = tmp_path / "a.c", tmp_path / "b.c"
    file.write_text(SLOW)
    other.write_text(LOCKED)
    options = ("--timeout", "600")
    old = client.ask(file, options=options)
    assert client.hear()["event"] == "read"
    new = client.ask(file, options=options)
    assert client.hear() == {"id": old, "event": "cancelled"}
    waiting = client.ask(other)
    event = client.hear()
    assert (event["id"], event["event"]) == (new, "read")
    client.send({"id": 99, "method": "cancel", "params": {"id": new}})
    events = [client.hear()]
    while events[-1]["event"] != "end":
        events.append(client.hear())
    assert events[0] == {"id": new, "event": "cancelled"} and {e["id"] for e in events[1:]} == {waiting}
    assert below(client.process.pid) == [], "nothing is left running"


def test_what_was_asked_before_the_end_is_answered_but_not_after_exit(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(LOCKED)
    asked = json.dumps({"id": 1, "method": "check", "params": {"files": [str(file)]}}) + "\n"
    run = [sys.executable, "-m", "circ", "serve"]
    done = subprocess.run(run, input=asked, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0 and json.loads(done.stdout.splitlines()[-1])["event"] == "end"
    done = subprocess.run(run, input=asked + '{"method": "exit"}\n', capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout) == (0, "")


# ------------------------------------------------------------------------------------------------ what is kept
def test_reasons_in_words_follow_their_lines() -> None:
    before = frontend.loads(STATE)
    moved = Moved(before, frontend.loads("\n\n" + STATE))
    assert moved.words("it is at line 25 and lines 19, 20, with 3 others") == "it is at line 27 and lines 21, 22, with 3 others"
    assert moved.words("it is at line 1") is None, "nothing is known of that line"
    assert moved.words("no line here") == "no line here"


def test_of_an_older_program_only_evidence_is_kept_and_only_for_the_kernel() -> None:
    program, other = frontend.loads(STATE), frontend.loads(STATE.replace("x + 1", "x + 2"))
    trace = Trace(program.fingerprint(), RaceOn("x"), (), (), ())
    known = Known("k", program, {RaceOn("x"): Answer(RaceOn("x"), "x", Refuted(trace), "explicit"),
                                 RaceOn("state"): Answer(RaceOn("state"), "state", Unknown("no idea"), "auto")})
    same, kept = usable(known, other)
    assert same == {} and list(kept) == [RaceOn("x")]
    verdict = kept[RaceOn("x")].verdict
    assert isinstance(verdict, Refuted) and verdict.trace.program == other.fingerprint()
    same, kept = usable(known, program)
    assert set(same) == {RaceOn("x"), RaceOn("state")} and kept == {}


def test_an_answer_that_was_cut_off_from_outside_is_asked_for_again() -> None:
    program = frontend.loads(STATE)
    killed = Answer(RaceOn("x"), "x", Unknown("killed", killed=True), "auto")
    assert usable(Known("k", program, {RaceOn("x"): killed}), program) == ({}, {})
    assert not isinstance(killed.verdict, Safe)
