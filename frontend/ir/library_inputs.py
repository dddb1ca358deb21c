"""What the results of library functions depend on: the world outside, what other threads did to files, what they have sent.

A run that hangs on an input is one of the program, for the world may be so. Results that the program's own threads decide
among themselves (which of them makes a directory, who reads what is written into a pipe) are not followed, and none is an input.
"""

from __future__ import annotations

INPUTS = frozenset({
    "rand", "random", "rand_r", "time", "clock", "getchar", "getc", "fgetc", "scanf", "fscanf", "fgets", "gets", "read",
    "fread", "fopen", "close", "isatty", "sleep", "usleep", "nanosleep", "gettimeofday",
    "clock_gettime", "getenv", "system", "printf", "fprintf", "puts", "fputs", "putchar", "write", "fflush", "sysconf",
    "sched_yield", "getopt", "getopt_long", "getopt_long_only", "pipe", "pipe2", "socketpair",
    "bind", "listen", "connect", "shutdown", "recv", "recvfrom", "recvmsg", "send", "sendto", "sendmsg",
    "select", "pselect", "poll", "ppoll", "epoll_ctl", "epoll_wait", "stat", "fstat",
    "lstat", "access", "lseek", "ftruncate", "fsync", "getline",
    "getdelim", "fwrite", "putc", "fputc", "putc_unlocked", "feof", "ferror", "fseek", "ftell", "fileno", "fclose",
    "perror", "vprintf", "vfprintf", "dprintf", "getuid", "geteuid", "getgid", "gethostname", "uname",
    "getrusage", "times", "getloadavg", "kill", "alarm", "tcgetattr", "tcsetattr", "ioctl", "fcntl", "readdir",
    "opendir", "closedir", "getcwd", "chdir", "waitpid", "wait", "getrandom", "arc4random", "mlock", "munlock",
    "munmap", "getpagesize", "__isoc99_scanf", "__isoc99_fscanf",
})
"""Functions whose results, and what they store, the world decides."""
FILES = frozenset({"mkdir", "rmdir", "unlink", "remove", "rename"})
"""Functions that change which files there are: of two calls, one may succeed because the other one did not."""
DESCRIPTORS = frozenset({"open", "openat", "creat", "socket", "accept", "accept4", "epoll_create", "epoll_create1"})
"""The world decides whether they fail; the number that they give otherwise is one that no other open file has."""
PROCESS = frozenset({"getpid", "getppid"})
"""The world decides their results, once for the whole run."""
CONVERSIONS = frozenset({"atoi", "atol", "atoll", "atof", "strtol", "strtoll", "strtoul", "strtoull", "strtod"})
"""Functions that give the number which a text says."""
COUNTS = frozenset({"rand", "rand_r", "random", "lrand48", "nrand48", "gettid", "getppid"})
"""Functions whose results are not negative."""
AT_MOST = {"read": 2, "write": 2, "recv": 2, "send": 2, "recvfrom": 2, "sendto": 2, "pread": 2, "pwrite": 2,
           "fread": 2, "fwrite": 2}
"""Functions that give a number up to one of their arguments, or -1 if they can fail otherwise."""
FLAGS = {"open": 1, "openat": 2}
"""Where functions are told how to open a file."""
EXCLUSIVE = 0o200
"""`O_EXCL`: the file must not be there, so that one thread at most can make it."""
MODES = {"fopen": 1, "fopen64": 1, "freopen": 1}
"""Where functions are told the same in a text, by an `x` in it."""
CHANNELS = (("pipe",), ("pipe2",), ("socketpair",), ("eventfd",), ("mkfifo",), ("connect", "accept"), ("connect", "accept4"))
"""A program that calls all of one of these may send to itself."""
OPENERS = DESCRIPTORS | {"dup", "dup2", "dup3", "fileno", "pipe", "pipe2", "socketpair", "eventfd", "mkfifo", "memfd_create",
                         "timerfd_create", "signalfd"}
"""Where numbers of open files come from."""
SENDERS = frozenset({"write", "writev", "send", "sendmsg"})
"""Functions that send something to the file whose number is their first argument."""
WATCHERS = frozenset({"select", "pselect", "poll", "ppoll", "epoll_wait"})
"""Those of `RECEIVERS` that leave there what was sent."""
RECEIVERS = frozenset({
    "read", "readv", "recv", "recvfrom", "recvmsg", "fread", "fgets", "gets", "getc", "fgetc", "getchar", "getline", "getdelim",
    "scanf", "fscanf", "__isoc99_scanf", "__isoc99_fscanf", "select", "pselect", "poll", "ppoll", "epoll_wait",
    "accept", "accept4",
})
"""Functions that may wait until somebody has sent something."""
NUMBERS_OF_FILES = frozenset({"pipe", "pipe2", "socketpair"})
"""What they store is decided as the results of `DESCRIPTORS` are."""
