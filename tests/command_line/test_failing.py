"""Who is asked and fails: for a moment, for good, or because this machine lacks something."""

import pytest

from sparring.testing.model_endpoint import ModelEndpoint, Refuse
from support.workbench import DEBATE, Workbench


def test_what_fails_for_a_moment_is_told_and_asked_again(bench: Workbench, endpoint: ModelEndpoint) -> None:
    endpoint.first = [Refuse(503, "overloaded", "Full.", {"retry-after": "0"})]
    bench.add_api("mine", endpoint.url, 'model = "m"')

    done = bench.run("debate", "Is it so?", "--proposer", "mine", "--challenger", "ann", "--judge", "bob")

    assert done.code == 0, done.err
    assert "proposer  mine  mine is overloaded; asked again in " in done.err
    assert len(endpoint.requests) == 3  # two speeches


LOST = {"failure": {"code": "quota", "detail": "Nothing is left of it."}}
STOOD_IN = "bob did not answer (quota: Nothing is left of it); cy answered in its place."


def test_a_substitute_answers_where_a_tool_failed_for_good_and_every_door_says_so(bench: Workbench) -> None:
    bench.add_tool("bob", [LOST])

    lost = bench.run(*DEBATE)
    done = bench.run(*DEBATE, "--substitute", "cy")

    assert (lost.code, done.code) == (4, 0), done.err
    assert "cy answers where another tool fails for good." in done.err
    assert "bob  failed: quota (Nothing is left of it.); cy is asked in its place" in done.err
    assert "bob  cy answered in " in done.err
    assert STOOD_IN in " ".join(done.out.split())
    assert STOOD_IN in bench.run("runs", "show", "last").out


@pytest.mark.parametrize(
    ("named", "told"),
    [("nobody", "There is no tool named 'nobody'."), ("offline", "offline has no model, and can take nobody's place.")],
)
def test_who_can_stand_in_for_nobody_is_refused_before_anybody_is_asked(
    bench: Workbench, named: str, told: str
) -> None:
    done = bench.run(*DEBATE, "--substitute", named)

    assert (done.code, told in done.err) == (2, True), done.err
    assert bench.run("runs", "list").out == ""
