"""`circ lsp`: what an editor opens and saves is checked in the background; a newer text ends the check of an older one."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sys
import tempfile
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

import circ
from circ.lsp.document import ASSUME, SHOW, CheckedDocument, uri
from circ.lsp.messages import Messages
from circ.serve.client import ServeClient

C_FILES = (".c", ".i")
_PATIENCE = 10.0
"""Seconds for the checks to end when the editor is gone."""


class CircLanguageServer(LanguageServer):
    """The documents that were checked, and the checks that run."""

    def __init__(self) -> None:
        super().__init__("circ", circ.__version__, text_document_sync_kind=types.TextDocumentSyncKind.Incremental)
        self.serve = ServeClient()
        self.documents: dict[str, CheckedDocument] = {}
        self.checks: dict[str, asyncio.Task[None]] = {}
        self.published: dict[str, set[str]] = {}
        """By document the files that have diagnostics because of it."""
        self.options: list[str] = []
        self.loop: asyncio.AbstractEventLoop | None = None
        """Where checks run, from the first message on; None again when the editor is gone."""

    def configure(self, given: Any) -> None:
        """`{"options": ["--thread", "worker"]}`: words as on the command line of `circ check`."""
        options = given.get("options", []) if isinstance(given, dict) else []
        self.options = [str(word) for word in options] if isinstance(options, list) else []

    # ----------------------------------------------------------------------------------------------- checks
    def check(self, document: str) -> None:
        """Starts a check of a document's present text; the one that runs is ended."""
        path = to_fs_path(document)
        if self.loop is None or path is None or not path.endswith(C_FILES):
            return
        self.stop(document)
        text = self.workspace.get_text_document(document).source
        self.checks[document] = asyncio.create_task(self._check(document, CheckedDocument(path, text)))

    def stop(self, document: str) -> None:
        if (running := self.checks.pop(document, None)) is not None:
            running.cancel()

    async def _check(self, document: str, checked: CheckedDocument) -> None:
        options = self.options
        async with contextlib.aclosing(self.serve.check([checked.path], options, {checked.path: checked.text})) as events:
            async for event in events:
                if event["event"] == "cancelled":
                    return
                checked.hear(event)
                if event["event"] == "answer" and event["answer"]["verdict"] in ("safe", "unknown"):
                    continue  # nothing to be seen of it but in lenses and hovers
                self.documents[document] = checked
                self._publish(document, checked)
        self._refresh()

    def _publish(self, document: str, checked: CheckedDocument) -> None:
        """Shows what is known; where something was shown before a check has got so far, it stays until the end."""
        found = checked.diagnostics()
        over = checked.done or checked.failure is not None
        gone = self.published.get(document, set()) - set(found) if over else set()
        for file in gone:
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(file, []))
        for file, diagnostics in found.items():
            if diagnostics or over:
                self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(file, diagnostics))
        self.published[document] = set(found) if over else self.published.get(document, set()) | set(found)

    def _refresh(self) -> None:
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    async def stop_all(self) -> None:
        """Ends all checks, and the processes that do them; there are no more."""
        self.loop = None
        for document in list(self.checks):
            self.stop(document)
        await self.serve.close()

    def hang_up(self) -> None:
        """The same for a thread that has found the editor gone."""
        if self.loop is not None:
            with contextlib.suppress(TimeoutError, RuntimeError):
                asyncio.run_coroutine_threadsafe(self.stop_all(), self.loop).result(_PATIENCE)

    def forget(self, document: str) -> None:
        self.stop(document)
        self.documents.pop(document, None)
        for file in self.published.pop(document, set()):
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(file, []))


