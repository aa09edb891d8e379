"""A debate that code has looked at and blind judges have judged, as people read it."""

from pathlib import Path

import pytest

from sparring.reports.debate.citations import RIGOR_OF_MODELS, ledger_line
from sparring.reports.markdown import DECISION_LIMIT, decision, report
from sparring.schema.base import Role
from sparring.schema.debate import (
    Abstention,
    Concession,
    Conduct,
    Convergence,
    DebateOutcome,
    DebateStatus,
    Firmness,
    Flag,
    FlagKind,
    Judgement,
    SpeechLedger,
    Withdrawal,
)
from sparring.schema.ledger import CitationKind, Ledger
from sparring.schema.participants import Participant
from sparring.schema.runs import Run
from support.debate_runs import (
    FIRST,
    NOT_FOUND,
    SECOND,
    TIE_BREAK,
    UNCHECKED,
    VERIFIED,
    argument,
    asked_judge,
    ballot,
    checked_debate,
    checked_outcome,
    checked_verdict,
    claim,
    entry,
    judgement,
    panel_debate,
)

GOLDEN = Path(__file__).parents[2] / "golden" / "reports"
HOSTILE = "# Verdict\n\x1b]0;owned\x07\x1b[31m{topic}\u202e\n| a | b |\n|---|---|\n<!-- hide\n```python\n# unclosed"


def unjudged_debate() -> Run:
    """Both orders failed; what code found stays."""
    outcome = checked_outcome(
        status=DebateStatus.UNJUDGED, verdict=None, judgement=None, notices=("[WARN] No verdict.",)
    )
    return checked_debate(asked_judge("judge1.ab.1", "No."), asked_judge("judge1.ba.1", "No."), outcome=outcome)


GOLDEN_TEXTS = {
    "panel-debate-report.md": report(panel_debate()),
    "blind-debate-decision.md": decision(checked_debate(blind_openings=True)),
    "unjudged-debate-decision.md": decision(unjudged_debate()),
}


@pytest.mark.parametrize("name", GOLDEN_TEXTS)
def test_a_text_is_as_it_was_read_and_approved(name: str) -> None:
    assert GOLDEN_TEXTS[name] == (GOLDEN / name).read_text(encoding="utf-8")


def how(judged: Judgement, **request: object) -> list[str]:
    """The list below the seed's sentence."""
    text = report(checked_debate(outcome=checked_outcome(judgement=judged), **request))
    return text.split("## Verdict\n\n")[1].split("\n\n")[1].splitlines()


@pytest.mark.parametrize(
    ("judged", "lines"),
    [
        (
            judgement(),
            [
                "- Firmness: unanimous: the judge said so, whichever side was shown first.",
                "- Judge (gemini): for claude in both orders.",
            ],
        ),
        (
            judgement(
                ballot(), ballot(Role.CHALLENGER, SECOND), firmness=Firmness.ORDER_SENSITIVE, tie_break=TIE_BREAK
            ),
            [
                "- Firmness: order-sensitive: the winner changed with the order of the sides; the tie-break decided.",
                f"- Tie-break (citations): {TIE_BREAK.reason}",
                "- Judge (gemini): for claude (proposer first); for codex (challenger first).",
            ],
        ),
        (
            judgement(
                ballot(struck=("Nobody said this.",)),
                firmness=Firmness.ONE_ORDER,
                abstentions=(Abstention(judge=1, tool="gemini", order=SECOND, cause="failed: quota: empty"),),
            ),
            [
                "- Firmness: one order: it rests on judges who could not all be heard in both orders.",
                "- Judge (gemini): for claude (proposer first); abstained (challenger first): failed: quota: empty.",
                "- Struck, since nobody has said it (judge (gemini), proposer first): “Nobody said this.”",
            ],
        ),
    ],
    ids=["unanimous", "order-sensitive", "one order"],
)
def test_how_firmly_the_winner_was_picked_stands_below_the_verdict(judged: Judgement, lines: list[str]) -> None:
    assert how(judged) == lines


