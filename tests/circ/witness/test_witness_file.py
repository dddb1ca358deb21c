"""Files that are no witnesses, or hostile ones: one line with the place of the mistake."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from circ.witness.witness_file import parse_witness
from frontend import FrontendError

HEAD = "- entry_type: violation_sequence\n  metadata: {format_version: '2.1'}\n  content:\n"
WAY = "  - segment:\n    - waypoint: {type: %s, action: %s, location: {%s}}\n"
PLACE = "file_name: a.c, line: 3"
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(f"{c}: &{c} [{','.join(['*' + p] * 9)}]\n" for p, c in zip("abcdefgh", "bcdefghi", strict=True))


@pytest.mark.parametrize(("text", "line", "message"), [
    ("", 1, "there is nothing in it"),
    ("[]", 1, "there is no entry in it"),
    ("a: 1\n", 1, "expected a list of entries"),
    ("- 5\n", 1, "'entry_type' is missing"),
    ("- entry_type: x\n  content: []\n", 1, "'metadata' is missing"),
    ("- entry_type: loop_invariant\n  metadata: {format_version: '0.1'}\n", 2, "format_version '0.1' (one of 2.0, 2.1, 2.2)"),
    ("- entry_type: loops\n  metadata: {format_version: '2.0'}\n  content: []\n", 1, "unknown entry_type 'loops'"),
    (HEAD + "  - segment: {}\n", 4, "expected a list of waypoints"),
    (HEAD + "  - segment:\n    - waypoint: {type: target, action: follow}\n", 5, "'location' is missing"),
    (HEAD + WAY % ("jump", "follow", PLACE), 5, "unknown type of a waypoint 'jump'"),
    (HEAD + WAY % ("target", "watch", PLACE), 5, "the action of a waypoint is follow or avoid"),
    (HEAD + WAY % ("target", "follow", "file_name: a.c, line: -3"), 5, "'line' is no number, or too large"),
    (HEAD + WAY % ("target", "follow", "file_name: a.c, line: 99999999999999999999"), 5, "'line' is no number, or too large"),
    (HEAD + WAY % ("target", "follow", "file_name: [], line: 3"), 5, "'file_name' is no text, or too long"),
    (HEAD + WAY % ("target", "follow", PLACE) + HEAD, 6, "a second entry of the type violation_sequence"),
    (HEAD + WAY % ("target", "follow", PLACE) + "- entry_type: invariant_set\n  metadata: {format_version: '2.1'}\n  content: []\n", 1,
     "it claims a violation and a proof"),
    (BOMB, 2, "an alias, which witnesses do not have"),
    ("[" * 5000, 1, "it is too large, or too deeply nested"),
    ("- a: b: c\n", 1, "no YAML"),
    ("- !!python/object/apply:os.system [ls]\n", 1, "'entry_type' is missing"),
    ("- {? [a] : 1}\n", 1, "a key that is no text, or is there twice"),
    ("- {a: 1, a: 2}\n", 1, "a key that is no text, or is there twice"),
    ("--- 1\n--- 2\n", 2, "a second document"),
    ("- \x00\n", 1, "no YAML"),
    ("[" + "x," * 300_000 + "x]", 1, "it is too large, or too deeply nested"),
])
def test_what_is_wrong_has_its_line(text: str, line: int, message: str) -> None:
    with pytest.raises(FrontendError) as found:
        parse_witness(text, "w.yml")
    assert str(found.value).startswith(f"w.yml:{line}: error: {message}") and "\n" not in str(found.value)


def test_the_command_says_so_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "w.yml").write_text(BOMB)
    (tmp_path / "a.c").write_text("int main(void) { return 0; }\n")
    for name in ("w.yml", "nowhere.yml", "."):
        done = subprocess.run([sys.executable, "-m", "circ", "check", "a.c", "--witness", name], capture_output=True, text=True,
                              cwd=tmp_path, check=False)
        assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1, done.stderr


def test_strange_values_are_left_out(tmp_path: Path) -> None:
    deep = "(" * 3000 + "x" + ")" * 3000
    values = [deep, "x ==", "f(x) > 1", "x = 1", "'", "* p", "y[" * 300, "!" * 5000, "&& || &&", "\u2028", "x::y::z"]
    items = "".join("  - invariant: {type: location_invariant, location: {file_name: a.c, line: 3}, format: c_expression, "
                    f"value: {v!r}}}\n" for v in values)
    (tmp_path / "w.yml").write_text("- entry_type: invariant_set\n  metadata: {format_version: '2.1'}\n  content:\n" + items)
    (tmp_path / "a.c").write_text("#include <pthread.h>\nint x;\nvoid *f(void *a) { x = 1; return 0; }\n"
                                  "int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); return 0; }\n")
    done = subprocess.run([sys.executable, "-m", "circ", "check", "a.c", "--witness", "w.yml"], capture_output=True, text=True,
                          cwd=tmp_path, check=False)
    assert done.returncode == 0 and "can be tried, as nothing" in done.stderr, done.stderr + done.stdout
