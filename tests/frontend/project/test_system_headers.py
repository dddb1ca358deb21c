"""The headers of glibc and gcc, as a compile database's compiler brings them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from frontend import LoadOptions, load

PROGRAM = """static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int guarded, plain;
static void *work(void *a) { pthread_mutex_lock(&m); guarded++; pthread_mutex_unlock(&m); plain++; return a; }
int main(void) { pthread_t t; pthread_create(&t, NULL, work, NULL); work(NULL); pthread_join(t, NULL); return 0; }
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("headers", [
    "sys/socket.h netdb.h arpa/inet.h netinet/in.h netinet/tcp.h", "signal.h setjmp.h ucontext.h sys/wait.h",
    "semaphore.h sched.h mqueue.h sys/ipc.h sys/shm.h sys/sem.h", "stdatomic.h threads.h stdint.h inttypes.h",
    "stdio.h stdlib.h string.h strings.h wchar.h wctype.h locale.h", "math.h complex.h tgmath.h fenv.h float.h",
    "sys/stat.h sys/types.h fcntl.h unistd.h dirent.h ftw.h glob.h", "sys/epoll.h sys/eventfd.h sys/timerfd.h poll.h sys/select.h",
    "sys/mman.h sys/ioctl.h sys/uio.h sys/un.h sys/resource.h sys/time.h", "regex.h getopt.h syslog.h pwd.h grp.h termios.h",
    "time.h sys/times.h utime.h langinfo.h iconv.h", "dlfcn.h execinfo.h link.h elf.h errno.h assert.h ctype.h",
    "search.h spawn.h aio.h sys/msg.h sys/syscall.h",
])
def test_programs_with_the_systems_headers(tmp_path: Path, headers: str) -> None:
    path = tmp_path / "a.c"
    path.write_text("#define _GNU_SOURCE\n" + "".join(f"#include <{h}>\n" for h in [*headers.split(), "pthread.h"]) + PROGRAM)
    program = load(path, LoadOptions(cpp="auto"))
    assert [t.name for t in program.templates] == ["main", "work"] and {"guarded", "plain"} <= {v.name for v in program.globals}
