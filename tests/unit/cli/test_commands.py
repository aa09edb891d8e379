"""The values that ``--continue`` and ``--repo`` may lack."""

import pytest

from sparring.cli.parsing import with_values


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ([], []),
        (["consult", "q"], ["consult", "q"]),
        (["consult", "q", "--continue"], ["consult", "q", "--continue=last"]),
        (["consult", "q", "--continue", "--json"], ["consult", "q", "--continue=last", "--json"]),
        (["consult", "q", "--continue", "s-1"], ["consult", "q", "--continue", "s-1"]),
        (["consult", "q", "--continue=s-1"], ["consult", "q", "--continue=s-1"]),
        (["consult", "--continue", "And then?"], ["consult", "--continue=last", "And then?"]),
        (["consult", "--continue", "--", "q"], ["consult", "--continue=last", "--", "q"]),
        (["consult", "--", "--continue"], ["consult", "--", "--continue"]),
        (["verify", "text", "-", "--repo"], ["verify", "text", "-", "--repo=."]),
        (["verify", "text", "--repo", "-"], ["verify", "text", "--repo=.", "-"]),
        (["verify", "text", "-", "--repo", "../shop"], ["verify", "text", "-", "--repo", "../shop"]),
        (["consult", "--continue", ""], ["consult", "--continue=last", ""]),
    ],
)
def test_where_the_value_is_left_out_the_usual_one_is_meant(typed: list[str], read: list[str]) -> None:
    assert with_values(typed) == read
