"""What the words of a compile command mean for reading its file: macros, headers, the machine; the rest is not looked at."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence

from frontend.api import SourceFile
from frontend.program import PLATFORMS, UNSIGNED_CHARS
from frontend.project.database import CompileCommand, as_seen
from frontend.text.compilers import Compiler, harmless, is_compiler

_WITH_VALUE = frozenset({
    "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot", "--sysroot", "-I", "-D", "-U", "-x", "-o", "-std",
    "-target", "-arch", "-Xclang", "-MF", "-MT", "-MQ", "-Xassembler", "-Xlinker", "-Xpreprocessor", "-L", "-l", "-T", "-u", "-z",
    "-B", "-wrapper", "-aux-info", "-dumpbase", "-dumpdir", "--param"})
"""Flags whose value is the next word, if they stand alone."""
_JOINED = ("-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot", "-I", "-D", "-U")
"""Those of them whose value may follow in the same word."""

_SHORT_LONGS = re.compile(r"(?:arm|i[3-6]86|riscv32|mips|mipsel|powerpc|xtensa|m68k|sparc|sh4?|nios2|microblaze)[-_]")
"""Targets, as compilers' names begin, on which `int`, `long` and pointers have 32 bits."""
_UNSIGNED_CHARS = re.compile(r"(?:arm|thumb|aarch64|riscv|powerpc|s390)\w*-(?!apple)|msp430-elf-")
"""Those on which a plain `char` has no sign."""
_SIGN_OF_CHARS = {"-funsigned-char": True, "-fno-signed-char": True, "-fsigned-char": False, "-fno-unsigned-char": False}


def source_file(command: CompileCommand) -> SourceFile:
    """The file of a compile command, with the options that are its own."""
    include: list[str] = []
    system: list[str] = []
    late: list[str] = []
    quoted: list[str] = []
    forced: list[str] = []
    macros: dict[str, tuple[bool, str]] = {}
    kept: list[str] = []
    folders = {"-I": include, "-isystem": system, "-idirafter": late, "-iquote": quoted}
    for flag, value in _flags(command.words):
        if flag in folders:
            folders[flag].append(as_seen(os.path.join(command.folder, value)))
        elif flag in ("-D", "-U"):
            macros.pop(name := re.split(r"[=(]", value, maxsplit=1)[0], None)
            macros[name] = flag == "-D", value
        elif flag in ("-include", "-imacros"):
            beside = os.path.join(command.folder, value)
            forced.append(as_seen(beside) if os.path.isfile(beside) else value)
        elif flag in ("-isysroot", "--sysroot"):
            kept.append(f"{flag}{'=' if flag == '--sysroot' else ''}{os.path.abspath(os.path.join(command.folder, value))}")
        elif harmless(whole := f"{flag}={value}" if value and flag in ("-std",) else flag):
            kept.append(whole)
    name = compiler_name(command.words)
    model, platform = _with_chars(*_machine(name, command.words), _target(name, command.words), command.words)
    return SourceFile(
        command.file, tuple(include), tuple(v for d, v in macros.values() if d), tuple(v for d, v in macros.values() if not d),
        quoted=tuple(quoted), system=(*system, *late), forced=tuple(forced), data_model=model, platform=platform,
        compiler=Compiler(name, tuple(k for k in kept if harmless(k)), command.project) if name else None)


def language(words: Sequence[str]) -> str:
    """What `-x` says the file is written in, empty if nothing."""
    return next((value for flag, value in reversed(list(_flags(words))) if flag == "-x"), "")


def output_of(command: CompileCommand) -> str:
    """The file that the command makes, empty if that is not said."""
    return command.output or next((value for flag, value in _flags(command.words) if flag == "-o"), "")


def compiler_name(words: Sequence[str]) -> str:
    """What the compiler is called, without its folder; wrappers such as ccache stand before it."""
    names = []
    for word in words:
        if word.startswith("-"):
            break
        names.append(os.path.basename(word))
    return next((name for name in names if is_compiler(name)), names[0] if names else "")


def _flags(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The flags among a compiler's words, each with its value, which is empty where it has none."""
    i = 1
    while i < len(words):
        word = words[i]
        i += 1
        if not word.startswith("-"):
            continue
        if word in _WITH_VALUE:
            if i < len(words):
                yield word, words[i]
                i += 1
            continue
        joined = next((flag for flag in _JOINED if word.startswith(flag)), None)
        if word.startswith(("--sysroot=", "-std=")):
            flag, _, value = word.partition("=")
            yield flag, value
        elif joined is not None:
            yield joined, word.removeprefix(joined)
        else:
            yield word, ""


def _target(compiler: str, words: Sequence[str]) -> str:
    """What the machine is called: the target that is named, or the compiler, whose name begins with it."""
    return next((w.removeprefix("--target=") for w in words if w.startswith("--target=")), compiler)


def _with_chars(model: str | None, platform: str | None, target: str, words: Sequence[str]) -> tuple[str | None, str | None]:
    """The machine with the sign that a plain `char` has, which the flags say, or else the machine."""
    usual = _UNSIGNED_CHARS.match(target) is not None
    said = [unsigned for w in words for flag, unsigned in _SIGN_OF_CHARS.items() if w == flag]
    unsigned = said[-1] if said else usual
    if platform is not None and unsigned == usual:
        return model, platform
    widths = model or (None if platform is None else "ilp32" if platform == "cortex-m" else "ip16")
    return (f"{widths or 'lp64'}{UNSIGNED_CHARS}" if unsigned else widths), platform


def _machine(compiler: str, words: Sequence[str]) -> tuple[str | None, str | None]:
    """What a compiler's name and flags say of the processor: the data model, or the platform, which has one."""
    if compiler.startswith("avr-"):
        part = next((w.removeprefix("-mmcu=") for w in words if w.startswith("-mmcu=")), "")
        return None, part if part in PLATFORMS else "atmega128" if part == "atmega128a" else "avr"
    if any(re.fullmatch(r"-mcpu=cortex-m\d+\w*", w) for w in words):
        return None, "cortex-m"
    if compiler.startswith("msp430-"):
        return "ip16", None
    target = _target(compiler, words)
    short = _SHORT_LONGS.match(target) is not None and "-m64" not in words
    return ("ilp32", None) if short or any(w in ("-m32", "-mx32") for w in words) else (None, None)
