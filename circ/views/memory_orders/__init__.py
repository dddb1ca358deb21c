"""A program with weak memory orders in, programs out that can do all that C11 lets it do: what is proved of them holds of it.

`orders` leaves out stale reads that the orders exclude, `happens_before` makes happens-before data; `fenced` says what `seq_cst`
fences put in order, `told` which values have surely been stored. All of it is trusted, as the kernel makes these views itself.
May not know: the solver, engines, proofs.
"""

__all__ = ["fenced", "happens_before", "orders", "reads"]
