"""Real programs: fetches Debian source packages, records how they are built, runs circ over them, and prints a table.

    python benchmarks/real/run.py                    # all packages below
    python benchmarks/real/run.py pv tinyproxy       # some of them
    python benchmarks/real/run.py --md pv            # as rows of docs/real.md

Everything goes to a folder beside this file (`--work`) that is never committed: a private configuration of apt with its own
lists, archives, sources, and one compile database a package, written by a compiler wrapper while `configure` and `make` run.
Needs apt, gcc and make; a package that cannot be had, or whose build records nothing, is said to be missing and left out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PACKAGES = (
    "stress", "redir", "ncompress", "pixz", "pv", "tinyproxy", "iperf", "lbzip2", "hiredis", "mawk", "dash", "lz4", "ck",
    "liburcu", "socat", "memcached", "c-ares", "libmicrohttpd", "libevent", "xz-utils", "mosquitto", "masscan", "apr", "libzstd",
)
BUILD_SECONDS = 300
MOST_GUESSED = 30
WRAPPER = '''#!{python}
import json, os, sys
record, compiler = {record!r}, {compiler!r}
here = os.getcwd()
if any(a.endswith(".c") and os.path.basename(a) != "conftest.c" for a in sys.argv[1:]):
    for name in [a for a in sys.argv[1:] if a.endswith(".c")]:
        rest = [a for a in sys.argv[1:] if a == name or not a.endswith(".c")]
        with open(record, "a") as file:
            file.write(json.dumps({{"directory": here, "file": name, "arguments": ["cc", *rest]}}) + "\\n")
os.execv(compiler, [compiler, *sys.argv[1:], "-O0", "-w"])
'''


@dataclass(frozen=True, slots=True)
class Row:
    """What circ says about one package; `words`: verdicts and how often they occur."""

    package: str
    files: int
    lines: int
    words: Counter[str]
    seconds: float
    megabytes: int
    status: int
    trouble: str = ""


# --------------------------------------------------------------------------------------------------- fetching
def fetched(package: str, work: Path) -> Path | None:
    """The folder with the package's sources, None if they cannot be had."""
    folder = work / "sources" / package
    if folder.is_dir():
        return folder
    archives = work / "archives" / package
    archives.mkdir(parents=True, exist_ok=True)
    subprocess.run(["apt-get", "source", "--download-only", "-qq", package], cwd=archives, env=_apt(work), check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=BUILD_SECONDS)
    found = [p for p in sorted(archives.glob("*.tar.*")) if ".debian.tar" not in p.name and not p.name.endswith(".asc")]
    if not found:
        return None
    folder.mkdir(parents=True)
    done = subprocess.run(["tar", "xf", str(found[0]), "-C", str(folder), "--strip-components=1"], check=False)
    return folder if done.returncode == 0 else None


def _apt(work: Path) -> dict[str, str]:
    """An environment in which apt knows our own lists only, fetched once."""
    base, config = work / "apt", work / "apt" / "apt.conf"
    env = {**os.environ, "APT_CONFIG": str(config)}
    if not config.is_file():
        for folder in ("state/lists/partial", "cache/archives/partial"):
            (base / folder).mkdir(parents=True, exist_ok=True)
        _source_archives(base / "parts")
        config.write_text(f'Dir::State "{base}/state";\nDir::State::status "/var/lib/dpkg/status";\nDir::Cache "{base}/cache";\n'
                          f'Dir::Etc::sourcelist "-";\nDir::Etc::sourceparts "{base}/parts";\nAPT::Sandbox::User "root";')
        subprocess.run(["apt-get", "update", "-qq"], env=env, check=False, timeout=BUILD_SECONDS)
    return env


def _source_archives(parts: Path) -> None:
    """The archives that this machine takes its packages from, asked for sources."""
    parts.mkdir(parents=True, exist_ok=True)
    folder = Path("/etc/apt")
    found = [p for p in (folder / "sources.list.d").glob("*") if p.suffix in (".list", ".sources")]
    for path in (folder / "sources.list", *sorted(found)):
        if path.is_file():
            text = re.sub(r"(?m)^deb\s", "deb-src ", path.read_text())
            (parts / path.name).write_text(re.sub(r"(?m)^Types:.*$", "Types: deb-src", text))


# --------------------------------------------------------------------------------------------------- building
def database(package: str, sources: Path, work: Path) -> Path | None:
    """A folder with the package's `compile_commands.json`, made while it is built; None if nothing was compiled."""
    folder = work / "databases" / package
    if not (folder / "compile_commands.json").is_file():
        folder.mkdir(parents=True, exist_ok=True)
        record = folder / "record.jsonl"
        record.unlink(missing_ok=True)
        _build(sources, record, work)
        entries = _entries(record) if record.is_file() else _guessed(sources)
        if not entries:
            return None
        (folder / "compile_commands.json").write_text(json.dumps(entries, indent=1))
    return folder


