"""What the table of library functions says, held against the C library of this machine: a program calls each function with
buffers of its own and tells which of them changed, and where the result points.

A function may change less than the table says, not more; where the table gives a number or a place for the result, no other pointer
may come back. Not called: what ends or replaces the process, changes its rights or its files, waits, or needs a network, a terminal or
another user (`exit`, `exec`, `setuid`, `unlink`, `accept`, `tcsetattr`, ...).
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from frontend.ir.library_table import KNOWN

LETTERS = {
    "s": ("char *", 'text({k}, "12 abc")'), "c": ("char *", 'text({k}, "abc")'), "b": ("void *", "blank({k})"), "z": ("void *", "zero({k})"),
    "i": ("int", "3"), "0": ("int", "0"), "n": ("size_t", "4"), "N": ("size_t", "200"), "d": ("double", "1.5"), "f": ("float", "1.5f"),
    "D": ("long double", "1.5L"), "w": ("wchar_t *", 'wide({k}, L"12 abc")'), "p": ("void *", "zero({k})"),
    "/": ("char *", 'text({k}, "/tmp")'), "%": ("char *", 'text({k}, "%d")'), "l": ("locale_t", "c_locale"), "P": ("void *", "pointer_to({k})"),
    "x": ("void *", "0"),
}
"""Arguments: a text, an empty buffer, a zeroed one, numbers, a wide text, a folder, a pointer to a pointer to a text, null."""

CALLS = """
memcpy bsn p; memmove bsn p; mempcpy bsn p; memset bin p; bzero bn v; bcopy sbn v; memcmp ssn i; memchr s0n p; memrchr sin p; strlen s i;
strnlen sn i; strcpy bs p; strncpy bsn p; stpcpy bs p; stpncpy bsn p; strcat zs p; strncat zsn p; strcmp ss i; strncmp ssn i;
strcasecmp ss i; strncasecmp ssn i; strcoll ss i; strchr si p; strrchr si p; strchrnul si p; index si p; rindex si p; strstr sc p;
strcasestr sc p; strpbrk sc p; strspn sc i; strcspn sc i; strdup s p; strndup sn p; explicit_bzero bn v; memccpy bsin p; memmem sncn p;
strxfrm bsn i; strverscmp ss i; bcmp ssn i; strsep Ps p; strtok_r ssP p; __strtok_r ssP p; strerror i p; strerror_r ibN p; strsignal i p;
strfry s p; memfrob sn p; ffs i i; ffsl i i; strtok sc p; swab sbn v; strcoll_l ssl i; strcasecmp_l ssl i; strxfrm_l bsnl i; strerror_l il p;
malloc n p; calloc nn p; aligned_alloc nn p; valloc n p; reallocarray xnn p; memalign nn p; pvalloc n p; posix_memalign pNn i; abs i i; labs i i;
llabs i i; rand v i; srand i v; rand_r z i; random v i; srandom i v; atoi s i; atol s i; atoll s i; atof s d; strtol sP0 i; strtoll sP0 i;
strtoul sP0 i; strtoull sP0 i; strtod sP d; strtof sP f; strtoimax sP0 i; strtoumax sP0 i; strtol_l sP0l i; strtod_l sPl d; a64l s i; l64a i p;
drand48 v d; lrand48 v i; mrand48 v i; srand48 i v; seed48 z p; lcong48 z v; erand48 z d; nrand48 z i; jrand48 z i; getenv s p; secure_getenv s p;
setenv cci i; unsetenv c i; mblen sn i; mbtowc bsn i; wctomb bi i; mbstowcs bsn i; wcstombs bwn i; gcvt dib p; ecvt diPP p; fcvt diPP p;
realpath /b p; canonicalize_file_name / p; system x i; getloadavg zi i; div ii i;
sprintf b%i i; snprintf bn%i i; sscanf s%b i; asprintf P%i i; remove c i; rename cc i; puts x i; perror x v; tmpnam b p; tempnam /c p;
time z i; clock v i; gettimeofday zx i; clock_gettime 0z i; clock_getres 0z i; difftime ii d; strftime bN%z i; mktime z i; timegm z i; localtime z p;
gmtime z p; ctime z p; asctime z p; localtime_r zb p; gmtime_r zb p; asctime_r zb p; ctime_r zb p; strptime s%b p; timespec_get bi i; tzset v v;
times b i; getitimer 0b i; nanosleep zz i; usleep 0 i; sleep 0 i; ftime b i; strftime_l bN%zl i;
getpid v i; getppid v i; getuid v i; geteuid v i; getgid v i; getegid v i; getpgrp v i; getpgid 0 i; getsid 0 i; isatty 0 i; getpagesize v i;
getcwd bN p; get_current_dir_name v p; gethostname bN i; getdomainname bN i; sysconf i i; confstr 0bN i; pathconf /i i; getgroups 0b i; getrandom bn0 i;
getentropy bn i; access /0 i; stat /b i; lstat /b i; fstat 0b i; statvfs /b i; statfs /b i; fstatvfs 0b i; readlink /bn i; umask i i; pipe b i; dup 0 i;
getrlimit ib i; getrusage 0b i; getpriority 00 i; uname b i; sysinfo b i; ttyname 0 p; ttyname_r 0bN i; getlogin_r bN i; ctermid b p; cuserid b p;
sigemptyset b i; sigfillset b i; sigaddset zi i; sigdelset zi i; sigismember zi i; sigpending b i; sigprocmask 0xb i; pthread_sigmask 0xb i;
poll zn0 i; select 0zzzz i; epoll_create1 0 i; eventfd 00 i; timerfd_create 00 i; inotify_init v i;
htons i i; htonl i i; ntohs i i; ntohl i i; inet_aton sb i; inet_addr s i; inet_network s i; inet_pton isb i; inet_ntop izbN p; socket iii i;
gai_strerror i p; hstrerror i p; if_nametoindex c i; if_indextoname ib p; if_nameindex v p; getnameinfo zNbNbN0 i; getifaddrs P i;
ether_ntoa z p; ether_ntoa_r zb p; ether_aton_r sb p; getservbyname cc p; getservbyport ic p; getprotobyname c p; getprotobynumber i p;
opendir / p; fnmatch ss0 i; getpwnam c p; getpwuid i p; getgrnam c p; getgrgid i p; getpwnam_r cbBNP i; getpwuid_r ibBNP i; getgrnam_r cbBNP i;
getgrgid_r ibBNP i; regcomp bc0 i; regerror izbN i; cfgetispeed z i; cfgetospeed z i; cfsetispeed zi i; cfsetospeed zi i; cfmakeraw z v; tcgetattr 0b i;
setlocale 0x p; localeconv v p; nl_langinfo i p; gettext c p; dgettext cc p; textdomain c p; bindtextdomain c/ p; ngettext ccn p;
isalnum i i; isalpha i i; isdigit i i; isxdigit i i; islower i i; isupper i i; isspace i i; ispunct i i; isprint i i; iscntrl i i; isgraph i i;
isblank i i; isascii i i; toascii i i; toupper i i; tolower i i; isalpha_l il i; toupper_l il i; iswalnum i i; iswalpha i i; iswdigit i i; iswspace i i;
towupper i i; towlower i i; btowc i i; wctob i i; wcwidth i i; wctype c i; wctrans c p; wcslen w i; wcsnlen wn i; wcscpy bw p; wcsncpy bwn p; wcscat zw p;
wcsncat zwn p; wcpcpy bw p; wcpncpy bwn p; wcscmp ww i; wcsncmp wwn i; wcscoll ww i; wcscasecmp ww i; wcschr wi p; wcsrchr wi p; wcsstr ww p;
wcspbrk ww p; wcsspn ww i; wcscspn ww i; wmemcpy bwn p; wmemmove bwn p; wmempcpy bwn p; wmemset bin p; wmemcmp wwn i; wmemchr win p; wcsdup w p;
wcstok wwP p; wcsxfrm bwn i; wcstol wP0 i; wcstoul wP0 i; wcstod wP d; mbsinit z i; mbrlen snz i; mbrtowc bsnz i; wcrtomb biz i;
mbsrtowcs bPnz i; wcsftime bNwz i; swprintf bNwi i; getauxval i i; gnu_get_libc_version v p; get_nprocs v i; sched_getcpu v i;
sched_getaffinity 0Nb i; sched_get_priority_max 0 i; sched_getparam 0b i; sched_yield v i; backtrace b0 i; basename s p; __xpg_basename s p; dirname s p;
getopt 0xs i; memchr_ s i; frexp db d; modf db d; remquo ddb d; sincos dbB v; lgamma d d; lgamma_r db d; fegetenv b i; fegetround v i;
hcreate n i; mkstemp s i; mkdtemp s p; getline PBx i; crypt cs p; getdate s p; iconv_open cc p; newlocale 0cx p; srand48_r ib i;
open cii i; __memcpy_chk bsnN p; __strcpy_chk bsN p;
__isoc99_sscanf s%b i; stat64 /b i; open64 cii i; __strdup s p; sqrtf f f; fabsl D D; cbrtf f f;
"""
ONE_NUMBER = ["sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "log2", "log10", "sqrt", "fabs", "floor", "ceil", "round", "acosh", "asinh", "atanh", "sinh", "cosh", "tanh", "cbrt", "exp2", "expm1", "log1p", "logb", "rint", "nearbyint", "trunc", "tgamma", "erf", "erfc", "j0", "j1", "y0", "y1"]
TWO_NUMBERS = ["atan2", "pow", "fmod", "fmin", "fmax", "hypot", "fdim", "remainder", "copysign", "nextafter"]
GONE = frozenset({"memchr_", "cuserid", "puts", "perror", "getline", "htobe32"})
"""Not there on this machine, or not callable so."""

HEAD = r"""
#define _GNU_SOURCE
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include <locale.h>
#include <unistd.h>
#include <fcntl.h>
enum { SIZE = 4096, MOST = 8 };
static char area[MOST][SIZE] __attribute__((aligned(64))), before[MOST][SIZE], beyond[64] = "12 abc";
static locale_t c_locale;
static FILE *out;
static char *text(int k, const char *s) { memset(area[k], 0, SIZE); strcpy(area[k], s); return area[k]; }
static wchar_t *wide(int k, const wchar_t *s) { memset(area[k], 0, SIZE); wcscpy((wchar_t *)area[k], s); return (wchar_t *)area[k]; }
static void *blank(int k) { memset(area[k], 0x5a, SIZE); return area[k]; }
static void *zero(int k) { memset(area[k], 0, SIZE); return area[k]; }
static void *pointer_to(int k) { memset(area[k], 0, SIZE); *(char **)area[k] = beyond; return area[k]; }
static void start(void) { memcpy(before, area, sizeof area); }
static void report(const char *name, int pointer, void *result)
{
    fprintf(out, "%s", name);
    for (int k = 0; k < MOST; k++)
        if (memcmp(before[k], area[k], SIZE) != 0)
            fprintf(out, " w%d", k);
    if (pointer) {
        char *p = result;
        const char *where = p ? "elsewhere" : "null";
        for (int k = 0; k < MOST; k++)
            if (p >= area[k] && p <= area[k] + SIZE - 1)
                fprintf(out, p == area[k] ? " =%d" : " in%d", k), where = 0;
        if (where)
            fprintf(out, " %s", where);
    }
    fprintf(out, "\n");
    fflush(out);
}
"""


def _calls() -> dict[str, tuple[str, str]]:
    listed = {name: (args, result) for name, args, result in (line.split() for line in CALLS.split(";") if line.strip())}
    listed |= dict.fromkeys(ONE_NUMBER, ("d", "d")) | dict.fromkeys(TWO_NUMBERS, ("dd", "d"))
    listed |= {name + "f": ("f" * len(listed[name][0]), "f") for name in (*ONE_NUMBER, *TWO_NUMBERS)}
    return {name: found for name, found in listed.items() if name not in GONE}


def _function(name: str, args: str, result: str) -> str:
    """A call of one function, with its own declaration: the headers' macros and attributes are not in the way."""
    letters = ["" if args == "v" else letter.replace("B", "b").replace("a", "b") for letter in args]
    kinds = [LETTERS[letter][0] for letter in letters if letter]
    given = [f"a{k}" for k, letter in enumerate(letters) if letter]
    returned = {"i": "long", "p": "void *", "d": "double", "f": "float", "D": "long double", "v": "void"}[result]
    variadic = name in ("sprintf", "snprintf", "sscanf", "asprintf", "swprintf", "open", "open64", "__isoc99_sscanf")
    fixed = {"sprintf": 2, "snprintf": 3, "sscanf": 2, "__isoc99_sscanf": 2, "asprintf": 2, "swprintf": 3, "open": 2, "open64": 2}
    shown = ", ".join([*kinds[:fixed[name]], "..."]) if variadic else ", ".join(kinds) or "void"
    lines = [f"    {LETTERS[letter][0]} a{k} = {LETTERS[letter][1].format(k=k)};" for k, letter in enumerate(letters) if letter]
    call = f"called({', '.join(given)})"
    keep = f"void *r = (void *){call};" if result == "p" else f"{call}; void *r = 0;"
    return "\n".join([f"extern {returned} called_{name}({shown}) __asm__(\"{name}\");", f"static void test_{name}(void)", "{", *lines,
                      "    start();", f"    {keep.replace('called(', f'called_{name}(')}", f'    report("{name}", {int(result == "p")}, r);', "}"])


