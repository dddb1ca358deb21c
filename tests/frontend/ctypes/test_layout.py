"""Where gcc puts the members of random structs and unions, with bit fields, packing and alignment, is where circ puts them."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from frontend.ctypes import Record, RecordType
from frontend.lower.units import load_units
from frontend.program import LP64
from frontend.text.parse import SourceOptions, parse

INTEGERS = ("char", "signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "unsigned long", "long long", "_Bool")
WIDTHS = {"_Bool": 1, "char": 8, "short": 16, "int": 32, "unsigned": 32, "long": 64}
OTHERS = ("float", "double", "long double", "void *", "char *", "int *")


def _bit_field(rng: random.Random, name: str) -> str:
    kind = rng.choice(INTEGERS)
    width = WIDTHS[kind.split()[-1] if kind != "unsigned" else kind]
    if rng.random() < 0.15:
        return f"{kind} : {rng.choice((0, rng.randint(1, width))) if kind != '_Bool' else 0};"
    packed = " __attribute__((packed))" if rng.random() < 0.1 else ""
    return f"{kind} {name} : {rng.randint(1, width)}{packed};"


def _member(rng: random.Random, name: str, before: list[str]) -> str:
    chance = rng.random()
    if chance < 0.4:
        return _bit_field(rng, name)
    kind = rng.choice((*INTEGERS, *OTHERS, *before))
    count = f"[{rng.randint(1, 4)}]" if rng.random() < 0.25 else ""
    attribute = rng.choice((" __attribute__((packed))", f" __attribute__((aligned({rng.choice((1, 2, 4, 8, 16, 32))})))")) if rng.random() < 0.15 else ""
    return f"{kind} {name}{count}{attribute};"


def _record(rng: random.Random, number: int, before: list[str]) -> tuple[str, str]:
    """The tagged type's name and its definition."""
    name = f"{'union' if rng.random() < 0.2 else 'struct'} r{number}"
    members = " ".join(_member(rng, f"m{i}", before) for i in range(rng.randint(1, 7)))
    if ":" in members and " m" not in members:
        members += " int m99;"
    place = rng.random()
    attribute = rng.choice(("packed", f"aligned({rng.choice((2, 4, 8, 16))})", "packed, aligned(2)")) if rng.random() < 0.3 else ""
    attribute = f"__attribute__(({attribute}))" if attribute else ""
    keyword, tag = name.split()
    text = f"{keyword} {attribute if place < 0.5 else ''} {tag} {{ {members} }} {attribute if place >= 0.5 else ''};"
    if rng.random() < 0.15:
        text = f"#pragma pack(push, {rng.choice((1, 2, 4, 8))})\n{text}\n#pragma pack(pop)"
    return name, text


def _records(seed: int, count: int) -> tuple[list[str], str]:
    rng = random.Random(seed)
    names: list[str] = []
    texts = []
    for number in range(count):
        name, text = _record(rng, number, names[-5:])
        names.append(name)
        texts.append(text)
    return names, "\n".join(texts)


def _ours(record: Record) -> list[str]:
    """A line for the size and one for each bit field and plain member: its name, then its bits or its offset."""
    lines = [f"{record.size} {record.align}"]
    for field in record.fields:
        if field.bits is not None:
            mask = ((1 << field.bits) - 1) << (field.bit_offset + 8 * field.offset)
            lines.append(f"{field.name} {mask.to_bytes(record.size, 'little').hex()}")
        else:
            lines.append(f"{field.name} {field.offset}")
    return lines


def _gccs(names: list[str], text: str, records: list[Record], folder: Path) -> list[list[str]]:
    """The same lines from a program that gcc compiled: it writes ones into a bit field and shows the bytes."""
    body = []
    for name, record in zip(names, records, strict=True):
        body.append(f'printf("%zu %zu\\n", sizeof({name}), _Alignof({name}));')
        for field in record.fields:
            if field.bits is None:
                body.append(f'printf("{field.name} %zu\\n", offsetof({name}, {field.name}));')
            else:
                body.append(f'{{ {name} v; memset(&v, 0, sizeof v); v.{field.name} = -1; printf("{field.name} "); '
                            'for (unsigned i = 0; i < sizeof v; i++) printf("%02x", ((unsigned char *)&v)[i]); puts(""); }')
        body.append('puts("--");')
    source = folder / "layout.c"
    source.write_text(f"#include <stdio.h>\n#include <string.h>\n#include <stddef.h>\n{text}\nint main(void) {{\n" + "\n".join(body) + "\nreturn 0; }\n")
    subprocess.run(["gcc", "-w", "-O0", str(source), "-o", str(folder / "layout")], check=True, timeout=120)
    shown = subprocess.run([str(folder / "layout")], check=True, capture_output=True, text=True, timeout=60).stdout
    return [part.split("\n") for part in shown.removesuffix("\n--\n").split("\n--\n")]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("seed", range(3))
def test_random_records(seed: int, tmp_path: Path) -> None:
    names, text = _records(seed, 150)
    source = tmp_path / "records.c"
    source.write_text(text + "\n" + "\n".join(f"{name} v{i};" for i, name in enumerate(names)) + "\n")
    [module] = load_units([parse(str(source), SourceOptions())], LP64)
    records = []
    for i in range(len(names)):
        t = module.symbols[f"v{i}"].type
        assert isinstance(t, RecordType)
        records.append(module.records[t.key])
    for name, record, expected in zip(names, records, _gccs(names, text, records, tmp_path), strict=True):
        assert _ours(record) == expected, next(line for line in text.splitlines() if name.split()[1] + " " in line)
