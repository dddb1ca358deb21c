"""A `Program` in, its states, steps and races out: the reference semantics, which the kernel's word on races rests on.

Comes in: programs, and traces to run. Goes out: explicit states one step at a time (`interpreter`, `evaluation`), a trace as
a run (`trace_run`), what C11's memory orders let loads read and order (`weak_memory`),
which accesses are next and which conflict (`access_guards`, `conflicts`), what a run violates
(`violations`, `relies`; `serialisability` by `turns` of loops). May not know: the solver, views, engines. All of it is trusted.
"""

__all__ = ["access_guards", "conflicts", "evaluation", "interpreter", "relies", "serialisability", "trace_run", "turns",
           "violations", "weak_memory"]