def _allowed(name: str, line: str) -> str | None:
    """What is wrong with what a function was seen to do, None if the table covers it."""
    known = KNOWN[name]
    for seen in line.split()[1:]:
        changes = (*known.writes, *known.deep_writes, *range(known.format + 1 if known.format is not None and known.scans else 99, 99))
        if seen[0] == "w" and int(seen[1:]) not in changes:
            return f"changes argument {seen[1:]}, which the table does not say"
        if seen[0] in "=i" and known.result not in (f"in{seen[-1]}", "unknown") and (known.result, seen) not in (("arg0", "=0"), ("hidden", "=0")):
            return f"gives a pointer into argument {seen[-1]}, the table says {known.result}"
        if seen == "elsewhere" and known.result not in ("new", "hidden", "unknown"):
            return f"gives a pointer that is none of its arguments, the table says {known.result}"
    return None


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc to call the C library with")
def test_the_table_covers_what_the_library_does(tmp_path: Path) -> None:
    calls = _calls()
    assert len(calls) > 380, "the table has more functions than are called here, but not so many"
    text = "\n".join([HEAD, *(_function(name, *how) for name, how in calls.items()), "int main(int argc, char **argv)", "{",
                      '    out = fopen(argv[1], "w");', "    c_locale = newlocale(LC_ALL_MASK, \"C\", 0);", "    fclose(stdin);",
                      *(f"    test_{name}();" for name in calls), "    return 0;", "}"])
    source, program, seen = tmp_path / "calls.c", tmp_path / "calls", tmp_path / "seen"
    source.write_text(text)
    built = subprocess.run(["gcc", "-w", "-fno-builtin", "-O0", str(source), "-o", str(program), "-lm", "-lcrypt"], capture_output=True, text=True,
                           check=False)
    if built.returncode != 0:
        built = subprocess.run(["gcc", "-w", "-fno-builtin", "-O0", str(source), "-o", str(program), "-lm"], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[:2000]
    subprocess.run([str(program), str(seen)], cwd=tmp_path, check=False, timeout=60, stdout=subprocess.DEVNULL)
    lines = seen.read_text().splitlines()
    assert [line.split()[0] for line in lines] == list(calls), "a call ended the program"
    wrong = [f"{line.split()[0]} {what}" for line in lines if (what := _allowed(line.split()[0], line)) is not None]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", [
    "__isoc23_strtol", "open64", "__memcpy_chk", "strtod_l", "putc_unlocked", "__strdup", "sinf", "cabsl", "readdir64_r", "__isoc99_vfscanf",
    "__recvfrom_chk", "__fgets_chk", "getpwnam_r", "inet_pton", "epoll_wait", "wcstok", "regexec", "sigaltstack", "posix_spawn",
])
def test_spellings_follow_by_rule(name: str) -> None:
    assert name in KNOWN


@pytest.mark.parametrize("name", ["print", "memcpy_twice", "f64", "my_l", "_read", "sinx", "strange_chk"])
def test_names_of_the_program_are_no_spellings(name: str) -> None:
    assert name not in KNOWN


@pytest.mark.parametrize("name", [
    "timer_create", "mq_notify", "openlog", "open_memstream", "initstate", "setstate", "scandir", "ftw", "nftw", "glob", "tsearch", "aio_read",
    "getaddrinfo_a", "fopencookie", "argp_parse", "lfind", "twalk", "dl_iterate_phdr", "makecontext", "clone",
])
def test_what_keeps_or_calls_its_arguments_has_no_row(name: str) -> None:
    assert name not in KNOWN


def test_the_table_is_large() -> None:
    assert len(KNOWN) > 1000
