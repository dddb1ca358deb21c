"""`circ lsp` as an editor sees it: a client of the protocol speaks with it over stdin and stdout."""

from __future__ import annotations

import ast
import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient
from pygls.uris import from_fs_path

RACY = """#include <pthread.h>
int x, y;
int z; /* \U0001f600 */ int w;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *work(void *p) {
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    y = 1;
    /* \U0001f600 */ z = w;
    return p;
}
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); work(0); pthread_join(t, 0); return 0; }
"""
SLOW = """#include <pthread.h>
unsigned a, b, c, x;
void *work(void *p) { while (1) { a = a * 3 + b; b = b * 5 + c; c = c * 7 + a; if (a * a + b * b == c * c + 7) x++; } return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); work(0); return 0; }
"""
STATE = (Path(__file__).resolve().parents[3] / "nesc_examples" / "test_and_set.c").read_text()


class Editor:
    """A client with one folder of files, and what the server has published."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.client = folder, LanguageClient("test", "1")
        self.published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.shown: list[str] = []
        self.edits: list[types.WorkspaceEdit] = []
        self.refreshed = asyncio.Event()

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def publish(params: types.PublishDiagnosticsParams) -> None:
            self.published.put_nowait(params)

        @self.client.feature(types.WINDOW_SHOW_DOCUMENT)
        def show(params: types.ShowDocumentParams) -> types.ShowDocumentResult:
            self.shown.append(Path(params.uri.removeprefix("file://")).read_text())
            return types.ShowDocumentResult(True)

        @self.client.feature(types.WORKSPACE_APPLY_EDIT)
        def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            self.edits.append(params.edit)
            return types.ApplyWorkspaceEditResult(True)

        @self.client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
        def refresh(params: None) -> None:
            self.refreshed.set()

    def uri(self, name: str) -> str:
        return str(from_fs_path(str(self.folder / name)))

    def open(self, name: str, text: str) -> types.TextDocumentIdentifier:
        (self.folder / name).write_text(text)
        self.refreshed.clear()
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(self.uri(name), "c", 1, text)))
        return types.TextDocumentIdentifier(self.uri(name))

    def save(self, document: types.TextDocumentIdentifier, version: int, text: str) -> None:
        """Changes all of a document and saves it."""
        self.refreshed.clear()
        Path(document.uri.removeprefix("file://")).write_text(text)
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(version, document.uri), [change]))
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(document))

    async def diagnostics(self, name: str) -> list[types.Diagnostic]:
        """What is published in the end about a file."""
        await asyncio.wait_for(self.refreshed.wait(), 60)
        last: list[types.Diagnostic] | None = None
        while not self.published.empty():
            params = self.published.get_nowait()
            last = list(params.diagnostics) if params.uri == self.uri(name) else last
        assert last is not None
        return last


@asynccontextmanager
async def editor(folder: Path, options: Any = None) -> AsyncIterator[Editor]:
    here = Editor(folder)
    root = Path(__file__).resolve().parents[3]
    os.environ["PYTHONPATH"] = str(root)
    await here.client.start_io(sys.executable, "-m", "circ", "lsp")
    capabilities = types.ClientCapabilities(
        window=types.WindowClientCapabilities(show_document=types.ShowDocumentClientCapabilities(True)),
        workspace=types.WorkspaceClientCapabilities(code_lens=types.CodeLensWorkspaceClientCapabilities(True)))
    done = await here.client.initialize_async(types.InitializeParams(capabilities, initialization_options=options))
    assert done.server_info is not None and done.server_info.name == "circ" and done.capabilities.hover_provider
    here.client.initialized(types.InitializedParams())
    try:
        yield here
    finally:
        await here.client.shutdown_async(None)
        here.client.exit(None)
        await asyncio.wait_for(here.client.stop(), 20)


def session(test: Callable[[Editor], Awaitable[None]], folder: Path, options: Any = None) -> None:
    async def run() -> None:
        async with editor(folder, options) as here:
            await test(here)

    asyncio.run(asyncio.wait_for(run(), 120))


def command_of(action: types.CodeAction | types.Command) -> types.ExecuteCommandParams:
    """What an action runs. The client's library takes an action with a command for a command, whose name is then an object as text."""
    command = ast.literal_eval(str(action.command))
    return types.ExecuteCommandParams(command["command"], command["arguments"])


def named(diagnostics: list[types.Diagnostic], name: str) -> types.Diagnostic:
    (found,) = (d for d in diagnostics if f"'{name}'" in d.message)
    return found


