"""A slice of the attack on the kernel, and its teeth: it finds kernels that forget something."""

from __future__ import annotations

import pytest

from circ.kernel.outcome import Outcome
from circ.verdict import Certificate, Question
from frontend.program import Program
from tests.support.kernel.attack import attack
from tests.support.kernel.sabotage import lacking, run


def test_no_certificate_is_accepted_for_a_program_that_is_not_safe() -> None:
    table, wrongly = attack(seed=11, n=160)
    assert not wrongly, wrongly[0]
    assert table["wrong program, refused"] > 50 and table["safe program, accepted"] > 5, table


@pytest.mark.parametrize("names", [("Init",), ("S1", "S2"), ("Race",)], ids="+".join)
def test_the_attack_finds_a_kernel_that_forgets(names: tuple[str, ...]) -> None:
    kernel = lacking(*names)

    def check(program: Program, _: Question, certificate: Certificate) -> Outcome:
        return run(kernel, program, certificate)

    assert attack(seed=11, n=100, kernel=check)[1]
