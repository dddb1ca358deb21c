"""A program and a question come in; a proof for any number of threads, a race, or what stood in the way goes out: CIRC.

The loop (Algorithm 5) is in `context_inference`; its parts in the order of the paper: `arg`, `acfa`, `simulation`, `omega`,
`trace`, `refinement`, `miners`. It may not know who asked, what other engines there are, or how answers are shown.
"""

__all__ = ["circ", "context_inference", "counter_guided", "effort", "omega_circ"]
