"""Concessions survive summaries word for word."""

import pytest

from sparring.formats.debate.rulebook import headings, preserved
from sparring.schema.base import Role
from sparring.schema.debate import Concession, Conduct, Withdrawal
from sparring.schema.judgement import Side
from support.debating import outcome, played

GIVEN_UP = "retries cost money."
CONCEDED = f"I concede: {GIVEN_UP}"


def conceded(
    text: str = CONCEDED, role: Side = Role.PROPOSER, round_: int = 1, withdrawn: Withdrawal | None = None
) -> Concession:
    return Concession(text=text, start=0, end=len(text), role=role, round=round_, withdrawn=withdrawn)


def withdrawal(text: str, round_: int = 2) -> Withdrawal:
    return Withdrawal(text=text, start=0, end=len(text), round=round_)


def summary(concessions: str = "None.", walk_backs: str = "None.") -> str:
    return (
        f"## Core positions\nFor and against.\n\n## Concessions\n{concessions}\n\n"
        f"## Evidence citations\nNone.\n\n## Open disagreements\nNone.\n\n## Walk-backs\n{walk_backs}\n"
    )


QUOTED = f'- Proposer, round 1: "{CONCEDED}"'
PARAPHRASED = "- The proposer granted that retries cost money."
TWICE = (conceded(), conceded(), conceded(role=Role.CHALLENGER))
MARKED = (conceded("**C1.3** I concede: *retries* cost `money`."),)


@pytest.mark.parametrize(
    ("concessions", "said", "kept", "put_back"),
    [
        *(((conceded(),), nothing, QUOTED, 1) for nothing in ("None.", "", "none", "- None.")),
        ((conceded(),), PARAPHRASED, f"{PARAPHRASED}\n{QUOTED}", 1),
        *(((conceded(),), kept, kept, 0) for kept in (QUOTED, "- Proposer (1): “I concede: retries\n  cost money.”")),
        (TWICE, "None.", f'{QUOTED}\n- Challenger, round 1: "{CONCEDED}"', 2),
        (MARKED, *("- Proposer, round 1: C1.3 I concede: retries cost money.",) * 2, 0),
        ((conceded("I concede:\n  it is slow."),), "None.", '- Proposer, round 1: "I concede: it is slow."', 1),
    ],
)
def test_what_a_summary_dropped_of_the_concessions_is_put_back_once_and_what_it_quotes_stays(
    concessions: tuple[Concession, ...], said: str, kept: str, put_back: int
) -> None:
    found = preserved(summary(said), Conduct(concessions=concessions))
    assert (found.text, found.put_back) == (summary(kept), put_back)


def test_a_withdrawn_concession_stands_under_walk_backs_with_both_quotes() -> None:
    taken_back = conceded(withdrawn=withdrawal("I withdraw my concession on the cost of retries."))
    line = f'- Proposer, round 1: "{CONCEDED}"'
    found = preserved(summary(line), Conduct(concessions=(taken_back,)))
    both = f'{line}; withdrawn in round 2: "I withdraw my concession on the cost of retries."'
    assert (found.text, found.put_back) == (summary(line, both), 1)
    assert preserved(found.text, Conduct(concessions=(taken_back,))) == type(found)(found.text, 0)
    half = preserved(summary(line, line), Conduct(concessions=(taken_back,)))
    assert half.put_back == 1  # one quote alone does not say what was taken back


@pytest.mark.parametrize("heading", ["## Concessions", "# concessions:", "### **Concessions** ###", "##\tConcessions"])
def test_a_heading_is_known_however_it_is_dressed(heading: str) -> None:
    text = f"{heading}\nbody\n## Next"
    start, end = headings(text)["concessions"]
    assert text[start:end] == "\nbody\n"


def test_the_next_round_reads_what_its_summary_has_lost_and_the_reader_is_told() -> None:
    found = played({"r1.proposer": f"Retry.\n{CONCEDED}"}, rounds=3)
    for id_ in ("r3.proposer", "r3.challenger"):
        assert f'## Concessions\n- Proposer, round 1: "{GIVEN_UP}"\n' in found.asks[id_].question.prompt
    assert outcome(found).notices == (
        "[WARN] The summary before round 3 had lost 1 quote of concessions; code put back what was said.",
    )
    assert [(each.text, each.withdrawn) for each in outcome(found).conduct.concessions] == [(GIVEN_UP, None)]