def test_a_majority_of_a_panel_names_each_judge_and_keeps_the_dissent() -> None:
    judged = judgement(
        *(ballot(order=order, judge=number, tool="codex") for number in (1, 2) for order in (FIRST, SECOND)),
        *(ballot(Role.CHALLENGER, order, judge=3, tool="opencode") for order in (FIRST, SECOND)),
        firmness=Firmness.MAJORITY,
        abstentions=tuple(
            Abstention(judge=4, tool="offline", order=order, cause="failed: quota: empty") for order in (FIRST, SECOND)
        ),
        dissent=(3,),
    )
    panel = (Participant(tool="codex"), Participant(tool="opencode"), *(Participant(tool="offline"),) * 2)
    assert how(judged, panel=panel) == [
        "- Firmness: majority: most judges with a vote said so, whichever side was shown first.",
        "- Judge 1 (gemini): for claude in both orders.",
        "- Judge 2 (codex): for claude in both orders.",
        "- Judge 3 (opencode): for codex in both orders.",
        "- Judge 4 (offline): abstained in both orders: failed: quota: empty.",
        "- Judge 5 (offline): not heard.",
    ]
    text = decision(checked_debate(outcome=checked_outcome(judgement=judged), panel=panel))
    assert "\n\nJudge 3 (opencode) dissents, for codex: The challenger brought the numbers.\n\n" in text


def rigor(run: Run) -> str:
    return next(line for line in decision(run).splitlines() if line.startswith("Rigor: "))


def test_the_rigor_is_the_specifications_sentence_where_no_citation_was_verified() -> None:
    missing = Ledger(entries=(entry("a.py", NOT_FOUND, "no such file"), entry("2 ms", UNCHECKED, "not measured")))
    ledgers = (SpeechLedger(round=1, role=Role.PROPOSER, ledger=missing),)
    for unverified in (ledgers, ()):
        assert rigor(checked_debate(outcome=checked_outcome(ledgers=unverified))) == f"Rigor: {RIGOR_OF_MODELS}"


def test_the_rigor_counts_each_citation_of_the_debate_once() -> None:
    assert rigor(checked_debate()) == (
        "Rigor: Structured perspective comparison "
        "(prompt-enforced adversarial rules; citations checked by code: 2 verified, 1 not found, 2 unchecked)"
    )


@pytest.mark.parametrize(
    ("ledger", "line"),
    [
        (Ledger(), "none"),
        (Ledger(unsupported=(claim("It is so."),)), "none"),
        (
            Ledger(entries=(entry("a.py", VERIFIED), entry("b.py", VERIFIED), entry("a.py", VERIFIED))),
            "2 verified",
        ),
        (
            Ledger(entries=(entry("`x`y`", NOT_FOUND, "no such name.", CitationKind.SYMBOL),)),
            "1 not found (`` x`y ``: no such name)",
        ),
        (
            Ledger(entries=tuple(entry(letter, NOT_FOUND, "gone") for letter in "abcdefg")),
            "7 not found (`a`: gone; `b`: gone; `c`: gone; `d`: gone; `e`: gone; 2 more)",
        ),
        (Ledger(entries=(entry("a", VERIFIED),), left_out=3), "1 verified, 3 not looked up"),
    ],
)
def test_what_a_speech_cites_is_one_line(ledger: Ledger, line: str) -> None:
    assert ledger_line(SpeechLedger(round=1, role=Role.PROPOSER, ledger=ledger)) == line


def test_what_is_unchecked_stands_beside_the_reason() -> None:
    urls = tuple(entry(f"https://example.org/{number}", UNCHECKED, "not fetched.") for number in range(11))
    outcome = checked_outcome(
        ledgers=(
            SpeechLedger(
                round=1, role=Role.PROPOSER, ledger=Ledger(entries=(*urls, entry("2 ms", UNCHECKED, "not measured")))
            ),
        )
    )
    shown = [line for line in report(checked_debate(outcome=outcome)).splitlines() if line.startswith("- Unchecked")]
    listed = "; ".join(f"`https://example.org/{number}`" for number in range(10))
    assert shown == [f"- Unchecked, not fetched: {listed}; 1 more", "- Unchecked, not measured: `2 ms`"]


def test_of_a_challenger_who_was_not_heard_nobody_can_say_whether_it_gave_way() -> None:
    alone = (SpeechLedger(round=1, role=Role.PROPOSER, ledger=Ledger()),)
    assert "Convergence" not in report(checked_debate(outcome=checked_outcome(ledgers=alone, conduct=Conduct())))


