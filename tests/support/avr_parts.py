"""Writes what circ knows of AVR parts from the headers of avr-libc, where avr-gcc and they are installed:

    python -m tests.support.avr_parts

For each family a header with its registers, bits and vectors (`frontend/include/libc/avr/parts/`), and a table with what enables
each handler (`frontend/tables/`). Numbers are facts of the data sheets; which bit enables which handler follows from its name.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from frontend.program import PARTS

ROOT = Path(__file__).resolve().parents[2] / "frontend"
HEADERS, TABLES = ROOT / "include" / "libc" / "avr" / "parts", ROOT / "tables"
BY_HAND = ("atmega328p",)
"""Families whose tables are written by hand."""
_DEFINE = re.compile(r"#define (\w+) (.+)")
_REGISTER = re.compile(r"_SFR_(IO|MEM)(8|16)\s*\((0[xX][0-9a-fA-F]+|\d+)\)")
_VECTOR = re.compile(r"_VECTOR\s*\((\d+)\)")
_SIZES = ("RAMSTART", "RAMEND", "FLASHEND", "E2END")


@dataclass(frozen=True)
class Part:
    """The macros of a part: registers by name with their addresses in memory and widths, bits, vectors."""

    name: str
    registers: Mapping[str, tuple[int, int]]
    numbers: Mapping[str, int]
    vectors: Mapping[str, int]


def part(name: str) -> Part:
    """What the headers of avr-libc say of a part."""
    text = subprocess.run(["avr-gcc", f"-mmcu={name}", "-E", "-dM", "-x", "c", "-"], input="#include <avr/io.h>\n",
                          capture_output=True, text=True, check=True).stdout
    macros = dict(m.groups() for m in map(_DEFINE.match, text.splitlines()) if m is not None)

    def plain(value: str) -> str:
        while value in macros:
            value = macros[value]
        return value.strip()

    registers, numbers, vectors = {}, {}, {}
    for macro, value in macros.items():
        value = plain(value)
        if macro.startswith(("_", "TWAM")) or not macro.replace("_vect", "").isupper():
            continue
        if (found := _REGISTER.fullmatch(value)) is not None:
            registers[macro] = int(found[3], 0) + (0x20 if found[1] == "IO" else 0), int(found[2])
        elif macro.endswith("_vect") and (number := _VECTOR.fullmatch(value)) is not None:
            vectors[macro] = int(number[1])
        elif re.fullmatch(r"[0-7]", value) or (macro in _SIZES and re.fullmatch(r"\(?0[xX][0-9a-fA-F]+\)?", value)):
            numbers[macro] = int(value.strip("()"), 0)
    return Part(name, registers, numbers, vectors)


def header(family: Part) -> str:
    """A header with the registers by address, the bits and the vectors."""
    guard = f"_CIRC_AVR_{family.name.upper()}_H"
    used = ", ".join(sorted(name for name, of in PARTS.items() if of == family.name))
    lines = [f"/* {used}: registers, bits and vectors, written by tests/support/avr_parts.py */", f"#ifndef {guard}",
             f"#define {guard}", ""]
    for name, (address, width) in sorted(family.registers.items(), key=lambda item: (item[1], item[0])):
        lines.append(f"#define {name} _SFR_MEM{width}(0x{address:02x})")
    lines += [f"#define {name} {n if n < 8 else hex(n)}" for name, n in sorted(family.numbers.items())]
    lines += [f"#define {name} _VECTOR({n})" for name, n in sorted(family.vectors.items(), key=lambda item: (item[1], item[0]))]
    return "\n".join([*lines, "", "#endif", ""])


_RULES = (
    (r"INT(\d)_vect", ("INT{0}",), ("EIMSK", "GICR", "GIMSK")),
    (r"PCINT(\d?)_vect", ("PCIE{0}", "PCIE"), ("PCICR", "GIMSK")),
    (r"TIM(?:ER)?(\d)_OVF_vect", ("TOIE{0}",), ("TIMSK{0}", "TIMSK")),
    (r"TIM(?:ER)?(\d)_COMP([A-D]?)_vect", ("OCIE{0}{1}",), ("TIMSK{0}", "TIMSK")),
    (r"TIM(?:ER)?(\d)_CAPT_vect", ("ICIE{0}", "TICIE{0}"), ("TIMSK{0}", "TIMSK")),
    (r"SPI_STC_vect", ("SPIE",), ("SPCR",)),
    (r"USART(\d?)_RXC?_vect", ("RXCIE{0}", "RXCIE"), ("UCSR{0}B", "UCSR0B")),
    (r"USART(\d?)_UDRE_vect", ("UDRIE{0}", "UDRIE", "UDRIE0"), ("UCSR{0}B", "UCSR0B")),
    (r"ANA(?:LOG)?_COMP_vect", ("ACIE",), ("ACSR",)),
    (r"TWI_vect", ("TWIE",), ("TWCR",)),
    (r"EE_R(?:EA)?DY_vect", ("EERIE",), ("EECR",)),
    (r"SPM_R(?:EA)?DY_vect", ("SPMIE",), ("SPMCSR", "SPMCR")),
    (r"USI_START_vect", ("USISIE",), ("USICR",)),
    (r"USI_OV(?:ER)?F(?:LOW)?_vect", ("USIOIE",), ("USICR",)),
)
"""Vectors by their names, the bits that may enable them and the registers that these may be in: of each the first there is."""


def _first(choices: tuple[str, ...], parts: tuple[str, ...], known: Mapping[str, object]) -> str | None:
    return next((name for c in choices if (name := c.format(*parts)) in known), None)


def _rule(family: Part, name: str) -> list[str] | None:
    """What enables the handler of a vector, as lines of a table, and the registers that it names; None if that is not known."""
    numbers, registers = family.numbers, family.registers
    if (sent := re.fullmatch(r"USART(\d?)_TXC?_vect", name)) is not None:
        bit = _first(("TXCIE{0}", "TXCIE", "TXCIE0"), sent.groups(), numbers)
        control = _first(("UCSR{0}B", "UCSR0B"), sent.groups(), registers)
        data = _first(("UDR{0}", "UDR0"), sent.groups(), registers)
        if bit and control and data:
            return [f'enable = ["{control}.{numbers[bit]}"]', f'armed_by = ["{data}"]']
    if name == "ADC_vect" and "ADCSRA" in registers:
        lines = [f'enable = ["ADCSRA.{numbers["ADEN"]}", "ADCSRA.{numbers["ADIE"]}"]', f'armed_by = ["ADCSRA.{numbers["ADSC"]}"]']
        again = numbers.get("ADATE", numbers.get("ADFR"))
        sources = "ADCSRB" if "ADCSRB" in registers else "SFIOR"
        if again is not None:
            lines.append(f'stays_armed = ["ADCSRA.{again}"]')
        if "ADATE" in numbers and "ADTS0" in numbers and sources in registers:
            ways = ", ".join(f'["ADCSRA.{again}", "{sources}.{numbers[bit]}"]' for bit in ("ADTS0", "ADTS1", "ADTS2"))
            lines.append(f"triggered = [{ways}]")
        return lines
    for pattern, bits, controls in _RULES:
        if (found := re.fullmatch(pattern, name)) is not None:
            bit, control = _first(bits, found.groups(), numbers), _first(controls, found.groups(), registers)
            if bit and control:
                return [f'enable = ["{control}.{numbers[bit]}"]']
    return None


def _handlers(family: Part) -> Iterator[list[str]]:
    for number in sorted(set(family.vectors.values())):
        names = sorted(name for name, n in family.vectors.items() if n == number)
        lines = next((found for name in names if (found := _rule(family, name)) is not None), None)
        if lines is not None:
            listed = ", ".join(f'"{name}"' for name in (f"__vector_{number}", *names))
            yield ["", "[[handler]]", f"name = [{listed}]", *lines]


def table(family: Part) -> str:
    """What enables the handlers of a family; those of which that is not known may fire whenever interrupts are on."""
    handlers = list(_handlers(family))
    named = sorted({name for lines in handlers for line in lines for name in re.findall(r'"(\w+?)(?:\.\d)?"', line)
                    if name in family.registers and not line.startswith("name")}, key=lambda n: (family.registers[n][0], n))
    used = ", ".join(sorted(name for name, of in PARTS.items() if of == family.name))
    lines = [f"# {used}: what enables each handler, written by tests/support/avr_parts.py.",
             "# A vector without an entry may fire whenever interrupts are on.", 'data_model = "ip16"', "word = 1", "", "[registers]"]
    lines += [f"{name} = 0x{family.registers[name][0]:02x}" for name in named]
    lines += ["SREG = 0x5f", "", "[status]", 'register = "SREG"', "bit = 7"]
    return "\n".join([*lines, *(line for found in handlers for line in found), ""])


def files() -> Iterator[tuple[Path, str]]:
    """Every file that is written, with its text."""
    for name in sorted(set(PARTS.values())):
        family = part(name)
        yield HEADERS / f"{name}.h", header(family)
        if name not in BY_HAND:
            yield TABLES / f"{name}.toml", table(family)


if __name__ == "__main__":
    HEADERS.mkdir(exist_ok=True)
    for path, text in files():
        path.write_text(text)