def _build(sources: Path, record: Path, work: Path) -> None:
    compiler = shutil.which("gcc") or "/usr/bin/gcc"
    tools = work / "tools"
    tools.mkdir(exist_ok=True)
    for name in ("cc", "gcc"):
        (tools / name).write_text(WRAPPER.format(python=sys.executable, record=str(record), compiler=compiler))
        (tools / name).chmod(0o755)
    env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "CC": "gcc"}
    commands = ["./configure"] if (sources / "configure").is_file() else []
    if not commands and (sources / "CMakeLists.txt").is_file() and shutil.which("cmake"):
        commands = ["cmake -S . -B circ-build", "make -C circ-build -k"]
    with (record.parent / "build.log").open("w") as log:
        for command in [*commands, "make -k -i"]:
            try:
                subprocess.run(command, shell=True, cwd=sources, env=env, check=False, stdin=subprocess.DEVNULL, stdout=log,
                               stderr=log, timeout=BUILD_SECONDS)
            except subprocess.TimeoutExpired:
                log.write(f"{command}: more than {BUILD_SECONDS} seconds\n")


def _entries(record: Path) -> list[dict[str, object]]:
    """The recorded compilations, one a file."""
    found: dict[str, dict[str, object]] = {}
    for line in record.read_text().splitlines():
        entry = json.loads(line)
        path = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        if os.path.isfile(path):
            found.setdefault(path, {**entry, "file": path})
    return list(found.values())


def _guessed(sources: Path) -> list[dict[str, object]]:
    """A package whose build cannot be run here: its C files, if they are few enough to be one program."""
    files = [f for f in sorted(sources.rglob("*.c")) if not {"test", "tests", "examples", "contrib"} & set(f.parts)]
    folders = sorted({str(h.parent) for h in sources.rglob("*.h")})
    if not (sources / "config.h").exists() and "./configure" not in os.listdir(sources):
        (sources / "config.h").write_text("")
        folders.append(str(sources))
    flags = ["-D_GNU_SOURCE", '-DVERSION="1"', '-DPACKAGE="p"', *(f"-I{folder}" for folder in folders)]
    if len(files) >= MOST_GUESSED:
        return []
    return [{"directory": str(f.parent), "file": str(f), "arguments": ["cc", *flags, "-c", str(f)]} for f in files]


# --------------------------------------------------------------------------------------------------- checking
def checked(package: str, folder: Path, options: argparse.Namespace) -> Row:
    """One run of `circ check` over a compile database."""
    entries = json.loads((folder / "compile_commands.json").read_text())
    lines = sum(Path(e["file"]).read_bytes().count(b"\n") for e in entries)
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "circ", "check", "-p", str(folder), "--format", "json", "-o", str(report),
               "--timeout", str(options.timeout), "--memory", str(options.memory), *options.circ]
    begin = time.monotonic()
    trouble = ""
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=options.seconds, check=False)
        status, said = done.returncode, done.stderr
    except subprocess.TimeoutExpired as error:
        status, said = 124, (error.stderr or b"").decode(errors="replace")
        trouble = f"more than {options.seconds} s"
    seconds = time.monotonic() - begin
    (folder / "said.txt").write_text(said)
    inner = re.findall(r"internal error.*", said)
    errors = re.findall(r".*: error: .*", said)
    trouble = inner[0] if inner else trouble or (errors[0] if errors else "")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    return Row(package, len(entries), lines, _words(report), seconds, peak, status, trouble)


def _words(report: Path) -> Counter[str]:
    """How often each verdict stands in a report."""
    try:
        return Counter(json.loads(report.read_text())["summary"])
    except (OSError, ValueError, KeyError):
        return Counter()


def shown(row: Row, md: bool) -> str:
    words = row.words
    cells = [row.package, row.files, row.lines, words["safe"], words["race"] + words["violated"], words["possible race"],
             words["unknown"], f"{row.seconds:.0f}", row.megabytes, row.status, row.trouble[:150]]
    return "| " + " | ".join(map(str, cells)) + " |" if md else "  ".join(f"{c!s:>9}" for c in cells)


HEAD = ("package", "files", "lines", "proved", "races", "possible", "unknown", "seconds", "MB", "status", "trouble")


def main() -> int:
    """Prints one line a package; status 1 if there was an internal error."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    parser.add_argument("--work", type=Path, default=HERE / "work", help="where everything goes")
    parser.add_argument("--timeout", type=float, default=10, help="seconds for a variable")
    parser.add_argument("--seconds", type=float, default=600, help="seconds for a package")
    parser.add_argument("--memory", type=int, default=4096, help="megabytes")
    parser.add_argument("--md", action="store_true", help="rows of docs/real.md")
    parser.add_argument("--circ", nargs=argparse.REMAINDER, default=[], help="further options of circ check")
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    (options.work / ".gitignore").write_text("*\n")
    head = "| " + " | ".join(HEAD) + " |\n" + "|---" * len(HEAD) + "|"
    print(head if options.md else "  ".join(f"{c:>9}" for c in HEAD))
    bugs = 0
    for package in options.packages:
        sources = fetched(package, options.work)
        folder = None if sources is None else database(package, sources, options.work)
        if folder is None:
            print(f"{package}: {'no sources' if sources is None else 'nothing was compiled'}", file=sys.stderr)
            continue
        row = checked(package, folder, options)
        bugs += row.status == 4 or "internal error" in row.trouble
        print(shown(row, options.md), flush=True)
    return 1 if bugs else 0


if __name__ == "__main__":
    sys.exit(main())
