"""What a compiler defines before it reads a file: gcc's macros for each data model; our headers are written in terms of them.

With them the `#if` branches of a program are those that gcc takes: GNU C on Linux for x86, or without a system for a platform
that is named. What stands for the vector units of a processor (`__SSE2__`) is left out: there are no headers for them.
"""

from __future__ import annotations

from collections.abc import Iterator

from frontend.program import DATA_MODELS, DataModel

_GCC = (12, 2, 0)
_BUILTINS = ("__builtin_", "__sync_", "__atomic_")
_FOREIGN_BUILTINS = """
        __builtin_addressof __builtin_assume __builtin_available __builtin_bitreverse8 __builtin_bitreverse16
    __builtin_bitreverse32     __builtin_bitreverse64 __builtin_debugtrap __builtin_dump_struct
    __builtin_is_constant_evaluated __builtin_launder     __builtin_memcpy_inline __builtin_memset_inline
    __builtin_nontemporal_load __builtin_nontemporal_store __builtin_operator_new     __builtin_readcyclecounter
    __builtin_rotateleft8 __builtin_rotateleft16 __builtin_rotateleft32 __builtin_rotateleft64
    __builtin_rotateright8 __builtin_rotateright16 __builtin_rotateright32 __builtin_rotateright64
    __builtin_unpredictable     __builtin_verbose_trap __builtin_bit_cast __builtin_popcountg __builtin_clzg
    __builtin_ctzg __builtin_stdc_bit_width
"""
"""Builtins of other compilers, or of a gcc that is newer."""
_ATTRIBUTES = """
        access alias aligned alloc_align alloc_size always_inline artificial assume_aligned cleanup cold const
    constructor copy deprecated     designated_init destructor error externally_visible fallthrough fd_arg flatten
    format format_arg gnu_inline hot ifunc leaf malloc     may_alias mode naked no_icf no_instrument_function no_reorder
    no_sanitize no_sanitize_address no_sanitize_thread     no_sanitize_undefined no_split_stack noclone noinline noipa
    nonnull nonstring noplt noreturn nothrow optimize packed patchable_function_entry     pure returns_nonnull
    returns_twice scalar_storage_order section sentinel simd symver target target_clones tls_model     transparent_union
    unavailable uninitialized unused used vector_size visibility warn_if_not_aligned warn_unused_result warning weak
    weakref     zero_call_used_regs interrupt
"""
"""Attributes of gcc, some of which are refused later: to take another branch would be to read another program."""
_STANDARD_ATTRIBUTES = {"deprecated": 201904, "fallthrough": 201910, "maybe_unused": 202106, "nodiscard": 202003}
_SYSTEM = ("__linux__", "__linux", "linux", "__unix__", "__unix", "unix", "__gnu_linux__", "__ELF__")
_PROCESSORS = {"lp64": ("__x86_64__", "__x86_64", "__amd64__", "__amd64"), "ilp32": ("__i386__", "__i386", "i386")}
_LONG_DOUBLES = {"lp64": 16, "ilp32": 12, "ip16": 4}
_FLOATS = {"FLT": ("1.19209290e-7F", "3.40282347e+38F", "1.17549435e-38F", 24, 6, -125, 128),
           "DBL": ("2.2204460492503131e-16", "1.7976931348623157e+308", "2.2250738585072014e-308", 53, 15, -1021, 1024)}
"""Of each type the least difference from 1, the largest and the least positive number, digits and exponents."""


