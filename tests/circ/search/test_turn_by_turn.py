"""Runs turn by turn: races behind frames with a checksum that matches, and values that the solver finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from circ.kernel.replay import Replayed, replay
from circ.search import other_way, turn_by_turn
from circ.search.turn_by_turn import TurnByTurn
from circ.verdict import Options, RaceOn, Refuted, Unknown, silent
from frontend import LoadOptions, load
from tests.support.corpus import NESC_EXAMPLES

CHECKSUM = """#include <avr/interrupt.h>
#include <stdint.h>
#define UDR (*(volatile uint8_t *)0x2C)
uint16_t sum; int x;
ISR(USART0_RX_vect)
{
    uint8_t n, i, c;
    uint16_t crc = 0xffff;
    for (n = 0; n < 2; n++) {
        c = UDR;
        crc ^= (uint16_t)(c << 8);
        for (i = 0; i < 8; i++)
            if (crc & 0x8000) crc = (uint16_t)(crc << 1 ^ 0x1021); else crc <<= 1;
    }
    if (crc == 0x1d0f) x = 1;
}
int main(void) { sei(); for (;;) x = 2; }
"""


def test_a_race_behind_a_frame_whose_checksum_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    program = load(NESC_EXAMPLES / "framed_settings_broken.c", LoadOptions(platform="atmega128"))
    verdict = TurnByTurn()(program, RaceOn("period"), Options(max_states=300_000), silent)
    assert isinstance(verdict, Refuted) and isinstance(replay(program, verdict.trace), Replayed)
    monkeypatch.setattr(turn_by_turn, "values_for", lambda machine, steps: None)
    assert isinstance(TurnByTurn()(program, RaceOn("period"), Options(max_states=100_000), silent), Unknown)


def test_no_race_where_there_is_none() -> None:
    program = load(NESC_EXAMPLES / "framed_settings.c", LoadOptions(platform="atmega128"))
    assert isinstance(TurnByTurn()(program, RaceOn("period"), Options(max_states=100_000), silent), Unknown)


def test_branches_that_choose_a_value_are_left_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two bytes with a given checksum: the ways through its loop are others than those of any bytes tried before."""
    path = tmp_path / "a.c"
    path.write_text(CHECKSUM)
    program = load(path, LoadOptions(platform="avr"))
    verdict = TurnByTurn()(program, RaceOn("x"), Options(max_states=60_000), silent)
    assert isinstance(verdict, Refuted) and isinstance(replay(program, verdict.trace), Replayed)
    monkeypatch.setattr(other_way.Ways, "_chosen", lambda self, template, edges: None)
    assert isinstance(TurnByTurn()(program, RaceOn("x"), Options(max_states=60_000), silent), Unknown)
