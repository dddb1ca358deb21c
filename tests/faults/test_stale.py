"""No stale answer: a scan with a cache against one without, after random edits of random include trees."""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from circ.report.rows import Head, Row
from circ.run.session import Request
from circ.scan.cache import Cache
from circ.scan.fingerprint import fingerprint
from circ.scan.job import FileScan, Job
from circ.scan.sources import Source
from frontend import LoadOptions, SourceFile, preprocessed
from tests.support.include_trees import MAIN, Tree

EDITS = 8


def options_of(words: list[str]) -> LoadOptions:
    pairs = list(zip(words[::2], words[1::2], strict=True))
    platform = [value for name, value in pairs if name == "--platform"]
    return LoadOptions(include=tuple(v for n, v in pairs if n == "-I"), define=tuple(v for n, v in pairs if n == "-D"),
                       platform=platform[0] if platform else None, cpp=CPP)


CPP: str | None = None


def scanned(tree: Tree, cache: Cache | None) -> list[Any]:
    """What a scan of the main file tells, without times and without where it was found."""
    told: list[Any] = []
    request = Request(options_of(tree.options), timeout=60.0)
    path = str(tree.root / MAIN)
    FileScan(lambda source, header: request, cache, {}, None)(Job(0, Source(path, str(tree.root))), told.append)
    return [replace(item, seconds=0.0, **({"cached": False} if isinstance(item, Row) else {})) for item in told
            if isinstance(item, Head | Row)]


def rounds(seed: int, folder: Path) -> Iterator[tuple[str, bool]]:
    """One tree, edited again and again: what was done, and whether the answers agree."""
    tree = Tree(folder / "project", random.Random(seed))
    tree.build()
    cache = Cache(folder / "cache")
    assert cache.refused() == ""
    done = "built"
    for _ in range(EDITS):
        kept, fresh = scanned(tree, cache), scanned(tree, None)
        yield f"seed {seed}: {done}: {kept} / {fresh}", kept == fresh
        done = tree.edit()


@pytest.mark.parametrize("seed", range(4))
def test_a_cached_answer_is_the_answer(seed: int, tmp_path: Path) -> None:
    for what, agree in rounds(seed, tmp_path):
        assert agree, what


def test_the_trees_are_worth_the_trouble(tmp_path: Path) -> None:
    """Both verdicts and errors come up, and the cache is used."""
    words: set[str] = set()
    for seed in range(20):
        tree = Tree(tmp_path / str(seed), random.Random(seed))
        tree.build()
        words |= {item.verdict if isinstance(item, Row) else "error" for item in scanned(tree, None) if isinstance(item, Row) or item.error}
    assert words == {"safe", "race", "error"}



LACKING = "#include <sys/epoll.h>\nint x;\nvoid other(void);\n__attribute__((circ_thread)) void w(void) { atomic { x = EPOLLIN; } other(); }\n"
OTHER = "extern int x;\n#include \"for_gcc.h\"\nvoid other(void) { STEP }\n"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_what_another_file_of_the_program_makes_the_systems_compiler_see(tmp_path: Path) -> None:
    """One file lacks a header, so all are preprocessed by the system: what circ's own would have seen of the others is no key."""
    (tmp_path / "a.c").write_text(LACKING)
    (tmp_path / "b.c").write_text(OTHER)
    files = (SourceFile(str(tmp_path / "a.c")), SourceFile(str(tmp_path / "b.c")))
    heads, verdicts = [], []
    for step in ("", "x = 1;"):
        (tmp_path / "for_gcc.h").write_text(f"#ifdef __GNUC_EXECUTION_CHARSET_NAME\n#define STEP {step}\n#else\n#define STEP\n#endif\n")
        told: list[Any] = []
        scan = FileScan(lambda source, header: Request(LoadOptions(), timeout=60.0), None, {}, None)
        scan(Job(0, Source(files[0].path, str(tmp_path), files)), told.append)
        heads += [item.key for item in told if isinstance(item, Head)]
        verdicts += [item.verdict for item in told if isinstance(item, Row)]
    assert verdicts == ["safe", "race"] and heads[0] != heads[1]


def test_names_that_macros_give_are_part_of_the_key(tmp_path: Path) -> None:
    keys = []
    for name in ("BELL", "HORN"):
        text = f"#define {name} __vector_7\n".ljust(40) + "int x;\n__attribute__((signal)) void NAME(void) { x = 1; }\n".replace("NAME", name)
        (tmp_path / "a.c").write_text(text)
        file = SourceFile(str(tmp_path / "a.c"))
        keys.append(fingerprint([file], preprocessed([file]), LoadOptions(), {}))
    assert keys[0] != keys[1]


def main(count: int, seed: int) -> int:
    """As a long command: `python -m tests.faults.test_stale COUNT SEED [CPP]`."""
    done = bad = 0
    while done < count:
        with tempfile.TemporaryDirectory() as folder:
            for what, agree in rounds(seed, Path(folder)):
                done += 1
                if not agree:
                    bad += 1
                    print(what)
        seed += 1
    print(f"{done} rounds, {bad} differences")
    return 1 if bad else 0


if __name__ == "__main__":
    CPP = sys.argv[3] if len(sys.argv) > 3 else None
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