def predefined_macros(data_model: str, bare: bool = False) -> Iterator[str]:
    """`NAME value` for each predefined macro; `bare`: for a processor on which no system runs."""
    model = DATA_MODELS[data_model]
    yield from ("__CIRC__ 1", "__STDC__ 1", "__STDC_VERSION__ 201710L", "__STDC_HOSTED__ 1", "__CHAR_BIT__ 8")
    yield from ('__DATE__ "Jan  1 1970"', '__TIME__ "00:00:00"')  # the same input gives the same output on any day
    yield from _compiler()
    if not model.char_signed:
        yield "__CHAR_UNSIGNED__ 1"
    if not bare and model.widths in _PROCESSORS:
        yield from (f"{name} 1" for name in (*_SYSTEM, *_PROCESSORS[model.widths]))
        yield from ("__STDC_IEC_559__ 1", "__STDC_ISO_10646__ 201706L", "__STDC_UTF_16__ 1", "__STDC_UTF_32__ 1")
    yield from ("__ORDER_LITTLE_ENDIAN__ 1234", "__ORDER_BIG_ENDIAN__ 4321", "__ORDER_PDP_ENDIAN__ 3412")
    yield from ("__BYTE_ORDER__ __ORDER_LITTLE_ENDIAN__", "__FLOAT_WORD_ORDER__ __ORDER_LITTLE_ENDIAN__")
    if model.widths == "lp64":
        yield from ("__LP64__ 1", "_LP64 1")
    elif model.widths == "ilp32" and not bare:
        yield from ("__ILP32__ 1", "_ILP32 1")
    yield from _atomics()
    yield from _sizes(model)
    yield from _types(model)
    yield from _floats()


def has(what: str, name: str) -> int:
    """What `__has_builtin(name)`, `__has_attribute(name)` and their like give."""
    spaceless = name.replace(" ", "")
    plain = spaceless.removeprefix("__gnu__::").removeprefix("gnu::")
    bare = plain[2:-2] if plain.startswith("__") and plain.endswith("__") else plain
    match what:
        case "__has_builtin":
            return int(plain.startswith(_BUILTINS) and plain not in _FOREIGN_BUILTINS.split())
        case "__has_attribute":
            return int(bare in _ATTRIBUTES.split())
        case "__has_c_attribute" | "__has_cpp_attribute":
            return int(bare in _ATTRIBUTES.split()) if plain != spaceless else _STANDARD_ATTRIBUTES.get(bare, 0)
    return 0


def _compiler() -> Iterator[str]:
    major, minor, patch = _GCC
    yield from (f"__GNUC__ {major}", f"__GNUC_MINOR__ {minor}", f"__GNUC_PATCHLEVEL__ {patch}",
                f'__VERSION__ "{major}.{minor}.{patch}"', "__GNUC_STDC_INLINE__ 1", "__NO_INLINE__ 1")
    yield from ("__USER_LABEL_PREFIX__", "__REGISTER_PREFIX__")


def _atomics() -> Iterator[str]:
    orders = ("RELAXED", "CONSUME", "ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST")
    yield from (f"__ATOMIC_{order} {number}" for number, order in enumerate(orders))
    for kind in ("BOOL", "CHAR", "CHAR16_T", "CHAR32_T", "WCHAR_T", "SHORT", "INT", "LONG", "LLONG", "POINTER"):
        yield f"__GCC_ATOMIC_{kind}_LOCK_FREE 2"
    yield "__GCC_ATOMIC_TEST_AND_SET_TRUEVAL 1"
    yield from (f"__GCC_HAVE_SYNC_COMPARE_AND_SWAP_{size} 1" for size in (1, 2, 4, 8))


def _sizes(model: DataModel) -> Iterator[str]:
    sizes = {
        "SHORT": model.short_size, "INT": model.int_size, "LONG": model.long_size, "LONG_LONG": model.long_long_size,
        "POINTER": model.pointer_size, "SIZE_T": model.pointer_size, "PTRDIFF_T": model.pointer_size, "WCHAR_T": 4, "WINT_T": 4,
        "FLOAT": 4, "DOUBLE": 8, "LONG_DOUBLE": _LONG_DOUBLES[model.widths],
    }
    if model.widths == "lp64":
        sizes["INT128"] = 16
    for name, size in sizes.items():
        yield f"__SIZEOF_{name}__ {size}"
    limits = {"SCHAR": (1, ""), "SHRT": (model.short_size, ""), "INT": (model.int_size, ""), "LONG": (model.long_size, "L"),
              "LONG_LONG": (model.long_long_size, "LL")}
    for name, (size, suffix) in limits.items():
        yield f"__{name}_MAX__ {hex((1 << (8 * size - 1)) - 1)}{suffix}"
        yield f"__{name}_WIDTH__ {8 * size}"


