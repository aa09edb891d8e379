"""Whole runs, each with one thing that goes another way; what came of it was read and approved.

A golden file has who was asked, and the outcome with everything that the user is told.
"""

import pytest

from support.consulting import SEVERAL, play_consult
from support.golden import Golden
from support.playing import plays, told

CONSULTS = plays("consult", lambda _, words: words)


@pytest.mark.parametrize("name", CONSULTS)
def test_a_consultation_of_several_ends_as_its_golden_file(name: str, golden: Golden) -> None:
    golden.holds(f"plays/consult/{name}.txt", told(play_consult(SEVERAL, CONSULTS[name])))
