"""What functions without a body do: a call that is being inlined comes in (`threads.inline`), the steps that model it go out.

The C library by a table, threads and locks as operations on ghosts and on words in the program's objects, callbacks as threads
or calls, the rest by an assumption that is written down. It may not know which passes ask, or in which order.
"""

__all__ = ["annotated_calls", "atomic_operations", "callbacks", "library_calls", "lifetime", "pthreads", "results",
           "thread_creation"]