def _types(model: DataModel) -> Iterator[str]:
    types = {8 * size: signed_type(model, 8 * size) for size in (1, 2, 4, 8)}
    for bits, name in types.items():
        yield f"__INT{bits}_TYPE__ {name if bits > 8 else 'signed char'}"
        yield f"__UINT{bits}_TYPE__ unsigned {name}"
        yield from _range(f"INT{bits}", f"UINT{bits}", bits, _suffix(name))
    word = signed_type(model, 8 * model.pointer_size)
    for macro in ("SIZE", "UINTPTR"):
        yield f"__{macro}_TYPE__ unsigned {word}"
    for macro in ("PTRDIFF", "INTPTR"):
        yield f"__{macro}_TYPE__ {word}"
    yield from _range("INTPTR", "UINTPTR", 8 * model.pointer_size, _suffix(word))
    yield from _range("PTRDIFF", "SIZE", 8 * model.pointer_size, _suffix(word))
    yield f"__INTMAX_TYPE__ {types[64]}"
    yield f"__UINTMAX_TYPE__ unsigned {types[64]}"
    yield from _range("INTMAX", "UINTMAX", 64, _suffix(types[64]))
    yield from ("__WCHAR_TYPE__ int", "__WINT_TYPE__ unsigned int", "__CHAR16_TYPE__ short unsigned int",
                "__CHAR32_TYPE__ unsigned int", "__SIG_ATOMIC_TYPE__ int")
    yield from ("__WCHAR_MAX__ 0x7fffffff", "__WCHAR_MIN__ (-__WCHAR_MAX__ - 1)", "__WCHAR_WIDTH__ 32",
                "__WINT_MAX__ 0xffffffffU", "__WINT_MIN__ 0U", "__WINT_WIDTH__ 32", "__SIG_ATOMIC_MAX__ 0x7fffffff",
                "__SIG_ATOMIC_MIN__ (-__SIG_ATOMIC_MAX__ - 1)", "__SIG_ATOMIC_WIDTH__ 32")
    yield from (f"__{name}_WIDTH__ {8 * model.pointer_size}" for name in ("INTPTR", "PTRDIFF", "SIZE"))
    yield "__INTMAX_WIDTH__ 64"
    for bits, name in types.items():
        suffix = _suffix(name)
        yield f"__INT{bits}_C(c) c{' ## ' + suffix if suffix else ''}"
        yield f"__UINT{bits}_C(c) c{' ## U' + suffix if suffix or bits > 16 else ''}"
    yield from (f"__INTMAX_C(c) c ## {_suffix(types[64])}", f"__UINTMAX_C(c) c ## U{_suffix(types[64])}")


def _suffix(name: str) -> str:
    return "LL" if name.startswith("long long") else "L" if name.startswith("long") else ""


def _range(signed: str, unsigned: str, bits: int, suffix: str) -> Iterator[str]:
    """The largest numbers of two types."""
    yield f"__{signed}_MAX__ {hex((1 << (bits - 1)) - 1)}{suffix}"
    yield f"__{unsigned}_MAX__ {hex((1 << bits) - 1)}{'U' if bits > 16 or suffix else ''}{suffix}"


def _floats() -> Iterator[str]:
    yield from ("__FLT_RADIX__ 2", "__FLT_EVAL_METHOD__ 0", "__DECIMAL_DIG__ 21")
    for name, (epsilon, most, least, digits, decimal, low, high) in _FLOATS.items():
        yield from (f"__{name}_EPSILON__ {epsilon}", f"__{name}_MAX__ {most}", f"__{name}_MIN__ {least}",
                    f"__{name}_MANT_DIG__ {digits}", f"__{name}_DIG__ {decimal}", f"__{name}_MIN_EXP__ ({low})",
                    f"__{name}_MAX_EXP__ {high}")


def signed_type(model: DataModel, bits: int) -> str:
    """The name of the type of that width that compilers use for `intN_t`."""
    sizes = {"char": 1, "int": model.int_size, "short": model.short_size, "long": model.long_size}
    return next((f"{name} int" if name in ("short", "long") else name for name, size in sizes.items() if 8 * size == bits),
                "long long int")
