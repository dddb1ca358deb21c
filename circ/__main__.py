"""The command `circ`, which is also `python -m circ`."""

import gc
import sys


def main() -> None:
    """Loads the command line and runs it. What is loaded stays: the collector need not look for what is to go among it."""
    gc.disable()
    try:
        from circ.cli import main as run

        gc.freeze()
        gc.enable()
        run()
    except KeyboardInterrupt:  # before a command has begun, or after it has ended
        sys.exit(130)


if __name__ == "__main__":
    main()