def test_a_race_is_a_diagnostic_with_both_accesses_and_the_run(tmp_path: Path) -> None:
    async def test(here: Editor) -> None:
        document = here.open("a.c", RACY)
        found = await here.diagnostics("a.c")
        assert sorted(d.code for d in found if isinstance(d.code, str)) == ["race", "race"] and all(d.source == "circ" for d in found)
        race = named(found, "y")
        assert race.range == types.Range(types.Position(8, 4), types.Position(8, 5))
        assert race.related_information is not None
        places = [r.location.range.start.line for r in race.related_information]
        assert places[0] == 8 and len(places) > 2, "the other access, and the steps"
        assert named(found, "z").range.start == types.Position(9, 13), "columns are counted in UTF-16"

        # hover: what protects a variable, who accesses it
        hover = await here.client.text_document_hover_async(types.HoverParams(document, types.Position(6, 4)))
        assert hover is not None and isinstance(hover.contents, types.MarkupContent)
        assert "`x`: **safe**" in hover.contents.value and "m is held at every access" in hover.contents.value
        assert "`work` writes it at line 7" in hover.contents.value and "`main` writes it at line 7" in hover.contents.value
        assert await here.client.text_document_hover_async(types.HoverParams(document, types.Position(10, 5))) is None

        # lenses: the verdicts above the declarations
        lenses = await here.client.text_document_code_lens_async(types.CodeLensParams(document))
        assert [(lens.range.start.line, lens.command.title) for lens in lenses or () if lens.command] == [
            (1, "x: safe; y: race"), (2, "z: race; w: safe")]

        # actions: the interleaving, a suppression
        context = types.CodeActionContext([race])
        actions = await here.client.text_document_code_action_async(types.CodeActionParams(document, race.range, context))
        show, suppress = actions or ()
        assert "interleaving" in show.title
        text = await here.client.workspace_execute_command_async(command_of(show))
        assert here.shown == [text] and text.count("next: writes y in 'y = 1' (line 9)") == 2
        assert isinstance(suppress, types.CodeAction) and suppress.edit is not None and suppress.edit.changes is not None
        (edit,) = suppress.edit.changes[document.uri]
        assert edit.range.start == types.Position(1, 0) and edit.new_text.startswith("// circ-suppress y: ")

        # with a reason it is a hint, which editors do not list
        for reason, severity in (("", types.DiagnosticSeverity.Warning), ("only statistics", types.DiagnosticSeverity.Hint)):
            here.save(document, 2, RACY.replace("int x, y;\n", f"{edit.new_text.rstrip()} {reason}\nint x, y;\n"))
            assert named(await here.diagnostics("a.c"), "y").severity == severity

        # an edit that mends it takes the diagnostic away; lines that move, move
        here.save(document, 3, "\n" + RACY.replace("    y = 1;\n", ""))
        found = await here.diagnostics("a.c")
        assert [d.range.start for d in found] == [types.Position(9, 13)]

    session(test, tmp_path)


def test_what_cannot_be_read_is_an_error_where_it_stands_until_it_is_mended_or_closed(tmp_path: Path) -> None:
    async def test(here: Editor) -> None:
        header = here.open("a.h", RACY)
        assert not await here.client.text_document_code_lens_async(types.CodeLensParams(header))
        assert here.published.empty(), "only C files are checked"
        document = here.open("a.c", "int x;\nint f( { }\n")
        (error,) = await here.diagnostics("a.c")
        assert error.severity == types.DiagnosticSeverity.Error and error.range.start.line == 1
        here.save(document, 2, RACY)
        assert {d.code for d in await here.diagnostics("a.c")} == {"race"}
        here.client.text_document_did_close(types.DidCloseTextDocumentParams(document))
        last = await asyncio.wait_for(here.published.get(), 20)
        assert last.uri == document.uri and list(last.diagnostics) == []

    session(test, tmp_path)


def test_a_save_ends_the_check_of_the_older_text(tmp_path: Path) -> None:
    """The first text would take minutes; nothing is said about it once there is a newer one."""
    async def test(here: Editor) -> None:
        document = here.open("a.c", SLOW)
        await asyncio.sleep(1.5)
        here.save(document, 2, RACY)
        assert {d.code for d in await here.diagnostics("a.c")} == {"race"}

    session(test, tmp_path, {"options": ["--timeout", "600"]})


def test_options_of_the_editor_and_of_the_file_hold(tmp_path: Path) -> None:
    text = "int x;\nvoid f(void) { x = 1; }\n"

    async def test(here: Editor) -> None:
        document = here.open("a.c", text)
        assert [d.code for d in await here.diagnostics("a.c")] == ["race"]
        here.save(document, 2, "// CIRC: -x y\n" + text)
        (error,) = await here.diagnostics("a.c")
        assert "there is no variable 'y'" in error.message

    session(test, tmp_path, {"options": ["--thread", "f"]})


def test_the_assumptions_that_prove_a_variable_can_be_added(tmp_path: Path) -> None:
    async def test(here: Editor) -> None:
        document = here.open("a.c", STATE)
        assert await here.diagnostics("a.c") == []
        line = STATE.splitlines().index("int x, state;")
        where = types.Range(types.Position(line, 0), types.Position(line, 1))
        actions = await here.client.text_document_code_action_async(
            types.CodeActionParams(document, where, types.CodeActionContext([])))
        (add,) = [a for a in actions or () if "'x'" in a.title]
        said = await here.client.workspace_execute_command_async(command_of(add))
        assert said == "" and here.edits[0].changes is not None
        (edit,) = here.edits[0].changes[document.uri]
        assert "//@ assumes" in edit.new_text and edit.range.start == types.Position(0, 0)

    session(test, tmp_path)
