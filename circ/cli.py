"""The command line: `circ check`, `circ cfa`, `circ recheck`, `circ replay`, `circ engines`.

Exit status: 0 everything proved, 1 a race or violated assertion, 2 bad usage or input, 3 something unknown, 4 our own bug.
Nothing here imports the solver: the analysis runs in a child process that loads it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback
from collections.abc import Iterator
from enum import Enum, StrEnum
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from circ.bugs import report_bug
from circ.engines import DEFAULT, ENGINES, find
from circ.report.summary import BAD_INPUT, BUG, FOUND, PROVED
from frontend import LoadOptions, load
from frontend.source import FrontendError

app = typer.Typer(
    help="Race checker for C: proves that a program has no data race, or shows the interleaving that makes one.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class DataModelName(StrEnum):
    ilp32 = "ilp32"
    lp64 = "lp64"
    ip16 = "ip16"


class Ints(StrEnum):
    exact = "exact"
    math = "math"


class RaceModel(StrEnum):
    nesc = "nesc"
    c11 = "c11"


class Preemption(StrEnum):
    nested = "nested"
    free = "free"


class Property(StrEnum):
    races = "races"
    asserts = "asserts"
    all = "all"


class CfaFormat(StrEnum):
    text = "text"
    json = "json"
    dot = "dot"
    svg = "svg"


class CheckFormat(StrEnum):
    text = "text"
    json = "json"


Thread = Annotated[list[str] | None, typer.Option(
    "--thread", metavar="F[=N]", help="Function F is a thread, N copies (default: any number); replaces the automatic choice.")]
Include = Annotated[list[str] | None, typer.Option("-I", metavar="DIR", help="Look for included files in DIR.")]
Define = Annotated[list[str] | None, typer.Option("-D", metavar="M[=V]", help="Define a macro.")]
Undefine = Annotated[list[str] | None, typer.Option("-U", metavar="M", help="Undefine a macro.")]
Cpp = Annotated[str | None, typer.Option("--cpp", metavar="CMD", help="Preprocess with CMD, such as 'gcc -E'.")]
Model = Annotated[DataModelName | None, typer.Option("--data-model", help="Sizes of C's integer types.")]
IntsOption = Annotated[Ints, typer.Option("--ints", help="Machine integers, or the paper's mathematical ones (an assumption).")]
RaceModelOption = Annotated[RaceModel | None, typer.Option(
    "--race-model", help="nesc: no access in an atomic section races; c11: no two of them do. Default: the program decides.")]
PreemptionOption = Annotated[Preemption | None, typer.Option(
    "--preemption", help="nested: handlers run to their end; free: any interleaving. Default: the program decides.")]
Output = Annotated[Path | None, typer.Option("-o", metavar="OUT", help="Write to OUT instead of the standard output.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an internal error.")]


def source_options(
    thread: list[str] | None, include: list[str] | None, define: list[str] | None, undefine: list[str] | None, cpp: str | None,
    model: DataModelName | None, ints: Ints, race_model: RaceModel | None, preemption: Preemption | None,
) -> LoadOptions:
    def value(choice: Enum | None) -> str | None:
        return None if choice is None else str(choice.value)

    return LoadOptions(
        include=tuple(include or ()), define=tuple(define or ()), undefine=tuple(undefine or ()), cpp=cpp,
        threads=tuple(thread or ()), data_model=value(model), ints=ints.value, race_model=value(race_model),
        preemption=value(preemption))


# --------------------------------------------------------------------------------------------------- commands
@app.command()
def check(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="C files, each a program of its own.")],
    variable: Annotated[list[str] | None, typer.Option(
        "-x", metavar="VAR", help="Only this shared variable: x, f::x, file.c:x, s.f, a[].")] = None,
    prop: Annotated[Property, typer.Option("--property", help="What to check.")] = Property.races,
    thread: Thread = None,
    engine: Annotated[str, typer.Option("--engine", metavar="E", help="See `circ engines`.")] = DEFAULT,
    timeout: Annotated[float, typer.Option("--timeout", metavar="S", min=0.001, help="Seconds for each variable.")] = 60.0,
    memory: Annotated[int, typer.Option("--memory", metavar="MB", min=1, help="Megabytes for the analysis process.")] = 4096,
    include: Include = None,
    define: Define = None,
    undefine: Undefine = None,
    cpp: Cpp = None,
    data_model: Model = None,
    ints: IntsOption = Ints.exact,
    race_model: RaceModelOption = None,
    preemption: PreemptionOption = None,
    predicate: Annotated[list[str] | None, typer.Option(
        "--predicate", metavar="P", help="A C expression over the program's variables to start with.")] = None,
    k: Annotated[int | None, typer.Option("--k", metavar="N", min=1, help="Start counting context threads up to N.")] = None,
    form: Annotated[CheckFormat, typer.Option("--format", help="Report for people or for programs.")] = CheckFormat.text,
    output: Output = None,
    certificate: Annotated[Path | None, typer.Option(
        "--certificate", metavar="DIR", help="Write each proof and trace to a file in DIR.")] = None,
    dump: Annotated[Path | None, typer.Option(
        "--dump", metavar="DIR", help="Write the automata of every iteration to DIR, as DOT.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say in plain words what protects a variable.")] = False,
    debug: Debug = False,
) -> None:
    """Prove or refute races (or assertions) for every shared variable of each FILE."""
    from circ.session import Request, Session

    with guarded(debug):
        if find(engine) is None:
            fail(f"circ: error: unknown engine '{engine}' (one of {', '.join(e.name for e in ENGINES)})")
        source = source_options(thread, include, define, undefine, cpp, data_model, ints, race_model, preemption)
        request = Request(source, tuple(variable) if variable else None, prop.value, engine, timeout, memory,
                          tuple(predicate or ()), k, form.value, output, certificate, dump, explain, debug)
        with Session(request) as session:
            for file in files:
                session.check(file)
        sys.exit(session.status)


@app.command()
def cfa(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A C file.")],
    form: Annotated[CfaFormat, typer.Option("--format", help="How to draw.")] = CfaFormat.text,
    output: Output = None,
    compacted: Annotated[bool, typer.Option("--compact", help="Glue the steps that nobody outside can tell apart.")] = False,
    thread: Thread = None,
    include: Include = None,
    define: Define = None,
    undefine: Undefine = None,
    cpp: Cpp = None,
    data_model: Model = None,
    ints: IntsOption = Ints.exact,
    race_model: RaceModelOption = None,
    preemption: PreemptionOption = None,
    debug: Debug = False,
) -> None:
    """Show the control-flow automaton of each thread of FILE."""
    from frontend.compact import compact
    from frontend.draw import draw

    with guarded(debug):
        source = source_options(thread, include, define, undefine, cpp, data_model, ints, race_model, preemption)
        program = load(file, source)
        write(output, draw(compact(program).program if compacted else program, form.value))


@app.command()
def recheck(
    certificate: Annotated[Path, typer.Argument(metavar="CERT", help="A proof written by `circ check --certificate`.")],
    file: Annotated[str, typer.Argument(metavar="FILE", help="The C file it is about.")],
    debug: Debug = False,
) -> None:
    """Check a proof of safety again, without any engine. Status: 0 accepted, 1 refused, 2 unreadable."""
    with guarded(debug):
        _judge(certificate, file, proof=True)


@app.command()
def replay(
    trace: Annotated[Path, typer.Argument(metavar="TRACE", help="A race written by `circ check --certificate`.")],
    file: Annotated[str, typer.Argument(metavar="FILE", help="The C file it is about.")],
    debug: Debug = False,
) -> None:
    """Run a race again, step by step. Status: 0 it happens, 1 it does not, 2 unreadable."""
    with guarded(debug):
        _judge(trace, file, proof=False)


def _judge(path: Path, file: str, proof: bool) -> NoReturn:
    from circ.check import judge
    from circ.evidence import Unreadable, parse
    from circ.kernel.outcome import Refused
    from circ.report.text import evidence_text
    from circ.verdict import Certificate

    try:
        evidence, source = parse(path.read_text())
        if isinstance(evidence, Certificate) != proof:
            raise Unreadable("a trace, use `circ replay`" if proof else "a proof, use `circ recheck`")
    except (Unreadable, OSError, UnicodeDecodeError) as error:
        fail(f"{path}: error: {reason(error)}")
    program = load(file, source)

    judgement = judge(program, evidence.question, evidence)
    if isinstance(judgement, Refused):
        print(f"{path}: refused: {judgement}")
        sys.exit(FOUND)
    sys.stdout.write(f"{path}: accepted: {evidence_text(program, evidence)}")
    for assumption in (*program.assumptions, *judgement.assumptions):
        print(f"  assuming: {assumption}")
    sys.exit(PROVED)


@app.command()
def engines() -> None:
    """List the engines and what each can answer."""
    width = max((len(e.name) for e in ENGINES), default=0)
    for entry in ENGINES:
        default = " (default)" if entry.name == DEFAULT else ""
        print(f"{entry.name.ljust(width)}  {entry.summary}{default}\n{' ' * width}  answers: {entry.claims}")


# --------------------------------------------------------------------------------------------------- how a run ends
class Terminated(BaseException):
    """SIGTERM arrived."""


def _on_term(signum: int, frame: object) -> None:
    raise Terminated


@contextlib.contextmanager
def guarded(debug: bool) -> Iterator[None]:
    """Every way a command can end badly: one line on stderr and the right status, never a traceback unless asked for."""
    signal.signal(signal.SIGTERM, _on_term)
    try:
        yield
        sys.stdout.flush()
    except FrontendError as error:
        fail(str(error))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except Terminated:
        sys.exit(128 + signal.SIGTERM)
    except OSError as error:
        fail(f"circ: error: {reason(error)}")
    except Exception as error:
        report_bug(f"{type(error).__name__}: {error}", traceback.format_exc(), debug)
        sys.exit(BUG)


def reason(error: Exception) -> str:
    """What went wrong with a file, without Python's error numbers."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error)


def fail(line: str) -> NoReturn:
    """Bad input: one line, status 2."""
    print(line, file=sys.stderr)
    sys.exit(BAD_INPUT)


def write(output: Path | None, text: str) -> None:
    if output is None:
        sys.stdout.write(text)
    else:
        output.write_text(text)


def main() -> None:
    app()
