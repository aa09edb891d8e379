"""A debate that code has looked at and blind judges have judged, as people read it."""

import pytest

from sparring.formats.debate.outcome import RIGOR_OF_MODELS, ledger_line
from sparring.formats.reports import conclusion, report, result
from sparring.schema.base import Participant, Role
from sparring.schema.consultation import FailureCode
from sparring.schema.debate import (
    Conduct,
    Convergence,
    DebateOutcome,
    DebateStatus,
    LastDebate,
    SpeechLedger,
    VerdictLedger,
    VerdictPart,
)
from sparring.schema.judgement import Abstention, Firmness, Judgement, TieBreak, TieBreakStep
from sparring.schema.lookups import CitationKind, Ledger
from support.debate_runs import (
    FIRST,
    NOT_FOUND,
    SECOND,
    UNCHECKED,
    VERIFIED,
    ballot,
    checked_verdict,
    cited,
    entry,
    judgement,
)
from support.decisions import decision
from support.runs import answer, debate_request, failure, finished_debate, opening, run, synthesis, verdict
from support.stored_runs import stored, turns

TIE_BREAK = TieBreak(step=TieBreakStep.CITATIONS, winner=Role.PROPOSER, reason="The proposer's hold.")


def how(judged: Judgement, **request: object) -> list[str]:
    """The list below the seed's sentence."""
    text = report(stored("debate", request=request, judgement=judged))
    return text.split("## Verdict\n\n")[1].split("\n\n")[1].splitlines()


@pytest.mark.parametrize(
    ("judged", "lines"),
    [
        (
            judgement(
                ballot(), ballot(Role.CHALLENGER, SECOND), firmness=Firmness.ORDER_SENSITIVE, tie_break=TIE_BREAK
            ),
            [
                "- Tie-break (citations): The proposer's hold.",
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
                "- Judge (gemini): for claude (proposer first); abstained (challenger first): failed: quota: empty.",
                "- Struck, since nobody has said it (judge (gemini), proposer first): “Nobody said this.”",
            ],
        ),
    ],
    ids=["order-sensitive", "one order"],
)
def test_how_the_winner_was_picked_stands_below_the_verdict(judged: Judgement, lines: list[str]) -> None:
    assert how(judged) == lines


@pytest.mark.parametrize("firm", Firmness)
def test_how_firmly_the_winner_was_picked_stands_first_in_a_line_of_its_own(firm: Firmness) -> None:
    (row,) = [
        line
        for line in report(stored("debate", judgement=judgement(ballot(), firmness=firm))).splitlines()[:20]
        if line.startswith("Firmness: ")
    ]
    assert row.startswith(f"Firmness: {firm.replace('_', '-' if firm is not Firmness.ONE_ORDER else ' ')}: ")
    assert len(row.rstrip()) <= 80


def test_what_the_verdict_names_and_is_not_there_stands_below_it() -> None:
    missing = Ledger(entries=(entry("src/x.py:99", NOT_FOUND, "the file has 40 lines"),))
    ledgers = tuple(VerdictLedger(part=part, ledger=missing) for part in VerdictPart)
    text = report(stored("debate", judgement=judgement(ballot(unsaid=("Nobody said this.",))), verdict_ledgers=ledgers))
    agreements = text.split("## Key Agreements\n\n")[1].split("\n\n")[0]
    assert agreements.splitlines()[-2:] == [
        "- Not found: `src/x.py:99`: the file has 40 lines",
        "- Nobody has said: “Nobody said this.”",
    ]
    recommendation = text.split("## Recommendation\n\n")[1].split("\n\n## ")[0]
    assert recommendation.endswith("\n\n- Not found: `src/x.py:99`: the file has 40 lines")


def test_whose_position_to_act_on_stands_below_the_recommendation() -> None:
    text = report(stored("debate", verdict=checked_verdict(recommendation="Flush.", unless="The disk is slow.")))
    assert "## Recommendation\n\nFlush.\n\nAct on the position of claude, unless: The disk is slow.\n\n" in text


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
        "- Judge 1 (gemini): for claude in both orders.",
        "- Judge 2 (codex): for claude in both orders.",
        "- Judge 3 (opencode): for codex in both orders.",
        "- Judge 4 (offline): abstained in both orders: failed: quota: empty.",
        "- Judge 5 (offline): not heard.",
    ]
    text = decision(stored("debate", request={"panel": panel}, judgement=judged))
    assert "\n\nJudge 3 (opencode) dissents, for codex: The challenger brought the numbers.\n\n" in text


