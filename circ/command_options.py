"""Options of the command line that several commands share, and what they mean for reading a program and for asking about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum, StrEnum
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from circ.engines import ANNOTATED, ENGINES, find, installed
from circ.report.forms import Explain, FailOn, ReportForm, When
from circ.verdict import Property
from frontend import LoadOptions
from frontend.program import Ints, MemoryModel, Preemption, RaceModel, read_data

if TYPE_CHECKING:
    from circ.run.session import Request


class DataModelName(StrEnum):
    ilp32 = "ilp32"
    lp64 = "lp64"
    ip16 = "ip16"
    ilp32_uchar = "ilp32-uchar"
    lp64_uchar = "lp64-uchar"
    ip16_uchar = "ip16-uchar"


class CfaFormat(StrEnum):
    text = "text"
    json = "json"
    dot = "dot"
    svg = "svg"


class Assume(StrEnum):
    default = "default"
    none = "none"


DEFAULT_BUDGET = 120.0
"""Seconds for a program of several files, or a project, if nobody says otherwise."""
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


def seconds(text: str) -> float:
    """A time such as `90`, `90s`, `2m` or `1h`, in seconds."""
    number = text.strip().rstrip("smh")
    unit = _UNITS.get(text.strip()[len(number):])
    try:
        found = float(number) * (unit or 0.0) if number.isascii() else 0.0
    except ValueError:
        found = 0.0
    if not 0.0 < found < float("inf"):
        raise typer.BadParameter(f"'{text}' is no time: 90, 90s, 2m or 1h are")
    return found


Budget = Annotated[float | None, typer.Option(
    "--budget", metavar="T", parser=seconds,
    help="Time for the whole run, such as 90s or 2m, spent on what matters first; several files have 2m by default.")]
Thread = Annotated[list[str] | None, typer.Option(
    "--thread", metavar="F[=N]", help="Function F is a thread, N copies (default: any number); replaces the automatic choice.")]
Entry = Annotated[list[str] | None, typer.Option(
    "--entry", metavar="F", help="Code that is not here calls function F, at any time; default without main: all it can call.")]
Include = Annotated[list[str] | None, typer.Option("-I", metavar="DIR", help="Look for included files in DIR.")]
Define = Annotated[list[str] | None, typer.Option("-D", metavar="M[=V]", help="Define a macro.")]
Undefine = Annotated[list[str] | None, typer.Option("-U", metavar="M", help="Undefine a macro.")]
Build = Annotated[str | None, typer.Option(
    "-p", metavar="DIR", help="The programs of the compile_commands.json in DIR (or of this file).")]
AssumeOption = Annotated[Assume, typer.Option(
    "--assume", help="none: no proof rests on what code and variables that are not here do or do not do.")]
Target = Annotated[list[str] | None, typer.Option(
    "--target", metavar="NAME", help="Only this program of a compile database: its target's name, or its file with main.")]
Exclude = Annotated[list[str] | None, typer.Option("--exclude", metavar="GLOB", help="Leave out such files of a database.")]
Consent = Annotated[str | None, typer.Option("--cpp", metavar="CMD", help="Let the preprocessor it was made with run.")]
Cpp = Annotated[str | None, typer.Option(
    "--cpp", metavar="CMD", help="Preprocess with CMD, such as 'gcc -E'; auto: the database's compiler, or cc; own: circ's own.")]
Model = Annotated[DataModelName | None, typer.Option("--data-model", help="Sizes of C's integer types.")]
IntsOption = Annotated[Ints, typer.Option("--ints", help="Machine integers, or the paper's mathematical ones (an assumption).")]
RaceModelOption = Annotated[RaceModel | None, typer.Option(
    "--race-model", help="nesc: no access in an atomic section races; c11: no two of them do; machine: what one "
    "instruction does races with nothing. Default: the program decides.")]
MemoryModelOption = Annotated[MemoryModel, typer.Option(
    "--memory-model",
    help="c11: memory orders mean what C11 says; sc: all atomic accesses are sequentially consistent (an assumption).")]
PreemptionOption = Annotated[Preemption | None, typer.Option(
    "--preemption", help="nested: handlers run to their end; free: any interleaving. Default: the program decides.")]
Cores = Annotated[int | None, typer.Option(
    "--cores", metavar="N", min=1, help="Processors: with one, handlers run to their end (--preemption nested), else free.")]
Platform = Annotated[str | None, typer.Option(
    "--platform", metavar="P",
    help="Interrupts and data model of a processor: avr, an AVR part such as atmega328p, xmega, cortex-m.")]
InterruptsOption = Annotated[Path | None, typer.Option(
    "--interrupts", metavar="FILE", help="A table (TOML) of what enables each interrupt handler, and of priorities.")]
Form = Annotated[ReportForm, typer.Option("--format", help="Report for people, for editors, for programs.")]
FailOnOption = Annotated[FailOn, typer.Option(
    "--fail-on", help="What makes the exit status other than 0, and all that is worse.")]
BaselineOption = Annotated[Path | None, typer.Option(
    "--baseline", metavar="FILE", help="What FILE has does not fail; without such a file, what this run finds is written to it.")]
NoSuppress = Annotated[bool, typer.Option("--no-suppress", help="Do not obey `circ-suppress` comments.")]
Color = Annotated[When, typer.Option("--color", help="Colours; auto: on a terminal, unless NO_COLOR is set.")]
ExplainOption = Annotated[bool, typer.Option("--explain", help="Say in plain words what protects a variable.")]
ExplainFull = Annotated[bool, typer.Option(
    "--explain-full", help="The same with predicates and automata; also --explain=full.")]
WitnessIn = Annotated[Path | None, typer.Option(
    "--witness", metavar="FILE", help="Try what a witness of another tool (YAML) says: its invariants, or its schedule.")]
WitnessOut = Annotated[Path | None, typer.Option(
    "--witness-out", metavar="FILE", help="Write a witness (YAML) of the first race, or of the proofs if all is proved.")]
IgnoreNorace = Annotated[bool, typer.Option("--ignore-norace", help="Check variables that are declared norace, too.")]
Output = Annotated[Path | None, typer.Option("-o", metavar="OUT", help="Write to OUT instead of the standard output.")]
Timeout = Annotated[float, typer.Option("--timeout", metavar="S", min=0.001, help="Seconds for reading the file.")]
Memory = Annotated[int, typer.Option("--memory", metavar="MB", min=1, help="Megabytes for reading the file.")]
JudgeTimeout = Annotated[float, typer.Option("--timeout", metavar="S", min=0.001, help="Seconds for reading, and for judging.")]
JudgeMemory = Annotated[int, typer.Option("--memory", metavar="MB", min=1, help="Megabytes for reading, and for judging.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an internal error.")]


def source_of(options: Mapping[str, Any]) -> LoadOptions:
    """How a program is to be read, from the values of the options by their names."""
    o = SimpleNamespace(**options)

    def value(choice: Enum | None) -> str | None:
        return None if choice is None else str(choice.value)

    cores = getattr(o, "cores", None)
    several = (f"__CIRC_CORES={cores}",) if cores is not None and cores > 1 else ()  # kernels' headers ask for it
    return LoadOptions(
        include=tuple(o.include or ()), define=(*(o.define or ()), *several), undefine=tuple(o.undefine or ()), cpp=o.cpp,
        threads=tuple(o.thread or ()), entries=tuple(o.entry or ()), data_model=value(o.data_model), ints=o.ints.value,
        race_model=value(o.race_model), memory_model=o.memory_model.value, preemption=value(o.preemption or _of_cores(cores)),
        ignore_norace=o.ignore_norace, platform=o.platform,
        interrupts=() if o.interrupts is None else (str(o.interrupts), read_data(str(o.interrupts))))


def _of_cores(cores: int | None) -> Preemption | None:
    """Who may run beside whom on so many processors; None if nobody said how many there are."""
    if cores is None:
        return None
    return Preemption.NESTED if cores == 1 else Preemption.FREE


def request_of(options: Mapping[str, Any]) -> Request:
    """What `check` is asked for, from the values of its options by their names."""
    from circ.run.session import Request

    check_words(options)
    o = SimpleNamespace(**options)
    engine = find(o.engine)
    assert engine is not None
    source = replace(source_of(options), stack=engine.stack, contracts=o.engine == ANNOTATED)
    explain = Explain.FULL if o.explain_full else Explain.WORDS if o.explain else Explain.NOTHING
    return Request(source, tuple(o.variable) or None, property_of(o.prop), o.engine, o.timeout, o.memory, o.cpu_limit,
                   tuple(o.predicate), o.k,
                   o.form, o.output, o.certificate, o.dump, explain, o.flow_rule, o.debug, o.competition, o.unroll,
                   not o.no_possible, o.assume is not Assume.none, o.budget, o.verbose, o.full_trace, o.fail_on, o.baseline,
                   not o.no_suppress, o.witness, o.witness_out)


class UnknownWord(Exception):
    """An option's value is none of those that there are."""


def check_words(options: Mapping[str, Any]) -> None:
    """Raises UnknownWord for an engine or a property that there is not."""
    engine, prop = options["engine"], options["prop"]
    if find(engine) is None:
        raise UnknownWord(f"unknown engine '{engine}' (one of {', '.join(e.name for e in (*ENGINES, *installed()))})")
    if prop not in list(Property) and not prop.endswith(".prp"):
        raise UnknownWord(f"unknown property '{prop}' (one of {', '.join(Property)}, or a .prp file)")


def property_of(text: str) -> Property:
    """The property that is named, or that the property file of this name asks for."""
    if text.endswith(".prp"):
        from circ.run.competition.tasks import read_property

        return read_property(text)
    return Property(text)
