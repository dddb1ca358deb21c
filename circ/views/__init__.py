"""A `Program` in, another `Program` out that can do all that it can: what is proved of the view holds of the program.

| view | what becomes different | what stays |
|---|---|---|
| `copies` | counted threads are told apart, their numbers are constants | runs, exactly |
| `sections_as_steps` | an atomic section is one edge | races, exactly |
| `havocked` | some variables may change at will | locations, edges, all other values |
| `weaken` | operations on other than the kept variables vanish | locations, edges, accesses |
| `memory_orders.orders` | stale reads go that C11's memory orders exclude | races of C11, as candidates |
| `memory_orders.happens_before` | threads know whether an access of the past happens before their next step | races of C11 |
| `watched` | accesses to a variable may be watched (`--property atomicity`) | runs; three accesses become a race |
| `quotient` | the same, and locations that silent steps connect are merged (`contraction`) | races, as candidates |

Shared: `variable_sets` (what a view keeps or leaves open), `waits` (locations that must not be merged), `lifting` (an answer
about a view as one about the program), `on_sections` and `on_watched` (engines asked about such views). May not know: the
solver, engines, proofs. Trusted, as the kernel makes these views itself: `copies`, `memory_orders`, `sections_as_steps`,
`havocked.opened`, `weaken.weaken_op`, `contraction`, `quotient`, `variable_sets`, `waits`, `watched`. Not trusted:
`weaken.weaken`, `havocked.irrelevant`, `lifting`, `on_sections`, `on_watched`.

`sure` goes the other way: it can do less than the program, for finding runs and never for proofs.

The skeletons of context inference and the outlines of the static prover merge locations, too, and are not made here: they are
no programs for the kernel but maps of one engine, made for its own order of exploration, and what is proved with them is a
proof about the program's own locations.
"""

__all__ = [
    "copies",
    "havocked",
    "lifting",
    "memory_orders",
    "on_sections",
    "on_watched",
    "quotient",
    "sections_as_steps",
    "sure",
    "variable_sets",
    "waits",
    "watched",
    "weaken",
]