@pytest.mark.parametrize(
    ("ledgers", "line"),
    [
        (cited(), "none"),
        (cited(claims=("It is so.",)), "none"),
        (cited(entry("a.py", VERIFIED), entry("b.py", VERIFIED), entry("a.py", VERIFIED)), "2 verified"),
        (
            cited(entry("`x`y`", NOT_FOUND, "no such name.", CitationKind.SYMBOL)),
            "1 not found (`` x`y ``: no such name)",
        ),
        (
            cited(*(entry(letter, NOT_FOUND, "gone") for letter in "abcdefg")),
            "7 not found (`a`: gone; `b`: gone; `c`: gone; `d`: gone; `e`: gone; 2 more)",
        ),
        (cited(entry("a", VERIFIED), left_out=3), "1 verified, 3 not looked up"),
    ],
)
def test_what_a_speech_cites_is_one_line(ledgers: tuple[SpeechLedger, ...], line: str) -> None:
    assert ledger_line(ledgers[0]) == line


MANY_URLS = cited(
    *(entry(f"https://x.org/{number}", UNCHECKED, "not fetched.") for number in range(11)),
    entry("2 ms", UNCHECKED, "not measured"),
)
MANY_CLAIMS = cited(claims=tuple(f"Claim {number}." for number in range(13)))
UNVERIFIED = cited(entry("a.py", NOT_FOUND, "no such file"), entry("2 ms", UNCHECKED, "not measured"))
NOTHING = "[WARN] Nothing in this debate was verified by code."


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        pytest.param({"ledgers": UNVERIFIED}, f"Rigor: {RIGOR_OF_MODELS}\n", id="nothing verified"),
        pytest.param({"ledgers": ()}, f"Rigor: {RIGOR_OF_MODELS}\n", id="nothing looked up"),
        pytest.param(
            {},
            "Rigor: Structured perspective comparison "
            "(prompt-enforced adversarial rules; citations checked by code: 2 verified, 1 not found, 2 unchecked)",
            id="each citation of the debate counts once",
        ),
        pytest.param(
            {"ledgers": MANY_URLS},
            f"- Unchecked, not fetched: {'; '.join(f'`https://x.org/{number}`' for number in range(10))}; 1 more\n"
            "- Unchecked, not measured: `2 ms`\n",
            id="what is unchecked stands beside the reason",
        ),
        pytest.param(
            {"ledgers": MANY_CLAIMS},
            "- Unsupported: “Claim 9.”\n- Unsupported: 3 more claims\n",
            id="ten claims that cite nothing are listed",
        ),
        pytest.param({"ledgers": MANY_CLAIMS}, "- 13 claims that cite nothing.", id="all of them are counted"),
        pytest.param({"ledgers": cited(claims=("So.",))}, "- 1 claim that cites nothing.", id="one claim is one"),
        pytest.param(
            {"verdict": checked_verdict(recommendation="Do this:\n1. Retry.")},
            "\n## Recommendation\n\n> Do this:\n> 1. Retry.\n\n## Citations\n",
            id="a recommendation of several lines stands right below its heading",
        ),
        pytest.param(
            {"notices": (NOTHING,), "request": {"notices": ("[WARN] The judge is ann.",)}},
            f"\n{NOTHING}  \n[WARN] The judge is ann.  \n",
            id="how it ended is told before how it was arranged",
        ),
        pytest.param(
            {"conduct": Conduct(convergence=Convergence.NONE)},
            "- Convergence: the challenger marked no concession\n",
            id="nobody gave way",
        ),
        pytest.param(
            {"conduct": Conduct(convergence=Convergence.SUPPORTED)},
            "- Convergence: the challenger conceded, each time with a citation that was found\n",
            id="the challenger gave way",
        ),
        pytest.param(
            {
                "judgement": judgement(
                    ballot(concessions=({"side": "challenger", "round": 1, "quote": "That is slow."},))
                )
            },
            "- Named by a judge: codex, round 1: “That is slow.”\n",
            id="what a judge names is told as the judge's",
        ),
    ],
)
def test_a_reader_is_told(changes: dict[str, object], told: str) -> None:
    assert told in report(stored("debate", **changes))


