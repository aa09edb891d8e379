"""Damage may only weaken a review: a critical finding that was spelled badly never leaves it clean."""

import json
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from sparring.formats.review.flow import Review
from sparring.schema.review import ReviewOutcome, ReviewStatus
from sparring.schema.transcript import TurnKind
from support.playing import PROMPTS, answer, play
from support.reviewing import reported, request

WHOLE = reported({"severity": "critical"})
UNSURE = json.dumps({"verdict": "unsure", "reason": "It may be."})


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """The reply with a part taken out, or something else in its place; the whole finding is not taken out."""
    at = draw(st.integers(0, len(WHOLE)))
    put = draw(st.text(st.sampled_from('"{}[],:\\0aé\n '), max_size=6))
    return WHOLE[:at] + put + WHOLE[at + draw(st.integers(0, 24)) :]


@given(damaged(), damaged())
def test_a_critical_finding_that_was_damaged_never_leaves_a_review_clean(claude: str, codex: str) -> None:
    said = {"claude": claude, "codex": codex}
    played = play(
        Review(request({"fail_on": "major"}), PROMPTS),
        lambda ask: answer(ask, said[ask.tool] if ask.kind is TurnKind.FINDINGS else UNSURE),
    )
    assert cast("ReviewOutcome", played.outcome).status is not ReviewStatus.CLEAN