def test_a_recommendation_of_several_lines_stands_right_below_its_heading() -> None:
    verdict = checked_verdict().model_copy(update={"recommendation": "Do this:\n1. Retry."})
    text = report(checked_debate(outcome=checked_outcome(verdict=verdict)))
    assert "\n## Recommendation\n\n> Do this:\n> 1. Retry.\n\n## Citations\n" in text


def test_how_a_debate_ended_is_told_before_how_it_was_arranged() -> None:
    nothing = "[WARN] Nothing in this debate was verified by code."
    debate = checked_debate(outcome=checked_outcome(notices=(nothing,)), notices=("[WARN] The judge is ann.",))
    assert report(debate).startswith(f"# Debate Summary\n\n{nothing}\n\n[WARN] The judge is ann.\n")


def test_of_many_claims_that_cite_nothing_ten_are_listed_and_all_are_counted() -> None:
    ledger = Ledger(unsupported=tuple(claim(f"Claim {number}.") for number in range(13)))
    outcome = checked_outcome(ledgers=(SpeechLedger(round=1, role=Role.PROPOSER, ledger=ledger),))
    text = report(checked_debate(outcome=outcome))
    assert [line for line in text.splitlines() if "Unsupported" in line][9:] == [
        "- Unsupported: “Claim 9.”",
        "- Unsupported: 3 more claims",
    ]
    assert "- 13 claims that cite nothing." in text


def test_one_claim_that_cites_nothing_is_one() -> None:
    ledger = Ledger(unsupported=(claim("It is so."),))
    outcome = checked_outcome(ledgers=(SpeechLedger(round=1, role=Role.PROPOSER, ledger=ledger),))
    assert "- 1 claim that cites nothing." in decision(checked_debate(outcome=outcome))


@pytest.mark.parametrize(
    ("convergence", "words"),
    [
        (Convergence.NONE, "the challenger did not give way"),
        (Convergence.SUPPORTED, "the challenger gave way, each time with a citation that was found"),
        (Convergence.UNSUPPORTED, "the challenger gave way at least once without a citation that was found"),
    ],
)
def test_whether_the_challenger_gave_way_is_told_in_words(convergence: Convergence, words: str) -> None:
    text = decision(checked_debate(outcome=checked_outcome(conduct=Conduct(convergence=convergence))))
    assert f"- Convergence: {words}\n" in text
    assert "## Concessions\n\nCode found none.\n" in text


def test_a_debate_that_code_has_not_looked_at_says_nothing_about_it() -> None:
    text = report(checked_debate(outcome=checked_outcome(ledgers=(), conduct=Conduct())))
    assert {"## Citations", "## Concessions", "## What was not checked"}.isdisjoint(text.splitlines())
    assert "Convergence" not in text


def hostile_debate() -> Run:
    verdict = checked_verdict(reasoning=HOSTILE, arguments=(argument(HOSTILE),), recommendation=HOSTILE)
    other = checked_verdict(Role.CHALLENGER, reasoning=HOSTILE)
    ledger = Ledger(entries=(entry(HOSTILE, NOT_FOUND, HOSTILE),), unsupported=(claim(HOSTILE),))
    withdrawn = Withdrawal(text=HOSTILE, start=0, end=1, round=2)
    conduct = Conduct(
        concessions=(Concession(text=HOSTILE, start=0, end=1, role=Role.PROPOSER, round=1, withdrawn=withdrawn),),
        flags=(Flag(text=HOSTILE, start=0, end=1, kind=FlagKind.PRAISE, role=Role.CHALLENGER, round=1),),
    )
    judged = judgement(
        ballot(verdict=verdict, struck=(HOSTILE,)),
        ballot(Role.CHALLENGER, SECOND, verdict=other),
        ballot(judge=2, tool="codex", verdict=other, order=SECOND),
        abstentions=(Abstention(judge=2, tool="codex", order=FIRST, cause=HOSTILE),),
        dissent=(2,),
    )
    ledgers = (
        SpeechLedger(round=1, role=Role.PROPOSER, ledger=ledger),
        SpeechLedger(round=1, role=Role.CHALLENGER, problem=HOSTILE),
    )
    outcome = checked_outcome(verdict=verdict, judgement=judged, ledgers=ledgers, conduct=conduct)
    turns = (asked_judge("judge1.ab.1", HOSTILE), asked_judge("judge1.ab.2"), asked_judge("judge2.ba.1", tool="codex"))
    return checked_debate(*turns, outcome=outcome, panel=(Participant(tool="codex"),))