def make() -> CircLanguageServer:
    """The server with all that it can do."""
    server = CircLanguageServer()

    @server.feature(types.INITIALIZE)
    def initialize(ls: CircLanguageServer, params: types.InitializeParams) -> None:
        ls.loop = asyncio.get_running_loop()
        ls.configure(params.initialization_options)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(ls: CircLanguageServer, params: types.DidOpenTextDocumentParams) -> None:
        ls.check(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(ls: CircLanguageServer, params: types.DidSaveTextDocumentParams) -> None:
        ls.check(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(ls: CircLanguageServer, params: types.DidCloseTextDocumentParams) -> None:
        ls.forget(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configured(ls: CircLanguageServer, params: types.DidChangeConfigurationParams) -> None:
        settings = params.settings
        ls.configure(settings.get("circ") if isinstance(settings, dict) else None)
        for document in list(ls.documents):
            ls.check(document)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(ls: CircLanguageServer, params: types.HoverParams) -> types.Hover | None:
        checked = ls.documents.get(params.text_document.uri)
        text = checked.hover(params.position) if checked is not None else None
        return None if text is None else types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def lenses(ls: CircLanguageServer, params: types.CodeLensParams) -> list[types.CodeLens]:
        checked = ls.documents.get(params.text_document.uri)
        return checked.lenses() if checked is not None else []

    kinds = [types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite]

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(kinds))
    def actions(ls: CircLanguageServer, params: types.CodeActionParams) -> list[types.CodeAction]:
        checked = ls.documents.get(params.text_document.uri)
        return checked.actions(params) if checked is not None else []

    @server.command(SHOW)
    async def show(ls: CircLanguageServer, document: str, variable: str) -> str:
        checked = ls.documents.get(document)
        text = checked.interleaving(variable) if checked is not None else "this file is not checked\n"
        await _show(ls, text)
        return text

    @server.command(ASSUME)
    async def assume(ls: CircLanguageServer, document: str, variable: str) -> str:
        return await _assume(ls, document, variable)

    @server.feature(types.SHUTDOWN)
    async def shutdown(ls: CircLanguageServer, params: None) -> None:
        await ls.stop_all()

    return server


async def _show(ls: CircLanguageServer, text: str) -> None:
    """Opens a text in the editor, if it can do that."""
    window = ls.client_capabilities.window
    if window is None or window.show_document is None or not window.show_document.support:
        return
    handle, path = tempfile.mkstemp(prefix="circ-interleaving-", suffix=".txt")
    with os.fdopen(handle, "w") as file:
        file.write(text)
    await ls.window_show_document_async(types.ShowDocumentParams(uri(path), take_focus=False))


async def _assume(ls: CircLanguageServer, document: str, variable: str) -> str:
    """Writes the annotations that prove a variable into the document; gives what they are, or why there are none."""
    checked, present = ls.documents.get(document), ls.workspace.get_text_document(document)
    if checked is None or checked.text != present.source:
        return _told(ls, "save the file first: it has changed since it was checked")
    words = ("check", checked.path, "--export-assumption", *ls.options, "-x", variable)
    process = await asyncio.create_subprocess_exec(sys.executable, "-P", "-m", "circ", *words, stdin=asyncio.subprocess.DEVNULL,
                                                   stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
    text, errors = await process.communicate()
    if process.returncode != 0:
        return _told(ls, errors.decode(errors="replace").strip())
    everything = types.Range(types.Position(0, 0), types.Position(len(present.lines) + 1, 0))
    edit = types.WorkspaceEdit({document: [types.TextEdit(everything, text.decode())]})
    await ls.workspace_apply_edit_async(types.ApplyWorkspaceEditParams(edit, "assumptions"))
    return ""


def _told(ls: CircLanguageServer, message: str) -> str:
    ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, message))
    return message


def start(debug: bool = False) -> None:
    """Speaks with the editor until it ends. Raises FrontendError for what is no editor.

    What a message makes no sense by is told to the editor; tracebacks are for `debug`.
    """
    if not debug:
        logging.getLogger("pygls").setLevel(logging.CRITICAL)
    server = make()
    server.start_io(Messages(sys.stdin.buffer, server.hang_up))  # type: ignore[arg-type]
