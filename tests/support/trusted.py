"""What must be right for a `safe` to be right, counted: `python -m tests.support.trusted` rewrites the numbers in docs/trust.md.

Trusted is every module that `frontend.load` or the kernel can reach by imports: for a `safe` of `auto`, the part of the kernel
that takes its kinds of proof; for all answers, also replays, the other kinds, and what reads annotations. Not trusted: engines, searches, reports.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "trust.md"
_ROW = re.compile(r"^\| `([\w/]+)/` \| ([\d,]+) \| ([\d,]+) \|", re.MULTILINE)
_TOTAL = re.compile(r".*?".join([r"\*\*([\d,]+) lines\*\* in ([\d,]+) modules"] * 3), re.DOTALL)
SAFE = ("frontend.reading", "circ.kernel.certificate")
"""What a `safe` of `auto` rests on, with all that these reach by imports."""
FURTHER = (*SAFE, "circ.kernel.further_kinds")
"""The same if its proof is by ownership, or atomicity was asked for."""


def modules() -> dict[str, Path]:
    """All modules of circ and frontend by name."""
    found = {}
    for top in ("frontend", "circ"):
        for path in sorted((ROOT / top).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


def imports(path: Path, known: dict[str, Path]) -> set[str]:
    """The modules of ours that a module imports, wherever in its text."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found & known.keys()


def trusted(roots: Sequence[str] = ()) -> dict[str, Path]:
    """What the roots reach by imports; without any, what any answer rests on: `frontend.load` and all of the kernel."""
    known = modules()
    work = list(roots) or ["frontend.reading", "frontend.annotated", *(name for name in known if name.startswith("circ.kernel"))]
    found: dict[str, Path] = {}
    while work:
        name = work.pop()
        if name not in found:
            found[name] = known[name]
            work += sorted(imports(known[name], known))
    return found


def lines(roots: Sequence[str] = ()) -> Counter[str]:
    """Lines of trusted modules by folder."""
    counted: Counter[str] = Counter()
    for path in trusted(roots).values():
        counted[str(path.parent.relative_to(ROOT))] += len(path.read_text(encoding="utf-8").splitlines())
    return counted


def stated() -> tuple[dict[str, tuple[int, int]], tuple[int, ...]]:
    """The numbers that the page gives: by folder for a `safe` and for all, and lines and modules in all of both."""
    text = PAGE.read_text(encoding="utf-8")
    total = _TOTAL.search(text)
    assert total is not None
    return {m[1]: (_number(m[2]), _number(m[3])) for m in _ROW.finditer(text)}, tuple(map(_number, total.groups()))


def found() -> tuple[dict[str, tuple[int, int]], tuple[int, ...]]:
    """The same, counted."""
    safe, every = lines(SAFE), lines()
    totals = tuple(n for roots in (SAFE, FURTHER, ()) for n in (lines(roots).total(), len(trusted(roots))))
    return {room: (safe[room], every[room]) for room in every}, totals


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def write() -> None:
    """Puts today's numbers into the page."""
    rows, totals = found()
    text = PAGE.read_text(encoding="utf-8")
    text = _ROW.sub(lambda m: f"| `{m[1]}/` | {rows.get(m[1], (0, 0))[0]:,} | {rows.get(m[1], (0, 0))[1]:,} |", text)
    numbers = iter(totals)
    text = _TOTAL.sub(lambda m: re.sub(r"[\d,]*\d(?= lines\*\*| modules)", lambda _: f"{next(numbers):,}", m[0]), text)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
