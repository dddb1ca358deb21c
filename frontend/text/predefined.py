"""What a compiler defines before it reads a file, for each data model; our headers are written in terms of it."""

from __future__ import annotations

from collections.abc import Iterator

from frontend.program import DATA_MODELS, DataModel


def predefined_macros(data_model: str) -> Iterator[str]:
    """`NAME value` for each predefined macro. No `__GNUC__`: headers then keep to plain C."""
    model = DATA_MODELS[data_model]
    yield from ("__CIRC__ 1", "__STDC__ 1", "__STDC_VERSION__ 201112L", "__STDC_HOSTED__ 1", "__CHAR_BIT__ 8")
    yield from ('__DATE__ "Jan  1 1970"', '__TIME__ "00:00:00"')  # the same input gives the same output on any day
    yield from ("__ORDER_LITTLE_ENDIAN__ 1234", "__ORDER_BIG_ENDIAN__ 4321", "__BYTE_ORDER__ __ORDER_LITTLE_ENDIAN__")
    orders = ("RELAXED", "CONSUME", "ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST")
    yield from (f"__ATOMIC_{order} {number}" for number, order in enumerate(orders))
    sizes = {
        "SHORT": model.short_size, "INT": model.int_size, "LONG": model.long_size, "LONG_LONG": model.long_long_size,
        "POINTER": model.pointer_size, "SIZE_T": model.pointer_size, "PTRDIFF_T": model.pointer_size,
    }
    for name, size in sizes.items():
        yield f"__SIZEOF_{name}__ {size}"
    limits = {"SCHAR": (1, ""), "SHRT": (model.short_size, ""), "INT": (model.int_size, ""), "LONG": (model.long_size, "L"),
              "LONG_LONG": (model.long_long_size, "LL")}
    for name, (size, suffix) in limits.items():
        yield f"__{name}_MAX__ {hex((1 << (8 * size - 1)) - 1)}{suffix}"
    if model.name == "lp64":
        yield from ("__LP64__ 1", "_LP64 1")
    types = {8 * size: signed_type(model, 8 * size) for size in (1, 2, 4, 8)}
    for bits, name in types.items():
        yield f"__INT{bits}_TYPE__ {name if bits > 8 else 'signed char'}"
        yield f"__UINT{bits}_TYPE__ unsigned {name}"
    word = signed_type(model, 8 * model.pointer_size)
    for macro in ("SIZE", "UINTPTR"):
        yield f"__{macro}_TYPE__ unsigned {word}"
    for macro in ("PTRDIFF", "INTPTR"):
        yield f"__{macro}_TYPE__ {word}"
    yield f"__INTMAX_TYPE__ {types[64]}"
    yield f"__UINTMAX_TYPE__ unsigned {types[64]}"
    yield "__WCHAR_TYPE__ int"


def signed_type(model: DataModel, bits: int) -> str:
    """The name of the type of that width that compilers use for `intN_t`."""
    sizes = {"char": 1, "int": model.int_size, "short": model.short_size, "long": model.long_size}
    return next((f"{name} int" if name in ("short", "long") else name for name, size in sizes.items() if 8 * size == bits),
                "long long int")
