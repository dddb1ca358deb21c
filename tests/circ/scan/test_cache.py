"""The cache is not believed: damaged and forged entries, folders that others can write to."""

from __future__ import annotations

import hashlib
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

from circ.report.rows import Row
from circ.run.session import Request
from circ.scan.cache import Cache, Damaged, _sealed
from circ.scan.job import FileScan, Job, Warned
from circ.scan.sources import Source
from circ.verdict import Certificate, RaceOn
from frontend import LoadOptions, load

SAFE = "int x;\n__attribute__((circ_thread)) void w(void) { atomic { x = x + 1; } }\n"
RACY = "int x;\n__attribute__((circ_thread)) void w(void) { x = x + 1; }\n"
FLIPS = 200


def scanned(path: Path, cache: Cache | None) -> list[Any]:
    told: list[Any] = []
    FileScan(lambda source, header: Request(LoadOptions()), cache, {}, None)(Job(0, Source(str(path), str(path.parent))), told.append)
    return told


def verdicts(told: list[Any]) -> list[tuple[str, bool]]:
    return [(row.verdict, row.cached) for row in told if isinstance(row, Row)]


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    cache = Cache(tmp_path / "cache")
    assert cache.refused() == ""
    return cache


def entry(cache: Cache) -> Path:
    [path] = cache.folder.glob("*.answer")
    return path


def flips(cache: Cache, count: int, rng: random.Random) -> None:
    """Each flipped bit makes the entry a damaged one."""
    path = entry(cache)
    whole = path.read_bytes()
    key, question = "key", RaceOn("x")
    place = cache._path(key, question)
    path.replace(place)
    assert cache.get(key, question) is not None
    for _ in range(count):
        damaged = bytearray(whole)
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
        place.write_bytes(damaged)
        with pytest.raises(Damaged):
            cache.get(key, question)
    for length in rng.sample(range(len(whole)), 20):
        place.write_bytes(whole[:length])
        with pytest.raises(Damaged):
            cache.get(key, question)


@pytest.mark.parametrize("text", [SAFE, RACY])
def test_a_flipped_bit_is_no_entry(cache: Cache, tmp_path: Path, text: str) -> None:
    (tmp_path / "a.c").write_text(text)
    scanned(tmp_path / "a.c", cache)
    flips(cache, FLIPS, random.Random(1))


@pytest.mark.parametrize(("text", "verdict"), [(SAFE, "safe"), (RACY, "race")])
def test_an_entry_is_checked_again_and_a_damaged_one_computed_anew(cache: Cache, tmp_path: Path, text: str, verdict: str) -> None:
    path = tmp_path / "a.c"
    path.write_text(text)
    fresh = scanned(path, cache)
    again = scanned(path, cache)
    assert verdicts(fresh) == [(verdict, False)] and verdicts(again) == [(verdict, True)]
    assert [r.message for r in fresh if isinstance(r, Row)] == [r.message for r in again if isinstance(r, Row)]
    for damage in (b"", b"\0", b"circ-cache-1 0\n", _sealed(b"[]\n") + b"\n[]\n", _sealed(b"{}\n{}") + b"\n{}\n{}"):
        entry(cache).write_bytes(damage)
        told = scanned(path, cache)
        assert verdicts(told) == [(verdict, False)] and [w.kind for w in told if isinstance(w, Warned)] == ["damaged"]
    assert verdicts(scanned(path, cache)) == [(verdict, True)]


@pytest.mark.parametrize("kind", ["unshared", "read-only", "protected", "pairs", "nonsense"])
def test_a_forged_proof_makes_no_race_safe(cache: Cache, tmp_path: Path, kind: str) -> None:
    """Whoever can write to the cache, checksum and all, cannot change a verdict."""
    path = tmp_path / "a.c"
    path.write_text(RACY)
    scanned(path, cache)
    program = load(str(path))
    from circ.run.certificate_files import dump

    figures = ('{"engine": "auto", "why": [], "trivial": true, "predicates": [], "acfa": {}, "k": 0, "rounds": 0, "states": 0, '
               '"queries": 0, "seconds": {}, "by": "", "context": []}')
    forged = f"{figures}\n{dump(Certificate(program.fingerprint(), RaceOn('x'), kind, {}), LoadOptions())}".encode()
    entry(cache).write_bytes(_sealed(forged) + b"\n" + forged)
    assert verdicts(scanned(path, cache)) == [("race", False)]


@pytest.mark.parametrize(("name", "value"), [
    ("k", -1), ("k", True), ("k", 1.0), ("k", "3"), ("k", 10**20), ("rounds", None), ("states", [1]), ("queries", float("nan")), ("acfa", []),
    ("acfa", {"w": -2}), ("acfa", {"w": "2"}), ("acfa", {"w": 1e400}), ("predicates", "xy"), ("predicates", [1]), ("predicates", {"a": 1}),
    ("seconds", {"engine": float("nan")}), ("seconds", {"engine": float("inf")}), ("seconds", {"engine": -1}), ("seconds", {"engine": True}),
    ("engine", "../../x"), ("engine", "nobody"), ("engine", None), ("trivial", 1), ("why", "abc"), ("context", [None]), ("by", 0), ("more", 1),
])
def test_figures_that_no_engine_gives_make_a_damaged_entry(cache: Cache, tmp_path: Path, name: str, value: Any) -> None:
    (tmp_path / "a.c").write_text(SAFE)
    scanned(tmp_path / "a.c", cache)
    path = entry(cache)
    _, figures, evidence = path.read_text().split("\n", 2)
    forged = f"{json.dumps({**json.loads(figures), name: value})}\n{evidence}".encode()
    place = cache._path("key", RaceOn("x"))
    place.write_bytes(_sealed(forged) + b"\n" + forged)
    with pytest.raises(Damaged):
        cache.get("key", RaceOn("x"))


def test_what_is_no_plain_file_is_not_waited_for(cache: Cache) -> None:
    os.mkfifo(cache._path("key", RaceOn("x")))
    os.mkfifo(cache.folder / cache._time_name("a.c"))
    with pytest.raises(Damaged):
        cache.get("key", RaceOn("x"))
    assert cache.seconds("a.c") is None


def test_a_folder_that_others_can_write_to_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    for mode in (0o777, 0o770, 0o702, 0o1777):
        folder.chmod(mode)
        assert "others can write to it" in Cache(folder).refused()
    folder.chmod(0o700)
    assert Cache(folder).refused() == ""
    (folder / "inner").mkdir(mode=0o700)
    folder.chmod(0o777)
    assert "others can replace it" in Cache(folder / "inner").refused()
    link = tmp_path / "link"
    link.symlink_to(folder / "inner")
    assert "others can replace it" in Cache(link).refused()


def test_times_that_are_none(cache: Cache) -> None:
    cache.took("a.c", 1.5)
    assert cache.seconds("a.c") == 1.5
    [path] = cache.folder.glob("*.time")
    for text in ("nan", "inf", "-1", "x", "", "\xff"):
        path.write_text(text)
        assert cache.seconds("a.c") is None


def test_questions_of_the_same_name_are_kept_apart(cache: Cache) -> None:
    from circ.verdict import Assertions

    assert cache._path("k", RaceOn("asserts")) != cache._path("k", Assertions())
    assert hashlib.sha256(b"").hexdigest() not in cache._path("k", Assertions()).name
