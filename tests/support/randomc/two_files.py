"""A random sharing program as two files: the second thread in a file of its own, which declares what it shares as `extern`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.support.randomc.sharing import HEAD

_FIRST, _SECOND = "static void *thread0(void *arg)\n", "static void *thread1(void *arg)\n"
_FUNCTION = re.compile(r"static [^={]*\)\s*\{")


def split(text: str) -> tuple[str, str]:
    """The two files of a program that `sharing_program` made; functions beside the threads are in both."""
    declared, rest = text.removeprefix(HEAD).split(_FIRST)
    first, behind = rest.split(_SECOND)
    second, main = behind.split("int main(void)\n")
    mine, theirs = [], []
    for statement in _statements(declared):
        variable = statement.startswith("static ") and not _FUNCTION.match(statement)
        mine.append(statement.removeprefix("static ") if variable else statement)
        theirs.append("extern " + _without_initialisers(statement.removeprefix("static ")) if variable else statement)
    other = _SECOND.removeprefix("static ")
    return (HEAD + "\n".join(mine) + f"\n{other.strip()};\n{_FIRST}{first}int main(void)\n{main}",
            HEAD + "\n".join(theirs) + f"\n{other}{second}")


def _statements(text: str) -> Iterator[str]:
    """The declarations and definitions of file scope."""
    depth, start = 0, 0
    for at, sign in enumerate(text):
        depth += (sign in "{([") - (sign in "})]")
        body = sign == "}" and _FUNCTION.match(text[start:at].lstrip()) is not None
        if depth == 0 and (sign == ";" or body):
            yield text[start:at + 1].strip()
            start = at + 1


def _without_initialisers(statement: str) -> str:
    out, depth, skipped = [], 0, False
    for sign in statement:
        depth += (sign in "{([") - (sign in "})]")
        if depth == 0 and sign in "=,;":
            skipped = sign == "="
        if not skipped:
            out.append(sign)
    return "".join(out)
