"""What the words of a compile command mean for reading its file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from frontend import SourceFile
from frontend.project import compiled_files


def source(folder: Path, command: str | list[str], **entry: str) -> SourceFile:
    words = {"command": command} if isinstance(command, str) else {"arguments": command}
    (folder / "compile_commands.json").write_text(json.dumps([{"directory": str(folder), "file": "a.c", **words, **entry}]))
    [found] = compiled_files(str(folder / "compile_commands.json")).files
    return found.source


@pytest.mark.parametrize(("compiler", "machine"), [
    ("avr-gcc -mmcu=atmega128", (None, "atmega128")), ("/opt/bin/avr-gcc -mmcu=atmega168p", (None, "atmega168p")),
    ("avr-gcc -mmcu=attiny85", (None, "attiny85")), ("avr-gcc -mmcu=atmega128a", (None, "atmega128")),
    ("arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb", (None, "cortex-m")), ("avr-gcc -mmcu=at90can32", (None, "avr")), ("ccache msp430-elf-gcc", ("ip16-uchar", None)),
    ("arm-none-eabi-gcc", ("ilp32-uchar", None)), ("gcc -m32", ("ilp32", None)), ("gcc", (None, None)),
    ("clang --target=riscv32-unknown-elf", ("ilp32-uchar", None)), ("i686-linux-gnu-gcc-12", ("ilp32", None)),
    ("aarch64-linux-gnu-gcc", ("lp64-uchar", None)), ("gcc -funsigned-char", ("lp64-uchar", None)),
    ("gcc -m32 -funsigned-char -fsigned-char", ("ilp32", None)), ("aarch64-linux-gnu-gcc -fsigned-char", (None, None)),
    ("avr-gcc -mmcu=atmega168p -funsigned-char", ("ip16-uchar", "atmega168p")),
    ("arm-none-eabi-gcc -mcpu=cortex-m4 -fsigned-char", ("ilp32", "cortex-m")), ("avr-gcc -fsigned-char -mmcu=attiny85", (None, "attiny85")),
])
def test_the_compiler_tells_the_processor(tmp_path: Path, compiler: str, machine: tuple[str | None, str | None]) -> None:
    found = source(tmp_path, f"{compiler} -c a.c")
    assert (found.data_model, found.platform) == machine


def test_macros_headers_and_folders(tmp_path: Path) -> None:
    (tmp_path / "config.h").write_text("")
    found = source(tmp_path, [
        "gcc", "-Iinc", "-I", "/abs", "-isystem", "sys", "-isystemmore", "-iquote", "q", "-idirafter", "late", "-DA", "-D", "B=1 2",
        "-UC", "-DD", "-U", "D", "-UE", "-DE=2", "-DF(x)=x", "-include", "config.h", "-include", "elsewhere.h", "-o", "-DNOT", "-c", "a.c"])
    assert found.include == (f"{tmp_path}/inc", "/abs") and found.quoted == (f"{tmp_path}/q",)
    assert found.system == (f"{tmp_path}/sys", f"{tmp_path}/more", f"{tmp_path}/late")
    assert found.define == ("A", "B=1 2", "E=2", "F(x)=x") and found.undefine == ("C", "D")
    assert found.forced == (f"{tmp_path}/config.h", "elsewhere.h")


def test_of_a_compilers_flags_those_are_kept_that_choose_macros_and_headers(tmp_path: Path) -> None:
    found = source(tmp_path, "gcc-12 -std=gnu99 -O2 -Wall -m32 -pthread -fplugin=./evil.so -B. -wrapper sh,-c -specs=x -Xpreprocessor "
                             "-DX -Wp,-MD,out -MD -MF dep -save-temps --sysroot=root -o a.o -c a.c")
    assert found.compiler is not None and found.compiler.name == "gcc-12"
    assert found.compiler.flags == ("-std=gnu99", "-m32", "-pthread", f"--sysroot={tmp_path}/root")
    assert found.define == ()


def test_words_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "flags.rsp").write_text("-DA='x y' -I inc\n@more.rsp\n")
    (tmp_path / "more.rsp").write_text("-DB @flags.rsp")  # without end
    found = source(tmp_path, "cc @flags.rsp @missing.rsp -c a.c")
    assert found.define[0] == "A=x y" or "A=x y" in found.define
    assert "B" in found.define and f"{tmp_path}/inc" in found.include


def test_files_that_are_no_c_and_those_that_are_excluded(tmp_path: Path) -> None:
    database = tmp_path / "compile_commands.json"
    entries = [("a.c", "cc -c"), ("b.cpp", "c++ -c"), ("c.S", "cc -c"), ("d.c", "cc -x c++ -c"), ("test/e.c", "cc -c"),
               ("test/deep/f.c", "cc -c"), ("a.c", "cc -c"), ("a.c", "cc -DTWICE -c")]
    database.write_text(json.dumps([{"directory": str(tmp_path), "file": f, "command": f"{c} {f}"} for f, c in entries]))

    def names(*exclude: str) -> list[str]:
        return [str(Path(c.source.path).relative_to(tmp_path)) for c in compiled_files(str(database), exclude).files]

    assert names() == ["a.c", "test/e.c", "test/deep/f.c", "a.c"]
    assert names("*/test") == ["a.c", "a.c"] and names("e.c") == ["a.c", "test/deep/f.c", "a.c"]
