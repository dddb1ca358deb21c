"""The site that `make docs` builds has every page, and its links lead somewhere."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
SITE: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text())


def pages(entry: Any) -> Iterator[str]:
    for each in entry if isinstance(entry, list) else entry.values():
        if isinstance(each, str):
            yield each
        else:
            yield from pages(each)


def test_every_page_is_in_the_menu_once() -> None:
    named = list(pages(SITE["nav"]))
    there = [p.name for p in (ROOT / "docs").glob("*.md")]
    assert sorted(named) == sorted([*there, "README.md", "CONTRIBUTING.md", "CHANGELOG.md"])


@pytest.mark.skipif(importlib.util.find_spec("mkdocs") is None or importlib.util.find_spec("mkdocstrings") is None,
                    reason="mkdocs is not installed (make docs does)")
def test_the_site_is_built_without_a_warning_and_needs_no_network(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--quiet", "-d", str(tmp_path / "site")], cwd=ROOT,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "site" / "api.html").read_text()
    assert all(f'id="{name}"' in text for name in ("circ.verdict.Safe", "frontend.api.loads", "circ.inference.acfa.collapse"))
    assert 'src="http' not in text and "fonts.googleapis" not in text
