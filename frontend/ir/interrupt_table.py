"""What hardware knows and C does not say: which bits enable which handler, who preempts whom. Read from TOML.

    [registers]                       # memory addresses, one byte each
    ADCSRA = 0x26
    [status]                          # the register and bit that enable all interrupts
    register = "SREG"
    bit = 7
    reset = "off"                     # all interrupts on or off after reset
    [calls]                           # functions that switch all interrupts on and off
    enable = ["enable"]
    disable = ["disable"]
    [[handler]]
    name = ["__vector_21", "adc_done"]
    enable = ["ADCSRA.7", "!ADCSRA.3", "mode == 2", "running"]     # all of them
    calls = ["enable_isr(3)", "disable_isr(3)"]
    enabled_by = ["start_timer()"]    # more calls that enable it, and some that disable it
    disabled_by = ["stop_timer()"]
    reset = "on"                      # enabled before any of these calls
    armed_by = ["ADCSRA.6", "UDR"]    # fires once for each time the bit is set or the register written
    stays_armed = ["ADCSRA.5"]        # ... unless these all hold when it fires
    triggered = [["ADCSRA.5", "ADCSRB.0"]]    # fires without being armed while all of one list hold
    sets = ["ADCSRA.4"]               # what hardware does when it fires
    clears = ["TIFR.1"]
    priority = 2                      # higher ones preempt lower ones
    entered = "off"                   # interrupts on or off while it runs; by default its attribute says

docs/interrupts.md tells what each of these means.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from difflib import get_close_matches
from importlib import resources
from typing import Any

from frontend.program import PARTS, PLATFORMS, FrontendError, Location, OptionError
from frontend.records import dataclass

CORTEX_M = "cortex-m"


@dataclass(frozen=True, slots=True)
class Bit:
    """A bit of a memory-mapped register; `on` is the value asked for."""

    address: int
    bit: int
    on: bool = True


@dataclass(frozen=True, slots=True)
class Test:
    """A condition on a variable of the program: `name op value`."""

    name: str
    op: str
    value: int


@dataclass(frozen=True, slots=True)
class HandlerRule:
    """What the table says about one handler, by any of `names`."""

    names: tuple[str, ...]
    enable: tuple[Bit | Test, ...] = ()
    on_calls: tuple[tuple[str, int], ...] = ()
    """Calls that enable it, each with the number of the handler that it is given; -1 if that does not matter."""
    off_calls: tuple[tuple[str, int], ...] = ()
    on_at_reset: bool = False
    """Of a handler that calls enable: whether it is enabled at the start."""
    armed_by: tuple[Bit | int, ...] = ()
    stays_armed: tuple[Bit | Test, ...] = ()
    triggered: tuple[tuple[Bit | Test, ...], ...] = ()
    """It fires without being armed while all conditions of one of these hold."""
    effects: tuple[Bit, ...] = ()
    priority: int | None = None
    entered_on: bool | None = None
    location: Location = field(default_factory=lambda: Location("<table>", 1))


ON_CALLS = ("sei", "__enable_irq", "__nesc_enable_interrupt", "__enable_interrupt", "enable_interrupts", "interrupts", "_EINT",
            "__eint", "eint", "_enable_interrupt", "_enable_interrupts", "__builtin_avr_sei", "avr_sei")
OFF_CALLS = ("cli", "__disable_irq", "__nesc_disable_interrupt", "__disable_interrupt", "disable_interrupts", "noInterrupts",
             "_DINT", "__dint", "dint", "_disable_interrupt", "_disable_interrupts", "__builtin_avr_cli", "avr_cli")
STARTS_ON = frozenset({"__enable_irq", "interrupts"})
"""Calls of a processor that has its interrupts on after reset, or of a system that switches them on before the program."""


@dataclass(frozen=True, slots=True)
class InterruptTable:
    """All that is known of a platform's interrupts. The status register of every AVR is where `status` says."""

    rules: tuple[HandlerRule, ...] = ()
    status: tuple[int, int] = (0x5F, 7)
    on_calls: frozenset[str] = frozenset()
    off_calls: frozenset[str] = frozenset()
    every: int | None = None
    """The number by which calls that enable or disable a handler mean every one."""
    data_model: str | None = None
    starts_on: bool | None = None
    """Whether all interrupts are on after reset; None if the program's own calls tell."""
    registers: Mapping[str, int] = field(default_factory=dict)
    """The addresses of the registers by their names."""
    avr: bool = False
    """Whether it is that of an AVR."""
    word: int | None = None
    """How many bytes one instruction reads or writes, where the processor is named."""
    ranked: bool = False
    """Whether handlers interrupt each other by priorities, none of them itself."""
    perhaps: int | None = 0x3F
    """Where the status register may be as well, of a program for which no table says where it is: on newer AVRs."""
    vectors: Mapping[str, str] = field(default_factory=dict)
    """What users call handlers whose names are numbers: `TIMER0_OVF_vect` for `__vector_16`."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    """The numbers of handlers in the calls that give them priorities, where the program has no other way to do that."""
    regrouped: bool = False
    """Whether the program decides how many bits of a priority count when one handler interrupts another."""
    required: bool = False
    """Whether every handler that is named must exist: a user's own table, not one for every program of a platform."""

    def rule(self, name: str) -> HandlerRule | None:
        return next((r for r in self.rules if name in r.names), None)


