"""Plain values of options are what typer would make of them, and loading what judges the others is not needed for them."""

import subprocess
import sys
from typing import Any

import pytest
import typer

from circ.cli import app, main
from circ.plain_options import NOT_PLAIN, PlainCommand, taken

VALUES: tuple[Any, ...] = (
    None, "", "x", "0", "1", "07", "7", "12.5", ".5", "5.", "1e3", "-3", "+3", " 3", "3 ", "1_000", "٣", "nan", "inf", "0.0001", "0.001", "123456789",
    "1234567890", "exact", "EXACT", "text", "json", "c11", "lp64", "none", "always", ["a", "b"], (), ("a",), [1], 60.0, 4096, 3,
)
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_plain_values_are_what_typer_makes_of_them(command: str) -> None:
    context = typer.Context(COMMANDS[command])
    plain = 0
    for param in COMMANDS[command].params:
        enums = [v for member in (param.type_descriptor.choices or ()) for v in (member, member.value, str(member.value).upper())]
        for value in (*VALUES, param.default, *enums):
            found = taken(param, value)
            if found is NOT_PLAIN:
                continue
            plain += 1
            expected = param.get_runtime_param().coerce(value, param=param, ctx=context)
            assert found == expected and type(found) is type(expected), (param.name, value)
    assert plain > len(COMMANDS[command].params) or command in ("engines", "serve", "lsp")


def test_every_command_takes_plain_values() -> None:
    assert all(isinstance(command, PlainCommand) for command in COMMANDS.values())


@pytest.mark.parametrize("words", [("--timeout", "0"), ("--timeout", "x"), ("--ints", "exac"), ("--unroll", "-1")])
def test_other_values_are_judged(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["check", *words, "nothing.c"])
    assert end.value.code == 2 and words[0] in capsys.readouterr().err


def test_a_check_loads_neither_pydantic_nor_networkx(tmp_path: Any) -> None:
    """Each of them takes longer than reading and proving a small program."""
    (tmp_path / "a.c").write_text("int x, m;\nvoid *t(void *p) { __VERIFIER_atomic_begin(); x++; __VERIFIER_atomic_end(); return 0; }\n")
    script = ("import atexit, sys\natexit.register(lambda: print(sorted({'pydantic', 'networkx'} & set(sys.modules))))\n"
              "from circ.__main__ import main\nmain()")
    words = ("check", "a.c", "--thread", "t", "--timeout", "20", "--ints", "exact")
    done = subprocess.run([sys.executable, "-c", script, *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and "safe: no race on 'x'" in done.stdout and done.stdout.endswith("[]\n"), done
