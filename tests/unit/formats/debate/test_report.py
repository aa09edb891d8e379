"""A debate that code has looked at and blind judges have judged, as people read it."""

from sparring.formats.debate.outcome import ledger_line
from sparring.formats.reports import report, result
from sparring.schema.base import Participant
from sparring.schema.debate import LastDebate
from sparring.schema.lookups import CitationKind
from support.debate_runs import NOT_FOUND, VERIFIED, checked_verdict, cited
from support.debating import entry
from support.decisions import decision
from support.runs import answer, synthesis
from support.stored_runs import stored, turns


def test_what_a_speech_cites_is_one_line() -> None:
    gone = (entry(letter, NOT_FOUND, "gone") for letter in "abcdefg")
    cites = (
        cited(claims=("It is so.",)),
        cited(entry("a.py", VERIFIED), entry("b.py", VERIFIED), entry("a.py", VERIFIED), left_out=3),
        cited(entry("`x`y`", NOT_FOUND, "no such name.", CitationKind.SYMBOL)),
        cited(*gone),
    )
    assert [ledger_line(ledgers[0]) for ledgers in cites] == [
        "none",
        "2 verified, 3 not looked up",
        "1 not found (`` x`y ``: no such name)",
        "7 not found (`a`: gone; `b`: gone; `c`: gone; `d`: gone; `e`: gone; 2 more)",
    ]


def test_a_reply_that_became_a_ballot_is_told_in_words_and_any_other_is_shown() -> None:
    said = (
        synthesis(answer(tool="gemini"), letters="ba"),
        synthesis(answer("Both have merit.", tool="gemini")),
        synthesis(answer(tool="gemini"), attempt=2),
        synthesis(answer("Neither has.", tool="codex"), judge=2, letters="ba"),
    )
    debate = stored("debate", request={"panel": (Participant(tool="codex"),)}, turns=(*turns("debate", 8), *said))
    told = report(debate).split("### Judgement")[1].split("#### ")[1:]
    assert [each.strip().split("\n\n", 2)[-1] for each in told] == [
        "It could not be used as it is. Side A is the proposer in it.\n\n> Both have merit.",
        "The verdict above.",
        "The verdict above.",
        "It could not be used as it is. Side A is the challenger in it.\n\n> Neither has.",
    ]


def test_a_tool_that_sits_on_both_sides_is_named_with_its_role() -> None:
    offline = Participant(tool="offline")
    lines = report(stored("debate", request=dict.fromkeys(("proposer", "challenger", "judge"), offline))).splitlines()
    told = ("Proposer:", "offline", "- Flushing")
    assert [line.rstrip() for line in lines if line.startswith(told)] == [
        "Proposer: offline (no model)",
        f"offline (proposer) had the stronger argument because: {checked_verdict().reasoning}",
        "- Flushing: offline (proposer) argues it is cheap, offline (challenger) argues it is slow",
    ]


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
