"""Every obligation is needed: without it a racy program is accepted, with it the same certificate is refused."""

from __future__ import annotations

import pytest

from circ.kernel.certificate import Accepted, Refused, check_certificate
from circ.verdict import RaceOn
from tests.support.kernel.brute import Brute
from tests.support.kernel.sabotage import Case, cases, cells_beside_a_holder


@pytest.mark.parametrize("case", cases(), ids=lambda c: c.name)
def test_a_sabotaged_kernel_accepts_what_the_real_one_refuses(case: Case) -> None:
    search = Brute(case.program, case.numbers)
    question = case.certificate.question
    assert search.complete
    assert search.racy("x") if isinstance(question, RaceOn) else search.wrong()
    outcome = case.sabotaged()
    assert isinstance(outcome, Accepted), str(outcome)
    assert isinstance(check_certificate(case.program, question, case.certificate), Refused)


def test_an_index_that_a_holder_changes_is_asked_about_beside_it() -> None:
    program, certificate, sabotaged = cells_beside_a_holder()
    outcome = sabotaged()
    assert isinstance(outcome, Accepted), str(outcome)
    outcome = check_certificate(program, RaceOn("x"), certificate)
    assert isinstance(outcome, Refused) and outcome.obligation == "Race" and "c in class 1" in outcome.where
