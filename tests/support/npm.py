"""Packages of npm that tests use by name: schemas of others, and the tools that build the extension for VS Code."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

_AWAY = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "E404", "E403", "EINTEGRITY", "ENOTCACHED")
"""What npm says when it cannot have a package from where it looks."""


def npm(folder: Path, *words: str) -> str:
    """What npm prints. Skips the test where npm is missing, or cannot have what it needs."""
    program = shutil.which("npm")
    if program is None:
        pytest.skip("npm is not installed")
    done = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True, env={**os.environ, "npm_config_update_notifier": "false"})
    said = next((word for word in _AWAY if word in done.stderr), None)
    if done.returncode != 0 and said is not None:
        pytest.skip(f"npm cannot have the packages: {said}")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def unpacked(package: str, folder: Path) -> Path:
    """The files of a package."""
    name = npm(folder, "pack", "--silent", package).split()[-1]
    with tarfile.open(folder / name) as archive:
        archive.extractall(folder, filter="data")
    return folder / "package"