@pytest.mark.parametrize(
    ("changes", "silent"),
    [
        ({"ledgers": cited(), "conduct": Conduct()}, ["Convergence", "## Concessions"]),
        (
            {"ledgers": (), "conduct": Conduct()},
            ["Convergence", "## Citations", "## Concessions", "## What was not checked"],
        ),
        (
            {"verdict": checked_verdict().model_copy(update={"scores": None, "arguments": ()}), "judgement": None},
            ["It rests on", "Score, 1 to 5"],
        ),
    ],
    ids=["the challenger was not heard", "code has not looked", "a verdict from before there were scores"],
)
def test_nothing_is_said_of_what_is_not_known(changes: dict[str, object], silent: list[str]) -> None:
    text = report(stored("debate", **changes))
    assert [words for words in silent if words in text] == []
    assert checked_verdict().recommendation in text


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (1, "It could not be used as it is. Side A is the proposer in it.\n\n> Both have merit."),
        (2, "The verdict above."),
        (3, "The verdict above."),
        (4, "It could not be used as it is. Side A is the challenger in it.\n\n> Neither has."),
    ],
    ids=["an unusable reply", "asked again", "the other order", "an unusable reply in the other order"],
)
def test_a_reply_that_became_a_ballot_is_told_in_words_and_any_other_is_shown(number: int, told: str) -> None:
    said = (
        synthesis(answer(tool="gemini"), letters="ba"),
        synthesis(answer("Both have merit.", tool="gemini")),
        synthesis(answer(tool="gemini"), attempt=2),
        synthesis(answer("Neither has.", tool="codex"), judge=2, letters="ba"),
    )
    debate = stored("debate", request={"panel": (Participant(tool="codex"),)}, turns=(*turns("debate", 8), *said))
    assert report(debate).split("### Judgement")[1].split("#### ")[number].strip().split("\n\n", 2)[-1] == told


def test_a_tool_that_sits_on_both_sides_is_named_with_its_role() -> None:
    offline = Participant(tool="offline")
    lines = report(finished_debate(proposer=offline, challenger=offline, judge=offline)).splitlines()
    told = ("Proposer:", "offline", "- Flushing")
    assert [line.rstrip() for line in lines if line.startswith(told)] == [
        "Proposer: offline (no model)",
        f"offline (proposer) had the stronger argument because: {verdict().reasoning}",
        "- Flushing: offline (proposer) argues it is cheap, offline (challenger) argues it is slow on network drives",
    ]


@pytest.mark.parametrize(
    ("changes", "headline"),
    [
        ({}, "claude (proposer) wins"),
        ({"judgement": judgement(ballot(), firmness=Firmness.UNSUPPORTED)}, "claude (proposer) wins, unsupported"),
        ({"judgement": judgement(ballot(hedges=("both",)))}, "claude (proposer) wins, hedged"),
        ({"incomplete_round": 3}, "claude (proposer) wins, after an incomplete round"),
        (
            {"status": DebateStatus.UNCONTESTED, "verdict": None, "judgement": None},
            "No verdict: nobody spoke against the proposer",
        ),
    ],
)
def test_what_makes_a_verdict_doubtful_stands_in_the_first_line(changes: dict[str, object], headline: str) -> None:
    debate = stored("debate", **changes)
    assert report(debate).splitlines()[0] == f"# {headline}"
    assert conclusion(debate).is_plain == (headline == "claude (proposer) wins")


def test_a_failure_names_its_cause_in_the_transcript() -> None:
    failed = failure(FailureCode.NOT_FOUND, "codex is not installed\n# really", duration_ms=0)
    text = report(
        run(debate_request(), (opening(failed),), DebateOutcome(status=DebateStatus.FAILED, rounds_completed=0))
    )
    assert text.endswith("#### Proposer (codex): opening\n\nFailed: not_found (codex is not installed # really)\n")


def test_what_everybody_was_shown_is_named_in_a_line_and_folded_below() -> None:
    exhibits = [
        {"number": number, "path": f"shop/part{number}.py", "first": 3, "last": 4, "text": "a = `1`\n```\x1b[31m"}
        for number in range(1, 8)
    ]
    debate = stored("debate", request={"exhibits": exhibits})
    named = ", ".join(f"E{number} shop/part{number}.py:3-4" for number in range(1, 6))
    line = f"Exhibits: 7, 112 B: {named}, …"
    assert "a = `1`" not in decision(debate)
    assert f"{line}\n" in report(debate)
    assert report(debate).count("````text\na = `1`\n```\n````") == 7
    assert report(debate).count("<details>") == report(debate).count("</details>") == 1
    record = result(debate)
    assert isinstance(record, LastDebate)
    assert record.exhibits[0].model_dump() == {"number": 1, "path": "shop/part1.py", "first": 3, "last": 4}
