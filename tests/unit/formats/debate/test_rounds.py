"""Who is asked what, when, and with which settings."""

from sparring.schema.base import Participant
from support.debating import outcome, played, request


def test_both_sides_may_be_the_tool_that_has_no_opinion() -> None:
    offline = Participant(tool="offline")
    found = played(proposer=offline, challenger=offline, judge=offline)
    assert outcome(found).notices == ()
    assert request(proposer=offline, challenger=offline).devil is False
