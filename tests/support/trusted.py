"""What must be right for a `safe` to be right, counted: `python -m tests.support.trusted` rewrites the numbers in docs/trust.md.

Trusted is every module that `frontend.load` or the kernel can reach by imports. Not trusted: engines, searches, reports.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "trust.md"
_ROW = re.compile(r"^\| `([\w/]+)/` \| ([\d,]+) \|", re.MULTILINE)
_TOTAL = re.compile(r"\*\*([\d,]+) lines\*\* in ([\d,]+) modules")


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


def trusted() -> dict[str, Path]:
    """What `frontend.load` and the kernel reach."""
    known = modules()
    work = ["frontend.api", *(name for name in known if name.startswith("circ.kernel"))]
    found: dict[str, Path] = {}
    while work:
        name = work.pop()
        if name not in found:
            found[name] = known[name]
            work += sorted(imports(known[name], known))
    return found


def lines() -> Counter[str]:
    """Lines of trusted modules by folder."""
    counted: Counter[str] = Counter()
    for path in trusted().values():
        counted[str(path.parent.relative_to(ROOT))] += len(path.read_text(encoding="utf-8").splitlines())
    return counted


def stated() -> tuple[dict[str, int], tuple[int, int]]:
    """The numbers that the page gives: by folder, and lines and modules in all."""
    text = PAGE.read_text(encoding="utf-8")
    total = _TOTAL.search(text)
    assert total is not None
    return {m[1]: _number(m[2]) for m in _ROW.finditer(text)}, (_number(total[1]), _number(total[2]))


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def write() -> None:
    """Puts today's numbers into the page."""
    counted = lines()
    text = _ROW.sub(lambda m: f"| `{m[1]}/` | {counted[m[1]]:,} |", PAGE.read_text(encoding="utf-8"))
    text = _TOTAL.sub(f"**{sum(counted.values()):,} lines** in {len(trusted()):,} modules", text)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
