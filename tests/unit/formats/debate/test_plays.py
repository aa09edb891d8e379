"""Whole debates, each with one thing that goes another way; what came of it was read and approved.

A golden file has who was asked, what was returned and why, and the outcome with everything that the user is told.
"""

from typing import Any

import pytest

from sparring.schema.base import Role
from sparring.schema.consultation import FailureCode
from support.debating import fails, played
from support.golden import Golden
from support.playing import ballot, parted, plays, told


def said(name: str, written: Any) -> Any:
    """What a table of plays has somebody say: a failure of some kind, a judge's ballot, or what stands there."""
    match name.split("."), written:
        case _, str() if written.startswith("fails "):
            return fails(FailureCode(written.removeprefix("fails ")))
        case [judge, letters, _], {**changes} if judge.startswith("judge"):
            return ballot(letters, **{**changes, "winner": Role(changes.get("winner", Role.CHALLENGER))})
        case _:
            return written


DEBATES = plays("debate", said)


@pytest.mark.parametrize("name", DEBATES)
def test_a_debate_ends_as_its_golden_file(name: str, golden: Golden) -> None:
    special, wanted = parted(DEBATES[name])
    golden.holds(f"plays/debate/{name}.txt", told(played(special, **wanted)))
