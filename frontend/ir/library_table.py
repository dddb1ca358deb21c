"""The C library as data: what each function reads and writes through its arguments, and what it gives.

One line a function: name, result (a word of `LibraryResult`), arguments read, arguments written; a pointer argument that is not
listed is not followed. Functions with state of their own, and streams, are in `frontend.ir.library_state`.
`p2` is a format of `printf` as argument 2 and `s2` one of `scanf`, which say what becomes of all further arguments;
`vp2`, `vs2` the same with the arguments in a `va_list` or passed on. `d1`: all that argument 1 leads to is read, `D1`: and
changed. Several names share their effects when they stand in front of a colon. Other spellings of a function follow by rule: see
`_plain`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from enum import StrEnum

from frontend.ir import library_more, library_posix, library_state
from frontend.records import dataclass
from frontend.text import keywords


class LibraryResult(StrEnum):
    """What a function gives, in the words of the table.

    `arg0` is the first argument; `in0` a pointer into what the first argument points to, or null; `new` fresh memory or null;
    `none`: the call does not return; `unknown` a pointer that may point anywhere, `hidden` one to an object of the library's own.
    """

    ANY = "any"
    FIRST_ARGUMENT = "arg0"
    INSIDE_FIRST = "in0"
    INSIDE_SECOND = "in1"
    INSIDE_THIRD = "in2"
    NEW = "new"
    NO_RETURN = "none"
    UNKNOWN = "unknown"
    HIDDEN = "hidden"

    @property
    def inside(self) -> int | None:
        """The argument into which the result points, if that is what is known of it."""
        return int(self.value[2:]) if self.value.startswith("in") else None


@dataclass(frozen=True, slots=True)
class LibraryState:
    """An object that the library keeps for all threads together, and what a call does to it; `sure`: every call does."""

    name: str
    write: bool
    sure: bool

    @property
    def object(self) -> str:
        return f"static@{self.name}"


@dataclass(frozen=True, slots=True)
class LibraryFunction:
    """The effect of a library function; `reads` and `writes` number arguments, `format` the one that tells about the rest.

    `scans`: it is a format of `scanf`; `listed`: a further argument may stand for several. `states`: objects of the library's own
    that it touches. `deep_reads`, `deep_writes`: arguments of which all that they lead to is read, or read and changed.
    `stream`: the argument that is a stream; `closes`: it ends the stream; `buffers`: it uses some stream.
    """

    name: str
    result: LibraryResult
    reads: tuple[int, ...] = ()
    writes: tuple[int, ...] = ()
    format: int | None = None
    scans: bool = False
    listed: bool = False
    states: tuple[LibraryState, ...] = ()
    stream: int | None = None
    closes: bool = False
    buffers: bool = False
    deep_reads: tuple[int, ...] = ()
    deep_writes: tuple[int, ...] = ()


_TABLE = """
# string.h
memcpy arg0 r1 w0
memmove arg0 r1 w0
mempcpy in0 r1 w0
memset arg0 w0
bzero any w0
bcopy any r0 w1
memcmp any r0 r1
memchr in0 r0
strlen any r0
strnlen any r0
strcpy arg0 r1 w0
strncpy arg0 r1 w0
stpcpy in0 r1 w0
strcat arg0 r0 r1 w0
strncat arg0 r0 r1 w0
strcmp any r0 r1
strncmp any r0 r1
strcasecmp any r0 r1
strncasecmp any r0 r1
strcoll any r0 r1
strchr in0 r0
strrchr in0 r0
strstr in0 r0 r1
strpbrk in0 r0 r1
strspn any r0 r1
strcspn any r0 r1
strdup new r0
strndup new r0
explicit_bzero any w0
# stdlib.h
malloc new
calloc new
realloc new
aligned_alloc new
valloc new
alloca new
__builtin_alloca new
free any w0
cfree any w0
abs any
labs any
llabs any
rand any
srand any
rand_r any r0 w0
random any
srandom any
atoi any r0
atol any r0
atoll any r0
atof any r0
strtol any r0 w1
strtoll any r0 w1
strtoul any r0 w1
strtoull any r0 w1
strtod any r0 w1
system any r0
atexit any
on_exit any
at_quick_exit any
signal any
bsd_signal any
sysv_signal any
__sysv_signal any
sigset any
sigaction any r1 w2
pthread_atfork any
raise any
kill any
sigemptyset any w0
sigfillset any w0
sigaddset any r0 w0
sigdelset any r0 w0
sigprocmask any r1 w2
pthread_sigmask any r1 w2
abort none
exit none
_exit none
_Exit none
quick_exit none
qsort any r0 w0
bsearch unknown r0 r1
__assert_fail none
__assert none
# stdio.h
dprintf any p1
sprintf any w0 p1
snprintf any w0 p2
vdprintf any vp1
vsprintf any w0 vp1
vsnprintf any w0 vp2
sscanf any r0 s1
vsscanf any r0 vs1
__isoc99_sscanf any r0 s1
syslog any p1
__dprintf_chk any vp2
__sprintf_chk any w0 vp3
__snprintf_chk any w0 vp4
__vdprintf_chk any vp2
__vsprintf_chk any w0 vp3
__vsnprintf_chk any w0 vp4
remove any r0
rename any r0 r1
# unistd.h, time.h, sched.h and their like
sleep any
usleep any
nanosleep any r0 w1
pause any
read any w1
write any r1
close any
open any r0
getpid any
gettid any
isatty any
time any w0
clock any
gettimeofday any w0
clock_gettime any w1
difftime any
strftime any w0 r2 r3
sched_yield any
sysconf any
alarm any
__errno_location unknown
errno_after_the_last_call any
# interrupts on and off, and the scheduler of tasks: see frontend/interrupts/interrupt_calls.py; they touch no memory of the
# program
TOS_post any
TOSH_run_next_task any
cli any
sei any
__disable_irq any
__enable_irq any
__nesc_disable_interrupt any
__nesc_enable_interrupt any
__circ_interrupts_on any
__circ_interrupts_off any
__circ_read_status any
__circ_write_status any
__circ_set_status any
__circ_clear_status any
__circ_unclear_status any
__circ_masks_some any
# setjmp.h: see frontend/threads/long_jumps.py
setjmp any w0
_setjmp any w0
sigsetjmp any w0
__sigsetjmp any w0
longjmp none r0
_longjmp none r0
siglongjmp none r0
__longjmp_chk none r0
# ctype.h
isalnum any
isalpha any
isdigit any
isxdigit any
islower any
isupper any
isspace any
ispunct any
isprint any
iscntrl any
isgraph any
toupper any
tolower any
# math.h
sin any
cos any
tan any
asin any
acos any
atan any
atan2 any
exp any
log any
log2 any
log10 any
pow any
sqrt any
fabs any
fabsf any
floor any
ceil any
round any
fmod any
fmin any
fmax any
sinf any
cosf any
sqrtf any
powf any
"""


def _parse(text: str) -> dict[str, LibraryFunction]:
    table: dict[str, LibraryFunction] = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        names, colon, rest = line.partition(" : ")
        result, *effects = rest.split() if colon else line.split()[1:]
        for name in names.split() if colon else line.split()[:1]:
            table[name] = _function(name, result, effects)
    return table


def _function(name: str, result: str, effects: list[str]) -> LibraryFunction:
    numbers: dict[str, list[int]] = {}
    states: list[LibraryState] = []
    for effect in effects:
        kind = effect.rstrip("0123456789")
        if ":" in effect:
            states.append(LibraryState(effect[2:].rstrip("?"), effect.startswith("W"), not effect.endswith("?")))
        elif kind != "b":
            numbers.setdefault(kind, []).append(int(effect.removeprefix(kind)))
    style = next((kind for kind in numbers if kind not in ("r", "w", "f", "F", "d", "D")), "")
    stream = numbers.get("f", numbers.get("F"))
    return LibraryFunction(
        name, LibraryResult(result), tuple(numbers.get("r", ())), tuple(numbers.get("w", ())),
        numbers[style][0] if style else None, style.endswith("s"), style.startswith("v"), tuple(states),
        None if stream is None else stream[0], "F" in numbers,
        stream is not None or "b" in effects, tuple(numbers.get("d", ())), tuple(numbers.get("D", ())))


_ISO = re.compile(r"__isoc(?:99|23)_(\w+)")
_CHECKED = re.compile(r"__(\w+)_chk")
_WIDE_OFFSETS = re.compile(r"(\w+?)64(_r|_unlocked)?")
_LOCALE = re.compile(r"_*((?:is|to|str|wcs|nl_)\w+)_l")
_UNLOCKED = re.compile(r"(\w+)_unlocked")
_INTERNAL = re.compile(r"__([a-z]\w+)")
_FLOATING = re.compile(r"(\w+?)(?:f|l|f32|f64|f128|f32x|f64x)")


def _plain(name: str) -> tuple[str, ...]:
    """Other names of the same function, by the rules of the GNU library.

    `__isoc99_sscanf` and `__isoc23_strtol` are what C99 and C23 ask for, `__memcpy_chk` has a size behind its arguments (those
    with one in between have rows), `open64` has wider offsets, `strtod_l` a locale behind its arguments, `putc_unlocked`
    takes no lock, `__strdup` is for the library itself.
    """
    found = []
    for rule in (_ISO, _CHECKED, _WIDE_OFFSETS, _LOCALE, _UNLOCKED, _INTERNAL):
        if m := rule.fullmatch(name):
            found.append("".join(group or "" for group in m.groups()))
    return tuple(found)


class LibraryTable(Mapping[str, LibraryFunction]):
    """The functions by name, under all their spellings; what iterates is the rows."""

    def __init__(self, rows: Mapping[str, LibraryFunction], floating: frozenset[str]) -> None:
        """`floating`: the rows that have variants for other floating types."""
        self._rows = rows
        self._floating = floating
        self._found: dict[str, LibraryFunction | None] = {}

    def __getitem__(self, name: str) -> LibraryFunction:
        found = self._rows.get(name)
        if found is None:
            if name not in self._found:
                self._found[name] = self._by_rule(name)
            found = self._found[name]
        if found is None:
            raise KeyError(name)
        return found

    def _by_rule(self, name: str) -> LibraryFunction | None:
        if (m := _FLOATING.fullmatch(name)) and m[1] in self._floating:
            return replace(self._rows[m[1]], name=name)
        for other in _plain(name):
            if other in self:
                return replace(self[other], name=name)
        return None

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def _with_variants(*texts: str) -> frozenset[str]:
    """The functions under the headings of math.h and complex.h."""
    found: set[str] = set()
    for text in texts:
        section = text.partition("# math.h")[2].partition("\n")[2].partition("\n#")[0]
        found.update(_parse(section))
    return frozenset(found)


KNOWN = LibraryTable(
    _parse(library_more.TABLE) | _parse(library_posix.TABLE) | _parse(_TABLE) | _parse(library_state.TABLE),
    _with_variants(_TABLE, library_more.TABLE))

ASSEMBLER = "__circ_assembler"
"""What inline assembly does with the pointers among its inputs, as a function without a body."""
NOT_MODELLED = keywords.NOT_MODELLED
"""What a statement that is not modelled does with all that it mentions, as a function without a body."""
PUSH, POP = "__circ_cleanup_push", "__circ_cleanup_pop"
"""A cleanup handler: its number in the function, and for the first the routine and its argument."""
RETURN_FROM_MAIN = "__circ_return_from_main"
EXITS = {"exit": "exit", "quick_exit": "quick exit", RETURN_FROM_MAIN: "exit", "err": "exit", "errx": "exit", "verr": "exit",
         "verrx": "exit"}
"""Functions that run the exit handlers of a kind."""
ON_EXIT = "on_exit"
AT_EXIT = {"atexit": "exit", ON_EXIT: "exit", "at_quick_exit": "quick exit"}
"""Functions whose first argument is an exit handler; that of `on_exit` gets the exit status and the second argument."""
THREAD_END = "the end of a thread"
ANY_TIME = {"signal": (1,), "bsd_signal": (1,), "sysv_signal": (1,), "__sysv_signal": (1,), "sigset": (1,), "sigaction": (1,),
            "pthread_atfork": (0, 1, 2)}
"""Functions that are given others which may run at any time from then on, or structs with those."""

KEEPERS: Mapping[str, tuple[str, int]] = {"strtok": ("strtok", 0), "setvbuf": ("stream", 1), "setbuf": ("stream", 1),
                                       "setbuffer": ("stream", 1), "putenv": ("environ", 0), "fmemopen": ("stream", 0)}
"""Functions that keep an argument for later calls: with what, and which one it is. `strtok` gives pointers into it."""
KEEPERS_BELOW: Mapping[str, tuple[int, ...]] = {"sigaction": (1,), "sigaltstack": (0,)}
"""Functions that keep what an argument points to, to give it back later: which argument."""
OWN_POINTERS = frozenset({
    "__errno_location", "getenv", "secure_getenv", "getprogname", "strerrorname_np", "strerrordesc_np", "sigabbrev_np",
    "sigdescr_np", "mmap", "newlocale", "duplocale", "uselocale", "iconv_open", "catopen", "gnu_get_libc_version", "getaddrinfo",
    "getifaddrs", "localtime_r", "gmtime_r", "regcomp", "sigaction", "sigaltstack"})
"""Functions that write, or give, no pointers to objects of the program: only to memory of their own, or what was kept before."""
STANDARD_STREAMS = frozenset({"stdin", "stdout", "stderr"})
"""Variables of the C library that lead to memory of its own."""
STREAMS = frozenset({"fopen", "fdopen", "tmpfile", "popen", "fmemopen"})
"""Functions that make a stream."""

CALLBACKS = {"qsort": (3, (0, 0)), "bsearch": (4, (0, 1))}
"""Functions that call a function they are given, any number of times: which argument it is, and into what of the other
arguments the pointers lead that it gets."""
