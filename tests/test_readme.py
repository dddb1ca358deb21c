"""What the README shows is what happens."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from circ.cli import app

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
SHOWN = [(m[1], m[2]) for m in re.finditer(r"```\n\$ circ (.*?)\n(.*?)```", README, re.S)]


@pytest.mark.parametrize(("command", "output"), SHOWN)
def test_output_shown(command: str, output: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(SystemExit):
        app(shlex.split(command))
    assert essence(capsys.readouterr().out).startswith(essence(output))


def essence(text: str) -> str:
    """The output without the sizes of a proof, which may improve with every change of an engine."""
    return re.sub(r"\(omega-circ, .*\)|  the proof rests on .*", "", text)


def test_something_is_shown() -> None:
    assert len(SHOWN) >= 2


def test_the_library_example(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    [code] = re.findall(r"```python\n(.*?)```", README, re.S)
    exec(code, {})
    assert capsys.readouterr().out == "x Safe\n"
