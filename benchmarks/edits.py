"""What an edit costs where `circ serve` keeps what it has read and proved.

    edits.py               a generated program of 1,000 lines
    edits.py --lines 5000

A request for the first time, and again after nothing, a word of a comment, a new line of comment, a number in one function, and
an access there have changed. Seconds of processor time of the server and all that it starts, by the clock until the program
is read, and until all is answered; how many of the answers were known before.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from threaded import threaded_program

from frontend.records import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One request: seconds of processor time, by the clock until the program is read and until the end; answers."""

    cpu: float
    read: float
    end: float
    answers: int
    reused: int


class Server:
    """A `circ serve` of its own."""

    def __init__(self) -> None:
        env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        self.process = subprocess.Popen([sys.executable, "-P", "-m", "circ", "serve"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=env)

    def check(self, file: Path) -> Row:
        assert self.process.stdin is not None and self.process.stdout is not None
        before, begin, read, answers = self._cpu(), time.monotonic(), 0.0, 0
        self.process.stdin.write(json.dumps({"id": 1, "method": "check", "params": {"files": [str(file)]}}) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            event = json.loads(line)
            if event["event"] == "read":
                read = time.monotonic() - begin
            elif event["event"] == "answer":
                answers += 1
            elif event["event"] == "end":
                return Row(self._cpu() - before, read, time.monotonic() - begin, answers, event["reused"])
            else:
                sys.exit(f"unexpected: {line}")
        sys.exit("the server has ended")

    def _cpu(self) -> float:
        """Seconds of processor time of the process and of its children that have ended."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=1_000)
    lines = parser.parse_args().lines
    edits: list[tuple[str, Callable[[str], str]]] = [
        ("the first time", lambda text: text),
        ("nothing has changed", lambda text: text),
        ("a word of a comment", lambda text: text.replace("/* module 1 */", "/* the second module */")),
        ("a new line of comment", lambda text: text.replace("/* module 2 */", "/*\n * module 2\n */")),
        ("a number in a function", lambda text: text.replace("unsigned h = 5382u;", "unsigned h = 5381u;")),
        ("an access", lambda text: text.replace("            entries_1++;", "            entries_1 += 2;")),
    ]
    server = Server()
    with tempfile.TemporaryDirectory() as folder:
        file, text = Path(folder, "server.c"), threaded_program(lines)
        print(f"{text.count(chr(10))} lines\n{'':24} processor      read   answered   answers  known before")
        for number, (what, edit) in enumerate(edits):
            changed = edit(text)
            if number > 1 and changed == text:
                sys.exit(f"nothing to edit for {what}")
            text = changed
            file.write_text(text)
            row = server.check(file)
            times = f"{row.cpu:>7.2f} s {row.read:>7.2f} s {row.end:>8.2f} s"
            print(f"{what:24} {times} {row.answers:>9} {row.reused:>13}", flush=True)
    server.close()


if __name__ == "__main__":
    main()
