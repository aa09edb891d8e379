"""Whole juries, each with one thing that goes another way; what came of it was read and approved.

A golden file has who was asked, what was returned and why, and the outcome with everything that the user is told.
"""

import pytest

from support.golden import Golden
from support.jury_playing import play_jury, said
from support.playing import parted, plays, told

JURIES = plays("jury", said)


@pytest.mark.parametrize("name", JURIES)
def test_a_jury_ends_as_its_golden_file(name: str, golden: Golden) -> None:
    special, wanted = parted(JURIES[name])
    golden.holds(f"plays/jury/{name}.txt", told(play_jury(special, **wanted)))
