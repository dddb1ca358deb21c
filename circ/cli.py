"""The command line: `circ check`, `circ scan`, `circ cfa`, `circ recheck`, `circ replay`, `circ engines`.

Exit status: 0 everything proved, 1 a race or violated assertion, 2 bad usage or input, 3 something unknown, 4 our own bug.
Nothing here imports the solver: the analysis runs in a child process that loads it.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, cast

import typer

from circ.command_options import (
    DEFAULT_BUDGET,
    Assume,
    AssumeOption,
    BaselineOption,
    Budget,
    Build,
    CfaFormat,
    Color,
    Consent,
    Cores,
    Cpp,
    Debug,
    Define,
    Entry,
    Exclude,
    ExplainFull,
    ExplainOption,
    FailOnOption,
    Form,
    IgnoreNorace,
    Include,
    InterruptsOption,
    IntsOption,
    JudgeMemory,
    JudgeTimeout,
    Memory,
    MemoryModelOption,
    Model,
    NoSuppress,
    Output,
    Platform,
    PreemptionOption,
    RaceModelOption,
    Target,
    Thread,
    Timeout,
    Undefine,
    UnknownWord,
    WitnessIn,
    WitnessOut,
    check_words,
    request_of,
    source_of,
)
from circ.config_file import default_map, find_config, read_config
from circ.endings import Terminated, fail, guarded, write
from circ.engines import ANNOTATED, DEFAULT, ENGINES, installed
from circ.file_options import FileOptions, UsageError, in_a_line
from circ.inputs import Inputs, NothingNamed
from circ.judging import judge_file
from circ.plain_options import PlainCommand, PlainGroup
from circ.report.forms import FailOn, ReportForm, When
from circ.report.summary import BAD_INPUT, PROVED
from circ.run.output_files import (
    BaselineFile,
    check_distinct,
    check_writable,
    is_full,
    make_folder,
    refuse_inputs,
)
from circ.run.projects import Selection, find_database, read_project
from circ.run.reading import load_within
from circ.run.supervise import Limits
from circ.scan.header import READING, Header
from frontend import SourceFile
from frontend.program import FrontendError, Ints, Location, MemoryModel

if TYPE_CHECKING:
    from circ.run.session import Request
    from circ.scan.cache import Cache
    from circ.scan.sources import Source

app = typer.Typer(
    cls=PlainGroup,
    help="Race checker for C: proves that a program has no data race, or shows the interleaving that makes one.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(asked: bool) -> None:
    if asked:
        from circ.report.json import circ_version

        print(f"circ {circ_version()}")
        raise typer.Exit


@app.callback()
def _circ(
    ctx: typer.Context,
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True,
                                          help="Print circ's version and end.")] = False,
    config: Annotated[Path | None, typer.Option(
        "--config", metavar="FILE", help="Options are in FILE, not in the nearest circ.toml or pyproject.toml.")] = None,
    no_config: Annotated[bool, typer.Option("--no-config", help="Heed no file of options.")] = False,
) -> None:
    if no_config or ctx.invoked_subcommand not in ("check", "verify", "scan", "cfa"):
        return
    with guarded(False):
        found = find_config(os.getcwd()) if config is None else read_config(str(config))
        if found is not None and found.options:
            ctx.default_map = default_map(found, cast(Any, ctx.command).commands)
            print(f"circ: note: {os.path.relpath(found.path)} says {found}", file=sys.stderr)


# --------------------------------------------------------------------------------------------------- commands
@app.command(cls=PlainCommand)
def check(
    ctx: typer.Context,
    files: Annotated[list[str] | None, typer.Argument(
        metavar="FILE...", help="The C files of one program, or a compile_commands.json.")] = None,
    build: Build = None,
    target: Target = None,
    exclude: Exclude = None,
    variable: Annotated[list[str] | None, typer.Option(
        "-x", metavar="VAR", help="Only this shared variable: x, f::x, file.c:x, s.f, a[].")] = None,
    prop: Annotated[str, typer.Option(
        "--property", metavar="P",
        help="races, asserts, all (both), atomicity, or a property file of the competition (.prp).")] = "races",
    thread: Thread = None,
    entry: Entry = None,
    engine: Annotated[str, typer.Option("--engine", metavar="E", help="See `circ engines`.")] = DEFAULT,
    timeout: Annotated[float, typer.Option(
        "--timeout", metavar="S", min=0.001, help="Seconds for reading a file, and for each variable.")] = 60.0,
    memory: Annotated[int, typer.Option("--memory", metavar="MB", min=1, help="Megabytes for the analysis process.")] = 4096,
    cpu_limit: Annotated[float | None, typer.Option(
        "--cpu-limit", metavar="S", min=0.001, help="Seconds of processor time for reading, and for each variable.")] = None,
    include: Include = None,
    define: Define = None,
    undefine: Undefine = None,
    cpp: Cpp = None,
    data_model: Model = None,
    ints: IntsOption = Ints.EXACT,
    race_model: RaceModelOption = None,
    memory_model: MemoryModelOption = MemoryModel.C11,
    preemption: PreemptionOption = None,
    cores: Cores = None,
    platform: Platform = None,
    interrupts: InterruptsOption = None,
    assume: AssumeOption = Assume.default,
    ignore_norace: IgnoreNorace = False,
    predicate: Annotated[list[str] | None, typer.Option(
        "--predicate", metavar="P", help="A C expression over the program's variables to start with.")] = None,
    unroll: Annotated[int, typer.Option(
        "--unroll", metavar="N", min=0, help="Iterations of loops without an invariant (engine assume-guarantee).")] = 3,
    k: Annotated[int | None, typer.Option("--k", metavar="N", min=1, help="Start counting context threads up to N.")] = None,
    form: Form = ReportForm.TEXT,
    output: Output = None,
    fail_on: FailOnOption = FailOn.UNKNOWN,
    baseline: BaselineOption = None,
    no_suppress: NoSuppress = False,
    color: Color = When.AUTO,
    certificate: Annotated[Path | None, typer.Option(
        "--certificate", metavar="DIR", help="Write each proof and trace to a file in DIR.")] = None,
    witness: WitnessIn = None,
    witness_out: WitnessOut = None,
    dump: Annotated[Path | None, typer.Option(
        "--dump", metavar="DIR", help="Write the automata of every iteration to DIR, as DOT.")] = None,
    explain: ExplainOption = False,
    explain_full: ExplainFull = False,
    budget: Budget = None,
    verbose: Annotated[bool, typer.Option(
        "--verbose", "-v", help="A line for each variable, string literals and locks, too.")] = False,
    full_trace: Annotated[bool, typer.Option("--full-trace", help="Show every step of a run that leads to a race.")] = False,
    no_possible: Annotated[bool, typer.Option(
        "--no-possible", help="Leave out possible races: what is not decided is plainly unknown.")] = False,
    flow_rule: Annotated[bool, typer.Option(
        "--flow-rule", help="Also apply the nesC compiler's rule, atomic wherever handlers share; tell false alarms.")] = False,
    export_assumption: Annotated[bool, typer.Option(
        "--export-assumption", help="Print the program with what is inferred as annotations, for circ verify.")] = False,
    competition: Annotated[bool, typer.Option(
        "--competition", help="End with true, false(...) or unknown; --timeout is for all, and the first race ends it.")] = False,
    debug: Debug = False,
) -> None:
    """Prove or refute races (or assertions) for every shared variable of the program that the files make together."""
    from circ.run.session import Session

    with guarded(debug, color):
        inputs = Inputs.of(files, build, target, exclude)
        refuse_inputs({"-o": output, "--witness-out": witness_out, "--baseline": baseline}, inputs.read)
        own = FileOptions(ctx)
        if export_assumption:
            from circ.run.export_assumptions import print_exported

            sys.exit(print_exported(inputs.only_files(), request_of(own.of_file(inputs.only_files()[0])), output))
        try:
            request = request_of(ctx.params)
            if request.budget is None and (len(inputs.files) > 1 or inputs.databases) and not competition:
                request = replace(request, budget=DEFAULT_BUDGET)
        except FrontendError:
            if competition:
                print("unknown")
            raise

        def request_for(file: str, project: str | None) -> Request:
            return replace(request_of(own.of_file(file, project)), budget=request.budget)

        with Session(request, request_for) as session:
            tasks = [file for file in inputs.files if file.endswith((".yml", ".yaml"))]
            for task in tasks:
                session.check_task(task)
            if program := [SourceFile(file) for file in inputs.files if file not in tasks]:
                session.check(program)
            for database in inputs.databases:
                session.check_project(database, inputs.selection)
        sys.exit(session.status)


_NOT_IN_SCAN = ("ctx", "files", "export_assumption", "form", "output", "witness", "witness_out", "dump", "explain",
                "explain_full", "competition", "debug")


_NOT_IN_VERIFY = (*_NOT_IN_SCAN, "prop", "engine", "predicate", "k", "flow_rule")


def _with_options_of(command: Callable[..., None], without: tuple[str, ...]) -> Callable[[Callable[..., None]],
                                                                                         Callable[..., None]]:
    """Gives a command, beside its own options, those of another: it gets them as `**options`."""

    def extend(function: Callable[..., None]) -> Callable[..., None]:
        own = [p for p in signature(function, eval_str=True).parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
        more = [p.replace(kind=Parameter.KEYWORD_ONLY) for name, p in signature(command, eval_str=True).parameters.items()
                if name not in without]
        function.__annotations__ = {p.name: p.annotation for p in (*own, *more)}
        function.__signature__ = Signature([*own, *more])  # type: ignore[attr-defined]
        return function

    return extend


@app.command(cls=PlainCommand)
@_with_options_of(check, _NOT_IN_VERIFY)
def verify(
    ctx: typer.Context,
    files: Annotated[list[str] | None, typer.Argument(
        metavar="FILE...", help="C files with annotations, each a program of its own, or a compile_commands.json.")] = None,
    prop: Annotated[str, typer.Option(
        "--property", metavar="P", help="asserts (annotations and assertions), races, or all.")] = "asserts",
    form: Form = ReportForm.TEXT,
    output: Output = None,
    dump: Annotated[Path | None, typer.Option("--dump", metavar="DIR", help="Write what the engine builds to DIR.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say how many conditions were proved.")] = False,
    explain_full: ExplainFull = False,
    debug: Debug = False,
    **options: Any,
) -> None:
    """Check the annotations (//@ assumes, invariant, ...) and assertions of each FILE, thread by thread."""
    from circ.run.session import Session

    fixed = {"engine": ANNOTATED, "competition": False, "predicate": (), "k": None, "flow_rule": False, "witness": None,
             "witness_out": None}
    with guarded(debug, options["color"]):
        own = FileOptions(ctx, (*READING, "-x", "--property"))

        def request_for(file: str, project: str | None) -> Request:
            return request_of({**own.of_file(file, project), **fixed})

        inputs = Inputs.of(files, options["build"], options["target"], options["exclude"])
        refuse_inputs({"-o": output, "--baseline": options["baseline"]}, inputs.read)
        with Session(request_of({**ctx.params, **fixed}), request_for) as session:
            for file in inputs.files:
                session.check([SourceFile(file)])
            for database in inputs.databases:
                session.check_project(database, inputs.selection)
        sys.exit(session.status)


@app.command(cls=PlainCommand)
@_with_options_of(check, _NOT_IN_SCAN)
def scan(
    ctx: typer.Context,
    paths: Annotated[list[str] | None, typer.Argument(
        metavar="PATH...", help="Files, folders, globs, or a compile_commands.json.")] = None,
    jobs: Annotated[int, typer.Option("-j", metavar="N", min=1, help="Processes.")] = 1,
    expect: Annotated[bool, typer.Option("--expect", help="Compare with the EXPECT headers: status 0 iff all match.")] = False,
    output: Annotated[Path | None, typer.Option(
        "-o", metavar="OUT",
        help="Write html, sarif, junit, github, codeclimate to OUT; with others, what --results does.")] = None,
    results: Annotated[Path | None, typer.Option(
        "--results", metavar="FILE", help="Write each result to FILE as it comes (JSON lines), for --resume.")] = None,
    resume: Annotated[Path | None, typer.Option(
        "--resume", metavar="OUT", help="Go on with an interrupted scan: keep what is in OUT, add what is missing.")] = None,
    form: Form = ReportForm.TEXT,
    file_timeout: Annotated[float | None, typer.Option(
        "--file-timeout", metavar="S", min=0.001, help="Seconds for each file (default: what its variables may take).")] = None,
    cache: Annotated[Path | None, typer.Option(
        "--cache", metavar="DIR", help="Keep results in DIR (default: ~/.cache/circ).")] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Compute everything anew.")] = False,
    cluster: Annotated[str | None, typer.Option(
        "--cluster", metavar="ADDRESS", help="Analyse on this scheduler's Dask cluster; local:N starts N workers.")] = None,
    debug: Debug = False,
    **options: Any,
) -> None:
    """Check many files; ends with a table of all verdicts. Options in a file's `// CIRC:` header hold for that file."""
    from circ.scan.cache import Cache
    from circ.scan.cluster import NoCluster
    from circ.scan.scan import Scan, ScanRequest
    from circ.scan.scan_report import ScanReport, report
    from circ.scan.sources import find_sources

    own = FileOptions(ctx)

    def request_for(source: Source, header: Header) -> Request:
        return request_of(own.of(header))

    with guarded(debug, options["color"]):
        check_words(options)
        if options["certificate"] is not None:
            make_folder(options["certificate"])
        limits = Limits(options["timeout"], options["memory"], options["cpu_limit"])
        named = [*(paths or ()), *([] if options["build"] is None else [find_database(options["build"])])]
        if not named:
            raise NothingNamed
        selection = Selection(tuple(options["target"] or ()), tuple(options["exclude"] or ()))
        sources = find_sources(named, partial(read_project, selection=selection, source=request_of(
            own.of(Header())).source, limits=limits), selection.exclude)
        kept = None if no_cache else _usable(Cache(cache or Cache.default_folder()), cache is not None)
        document = form.is_document and output is not None
        results = output if not document and results is None else results
        named_files = {"-o": output if document else None, "--results": results, "--baseline": options["baseline"]}
        refuse_inputs({**named_files, "--resume": resume}, (f.path for source in sources for f in source.all_files))
        check_distinct(named_files)
        check_distinct({**named_files, "--results": None, "--resume": resume})
        if document:
            check_writable(cast(Path, output))
        wanted = ScanReport(form, options["flow_rule"], expect, options["fail_on"], output if document else None,
                            BaselineFile(options["baseline"]))
        scan = Scan(ScanRequest(sources, jobs, results, resume, kept, file_timeout, limits, debug, cluster), request_for)
        try:
            scan.run()
        except (KeyboardInterrupt, Terminated):
            report(scan, wanted)
            raise
        except NoCluster as error:
            fail(f"circ: error: {error} (see --cluster)")
        sys.exit(report(scan, wanted))


def _usable(cache: Cache, named: bool) -> Cache | None:
    """The cache, unless somebody else can change it: then an error if it was named, else a scan without it, as on a full disk."""
    try:
        why, wrong = cache.refused(), named
    except OSError as error:
        why, wrong = f"{cache.folder}: {error.strerror}", named and not is_full(error)
    if why and wrong:
        fail(f"circ: error: {why} (give --cache a folder of your own, or --no-cache)")
    if why:
        print(f"circ: warning: {why}; nothing is kept (see --cache)", file=sys.stderr)
    return None if why else cache


@app.command(cls=PlainCommand)
def cfa(
    ctx: typer.Context,
    files: Annotated[list[str] | None, typer.Argument(metavar="FILE...", help="The C files of one program.")] = None,
    build: Build = None,
    target: Target = None,
    exclude: Exclude = None,
    form: Annotated[CfaFormat, typer.Option("--format", help="How to draw.")] = CfaFormat.text,
    output: Output = None,
    thread: Thread = None,
    entry: Entry = None,
    include: Include = None,
    define: Define = None,
    undefine: Undefine = None,
    cpp: Cpp = None,
    data_model: Model = None,
    ints: IntsOption = Ints.EXACT,
    race_model: RaceModelOption = None,
    memory_model: MemoryModelOption = MemoryModel.C11,
    preemption: PreemptionOption = None,
    cores: Cores = None,
    platform: Platform = None,
    interrupts: InterruptsOption = None,
    ignore_norace: IgnoreNorace = False,
    contracts: Annotated[bool, typer.Option("--contracts", help="With what annotations claim, as circ verify sees it.")] = False,
    timeout: Timeout = 60.0,
    memory: Memory = 4096,
    debug: Debug = False,
) -> None:
    """Show the control-flow automaton of each thread of the program that the files make."""
    from frontend.program.draw import draw

    with guarded(debug):
        limits, own = Limits(timeout, memory), FileOptions(ctx, READING)
        inputs = Inputs.of(files, build, target, exclude)
        refuse_inputs({"-o": output}, inputs.read)
        files_of_program = inputs.program(source_of(ctx.params), limits)
        source = source_of(own.of_file(files_of_program[0].path, inputs.project))
        program = load_within(files_of_program, replace(source, contracts=contracts), limits)
        write(output, draw(program, form.value))


@app.command(cls=PlainCommand)
def recheck(
    certificate: Annotated[Path, typer.Argument(metavar="CERT", help="A proof written by `circ check --certificate`.")],
    files: Annotated[list[str] | None, typer.Argument(metavar="FILE...", help="The C files it is about.")] = None,
    build: Build = None,
    target: Target = None,
    exclude: Exclude = None,
    cpp: Consent = None,
    as_recorded: Annotated[bool, typer.Option("--as-recorded", help="Accept a proof about fewer threads than the files have, "
                                              "which the file of the proof names.")] = False,
    timeout: JudgeTimeout = 60.0,
    memory: JudgeMemory = 4096,
    debug: Debug = False,
) -> None:
    """Check a proof of safety again, without any engine. Status: 0 accepted, 1 refused, 2 unreadable."""
    with guarded(debug):
        inputs, limits = Inputs.of(files, build, target, exclude), Limits(timeout, memory)
        judge_file(certificate, inputs, cpp, limits, proof=True, as_recorded=as_recorded)


@app.command(cls=PlainCommand)
def replay(
    trace: Annotated[Path, typer.Argument(metavar="TRACE", help="A race written by `circ check --certificate`.")],
    files: Annotated[list[str] | None, typer.Argument(metavar="FILE...", help="The C files it is about.")] = None,
    build: Build = None,
    target: Target = None,
    exclude: Exclude = None,
    cpp: Consent = None,
    timeout: JudgeTimeout = 60.0,
    memory: JudgeMemory = 4096,
    debug: Debug = False,
) -> None:
    """Run a race again, step by step. Status: 0 it happens, 1 it does not, 2 unreadable."""
    with guarded(debug):
        judge_file(trace, Inputs.of(files, build, target, exclude), cpp, Limits(timeout, memory), proof=False)


@app.command(cls=PlainCommand)
def engines() -> None:
    """List the engines and what each can answer."""
    known = (*ENGINES, *installed())
    width = max((len(e.name) for e in known), default=0)
    for entry in known:
        default = " (default)" if entry.name == DEFAULT else ""
        print(f"{entry.name.ljust(width)}  {entry.summary}{default}\n{' ' * width}  answers: {entry.claims}")


@app.command(cls=PlainCommand)
def serve(ctx: typer.Context, debug: Debug = False) -> None:
    """Answer requests to check files on stdin, one JSON object a line, and remember what was read and proved (docs/serve.md)."""
    from circ.serve.server import Server

    def write_line(line: str) -> None:
        sys.stdout.write(line)
        sys.stdout.flush()

    with guarded(debug):
        Server(sys.stdin.fileno(), write_line, partial(_request_of_words, ctx)).run()


@app.command(cls=PlainCommand)
def lsp(debug: Debug = False) -> None:
    """Speak with an editor (Language Server Protocol, on stdin and stdout): races while you type, what protects a variable."""
    with guarded(debug):
        try:
            from circ.lsp.server import start
        except ModuleNotFoundError as error:
            fail(f"circ: error: the language server needs the package {error.name} (pip install 'circ[lsp]')")
        start(debug)


def _request_of_words(ctx: typer.Context, words: Sequence[str], file: str, text: str | None) -> Request:
    """What is asked of a file by these words of a command line, and by its header comment."""
    from circ.scan.header import header_of, read_header

    header = header_of(file) if text is None else read_header(file, text, os.path.dirname(file) or ".")
    check: Any = cast(Any, ctx.find_root().command).commands["check"]
    try:
        with contextlib.redirect_stdout(io.StringIO()):  # which is for answers
            told = check.make_context("circ", [*words, "--", file], parent=ctx)
        check_words(told.params)
    except typer.Exit:
        raise FrontendError(Location(file, 1), "these options print what options there are", "leave --help out") from None
    except UnknownWord as error:
        raise FrontendError(Location(file, 1), str(error), "see the options of the request") from None
    except UsageError as error:
        why = in_a_line(cast(Any, error).format_message())
        raise FrontendError(Location(file, 1), why, "see the options of the request") from None
    return request_of(FileOptions(told).of(header))


_FULL = {"--explain=full": "--explain-full", "--explain=words": "--explain"}
"""What an option that needs no value may have as its value; a file after it is no value."""


def main(args: Sequence[str] | None = None) -> NoReturn:
    """Run a command; bad usage is one line on stderr, like all bad input."""
    words = [_FULL.get(word, word) for word in (sys.argv[1:] if args is None else args)]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names of files need not be text
    with guarded(False):
        status = _status(words)
    sys.exit(status)


def _status(words: Sequence[str]) -> int:
    """The exit status of a command that ends by itself."""
    try:
        status = app(words, standalone_mode=False)
    except typer.Abort:  # what becomes of a Ctrl-C outside of a command
        return 128 + signal.SIGINT
    except Exception as e:
        if not isinstance(e, UsageError):
            raise
        usage = cast(Any, e)
        command = "circ" if usage.ctx is None else usage.ctx.command_path
        sys.stderr.write(f"{e}\n" if not words else f"circ: error: {in_a_line(usage.format_message())} (see {command} -h)\n")
        return BAD_INPUT
    return status if isinstance(status, int) else PROVED
