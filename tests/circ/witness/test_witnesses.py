"""Witnesses as users have them: written by `--witness-out`, tried by `--witness`, ours and those of others, right and wrong."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

RACE = """#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int y, ready;
void *worker(void *arg)
{
    int n = __VERIFIER_nondet_int();
    if (n == 76543)
        y = y + 1;
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    return 0;
}
"""
SAFE = """#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
static void bump(int by)
{
    pthread_mutex_lock(&m);
    x = x + by;
    pthread_mutex_unlock(&m);
}
void *worker(void *arg)
{
    bump(1);
    return 0;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    bump(2);
    return 0;
}
"""
FLAG = """int flag, x;
void thread(void)
{
    int mine;
    while (1) {
        atomic {
            mine = flag;
            if (flag == 0)
                flag = 1;
        }
        if (mine == 0) {
            x = x + 1;
            flag = 0;
        }
    }
}
"""


def circ(folder: Path, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "circ", *args], capture_output=True, text=True, cwd=folder, check=False,
                          env={**os.environ, **environment})


def metadata(version: str = "2.1") -> str:
    return f"  metadata:\n    format_version: '{version}'\n    producer: {{name: Other, version: '7'}}\n"


# ------------------------------------------------------------------------------------------------ written
def test_a_race_is_written_as_segments_that_name_threads_and_values(tmp_path: Path) -> None:
    (tmp_path / "r.c").write_text(RACE)
    assert circ(tmp_path, "check", "r.c", "--witness-out", "w.yml").returncode == 1
    [entry] = yaml.safe_load((tmp_path / "w.yml").read_text())
    task = entry["metadata"]["task"]
    assert entry["entry_type"] == "violation_sequence"
    assert task["input_file_hashes"] == {"r.c": hashlib.sha256(RACE.encode()).hexdigest()}
    assert task["specification"] == "CHECK( init(main()), LTL(G ! data-race) )" and task["data_model"] == "LP64"
    waypoints = [w["waypoint"] for s in entry["content"] for w in s["segment"]]
    assert [w["type"] for w in waypoints] == ["assumption"] * (len(waypoints) - 1) + ["target"]
    assert {w["thread_id"] for w in waypoints} == {0, 1, 2}
    assert waypoints[0]["location"] == {"file_name": "r.c", "line": 14, "column": 5, "function": "main"}
    chosen = [w for w in waypoints if w.get("constraint", {}).get("value") == "n == 76543"]
    assert {(w["location"]["line"], w["location"]["column"], w["thread_id"]) for w in chosen} == {(7, 5, 1), (7, 5, 2)}
    assert {w["location"]["line"] for w in waypoints[-2:]} == {8} and len({w["thread_id"] for w in waypoints[-2:]}) == 2


def test_a_proof_is_written_as_invariants_with_ghosts_for_locks(tmp_path: Path) -> None:
    (tmp_path / "s.c").write_text(SAFE)
    assert circ(tmp_path, "check", "s.c", "--witness-out", "w.yml").returncode == 0
    proof, ghosts = yaml.safe_load((tmp_path / "w.yml").read_text())
    assert [i["invariant"]["value"] for i in proof["content"]] == ["m_locked == 1"]
    assert proof["content"][0]["invariant"]["location"] == {"file_name": "s.c", "line": 7, "column": 5, "function": "bump"}
    assert proof["content"][0]["invariant"]["type"] == "location_invariant"
    assert proof["metadata"]["format_version"] == "2.1" and proof["metadata"]["uuid"] != ghosts["metadata"]["uuid"]
    [ghost] = ghosts["content"]["ghost_variables"]
    assert ghost["name"] == "m_locked" and ghost["initial"]["value"] == "0"
    updates = [(u["location"]["line"], u["updates"][0]["value"]) for u in ghosts["content"]["ghost_updates"]]
    assert updates == [(6, "1"), (8, "0")]


def test_a_lock_that_is_taken_in_other_ways_has_no_ghost(tmp_path: Path) -> None:
    """What a call locks must be one lock, surely: here it is one of two, by an argument."""
    text = SAFE.replace("int by)", "int by, pthread_mutex_t *p)").replace("lock(&m)", "lock(p)").replace("bump(1)", "bump(1, &m)") \
        .replace("bump(2)", "bump(2, &m)").replace("return 0;\n}\nint", "pthread_mutex_lock(&q); pthread_mutex_unlock(&q);"
                                                   " bump(0, &m); return 0;\n}\nint").replace("int x;", "pthread_mutex_t q; int x;")
    (tmp_path / "s.c").write_text(text)
    (tmp_path / "t.c").write_text(text.replace("bump(0, &m)", "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m)")
                                  .replace("bump(2, &m)", "int z; z = pthread_mutex_trylock(&m); if (z == 0) { x--; "
                                           "pthread_mutex_unlock(&m); }"))
    assert circ(tmp_path, "check", "-x", "x", "s.c", "--witness-out", "s.yml").returncode == 0
    assert "m_locked" in (tmp_path / "s.yml").read_text()  # all callers mean the same lock
    assert circ(tmp_path, "check", "-x", "x", "t.c", "--witness-out", "t.yml").returncode == 0
    assert "m_locked" not in (tmp_path / "t.yml").read_text()


def test_the_same_answer_gives_the_same_bytes_and_time_is_told_by_the_environment(tmp_path: Path) -> None:
    (tmp_path / "s.c").write_text(SAFE)
    texts = []
    for seed in ("1", "2"):
        circ(tmp_path, "check", "s.c", "--witness-out", "w.yml", PYTHONHASHSEED=seed, SOURCE_DATE_EPOCH="")
        texts.append((tmp_path / "w.yml").read_text())
    assert texts[0] == texts[1] and "creation_time: '1970-01-01T00:00:00Z'" in texts[0]
    circ(tmp_path, "check", "s.c", "--witness-out", "w.yml", SOURCE_DATE_EPOCH="1700000000")
    assert "creation_time: '2023-11-14T22:13:20Z'" in (tmp_path / "w.yml").read_text()


def test_nothing_is_written_where_something_is_undecided(tmp_path: Path) -> None:
    (tmp_path / "s.c").write_text(SAFE)
    done = circ(tmp_path, "check", "s.c", "--engine", "chase", "--witness-out", "w.yml")
    assert done.returncode == 3 and not (tmp_path / "w.yml").exists()
    assert "circ: note: no witness for s.c: nothing failed, and not everything is proved" in done.stderr
    refused = circ(tmp_path, "check", "s.c", "--witness-out", "nowhere/w.yml")
    assert refused.returncode == 2 and refused.stderr.count("\n") == 1


def test_the_competition_has_its_witness_too(tmp_path: Path) -> None:
    (tmp_path / "r.c").write_text(RACE)
    (tmp_path / "p.prp").write_text("CHECK( init(main()), LTL(G ! data-race) )\n")
    done = circ(tmp_path, "check", "--competition", "--property", "p.prp", "r.c", "--witness-out", "w.yml")
    assert done.stdout.endswith("false(no-data-race)\n")
    assert "violation_sequence" in (tmp_path / "w.yml").read_text()


PROGRAMS = ["early_return.c", "two_mutexes.c", "worker_pool.c"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_invariants_hold_where_they_are_said_to(name: str, tmp_path: Path) -> None:
    """Each is asserted in the program itself, ghosts and all."""
    source = Path(__file__).parents[2] / "programs" / "pthreads" / name
    lines = source.read_text().splitlines()
    assert circ(source.parent, "check", name, "--witness-out", str(tmp_path / "w.yml")).returncode == 0
    proof, ghosts = yaml.safe_load((tmp_path / "w.yml").read_text())
    for update in ghosts["content"]["ghost_updates"]:
        line, [told] = update["location"]["line"] - 1, update["updates"]
        assert re.fullmatch(r"\s*pthread_mutex_(un)?lock\(.*\);", lines[line])
        set_it = f"{told['variable']} = {told['value']};"
        lines[line] = f"{lines[line]} {set_it}" if told["value"] == "1" else f"{set_it} {lines[line]}"
    asserted = 0
    for item in proof["content"]:
        place, value = item["invariant"]["location"], item["invariant"]["value"]
        before = lines[place["line"] - 1][:place["column"] - 1]
        if not before.strip():
            lines[place["line"] - 1] = f"{before}assert({value}); {lines[place['line'] - 1].strip()}"
            asserted += 1
    assert asserted > 1
    declared = "".join(f"int {g['name']};\n" for g in ghosts["content"]["ghost_variables"])
    (tmp_path / name).write_text("#include <assert.h>\n" + declared + "\n".join(lines) + "\n")
    done = circ(tmp_path, "check", name, "--property", "asserts")
    assert done.returncode == 0, done.stdout
    wrong = (tmp_path / name).read_text().replace("_locked == 1)", "_locked == 0)", 1)
    (tmp_path / name).write_text(wrong)
    assert circ(tmp_path, "check", name, "--property", "asserts").returncode == 1


# ------------------------------------------------------------------------------------------------ tried
def test_a_schedule_leads_to_the_race_that_the_engine_does_not_find(tmp_path: Path) -> None:
    (tmp_path / "r.c").write_text(RACE)
    circ(tmp_path, "check", "r.c", "--witness-out", "w.yml")
    assert circ(tmp_path, "check", "-x", "y", "r.c", "--engine", "static").returncode == 3
    done = circ(tmp_path, "check", "-x", "y", "r.c", "--engine", "static", "--witness", "w.yml", "--certificate", "c")
    assert done.returncode == 1 and "race on 'y'" in done.stdout
    assert "w.yml: note: 9 of 9 waypoints can be tried, as a schedule; nothing of it is believed" in done.stderr
    [trace] = (tmp_path / "c").iterdir()
    assert circ(tmp_path, "replay", f"c/{trace.name}", "r.c").returncode == 0


FOREIGN = "- entry_type: violation_sequence\n" + metadata("2.0") + """  content:
  - segment:
    - waypoint: {type: function_enter, action: follow, location: {file_name: ./src/r.c, line: 15}}
  - segment:
    - waypoint: {type: branching, action: avoid, location: {file_name: ./src/r.c, line: 7}, constraint: {value: 'false'}}
    - waypoint: {type: assumption, action: follow, location: {file_name: ./src/r.c, line: 7, column: 5},
        constraint: {value: '((int )n) == 76543 && ((long long )n) > 5', format: c_expression}}
  - segment:
    - waypoint: {type: target, action: follow, location: {file_name: ./src/r.c, line: 8, column: 9, function: worker}}
