"""Ordinary C that was once read wrongly, with its neighbours: every program of `tests/programs/reading` comes out as its header says."""

from __future__ import annotations

from pathlib import Path

import pytest

from frontend import load
from frontend.program import FrontendError
from tests.circ.test_verdicts import answers
from tests.support.corpus import PROGRAMS, Example, collect, decided

EXAMPLES = collect(PROGRAMS / "reading")


@pytest.mark.parametrize("example", EXAMPLES, ids=[e.path.stem for e in EXAMPLES])
def test_the_verdict_is_that_of_the_header(example: Example) -> None:
    # Where nothing is to be decided, whoever decides it wrongly does so soon: nobody waits for the others.
    said = answers(example, "auto", 120 if any(x.verdict != "unknown" for x in example.expectations) else 10)
    # A variable that no thread touches is safe, and nothing is asked about it.
    found = {x.subject: decided(said[x.subject]) if x.subject in said else "safe" for x in example.expectations}
    assert found == {x.subject: x.verdict for x in example.expectations}


@pytest.mark.parametrize(("text", "message"), [
    ("void h __attribute__((signal));\nvoid h(void) { }\nint main(void) { return 0; }\n", "2:6: error: 'h' is declared as a function and as an object"),
    ("#include <pthread.h>\nint main(void) { pthread_join(); return 0; }\n", "2:18: error: 'pthread_join' has too few arguments"),
    ("struct s { char c; int i; };\n_Static_assert(sizeof(struct s) == 5, \"packed\");\nint main(void) { return 0; }\n",
     "2:1: error: static assertion failed: sizeof(struct s) == 5"),
    ("#include <string.h>\nchar b[4];\nint main(void) { memset(b); return 0; }\n", "3:18: error: 'memset' has too few arguments"),
    ("int pthread_join();\nint main(void) { pthread_join(); return 0; }\n", "2:18: error: 'pthread_join' has too few arguments"),
    ("int pthread_once();\nint main(void) { pthread_once(0); return 0; }\n", "2:18: error: 'pthread_once' has too few arguments"),
])
def test_what_no_compiler_takes_is_a_located_error(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.c").write_text(text)
    with pytest.raises(FrontendError) as error:
        load(tmp_path / "a.c")
    assert f"a.c:{message}" in str(error.value)
