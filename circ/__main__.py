"""The command `circ`, which is also `python -m circ`."""

import gc


def main() -> None:
    """Loads the command line and runs it. What is loaded stays: the collector need not look for what is to go among it."""
    gc.disable()
    from circ.cli import main as run

    gc.freeze()
    gc.enable()
    run()


if __name__ == "__main__":
    main()
