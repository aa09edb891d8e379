"""Who is shown what code found about citations, and what becomes of a check that failed."""

import pytest

from sparring.formats.debate.prompt import MOST_LINES
from sparring.schema.base import Role
from sparring.schema.consultation import FailureCode
from sparring.schema.debate import DebateStatus, SpeechLedger, VerdictLedger, VerdictPart
from sparring.schema.lookups import CitationKind, CitationStatus, Ledger, TextSpan
from support.debating import entry, fails, outcome, played
from support.playing import ballot

MISSING = Ledger(
    entries=(
        entry("src/a.py:3"),
        entry("src/x.py:99", CitationStatus.NOT_FOUND, reason="the file has 40 lines"),
        entry("2 ms", CitationStatus.UNCHECKED, kind=CitationKind.BENCHMARK),
    ),
    unsupported=(TextSpan(text="Everybody does it.", start=0, end=18),),
)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (fails(FailureCode.TIMEOUT), "timeout: try later"),
        ("no json", "parse: the finding is no ledger"),
        ('{"entries": 3}', "parse: the finding is no ledger"),
    ],
)
def test_a_check_that_failed_is_told_and_ends_nothing(reply: object, problem: str) -> None:
    found = played({"r1.proposer.ledger": reply}, rounds=1)  # pyright: ignore[reportArgumentType] -- a table of both kinds
    assert outcome(found).status is DebateStatus.COMPLETED
    assert outcome(found).ledgers[0] == SpeechLedger(round=1, role=Role.PROPOSER, problem=problem)
    assert outcome(found).notices == (f"[WARN] What the proposer cites in round 1 was not looked up: {problem}.",)
    assert f"- They were not looked up ({problem})." in found.asks["r1.challenger"].question.prompt


def test_a_debate_in_which_nothing_was_verified_says_so_at_the_top() -> None:
    nothing = {
        f"r1.{role}.ledger": Ledger(entries=MISSING.entries[1:]).model_dump_json()
        for role in ("proposer", "challenger")
    }
    found = played(nothing | {"judge1.ab.1": fails()}, rounds=1)
    assert outcome(found).notices[0] == "[WARN] Nothing in this debate was verified by code."
    assert len(outcome(found).notices) == 2


def test_a_prompt_shows_a_few_lines_of_a_long_ledger_and_the_counts_of_all() -> None:
    missing = tuple(entry(f"src/{number}.py", CitationStatus.NOT_FOUND) for number in range(30))
    claims = tuple(TextSpan(text=f"Claim {number}.", start=0, end=8) for number in range(30))
    ledger = Ledger(entries=missing, unsupported=claims)
    prompt = played({"r1.proposer.ledger": ledger.model_dump_json()}).asks["r1.challenger"].question.prompt
    lines = prompt.split("citations of this speech:\n\n```text\n")[1].split("\n```")[0].split("\n")
    assert len(lines) == MOST_LINES
    assert [line.split(":")[0] for line in lines] == ["- NOT FOUND"] * 6 + ["- In all"] + ["- CITES NOTHING"] * 3
    assert lines[6] == "- In all: 0 verified, 30 not found, 0 that code cannot check; 30 claims cite nothing."


def test_what_cites_nothing_is_shown_to_the_judge_without_names() -> None:
    ledger = Ledger(unsupported=(TextSpan(text="As Claude says, it is fine.", start=0, end=27),))
    asks = played({"r1.proposer.ledger": ledger.model_dump_json()}).asks
    assert "- CITES NOTHING: As Claude says, it is fine." in asks["r1.challenger"].question.prompt
    assert "- CITES NOTHING: As Side A says, it is fine." in asks["judge1.ab.1"].question.prompt


def test_what_the_verdict_names_is_looked_up_and_what_is_not_there_is_told() -> None:
    missing = Ledger(entries=(entry("src/x.py:99", CitationStatus.NOT_FOUND, reason="the file has 40 lines"),))
    agreed = [
        {"point": "Both say it.", "evidence": 'Side B: "speech of challenger in round 1", `src/x.py:99`'},
        {"point": "Neither said it.", "evidence": '“words that nobody has said”, and "a manner"'},
    ]
    special = {
        **{f"judge1.{letters}.1": ballot(letters, agreements=agreed) for letters in ("ab", "ba")},
        "verdict.agreements.ledger": missing.model_dump_json(),
        "verdict.recommendation.ledger": missing.model_dump_json(),
    }
    found = outcome(played(special, rounds=1))
    assert found.verdict_ledgers == (
        VerdictLedger(part=VerdictPart.AGREEMENTS, ledger=missing),
        VerdictLedger(part=VerdictPart.RECOMMENDATION, ledger=missing),
    )
    assert found.judgement
    for cast in found.judgement.ballots:
        assert cast.unsaid == ("words that nobody has said",)
        assert (cast.contrary, cast.uncompared) == ((), ("speech of challenger in round 1",))
    assert found.notices == (
        "[WARN] Of what is named as evidence of an agreement, code did not find 2.",
        "[WARN] Of what is cited by the recommendation, code did not find 1.",
    )


@pytest.mark.parametrize(
    ("point", "contrary", "uncompared"),
    [
        ("The limit is 300 requests a minute.", [], []),
        ("The limit is 500 requests a minute.", ["The limit is 300 requests a minute"], []),
        ("The limit is too low for us.", [], ["The limit is 300 requests a minute"]),
        (f"The limit is 300 requests a minute. {'And so on. ' * 300}", [], ["The limit is 300 requests a minute"]),
    ],
)
def test_words_that_are_quoted_for_an_agreement_are_held_against_it(
    point: str, contrary: list[str], uncompared: list[str]
) -> None:
    agreed = [{"point": point, "evidence": 'Side A: "The limit is 300 requests a minute".'}]
    special = {f"judge1.{letters}.1": ballot(letters, agreements=agreed) for letters in ("ab", "ba")}
    found = outcome(played({"r1.proposer": "So. The limit is 300 requests a minute. Yes."} | special, rounds=1))
    assert found.judgement
    for cast in found.judgement.ballots:
        assert (list(cast.contrary), list(cast.uncompared), cast.unsaid) == (contrary, uncompared, ())
    warned = "[WARN] Of what is named as evidence of an agreement, 1 say otherwise." in found.notices
    assert warned == bool(contrary)


def test_a_verdict_that_nobody_could_look_up_stands_and_says_so() -> None:
    found = outcome(played({"verdict.recommendation.ledger": "no json", "judge1.ab.1": ballot(agreements=[])}))
    assert found.verdict_ledgers == (
        VerdictLedger(part=VerdictPart.RECOMMENDATION, problem="parse: the finding is no ledger"),
    )
    assert found.notices == (
        "[WARN] What is cited by the recommendation was not looked up: parse: the finding is no ledger.",
    )
