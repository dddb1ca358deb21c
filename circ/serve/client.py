"""Starts `circ serve` and speaks with it from an asyncio program."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from itertools import count
from typing import Any

_MOST_LINE = 1 << 28
"""Bytes; a trace of ten thousand steps is one line."""
LAST = ("end", "failed", "cancelled")
"""The events after which a request has no more of them."""


class ServeClient:
    """A `circ serve` of its own, started when it is first asked, and again if it has ended."""

    def __init__(self, command: Sequence[str] = (sys.executable, "-P", "-m", "circ", "serve")) -> None:
        self.command = command
        self.process: asyncio.subprocess.Process | None = None
        self._starting: asyncio.Task[None] | None = None
        self._reader: asyncio.Task[None] | None = None
        self._heard: dict[int, asyncio.Queue[dict[str, Any]]] = {}
        self._numbers = count(1)

    async def check(self, files: Sequence[str], options: Sequence[str] = (), texts: Mapping[str, str] | None = None,
                    ) -> AsyncGenerator[dict[str, Any], None]:
        """The events of a request, as they come. Whoever stops listening before the last one ends the work."""
        await self._start()
        number = next(self._numbers)
        queue = self._heard[number] = asyncio.Queue()
        params = {"files": [*files], "options": [*options], "texts": dict(texts or {})}
        self._send({"id": number, "method": "check", "params": params})
        ended = False
        try:
            while not ended:
                event = await queue.get()
                ended = event["event"] in LAST
                yield event
        finally:
            del self._heard[number]
            if not ended:
                self._send({"method": "cancel", "params": {"id": number}})

    async def close(self) -> None:
        if self._starting is not None:
            await asyncio.wait([self._starting])
        if self.process is not None and self.process.returncode is None:
            assert self.process.stdin is not None
            self._send({"method": "exit"})
            self.process.stdin.close()
            await self.process.wait()
        if self._reader is not None:
            await self._reader

    async def _start(self) -> None:
        """Starts the process unless it runs. It comes to be even if whoever waits for it does not any more: asyncio waits for
        ever for a process whose start was cancelled."""
        if self._starting is None or (self._starting.done() and (self.process is None or self.process.returncode is not None)):
            self._starting = asyncio.create_task(self._spawn())
        await asyncio.shield(self._starting)

    async def _spawn(self) -> None:
        self.process = await asyncio.create_subprocess_exec(
            *self.command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=_MOST_LINE)
        self._reader = asyncio.create_task(self._listen(self.process))

    def _send(self, data: Mapping[str, Any]) -> None:
        if self.process is not None and self.process.stdin is not None and not self.process.stdin.is_closing():
            self.process.stdin.write(json.dumps(data).encode() + b"\n")

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        """Hands each event to whoever asked; if the process ends, nobody waits for ever."""
        assert process.stdout is not None
        async for line in process.stdout:
            event = json.loads(line)
            if event["id"] in self._heard:
                self._heard[event["id"]].put_nowait(event)
        for queue in self._heard.values():
            queue.put_nowait({"event": "failed", "location": None, "message": "circ serve has ended", "hint": "save again"})