def load_table(platform: str | None, path: str = "", text: str = "") -> InterruptTable:
    """The table of a platform, the user's own (name and text of a file) in front of it."""
    table = InterruptTable()
    if platform is not None:
        if platform not in PLATFORMS:
            near = get_close_matches(platform, PLATFORMS, 1)
            raise OptionError(Location("<command line>", 1), "--platform", platform, "there is no such platform",
                              f"write {near[0]}" if near else f"one of {', '.join(PLATFORMS)}")
        shipped = (resources.files("frontend") / "tables" / f"{PARTS.get(platform, platform)}.toml").read_text()
        table = replace(_TableReader(f"{platform}.toml", shipped, {}).table(), avr=platform != CORTEX_M, perhaps=None)
        registers, vectors = _names_of(PARTS.get(platform, platform))
        known = {rule.names[0]: max(rule.names[1:], key=lambda name: (name.endswith("_vect"), len(name)))
                 for rule in table.rules if len(rule.names) > 1}
        table = replace(table, registers={**table.registers, **registers}, vectors={**vectors, **known})
    if path:
        own = _TableReader(path, text, table.registers).table()
        named = {n for r in own.rules for n in r.names}
        others = tuple(r for r in table.rules if not named & set(r.names))
        table = replace(own, avr=table.avr, vectors=table.vectors, ranked=own.ranked or table.ranked,
                        every=table.every if own.every is None else own.every,
                        perhaps=None if platform is not None else own.perhaps, rules=(*own.rules, *others),
                        status=own.status if own.status != InterruptTable().status else table.status,
                        data_model=own.data_model or table.data_model, word=own.word or table.word, required=True,
                        starts_on=table.starts_on if own.starts_on is None else own.starts_on)
    return table


def _names_of(family: str) -> tuple[dict[str, int], dict[str, str]]:
    """The registers of one byte of an AVR part, and what its vectors are called, as our header has them; of others nothing."""
    folder = resources.files("frontend") / "include" / "libc" / "avr"
    header = folder / "io.h" if family in _OLD else folder / "parts" / f"{family}.h"
    text = header.read_text() if header.is_file() else ""
    registers = {name: int(address, 0) + (_IO if kind == "IO" else 0)
                 for name, kind, address in re.findall(r"#define (\w+) _SFR_(IO|MEM)8\((0x\w+)\)", text)}
    return registers, {f"__vector_{n}": name for name, n in re.findall(r"#define (\w+) _VECTOR\((\d+)\)", text)}


_OLD = ("atmega103", "atmega128")
"""Parts whose registers are in our `avr/io.h` itself."""
_IO = 0x20
"""Where the registers of the I/O space begin in memory."""
_LONG_NUMBER = re.compile("[0-9a-fA-F]{101}")
_TERM = re.compile(r"(!?)\s*([A-Za-z_$][\w$.]*?)(?:\.([0-9]+))?\s*(?:(==|!=|<=|>=|<|>)\s*(-?(?:0[xX][0-9a-fA-F]+|[0-9]+)))?")
_CALL = re.compile(r"([A-Za-z_$][\w$]*)\(([0-9]*)\)")
_KEYS = {"name", "enable", "calls", "armed_by", "stays_armed", "triggered", "sets", "clears", "priority", "entered",
         "enabled_by", "disabled_by", "reset"}


