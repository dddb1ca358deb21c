"""Preprocessing by real compilers: the one that the user names (`--cpp`), or the one of a file's compile command.

Whoever wrote a database must not decide which program runs here. So a compiler counts by its name alone, which must be one that
compilers have; it is looked up in the absolute folders of PATH, outside of the project; and of its flags those are kept that
say which macros and headers there are. All others (`-B`, `-wrapper`, `-fplugin`, `-specs`, `-Xpreprocessor`, `-o`) are dropped.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Sequence

from frontend.program import FrontendError, Location
from frontend.records import dataclass

AUTO, OWN = "auto", "own"
"""Values of `--cpp` that are no commands: the compiler of the compile command, or the system's; never any."""

_SYSTEM = ("cc", "gcc", "clang")

_NAME = re.compile(r"(?:[A-Za-z0-9_]+(?:\.[0-9]+)?-){0,4}(?:gcc|cc|clang|c89|c99)(?:-[0-9]+(?:\.[0-9]+)*)?")
"""`gcc`, `cc`, `clang-15`, `avr-gcc`, `arm-none-eabi-gcc`, `x86_64-linux-gnu-gcc-12`."""

_FLAG = re.compile(
    r"-m32|-m64|-mx32|-mmcu=\w+|-mcpu=[\w.+-]+|-march=[\w.+=-]+|-mthumb|-marm|-mfloat-abi=\w+|-mfpu=[\w-]+|-mabi=\w+|-msoft-float|"
    r"-mhard-float|-std=[\w:+]+|-ansi|-pthread|-fopenmp|-fms-extensions|-fshort-enums|-fno-short-enums|-fshort-wchar|-funsigned-char|-fno-signed-char|-fno-unsigned-char|"
    r"-fsigned-char|-fno-builtin|-ffreestanding|-fhosted|-fgnu89-inline|-nostdinc|-undef|-trigraphs|--target=[\w.-]+|"
    r"(?:--sysroot=|-isysroot)[^@-].*")
"""Flags that say which macros and headers there are; as whole words, so that none takes the next word with it."""


@dataclass(frozen=True, slots=True)
class Compiler:
    """What a compile command says about its compiler: its name without a folder, flags of `_FLAG`, the project's folder."""

    name: str
    flags: tuple[str, ...] = ()
    project: str = ""


def is_compiler(name: str) -> bool:
    """Whether a program of this name is a C compiler that we know how to ask for preprocessing."""
    return _NAME.fullmatch(name) is not None


def harmless(flag: str) -> bool:
    """Whether a flag of a compile command may be given to the compiler: all it does is to choose macros and headers."""
    return _FLAG.fullmatch(flag) is not None


def installed(compiler: Compiler) -> str | None:
    """Where the compiler is installed, None if it is not: on PATH, in a folder that is absolute and not in the project."""
    if not is_compiler(compiler.name):
        return None
    inside = os.path.realpath(compiler.project) if compiler.project else None
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        path = os.path.join(folder, compiler.name)
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK) and not _lies_in(path, inside):
            return path
    return None


def _lies_in(path: str, folder: str | None) -> bool:
    """Whether the path, or what it is a link to, is in the folder."""
    if folder is None or folder == os.sep:
        return False
    return any(os.path.commonpath([folder, p]) == folder for p in (os.path.abspath(path), os.path.realpath(path)))


def preprocessor(path: str, cpp: str | None, compiler: Compiler | None, project: str = "") -> list[str]:
    """The words of a command to preprocess a file with, to be completed; none if that is our own task.

    `cpp` is the value of `--cpp`, None if it is not given: then the compiler of a compile command is used where it is installed.
    No compiler that lies in the `project`, by default the file's folder, is one of the system.
    """
    if cpp == OWN:
        return []
    if cpp not in (None, AUTO):
        return _split(path, cpp)
    if compiler is None and cpp == AUTO:
        project = project or os.path.dirname(os.path.abspath(path))
        compiler = next((c for c in (Compiler(name, project=project) for name in _SYSTEM) if installed(c)), None)
    found = None if compiler is None else installed(compiler)
    return [] if compiler is None or found is None else [found, "-E", *(f for f in compiler.flags if harmless(f))]


def _split(path: str, command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise FrontendError(Location(path, 1, 1), f"--cpp {command!r} is not a command: {error}",
                            "for example --cpp 'gcc -E'") from None


_ERROR = re.compile(r"^(.+?):(\d{1,9}):(?:(\d{1,9}):)? *(?:fatal )?error: *(.*)$", re.MULTILINE)


def run_preprocessor(words: Sequence[str], path: str, cpp: str | None) -> str:
    """What a preprocessor makes of the file; raises FrontendError if it fails. `cpp` is the value of `--cpp`.

    It may take as long as it likes: limits are for the process that reads the file, and hold for all that it starts.
    """
    here = Location(path, 1, 1)
    see = "see --cpp" if cpp is None else f"see --cpp {cpp!r}"
    if os.path.basename(path).startswith("@"):
        raise FrontendError(here, "to compilers a name that begins with '@' is a file of options", "rename it, or use --cpp own")
    file = os.path.join(".", path) if path.startswith(("-", "@")) else path  # no file's name is an option
    try:
        done = subprocess.run([*words, file], capture_output=True, stdin=subprocess.DEVNULL, check=False)
    except OSError as error:
        raise FrontendError(here, f"cannot run the preprocessor {words[0]!r}: {error.strerror}", "see --cpp") from None
    except ValueError:
        raise FrontendError(here, "the options have characters that no command line has", "see -D, -U, -I and --cpp") from None
    if done.returncode != 0:
        errors = done.stderr.decode("utf-8", "replace")
        if m := _ERROR.search(errors):
            raise FrontendError(Location(m[1], int(m[2]), int(m[3] or 0)), m[4], f"found by {words[0]}; see -I, -D and --cpp")
        said = errors.strip().splitlines() or [f"exit status {done.returncode}"]
        raise FrontendError(here, f"the preprocessor failed: {said[0]}", see)
    try:
        text = done.stdout.decode("utf-8")
    except UnicodeDecodeError:
        text = done.stdout.decode("latin-1")
    return text.replace("\r\n", "\n")