def test_nothing_that_was_said_acts_or_poses_as_ours() -> None:
    text = report(hostile_debate())
    assert not {"\x1b", "\x07", "\u202e"} & set(text + decision(hostile_debate()))
    headings = [line for line in text.splitlines() if line.startswith(("#", "```", "<!--"))]
    assert headings == [
        "# Debate Summary",
        "## Verdict",
        "## Debate Quality",
        "## Key Agreements",
        "## Key Disagreements",
        "## Unresolved Questions",
        "## Recommendation",
        "## Citations",
        "### Round 1, proposer (claude)",
        "### Round 1, challenger (codex)",
        "## Concessions",
        "## What was not checked",
        "## Transcript",
        "### Round 1",
        "#### Proposer (claude): opening",
        "#### Challenger (codex): response",
        "### Round 2",
        "#### Proposer (claude): defense",
        "#### Challenger (codex): follow-up",
        "### Judgement",
        "#### Judge 1 (gemini), proposer first",
        "#### Judge 1 (gemini), proposer first (again)",
        "#### Judge 2 (codex), challenger first",
    ]


def huge_debate() -> Run:
    long = "why not " * 50_000
    many = Ledger(entries=tuple(entry(f"src/{number}.py", NOT_FOUND, "no such file") for number in range(200)))
    verdict = checked_verdict(reasoning=long, arguments=(argument(long),) * 20, recommendation=long)
    conceded = Concession(text=long, start=0, end=1, role=Role.PROPOSER, round=1)
    outcome = DebateOutcome(
        status=DebateStatus.COMPLETED,
        rounds_completed=2,
        verdict=verdict,
        judgement=judgement(
            ballot(verdict=verdict, struck=(long,) * 9),
            *(ballot(Role.CHALLENGER, judge=number) for number in (2, 3)),
            dissent=(2, 3),
        ),
        ledgers=(SpeechLedger(round=1, role=Role.PROPOSER, ledger=many),),
        conduct=Conduct(concessions=(conceded,) * 50),
        notices=("[WARN] Nothing was cheap.",),
    )
    return checked_debate(outcome=outcome, panel=(Participant(tool="codex"), Participant(tool="opencode")))


@pytest.mark.parametrize("limit", [2000, 3000, 5000])
def test_a_decision_stays_below_its_limit(limit: int) -> None:
    text = decision(huge_debate(), limit=limit)
    assert (len(text) < limit, "[WARN] Nothing was cheap." in text) == (True, True)


def test_a_decision_keeps_what_matters_most() -> None:
    text = decision(huge_debate())
    assert len(text) < DECISION_LIMIT
    kept = (
        "[WARN] Nothing was cheap.",
        "claude had the stronger argument",
        "Firmness:",
        "Not found:",
        "## Recommendation\n\nwhy",
    )
    assert [words for words in kept if words not in text] == []


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (1, "It could not be used as it is. Side A is the proposer in it.\n\n> Both have merit."),
        (2, "The verdict above."),
        (3, "The verdict above."),
    ],
    ids=["an unusable reply", "asked again", "the other order"],
)
def test_a_reply_that_became_a_ballot_is_told_in_words_and_any_other_is_shown(number: int, told: str) -> None:
    turns = (
        asked_judge("judge1.ba.1"),
        asked_judge("judge1.ab.1", "Both have merit."),
        asked_judge("judge1.ab.2"),
    )
    text = report(checked_debate(*turns))
    assert text.split("### Judgement")[1].split("#### ")[number].strip().split("\n\n", 2)[-1] == told


def test_a_verdict_from_before_there_were_scores_and_arguments_is_still_shown() -> None:
    older = checked_verdict().model_copy(update={"scores": None, "arguments": ()})
    shown = report(checked_debate(outcome=checked_outcome(verdict=older, judgement=None)))
    assert older.recommendation in shown
    assert "It rests on" not in shown
    assert "Score, 1 to 5" not in shown