"""


def test_a_schedule_of_another_tool_without_threads_and_columns(tmp_path: Path) -> None:
    (tmp_path / "r.c").write_text(RACE)
    (tmp_path / "w.yml").write_text(FOREIGN)
    done = circ(tmp_path, "check", "-x", "y", "r.c", "--engine", "static", "--witness", "w.yml")
    assert done.returncode == 1 and "n = 76543" in done.stdout


def test_a_violated_assertion_goes_round_too(tmp_path: Path) -> None:
    text = RACE.replace("y = y + 1;", "{ if (ready) reach_error(); ready = 1; }").replace("int y,", "void reach_error(void);\nint y,")
    (tmp_path / "r.c").write_text(text)
    assert circ(tmp_path, "check", "r.c", "--property", "asserts", "--witness-out", "w.yml").returncode == 1
    [entry] = yaml.safe_load((tmp_path / "w.yml").read_text())
    assert entry["metadata"]["task"]["specification"] == "CHECK( init(main()), LTL(G ! call(reach_error())) )"
    assert entry["content"][-1]["segment"][0]["waypoint"]["location"]["line"] == 9
    done = circ(tmp_path, "check", "r.c", "--property", "asserts", "--engine", "thread-modular", "--witness", "w.yml")
    assert done.returncode == 1 and "violated" in done.stdout


def test_a_preprocessed_file_is_spoken_of_by_its_own_lines(tmp_path: Path) -> None:
    body = RACE.replace("#include <pthread.h>\n", "")
    (tmp_path / "r.i").write_text('# 1 "<built-in>"\ntypedef unsigned long pthread_t;\n'
                                  'int pthread_create(pthread_t *, void *, void *(*)(void *), void *);\n# 2 "there/r.c"\n' + body)
    assert circ(tmp_path, "check", "r.i", "--witness-out", "w.yml").returncode == 1
    [entry] = yaml.safe_load((tmp_path / "w.yml").read_text())
    target = entry["content"][-1]["segment"][0]["waypoint"]["location"]
    assert (target["file_name"], target["line"], target["column"]) == ("r.i", 11, 9)
    assert circ(tmp_path, "check", "-x", "y", "r.i", "--engine", "static", "--witness", "w.yml").returncode == 1


INVARIANT = "- entry_type: invariant_set\n" + metadata() + """  content:
  - invariant: {type: location_invariant, location: {file_name: f.c, line: 12, column: 13, function: thread}, format: c_expression,
      value: '(!(flag == 0) && mine == 0) || g_held == 1'}
  - invariant: {type: loop_invariant, location: {file_name: f.c, line: 5}, value: 'strlen(s) > 3', format: c_expression}
  - contract: {type: function_contract}
