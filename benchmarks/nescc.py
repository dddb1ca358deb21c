"""Compiles the nesC applications in benchmarks/tinyos/ to C, as `nescc` does for the mica mote, where it is installed.

The applications are ours, written after the structure of TinyOS 1.x: a framed serial line, a high-speed radio behind SPI, timers,
converter, message pools, routing, a security component with a block cipher. The compiler proper, `nesc1`, is called by itself:
the environment variable NESC1 may name one that is elsewhere, with its headers beside it. Debian's 64-bit one crashes on some
machines (status 33); the one of the i386 package, unpacked anywhere, works there with `libc6-i386`.
"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
from pathlib import Path

TINYOS = Path(__file__).parent / "tinyos"


def compiler() -> str | None:
    """The compiler proper, if all that it needs is installed."""
    found = os.environ.get("NESC1") or next(iter(sorted(glob.glob("/usr/lib/*/ncc/nesc1"))), None)
    return found if found is not None and shutil.which(found) and shutil.which("avr-gcc") else None


def compile_application(name: str, output: Path, defines: tuple[str, ...] = ()) -> str | None:
    """Writes the C of an application to `output`; the reason if that cannot be done."""
    nesc1 = compiler()
    if nesc1 is None:
        return "nescc and avr-gcc are not installed"
    beside = Path(shutil.which(nesc1) or nesc1).resolve().parent / "nesc_nx.h"
    headers = str(beside) if beside.is_file() else next(iter(sorted(glob.glob("/usr/lib/*/ncc/nesc_nx.h"))), None)
    if headers is None:
        return "the headers of nescc are not installed"
    command = [nesc1, "-U__BLOCKS__", "-fnesc-target=avr", "-fnesc-gcc=avr-gcc", "-mmcu=atmega103", "-fnesc-no-debug",
               "-DNESC=135", *(f"-D{d}" for d in defines), f"-I{Path(headers).parent}", "-Itos", "-Iapps",
               f"-fnesc-tmpcfile={output}.tmp", "-fnesc-include=deputy_nodeputy", "-fnesc-include=nesc_nx", "-fnesc-include=tos",
               f"apps/{name}.nc", "-o", str(output)]
    done = subprocess.run(command, cwd=TINYOS, capture_output=True, text=True, check=False)
    Path(f"{output}.tmp").unlink(missing_ok=True)
    if done.returncode or not output.is_file() or not output.stat().st_size:
        said = done.stderr.strip().splitlines()
        return f"nesc1 ends with status {done.returncode}{': ' + said[-1] if said else ''}"
    return None
