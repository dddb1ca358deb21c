"""`circ.run.supervise`: limits are kept while the worker is stuck in C, a dead child never takes the others with it."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from circ.run.supervise import ChildOutcome, Crashed, Died, Done, Emit, Limits, OutOfMemory, TimedOut, supervise

Worker = Callable[[str, Emit], str]


def start() -> Worker:
    seen: list[str] = []

    def work(task: str, emit: Emit) -> str:
        seen.append(task)
        match task:
            case "stuck":
                ctypes.CDLL(None).sleep(3600)  # returns to no Python code, as a solver call does
            case "hungry":
                hoard = [b"x" * (1 << 24)]
                while True:
                    hoard.append(hoard[0] + b"y" * len(hoard))
            case "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            case "raise":
                raise ValueError("oops")
            case "deep":
                def deep(n: int) -> int:
                    return 0 if n == 0 else 1 + deep(n - 1)
                return str(deep(20_000))
            case "talk":
                emit("progress", {"round": 3, "dropped": object()})
        return " ".join(seen)

    return work


def run(*tasks: str, timeout: float = 30, memory: int | None = 1024) -> list[ChildOutcome[str]]:
    return [outcome for _, outcome in supervise(tasks, start, Limits(timeout, memory))]


def test_what_is_learnt_is_kept_from_task_to_task() -> None:
    assert run("a", "b", "c") == [Done("a"), Done("a b"), Done("a b c")]


def test_a_stuck_task_is_killed_and_the_rest_goes_on() -> None:
    assert run("a", "stuck", "b", "c", timeout=0.3) == [Done("a"), TimedOut(0.3), Done("b"), Done("b c")]


def test_memory_is_limited() -> None:
    assert run("hungry", "a", memory=300) == [OutOfMemory(300), Done("a")]


def test_death_and_exceptions_are_told() -> None:
    died, crashed, last = run("killed", "raise", "a")
    assert isinstance(died, Died) and died.how == "signal SIGKILL"
    assert isinstance(crashed, Crashed) and crashed.error == "ValueError: oops" and "in work" in crashed.traceback
    assert last == Done("raise a")


def test_deep_recursion_is_no_problem() -> None:
    assert run("deep") == [Done("20000")]


def test_events_arrive_while_the_task_runs() -> None:
    events: list[tuple[str, str, Mapping[str, Any]]] = []
    outcomes = list(supervise(["talk"], start, Limits(), lambda task, name, data: events.append((task, name, data))))
    assert outcomes == [("talk", Done("talk"))]
    assert events == [("talk", "progress", {"round": 3})]


def test_giving_up_ends_the_child() -> None:
    def where() -> Worker:
        return lambda task, emit: str(os.getpid()) if task == "pid" else start()(task, emit)

    outcomes = supervise(["pid", "stuck"], where, Limits())
    _, first = next(outcomes)
    assert isinstance(first, Done)
    outcomes.close()  # type: ignore[attr-defined]
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.kill(int(first.value), signal.SIG_DFL)
        except ProcessLookupError:
            return
        time.sleep(0.01)
    raise AssertionError("the child is still there")


@pytest.mark.parametrize("limits", [Limits(60.0, 99_999_999_999_999, 60.0), Limits(60.0, 4096, float("inf")), Limits(float("inf"), 4096, 1e300)])
def test_limits_that_nothing_comes_to(limits: Limits) -> None:
    [(_, outcome)] = supervise([3], lambda: lambda task, emit: task + 1, limits)
    assert outcome == Done(4)