class _TableReader:
    """Reads one file; every complaint names the line on which the offending text stands."""

    def __init__(self, path: str, text: str, registers: Mapping[str, int]) -> None:
        self._path, self._text = path, text
        self._registers = dict(registers)

    def table(self) -> InterruptTable:
        import tomllib  # few programs have a table

        if number := _LONG_NUMBER.search(self._text):
            before = self._text.count("\n", 0, number.start())
            raise FrontendError(Location(self._path, before + 1), "a number of more than 100 digits", "no register holds it")
        try:
            data = tomllib.loads(self._text)
        except tomllib.TOMLDecodeError as error:
            line = re.search(r"line (\d+)", str(error))
            what = str(error).partition(" (at")[0]
            raise FrontendError(Location(self._path, int(line.group(1)) if line else 1), f"not TOML: {what}") from error
        except (ValueError, RecursionError) as error:  # a date that there is not, a nesting beyond what Python reads
            raise FrontendError(Location(self._path, 1), f"not TOML: {error}") from None
        self._only(data, {"registers", "status", "calls", "handler", "data_model", "word"}, "the table")
        for name, address in self._section(data, "registers").items():
            if type(address) is not int or not 0 <= address < 1 << 16:
                raise self._error(name, f"'{name}' is not at an address")
            self._registers[name] = address
        made = InterruptTable()
        status = self._section(data, "status")
        if status:
            self._only(status, {"register", "bit", "reset", "priorities"}, "[status]")
            if type(status.get("priorities", False)) is not bool:
                raise self._error("priorities", "'priorities' is true or false")
            if "register" in status or "bit" in status:
                bit = self._bit(f"{status.get('register')}.{status.get('bit')}", str(status.get("register")))
                made = replace(made, status=(bit.address, bit.bit), perhaps=None)
            if status.get("reset") not in (None, "on", "off"):
                raise self._error("reset", "after reset interrupts are \"on\" or \"off\"")
            made = replace(made, ranked=status.get("priorities", False),
                           starts_on=None if "reset" not in status else status["reset"] == "on")
        calls = self._section(data, "calls")
        self._only(calls, {"enable", "disable", "all"}, "[calls]")
        if type(calls.get("all", 0)) is not int:
            raise self._error("all", "'all' is the number that means every handler")
        handlers = data.get("handler", [])
        if not isinstance(handlers, list) or not all(isinstance(h, dict) for h in handlers):
            raise self._error("handler", "write each handler as [[handler]]")
        model = data.get("data_model")
        if model is not None and not isinstance(model, str):
            raise self._error("data_model", "'data_model' is not a text")
        word = data.get("word")
        if word is not None and (type(word) is not int or word not in (1, 2, 4, 8)):
            raise self._error("word", "'word' is 1, 2, 4 or 8: the bytes that one instruction reads or writes")
        rules = tuple(map(self._rule, handlers))
        names = [n for r in rules for n in r.names]
        twice = next((n for n in names if names.count(n) > 1), None)
        if twice is not None:
            raise self._error(twice, f"handler '{twice}' has two entries")
        return replace(made, rules=rules, every=calls.get("all"), on_calls=frozenset(self._texts(calls, "enable")),
                       off_calls=frozenset(self._texts(calls, "disable")), data_model=model, word=word,
                       registers=self._registers)

    # ------------------------------------------------------------------------------------------- parts
    def _rule(self, data: Mapping[str, Any]) -> HandlerRule:
        names = tuple(self._texts(data, "name"))
        if not names:
            raise self._error("[[handler]]", "a handler has no name")
        self._only(data, _KEYS, f"handler '{names[0]}'")
        calls = [self._call(c) for c in self._texts(data, "calls")]
        if len(calls) not in (0, 2):
            raise self._error("calls", f"'calls' of '{names[0]}' needs two: one that enables, one that disables")
        if calls and calls[0] == calls[1]:
            raise self._error("calls", f"'calls' of '{names[0]}' needs two that differ: one enables, one disables")
        priority, entered = data.get("priority"), data.get("entered")
        if priority is not None and type(priority) is not int:
            raise self._error("priority", f"the priority of '{names[0]}' is not a number")
        if entered not in (None, "on", "off"):
            raise self._error("entered", f"'{names[0]}' is entered with interrupts \"on\" or \"off\"")
        on_calls = (*calls[:1], *(self._call(c) for c in self._texts(data, "enabled_by")))
        off_calls = (*calls[1:], *(self._call(c) for c in self._texts(data, "disabled_by")))
        if set(on_calls) & set(off_calls):
            raise self._error("enabled_by", f"one call both enables and disables '{names[0]}'")
        if data.get("reset") not in (None, "on", "off") or (data.get("reset") == "on" and not off_calls):
            raise self._error("reset", f"'reset' of '{names[0]}' is \"on\" or \"off\": whether it is enabled before such calls")
        effects = [*self._bits(data, "sets"), *(replace(b, on=False) for b in self._bits(data, "clears"))]
        return HandlerRule(
            names, tuple(self._terms(data, "enable")), on_calls, off_calls, data.get("reset") == "on",
            tuple(self._arming(data)), tuple(self._terms(data, "stays_armed")), self._triggers(data), tuple(effects), priority,
            None if entered is None else entered == "on", self._where(names[0]))

    def _terms(self, data: Mapping[str, Any], key: str) -> list[Bit | Test]:
        return [self._term(text) for text in self._texts(data, key)]

    def _triggers(self, data: Mapping[str, Any]) -> tuple[tuple[Bit | Test, ...], ...]:
        """Lists of conditions; all of one list must hold."""
        lists = data.get("triggered", [])
        if not isinstance(lists, list) or not all(isinstance(part, list) for part in lists):
            raise self._error("triggered", "'triggered' is a list of lists of conditions")
        return tuple(tuple(self._terms({"triggered": part}, "triggered")) for part in lists)

    def _term(self, text: str) -> Bit | Test:
        match = _TERM.fullmatch(text.strip())
        if match is None:
            raise self._error(text, f"'{text}' is no condition")
        bang, name, bit, op, value = match.groups()
        if bit is not None and op is None and (name in self._registers or ("." not in name and name.isupper())):
            return replace(self._bit(f"{name}.{bit}", text), on=not bang)
        if bit is not None:
            raise self._error(text, f"'{text}' is no condition")
        if name in self._registers:
            raise self._error(text, f"'{text}' is no condition: name a bit of the register, {name}.0 to {name}.7")
        if op is not None and bang:
            raise self._error(text, f"'{text}': write the comparison the other way round")
        return Test(name, op, int(value, 0)) if op is not None else Test(name, "==" if bang else "!=", 0)

    def _bits(self, data: Mapping[str, Any], key: str) -> list[Bit]:
        return [self._bit(text, text) for text in self._texts(data, key)]

    def _bit(self, text: str, shown: str) -> Bit:
        name, _, bit = text.strip().rpartition(".")
        if name not in self._registers:
            near = get_close_matches(name, sorted(self._registers), 1)
            raise FrontendError(self._where(shown), f"unknown register '{name or text}'",
                                f"write '{near[0]}'" if near else "give its address in [registers]")
        if not re.fullmatch("0*[0-7]", bit):
            raise self._error(shown, f"register '{name}' has no bit {bit}")
        return Bit(self._registers[name], int(bit))

    def _arming(self, data: Mapping[str, Any]) -> list[Bit | int]:
        found: list[Bit | int] = []
        for text in self._texts(data, "armed_by"):
            found.append(self._registers[text] if text in self._registers else self._bit(text, text))
        return found

    def _call(self, text: str) -> tuple[str, int]:
        match = _CALL.fullmatch(text.strip())
        if match is None:
            raise self._error(text, f"'{text}' is no call with a number")
        return match.group(1), int(match.group(2) or -1)

    # ------------------------------------------------------------------------------------------- shapes
    def _section(self, data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        found = data.get(key, {})
        if not isinstance(found, dict):
            raise self._error(key, f"[{key}] is not a section")
        return found

    def _texts(self, data: Mapping[str, Any], key: str) -> Sequence[str]:
        found = data.get(key, [])
        found = [found] if isinstance(found, str) else found
        if not isinstance(found, list) or not all(isinstance(t, str) for t in found):
            raise self._error(key, f"'{key}' is not a list of texts")
        return found

    def _only(self, data: Mapping[str, Any], keys: set[str], what: str) -> None:
        unknown = sorted(set(data) - keys)
        if unknown:
            near = get_close_matches(unknown[0], sorted(keys), 1)
            meant = f"write '{near[0]}'" if near else f"its keys are {', '.join(sorted(keys))}"
            raise FrontendError(self._where(unknown[0]), f"{what} has the unknown key '{unknown[0]}'", meant)

    def _where(self, text: str) -> Location:
        whole = re.compile(rf"(?<![\w$]){re.escape(text)}(?![\w$])")
        lines = list(enumerate(self._text.splitlines(), 1))
        found = [n for n, line in lines if f'"{text}"' in line] or [n for n, line in lines if whole.search(line)]
        return Location(self._path, found[0] if found else 1)

    def _error(self, text: str, message: str) -> FrontendError:
        return FrontendError(self._where(text), message)
