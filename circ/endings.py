"""How a command ends: one line on stderr and the right exit status, whatever goes wrong; a signal ends it in order."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from circ.command_options import UnknownWord
from circ.inputs import NothingNamed
from circ.report.forms import When
from circ.report.summary import BAD_INPUT, BUG, UNDECIDED
from circ.report.terminal.colours import coloured
from circ.report.terminal.plain_text import besides, plain
from circ.run.output_files import encoded, is_full, report_bug, write_whole
from circ.run.reading import NotRead, why_not
from frontend.program import FrontendError


class Terminated(BaseException):
    """SIGTERM or SIGHUP arrived."""

    def __init__(self, signum: int) -> None:
        super().__init__(signum)
        self.signum = signum


def _on_signal(signum: int, frame: object) -> None:
    raise Terminated(signum)


@contextlib.contextmanager
def guarded(debug: bool, color: When = When.NEVER) -> Iterator[None]:
    """Every way a command can end badly: one line on stderr and the right status, never a traceback unless asked for.

    What cannot be said on stderr is left unsaid; what cannot be said on stdout is an error.
    """
    sys.stdout, sys.stderr = coloured(plain(sys.stdout), color), coloured(besides(sys.stderr), color)
    signal.signal(signal.SIGTERM, _on_signal)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as nohup leaves it
        signal.signal(signal.SIGHUP, _on_signal)
    try:
        try:
            yield
        except SystemExit:
            sys.stdout.flush()
            raise
        sys.stdout.flush()
    except FrontendError as error:
        fail(str(error))
    except UnknownWord as error:
        fail(f"circ: error: {error}")
    except NothingNamed:
        fail("circ: error: missing argument 'FILE...' (name C files, or a compile database with -p)")
    except BrokenPipeError:
        _give_up_stdout()
        sys.exit(128 + signal.SIGPIPE)
    except NotRead as error:
        why, bug = why_not(error)
        if not bug:
            print(why, file=sys.stderr)
            sys.exit(UNDECIDED)
        report_bug(why, bug, debug)
        sys.exit(BUG)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except Terminated as end:
        sys.exit(128 + end.signum)
    except OSError as error:
        _give_up_stdout()
        if is_full(error) and error.filename is None:  # all other files are named
            fail(f"circ: error: the standard output: {error.strerror} (what was to stand there is lost)")
        fail(f"circ: error: {reason(error)} (check the path)")
    except Exception as error:
        report_bug(f"{type(error).__name__}: {error}", traceback.format_exc(), debug)
        sys.exit(BUG)


def _give_up_stdout() -> None:
    """What cannot be written any more is not tried again when Python ends, which would change the status."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def reason(error: Exception, named: Path | None = None) -> str:
    """What went wrong with a file, without Python's error numbers; `named`: the file that the line begins with."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename and error.filename != str(named) else error.strerror
    return str(error)


def fail(line: str) -> NoReturn:
    """Bad input: one line, status 2."""
    print(line, file=sys.stderr)
    sys.exit(BAD_INPUT)


def write(output: Path | None, text: str) -> None:
    if output is None:
        sys.stdout.write(text)
    else:
        write_whole(output, encoded(text))
