"""`circ serve`: a loop over requests on one stream and what the processes that do them tell, until the stream ends.

A request is a line of JSON, and so is everything that is told (docs/serve.md). One request is worked at at a time; a newer one
about the same files, or a `cancel`, ends an older one at once, with all processes that it has started. What was asked for before
the stream ends is still answered.
"""

from __future__ import annotations

import json
import os
import selectors
from collections import deque
from collections.abc import Callable, Mapping
from multiprocessing.connection import Pipe
from typing import Any

from circ.run.process_tree import Forked, end
from circ.run.reading import load_heavy
from circ.run.supervise import obey
from circ.scan.fingerprint import circ_itself
from circ.serve.job import CheckRequest, RequestFor, guarded_job
from circ.serve.memory import Known
from frontend.records import dataclass

MOST_REMEMBERED = 50
"""Programs; the one that was not asked for longest is forgotten first."""
MOST_LINE = 1 << 28
"""Bytes of a request; texts of files may be part of it."""
_CHUNK = 1 << 16


class BadRequest(Exception):
    """A line that asks for nothing that there is."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    number: object
    asked: CheckRequest


class _Running:
    """A request that is being done, in a process of its own."""

    def __init__(self, waiting: _Waiting, known: Known | None, request_for: RequestFor) -> None:
        self.waiting = waiting
        self.receiver, sender = Pipe(duplex=False)
        parent = os.getpid()

        def work() -> None:
            obey(parent)
            found, last = guarded_job(waiting.asked, known, request_for, lambda data: sender.send(("told", dict(data))))
            sender.send(("same", last) if found is not None and found is known else ("over", (found, last)))

        self.process = Forked(work)
        sender.close()

    def close(self) -> None:
        if self.process.is_alive():
            end(self.process.pid)
        self.process.join()
        self.receiver.close()


class Server:
    """Reads requests from a file descriptor and writes with `write`, a line at a time."""

    def __init__(self, source: int, write: Callable[[str], None], request_for: RequestFor) -> None:
        self.source, self.write, self.request_for = source, write, request_for
        self.memory: dict[object, Known] = {}
        self.queue: deque[_Waiting] = deque()
        self.running: _Running | None = None
        self.selector = selectors.SelectSelector()  # which takes a plain file for requests, too
        self.parts: list[bytes] = []
        """What has come of the next request so far, and of how many bytes it is: beyond `MOST_LINE` they are not kept."""
        self.length = 0
        self.listening, self.over = True, False

    def run(self) -> None:
        load_heavy()  # once, before all the processes
        circ_itself()
        self.selector.register(self.source, selectors.EVENT_READ, self._requests)
        try:
            while not self.over and (self.listening or self.running is not None or self.queue):
                self._step()
        finally:
            if self.running is not None:
                self.running.close()
            self.selector.close()

    def _step(self) -> None:
        if self.running is None and self.queue:
            waiting = self.queue.popleft()
            self.running = _Running(waiting, self.memory.get(waiting.asked.key), self.request_for)
            self.selector.register(self.running.receiver, selectors.EVENT_READ, self._told)
        for key, _ in self.selector.select():
            if not self.over:
                key.data()

    # ----------------------------------------------------------------------------------------------- requests
    def _requests(self) -> None:
        """Takes what there is of requests."""
        data = os.read(self.source, _CHUNK)
        *ends, rest = data.split(b"\n") if data else (b"", b"")  # the last line need not have an end
        for end_of_line in ends:
            self._take(end_of_line)
            line, long = b"".join(self.parts), self.length > MOST_LINE
            self.parts, self.length = [], 0
            if long:
                self._bad(None, f"a request has at most {MOST_LINE} bytes")
            elif line.strip() and not self.over:
                self._obey(line)
        self._take(rest)
        if not data:
            self.listening = False
            self.selector.unregister(self.source)

    def _take(self, part: bytes) -> None:
        self.length += len(part)
        if self.length > MOST_LINE:
            self.parts.clear()
        else:
            self.parts.append(part)

    def _obey(self, line: bytes) -> None:
        number: object = None
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise BadRequest("a request is an object")
            if not isinstance(request.get("id"), str | int | None):
                raise BadRequest("id: a number or a text")
            number = request.get("id")
            params = request.get("params", {})
            if not isinstance(params, dict):
                raise BadRequest("params: an object")
            match request.get("method"):
                case "check":
                    self._ask(_Waiting(number, _check_request(params)))
                case "cancel":
                    meant = params["id"]
                    self._drop(lambda w: bool(w.number == meant))
                case "forget":
                    self.memory.clear()
                    self.tell(number, {"event": "forgotten"})
                case "exit":
                    self.over = True
                case other:
                    raise BadRequest(f"there is no method {other!r}")
        except (ValueError, BadRequest, KeyError, TypeError, RecursionError) as error:
            self._bad(number, str(error))

    def _bad(self, number: object, why: str) -> None:
        self.tell(number, {"event": "failed", "location": None, "message": f"bad request: {why}", "hint": ""})

    def _ask(self, waiting: _Waiting) -> None:
        self._drop(lambda w: w.asked.key == waiting.asked.key)
        self.queue.append(waiting)

    def _drop(self, which: Callable[[_Waiting], bool]) -> None:
        """Ends the requests that are meant, whether they wait or run."""
        for waiting in [w for w in self.queue if which(w)]:
            self.queue.remove(waiting)
            self.tell(waiting.number, {"event": "cancelled"})
        if self.running is not None and which(self.running.waiting):
            self.tell(self.running.waiting.number, {"event": "cancelled"})
            self._finish()

    # ----------------------------------------------------------------------------------------------- what is told
    def _told(self) -> None:
        running = self.running
        if running is None:
            return  # it was ended by a request that came at the same time
        try:
            kind, data = running.receiver.recv()
        except (EOFError, OSError):
            why = "the process was ended from outside"
            self.tell(running.waiting.number, {"event": "failed", "location": None, "message": why, "hint": "ask again"})
            self._finish()
            return
        if kind == "told":
            self.tell(running.waiting.number, data)
            return
        key = running.waiting.asked.key
        known, last = (self.memory.get(key), data) if kind == "same" else data
        self._finish()
        if known is not None:
            self.memory.pop(key, None)
            self.memory[key] = known
            if len(self.memory) > MOST_REMEMBERED:
                self.memory.pop(next(iter(self.memory)))
        self.tell(running.waiting.number, last)

    def _finish(self) -> None:
        assert self.running is not None
        self.selector.unregister(self.running.receiver)
        self.running.close()
        self.running = None

    def tell(self, number: object, data: Mapping[str, Any]) -> None:
        self.write(json.dumps({"id": number, **data}) + "\n")


def _check_request(params: dict[str, Any]) -> CheckRequest:
    files, words, texts = params.get("files"), params.get("options", []), params.get("texts", {})
    if not isinstance(files, list) or not files or not all(isinstance(f, str) for f in files):
        raise BadRequest("files: a list of names")
    if not isinstance(words, list) or not all(isinstance(w, str) for w in words):
        raise BadRequest("options: a list of words, as on a command line")
    if not isinstance(texts, dict) or not all(isinstance(t, str) for t in texts.values()):
        raise BadRequest("texts: an object from names of files to texts")
    if not all(_is_text(t) for t in texts.values()):
        raise BadRequest("texts: characters that no text has")
    return CheckRequest(tuple(files), tuple(words), texts)


def _is_text(text: str) -> bool:
    """Whether it is one that a file could have: JSON can say halves of characters, too."""
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True
