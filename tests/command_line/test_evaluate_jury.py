import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparring.evaluation.measure import measured
from sparring.schema.evaluation import Evaluation
from sparring.testing import ModelEndpoint, Request, Say
from support.evaluated_rows import read_rows
from support.evaluating import drawn
from support.jurors import BULLETS, CHECKLIST, VERDICT
from support.workbench import Workbench

LABELS = ("FAITHFUL", "MUTATED")
HEAD = "id,claim,truth,gold\n"
COMMAND = ("evaluate", "pairs.csv", "--format", "jury", "--with", "ann", "--output", "out")


def juror(request: Request) -> Say:
    """A judge whose verdict is a hash of the prompt; everybody else says the same each time."""
    if '"one_sentence_summary"' in request.prompt:
        label = LABELS[drawn(request.prompt) < 0.5]
        changes: dict[str, object] = {"critical_differences": []} if label == "FAITHFUL" else {}
        return Say(json.dumps({**VERDICT, "verdict": label, **changes}))
    return Say(json.dumps(CHECKLIST) if '"checklist"' in request.prompt else BULLETS)


@pytest.fixture
def judging(tmp_path: Path) -> Iterator[tuple[Workbench, ModelEndpoint]]:
    bench = Workbench.below(tmp_path)
    rows = [f"p{at},{at} cases were seen.,{at} cases were reported in May.,{LABELS[at % 2]}\n" for at in range(10, 15)]
    (bench.project / "pairs.csv").write_text(HEAD + "".join(rows), encoding="utf-8")
    with ModelEndpoint(juror, keeps_alive=True) as endpoint:
        bench.add_api("ann", endpoint.url, 'model = "ann-1"', "key_optional = true")
        yield bench, endpoint


def test_a_jury_is_compared_with_votes_of_independent_judges(judging: tuple[Workbench, ModelEndpoint]) -> None:
    bench, endpoint = judging
    done = bench.run(*COMMAND, "--gate", "code", "--json")
    assert done.code == 0, done.err
    found = Evaluation.model_validate_json(done.out)
    arms = {arm.name: arm for arm in found.arms}
    assert list(arms) == ["single:ann", "vote", "debate", "gate:debate"]
    assert arms["single:ann"].use.calls == 5
    assert arms["vote"].spend_ratio == pytest.approx(1, abs=0.02)
    assert arms["debate"].brier is not None
    rows = read_rows(bench.project / "out" / "rows.parquet")
    assert measured(rows, found.plan) == found
    assert all(row.seats and row.seats[0].blind == row.arms["single:ann"].label for row in rows)
    paid = len(endpoint.requests)
    assert bench.run(*COMMAND, "--gate", "code", "--json").out == done.out
    assert len(endpoint.requests) == paid


@pytest.mark.parametrize("arm", ["revise", "placebo"])
def test_a_jury_has_no_arms_of_seats_that_speak_again(judging: tuple[Workbench, ModelEndpoint], arm: str) -> None:
    bench, endpoint = judging
    done = bench.run(*COMMAND, "--arms", f"vote,{arm},debate")
    assert done.code == 2
    assert f"This format has no arm {arm}" in done.err
    assert not endpoint.requests


def test_settings_of_the_jury_are_taken_and_those_of_another_format_refused(
    judging: tuple[Workbench, ModelEndpoint],
) -> None:
    bench, endpoint = judging
    for typed, refusal in {
        "seat=judge=nobody": "There is no tool named 'nobody'.",
        "seat=chair=ann": "There is no seat 'chair'.",
        "escalation=always": "There is no setting 'escalation'.",
    }.items():
        refused = bench.run(*COMMAND, "--set", "seat=advocate=ann", "--set", typed)
        assert (refused.code, refused.err.startswith(f"Error: {refusal}")) == (2, True), refused.err
    assert bench.run(*COMMAND, "--set", "seat=advocate=ann", "--set", "seat=judge=ann", "--plan").code == 0
    assert endpoint.requests == []
