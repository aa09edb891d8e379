"""Whole debates, each with one thing that goes another way; what came of it was read and approved.

A golden file has who was asked, the log with its contents, the decision, the sources and what the user is told.
"""

import pytest

from support.chaired_playing import chaired_request, play_chaired, said
from support.golden import Golden
from support.playing import parted, plays, told

PLAYS = plays("chaired-debate", said)


@pytest.mark.parametrize("name", PLAYS)
def test_a_debate_is_held_as_it_was_approved(name: str, golden: Golden) -> None:
    special, wanted = parted(PLAYS[name])
    golden.holds(f"plays/chaired-debate/{name}.txt", told(play_chaired(special, chaired_request(**wanted))))
