"""`circ lsp` and `circ serve` when what speaks with them is no editor: no status 4, no wait, no line that is none of theirs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from circ.serve.server import Server

ROOT = Path(__file__).parents[2]
RACY = "int x;\n__attribute__((circ_thread)) void w(void) { x = x + 1; }\n"


def speak(command: str, data: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "circ", command], input=data, capture_output=True, timeout=120,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})


def message(content: object) -> bytes:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


INITIALIZE = message({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}})


def opened(uri: str, text: str = "int x;") -> bytes:
    return INITIALIZE + message({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {
        "textDocument": {"uri": uri, "languageId": "c", "version": 1, "text": text}}})


@pytest.mark.parametrize("header", [b"Content-Length: 99999999999999999999\r\n\r\n{}", b"Content-Length: " + b"9" * 5000 + b"\r\n\r\n{}",
                                    b"Content-Length: 9999999999\r\n\r\n{}", b"X" * 100_000])
def test_a_length_that_no_message_has_is_bad_input(header: bytes) -> None:
    done = speak("lsp", header)
    assert done.returncode == 2 and done.stdout == b"" and done.stderr.startswith(b"stdin:1: error: this is no message of the Language Server")


@pytest.mark.parametrize("data", [
    message(b"{{{") + message(b"\xff\xff") + message([]) + message(None) + message(b"[" * 100_000)
    + message(b'{"id":' + b"9" * 5000 + b"}") + b"Content-Length: -1\r\n\r\n",
    opened("file:///tmp/%00a.c"),  # the editor is gone at once, while its check begins
    opened("file:///tmp/\ud800.c", "int \ud800\0x;"),
], ids=["bodies", "gone", "halves"])
def test_messages_that_make_no_sense_end_nothing_but_themselves(data: bytes) -> None:
    done = speak("lsp", data)
    assert done.returncode == 0 and b"Traceback" not in done.stderr


def requests(*each: object) -> list[dict[str, Any]]:
    lines = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in each]
    done = speak("serve", b"\n".join(lines))  # the last one has no end of its line
    assert done.returncode == 0 and done.stderr == b""
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_requests_that_make_no_sense_are_told_of_and_the_next_is_answered(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(RACY)
    asked = {"id": 7, "method": "check", "params": {"files": [str(tmp_path / "a.c")]}}

    def but(**params: object) -> dict[str, Any]:
        return {"id": 8, "method": "check", "params": {**asked["params"], **params}}  # type: ignore[dict-item]

    *bad, = (b"\x00\xff", b"[" * 100_000, b'{"id": NaN}', b'{"id": {"a": 1e999}, "method": "forget"}', b'{"id": ' + b"9" * 5000 + b"}",
             b'{"method": {}}', b'{"method": "cancel", "params": null}', but(options=["--help"]), but(options=["--timeout", "nan"]),
             but(options=["--predicate", "(" * 10_000]), but(files=["/tmp/\0.c"]), but(files=["/dev/zero"]),
             but(files=["b.c"], texts={"b.c": "char *s = \"\ud800\";"}))
    for number, each in enumerate(bad):
        told = requests(each)
        assert [t["event"] for t in told] == ["failed"] and "internal error" not in told[0]["message"], (number, told)
    events = requests(*bad[:7], asked)
    assert [e["event"] for e in events][:7] == ["failed"] * 7
    assert (events[-1]["id"], events[-1]["event"], events[-1]["status"]) == (7, "end", 1)


def test_a_line_without_end_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("circ.serve.server.MOST_LINE", 1000)
    reader, writer = os.pipe()
    told: list[str] = []
    server = Server(reader, told.append, lambda words, file, text: pytest.fail("nothing is asked"))
    os.write(writer, b"x" * 3000)
    os.close(writer)
    server.selector.register(reader, 1, None)
    server._requests()
    assert server.parts == [] and server.length == 3000
    server._requests()
    assert len(told) == 1 and "at most 1000 bytes" in told[0] and not server.listening
    os.close(reader)


def test_requests_may_be_a_plain_file(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(RACY)
    (tmp_path / "requests").write_text(json.dumps({"id": 1, "method": "check", "params": {"files": [str(tmp_path / "a.c")]}}) + "\nno request\n")
    with open(tmp_path / "requests", "rb") as source:
        done = subprocess.run([sys.executable, "-m", "circ", "serve"], stdin=source, capture_output=True, text=True, timeout=120,
                              env={**os.environ, "PYTHONPATH": str(ROOT)})
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0 and {"end", "failed"} <= {t["event"] for t in told}, done.stderr


def test_a_pipe_in_place_of_a_file_blocks_no_other_request(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.c")
    (tmp_path / "a.c").write_text("int x;\n__attribute__((circ_threads(2))) void w(void) { x = 1; }\n")
    told = requests(*({"id": n, "method": "check", "params": {"files": [str(tmp_path / name)], "options": ["--timeout", "2"]}}
                      for n, name in ((1, "p.c"), (2, "a.c"))))
    ends = {t["id"]: t["event"] for t in told if t["event"] in ("end", "failed")}
    assert ends == {1: "failed", 2: "end"}
