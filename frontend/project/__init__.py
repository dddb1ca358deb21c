"""Compile databases in, the files of each program out, with the options that each file is compiled with.

Files are preprocessed and parsed for their symbols; nothing is lowered here, and no command of a database is run but a known
compiler, as a preprocessor (`frontend.text.compilers`).
"""

from frontend.project.database import COMMANDS, database_of
from frontend.project.linking import ProgramFiles, Unit, programs_of
from frontend.project.units import SUFFIXES, Compiled, chosen, compiled_files, excluded, programs_in, symbols_of

__all__ = ["COMMANDS", "SUFFIXES", "Compiled", "ProgramFiles", "Unit", "chosen", "compiled_files", "database_of", "excluded",
           "programs_in", "programs_of", "symbols_of"]
