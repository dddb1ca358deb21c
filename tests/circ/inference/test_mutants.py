"""Every row of the soundness ledger, taken literally, is caught: by the oracle, by the kernel, or by what it leaves open.

That the context must not be replaced, that edges carry more than havoc sets, that tests stay visible and that predicates do
not come from the proof alone is a matter of precision and termination, not of soundness; these mutants stay undecided where
the real engine decides. An atomic node that CheckSim alone lets a non-atomic class match is not enough to be wrong here, as
`collapse` keeps the two apart; so the two forget about atomic together.
"""

from __future__ import annotations

import pytest

from tests.support.randomc.ledger import MUTANTS, Harm, Mutant, attempt


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda m: m.name)
def test_caught(mutant: Mutant) -> None:
    catch = attempt(mutant)
    assert catch.caught(mutant.harm), catch
    assert not catch.guarded.startswith("WRONG"), catch
    if mutant.harm is Harm.WRONG:
        assert catch.racy and catch.literal == "safe"
