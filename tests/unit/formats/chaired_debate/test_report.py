"""A chaired debate as people and programs read it; what the chair took out is in nothing of it."""

from collections.abc import Callable

import pytest

from sparring.formats.chaired_debate.report import summary
from sparring.formats.reports import report
from sparring.schema.runs import Run
from support.decisions import decision
from support.stored_runs import stored

SHOWN: tuple[Callable[[Run], str], ...] = (report, decision, summary)


@pytest.mark.parametrize("show", SHOWN)
@pytest.mark.parametrize(
    "debate",
    [
        stored("chaired-debate"),
        stored("chaired-debate", summary=""),
        stored("chaired-debate-disqualified"),
        stored("chaired-debate-unjudged"),
    ],
)
def test_what_was_taken_out_is_not_shown(debate: Run, show: Callable[[Run], str]) -> None:
    shown = show(debate)
    assert "made-up.example" not in shown
    assert "walkers" not in shown
