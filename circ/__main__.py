"""`python -m circ` is the command `circ`."""

from circ.cli import main

main()
