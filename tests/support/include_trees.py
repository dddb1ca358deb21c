"""Random include trees and random edits of them, in every spelling that C has for a look-up: for tests of what an answer depends on.

Each tree has a main file whose verdict depends on a macro, `LOCK`, that any of its headers may define: what is found, where it is
found, and what is not found decide whether `x` is protected.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

FOLDERS = ("src", "inc1", "inc2", "src/sub")
NAMES = ("a.h", "b.h", "c.h", "sub/d.h", "stdint.h", "circ.h")
MAIN = "src/main.c"


@dataclass
class Tree:
    """A folder with headers; `options` are those of the command line that go with it."""

    root: Path
    rng: random.Random
    options: list[str] = field(default_factory=list)

    def build(self) -> None:
        for folder in FOLDERS:
            (self.root / folder / "sub").mkdir(parents=True, exist_ok=True)
        for _ in range(self.rng.randint(3, 7)):
            self._write(self._somewhere(), self._header())
        self.options = self._options()
        self._write(MAIN, self._main())

    def edit(self) -> str:
        """Changes one thing; says what."""
        headers = sorted(str(p.relative_to(self.root)) for p in self.root.rglob("*.h"))
        match self.rng.choice(("write", "write", "new", "new", "delete", "move", "link", "options", "main", "nothing")):
            case "write" if headers:
                name = self.rng.choice(headers)
                self._write(name, self._header())
                return f"{name} changed"
            case "delete" if headers:
                name = self.rng.choice(headers)
                (self.root / name).unlink()
                return f"{name} deleted"
            case "move" if headers:
                name, to = self.rng.choice(headers), self._somewhere()
                (self.root / name).replace(self.root / to)
                return f"{name} moved to {to}"
            case "link" if headers:
                name, to = self.rng.choice(headers), self._somewhere()
                if name != to:
                    (self.root / to).unlink(missing_ok=True)
                    (self.root / to).symlink_to(self.root / name)
                return f"{to} is a link to {name}"
            case "options":
                self.options = self._options()
                return f"options {self.options}"
            case "main":
                self._write(MAIN, self._main())
                return "the file itself changed"
            case "new":
                name = self._somewhere()
                self._write(name, self._header())
                return f"{name} written"
            case _:
                return "nothing changed"

    def _somewhere(self) -> str:
        return f"{self.rng.choice(FOLDERS)}/{self.rng.choice(NAMES)}"

    def _write(self, name: str, text: str) -> None:
        path = self.root / name
        path.unlink(missing_ok=True)
        path.write_text(text)

    def _options(self) -> list[str]:
        order = self.rng.sample(["inc1", "inc2"], 2)
        options = [word for folder in order for word in ("-I", str(self.root / folder))]
        if self.rng.random() < 0.3:
            options += ["-D", self.rng.choice(("FLAG", "FLAG=0", "WHICH=1", "HEADER=\"c.h\""))]
        if self.rng.random() < 0.2:
            options += ["--platform", self.rng.choice(("avr", "atmega128"))]
        return options

    # ----------------------------------------------------------------------------------------------- texts
    def _main(self) -> str:
        lines = [self._lookup() for _ in range(self.rng.randint(1, 4))]
        return "\n".join([*lines, "#ifndef LOCK", "#define LOCK", "#endif", "int x;",
                          "__attribute__((circ_thread)) void w(void) { LOCK { x = x + 1; } }", ""])

    def _header(self) -> str:
        lines = [self._lookup() for _ in range(self.rng.choice((0, 0, 1, 2)))]
        lines += self.rng.choice((["#undef LOCK", "#define LOCK atomic"], ["#undef LOCK", "#define LOCK"], [], ["#define FLAG 1"],
                                  ["#pragma once"], ["#ifdef FLAG", "#undef LOCK", "#define LOCK atomic", "#endif"],
                                  ["#ifdef __CIRC_AVR", "#undef LOCK", "#define LOCK atomic", "#endif"]))
        guard = f"G{self.rng.randrange(10**9)}"
        if self.rng.random() < 0.9:  # the rest include themselves until that is an error, which is an answer as well
            lines = [f"#ifndef {guard}", f"#define {guard}", *lines, "#endif"]
        return "\n".join([*lines, ""])

    def _lookup(self) -> str:
        name = self.rng.choice(NAMES)
        quoted = self.rng.choice((f'"{name}"', f"<{name}>", f'"../inc1/{name}"', f'"{self.root}/inc2/{name}"', f'"./{name}"'))
        spelling = self.rng.randrange(12)
        has = f"#if __has_include({quoted})"
        lock = "#undef LOCK\n#define LOCK atomic"
        return (
            f"#include {quoted}",
            f"  #  include {quoted}",
            f"%: include {quoted}",
            f"#inc\\\nlude {quoted}",
            f"#include /* a comment */ {quoted}",
            f"#define HERE {quoted}\n#include HERE\n#undef HERE",
            f"{has}\n{lock}\n#endif",
            f"{has}\n#include {quoted}\n#else\n{lock}\n#endif",
            f"#ifdef FLAG\n#include {quoted}\n#endif",
            f"#if defined __has_include\n{has}\n#include {quoted}\n#endif\n#endif",
            f"#ifdef HEADER\n#include HEADER\n#endif\n#include {quoted}",
            f"#if __has_include_next(<{name}>)\n#include_next <{name}>\n#endif",
        )[spelling]
