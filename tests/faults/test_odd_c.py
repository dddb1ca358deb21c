"""C as nobody writes it is read, or refused with its place: no constant, directive, declaration, statement or call is our bug."""

from __future__ import annotations

from pathlib import Path

from frontend.ir.library_table import KNOWN
from frontend.ir.thread_library import THREAD_LIBRARY
from tests.faults.test_inputs import read_all
from tests.support.odd_c import calls, programs

NAMES = sorted({*KNOWN, *THREAD_LIBRARY, *(f"__builtin_{n}" for n in ("constant_p", "types_compatible_p", "add_overflow", "va_arg", "clz", "expect"))})


def test_odd_programs(tmp_path: Path) -> None:
    assert read_all(list(programs()), tmp_path) == []


def test_odd_calls(tmp_path: Path) -> None:
    """A slice; all of them in `make faults`."""
    chosen = [*NAMES[::50], "memcpy", "qsort", "pthread_create", "pthread_key_create", "sem_init", "realloc", "__circ_cleanup_push"]
    assert read_all(list(calls(chosen)), tmp_path) == []
