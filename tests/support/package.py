"""What others install works: sdist and wheel are built, installed into clean environments and used, at the oldest and newest versions.

`make package` runs it; packages come from wherever pip takes them. The oldest versions are the lower bounds of pyproject.toml, each of
them: a bound that is not true is a lie to whoever has that version.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = ("bdd", "cluster", "draw", "lsp")
"""Those that users install; the others are for working on circ."""
LOCKED = """
#include <pthread.h>
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *w(void *p) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, w, 0); w(0); pthread_join(t, 0); return 0; }
"""
STATE = """
#include "circ.h"
int x, state;
circ_threads(2) void w(void) { int old; atomic { old = state; if (state == 0) state = 1; } if (old == 0) { x = 1; state = 0; } }
"""


def oldest(project: dict[str, object]) -> list[str]:
    """Each requirement at its lower bound, those of the extras that users install included."""
    table: dict[str, object] = project["project"]  # type: ignore[assignment]
    extras: dict[str, list[str]] = table["optional-dependencies"]  # type: ignore[assignment]
    wanted: list[str] = [*table["dependencies"], *(d for name in EXTRAS for d in extras[name])]  # type: ignore[misc]
    pinned = []
    for requirement in wanted:
        bound = re.fullmatch(r"([\w.-]+)>=([\d.]+)", requirement)
        assert bound is not None, f"{requirement}: one lower bound, and nothing else"
        pinned.append(f"{bound[1]}=={bound[2]}")
    return pinned


def run(words: list[str], status: int = 0, folder: Path | None = None) -> str:
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ""})
    assert done.returncode == status, f"{' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def build(folder: Path) -> Path:
    """The wheel, built from the sdist, that from the files of the checkout."""
    source = folder / "source"
    ignored = shutil.ignore_patterns("__pycache__", ".*", "build", "*.egg-info")
    shutil.copytree(ROOT, source, ignore=ignored)
    run([sys.executable, "-c", f"from setuptools import build_meta; build_meta.build_sdist({str(folder)!r})"], folder=source)
    (sdist,) = folder.glob("circ-*.tar.gz")
    run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(folder), str(sdist)])
    (wheel,) = folder.glob("circ-*.whl")
    return wheel


def smoke(folder: Path, wheel: Path, pinned: list[str]) -> None:
    """The commands in an environment with nothing but what the wheel asks for, and then with its extras."""
    home = folder / ("oldest" if pinned else "newest")
    venv.create(home, with_pip=True)
    constraints = home / "constraints.txt"
    constraints.write_text("\n".join(pinned))
    install = [str(home / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", "-c", str(constraints)]
    run([*install, str(wheel)])
    circ = str(home / "bin" / "circ")
    (home / "locked.c").write_text(LOCKED)
    (home / "state.c").write_text(STATE)
    assert "safe" in run([circ, "check", "locked.c"], folder=home)
    for engine in ("auto", "omega-circ", "circ", "counter-guided", "refinement"):
        assert "safe" in run([circ, "check", "state.c", "-x", "x", "--engine", engine, "--certificate", "proof"], folder=home)
    for proof in sorted((home / "proof").iterdir()):
        assert "accepted" in run([circ, "recheck", str(proof), "state.c"], folder=home)
    assert "locked.c" in run([circ, "scan", ".", "--no-cache", "-j", "2"], folder=home)
    assert "circ[draw]" in run([circ, "cfa", "locked.c", "--format", "svg"], 2, folder=home)
    assert "circ[lsp]" in run([circ, "lsp"], 2, folder=home)
    run([*install, f"{wheel}[bdd,cluster,draw,lsp]"])
    hello = '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": null, "rootUri": null, "capabilities": {}}}'
    told = subprocess.run([circ, "lsp"], input=f"Content-Length: {len(hello)}\r\n\r\n{hello}", capture_output=True, text=True, cwd=home)
    assert '"hoverProvider"' in told.stdout, told.stdout + told.stderr
    assert "<svg" in run([circ, "cfa", "locked.c", "--format", "svg"], folder=home)
    assert "safe" in run([circ, "check", "state.c", "-x", "x", "--engine", "refinement"], folder=home)
    run([str(home / "bin" / "python"), "-m", "pip", "check"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("oldest", "newest"), help="one of the two")
    only = parser.parse_args().only
    pinned = oldest(tomllib.loads((ROOT / "pyproject.toml").read_text()))
    with tempfile.TemporaryDirectory() as folder:
        wheel = build(Path(folder))
        print(f"{wheel.name}: {wheel.stat().st_size >> 10} KB")
        for name, versions in (("oldest", pinned), ("newest", [])):
            if only in (None, name):
                smoke(Path(folder), wheel, versions)
                print(f"{name} versions: works ({', '.join(versions) or 'whatever pip takes'})")


if __name__ == "__main__":
    main()