"""


def test_invariants_are_tried_as_predicates(tmp_path: Path) -> None:
    (tmp_path / "f.c").write_text(FLAG)
    (tmp_path / "w.yml").write_text(INVARIANT)
    done = circ(tmp_path, "check", "f.c", "--thread", "thread", "-x", "x", "--witness", "w.yml", "--explain=full")
    assert done.returncode == 0
    assert "w.yml: note: 1 of 2 invariants can be tried, as 2 predicates; nothing of it is believed" in done.stderr
    assert "omega-circ, 2 predicates" in done.stdout


GHOSTS = "- entry_type: ghost_instrumentation\n" + metadata() + """  content:
    ghost_variables:
    - {name: held, type: int, scope: global, initial: {value: '0', format: c_expression}}
    ghost_updates:
    - {location: {file_name: s.c, line: 6, column: 5}, updates: [{variable: held, value: '1', format: c_expression}]}
    - {location: {file_name: s.c, line: 8, column: 5}, updates: [{variable: held, value: '0', format: c_expression}]}
- entry_type: invariant_set
""" + metadata() + """  content:
  - invariant: {type: location_invariant, location: {file_name: s.c, line: 7, column: 5}, value: held == 1, format: c_expression}
"""


def test_a_ghost_that_follows_a_lock_is_that_lock(tmp_path: Path) -> None:
    (tmp_path / "s.c").write_text(SAFE)
    (tmp_path / "w.yml").write_text(GHOSTS)
    done = circ(tmp_path, "check", "s.c", "--witness", "w.yml")
    assert done.returncode == 0 and "as 1 predicate;" in done.stderr and "omega-circ" in done.stdout


# ------------------------------------------------------------------------------------------------ wrong ones
def test_a_claimed_race_in_a_safe_program_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "r.c").write_text(SAFE)
    (tmp_path / "w.yml").write_text(FOREIGN.replace("line: 8", "line: 7").replace("n)", "by)"))
    done = circ(tmp_path, "check", "r.c", "--witness", "w.yml")
    assert done.returncode == 0 and "safe: no race on 'x'" in done.stdout


def test_a_claimed_proof_of_a_racy_program_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "s.c").write_text(SAFE.replace("    pthread_mutex_lock(&m);\n", "\n").replace("    pthread_mutex_unlock(&m);\n", "\n"))
    (tmp_path / "w.yml").write_text(GHOSTS.replace("held == 1", "x == 1 && x == 2"))
    done = circ(tmp_path, "check", "s.c", "--witness", "w.yml")
    assert done.returncode == 1 and "race on 'x'" in done.stdout


def test_another_version_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "s.c").write_text(SAFE)
    circ(tmp_path, "check", "s.c", "--witness-out", "w.yml")
    (tmp_path / "s.c").write_text(SAFE + "\n")
    done = circ(tmp_path, "check", "s.c", "--witness", "w.yml")
    assert done.returncode == 0 and "w.yml: warning: it is about another version of s.c" in done.stderr
    (tmp_path / "t.c").write_text(SAFE)
    assert "w.yml: warning: it is about another file, s.c" in circ(tmp_path, "check", "t.c", "--witness", "w.yml").stderr
