"""Parts of programs: what other files may call comes in; the same with callers, threads or a base program, goes out.

A library, or a file with interrupt handlers and no `main`, is used by code that is not there. Its external functions are called
here with arbitrary arguments, by functions that are made of the same instructions as C's. This room knows how functions look
(`frontend.ir`) and how threads are marked; it may not know what pointers point to, nor how automata are made.
"""

from frontend.entry.callers import called_by_threads, with_callers
from frontend.entry.sketches import Sketch, is_sketch

__all__ = ["Sketch", "called_by_threads", "is_sketch", "with_callers"]
