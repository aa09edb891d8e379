"""What is read of a reply, and what whoever gave it is told where nothing can be: of all formats, as it was approved.

A golden file has each reply, and below it the record that was read, or the reason why there is none.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence

import pytest
from pydantic import BaseModel

from sparring.engine.course import UnusableReplyError
from sparring.formats.chaired_debate.replies import Draft, read_draft
from sparring.formats.debate.replies import read_ballot
from sparring.formats.fact_check.replies import MOST_NAMED_PARTS, read_analysis, read_rebuttal
from sparring.formats.jury.case import Case
from sparring.formats.jury.replies import read_checklist, read_verdict
from sparring.formats.jury.statements import located
from sparring.schema.chaired_debate import Phase, Speaker
from sparring.schema.judgement import Order
from support import fact_checking, jury_playing
from support.chaired_playing import action, source
from support.fact_checking import against, covered, missing, rebuttal
from support.golden import Golden
from support.jury_playing import ENTRIES
from support.playing import VERDICT, ballot

Replies = Mapping[str, tuple[Callable[[str], object], Sequence[object]]]

PART = covered("tall", "is tall")
QUOTED = {"side": "A", "quote": "speech of proposer in round 1"}
HALVES = (3.5, "4", True, 0, 6)
NO_QUOTE = (None, "", "NULL", "null", ' "Null" ', "None", "n/a", "N/A", "(no verified quote)")
LOOSE = """Let me see.
```json
{"parts": [{"part": " tall ", "status": "covered", "quote": "is tall", "weight": 3}], "verdict": "NEI",
 "confidence": 0.9, "reasoning_vi": " Vì thế. "}
```
Done."""
"""What we do not know is ignored."""
LABELS = ("SUPPORTED", "supported", " **Refuted**. ", "nei", "Not enough info", "NOT_ENOUGH_INFORMATION")
AGAINST = {**against("Agent 2", "Supported", "is tall", "NULL"), "issue": "not direct"}
CASE = Case(jury_playing.TRUTH, jury_playing.CLAIM)


def analysis(verdict: str = "NEI", *parts: object) -> object:
    return fact_checking.analysis(verdict, *parts)  # pyright: ignore[reportArgumentType] -- some are no parts


def marks(half: object) -> dict[str, object]:
    usual = {"evidence": 1, "reasoning": 1, "responsiveness": 1, "candor": 1}
    return {"A": {**usual, "evidence": half}, "B": usual}


def without(record: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """``record`` without one of its fields each."""
    return ({name: value for name, value in record.items() if name != field} for field in record)


REPLIES: Replies = {
    "analysis": (
        lambda reply: read_analysis(reply).value,
        [
            *(analysis(label, PART) for label in LABELS),
            *(analysis("SUPPORTED", covered("tall", nothing)) for nothing in NO_QUOTE),
            LOOSE,
            *("It is true.", "[]", {"verdict": "SUPPORTED"}, {"parts": [PART]}, {"parts": "tall", "verdict": "NEI"}),
            *(analysis("SUPPORTED"), analysis("SUPPORTED | REFUTED | NEI", PART), analysis("TRUE", PART)),
            *(analysis("NEI", {"status": "COVERED", "quote": "is tall"}), analysis("NEI", {"part": "tall"})),
            *(
                analysis("NEI", {"part": part, "status": status})
                for part, status in ((" ", "MISSING"), ("a", "PARTLY"))
            ),
            analysis("NEI", covered("tall", 7)),  # pyright: ignore[reportArgumentType] -- no quote
            analysis("NEI", *[missing("tall")] * (MOST_NAMED_PARTS + 1)),
        ],
    ),
    "rebuttal": (
        lambda reply: read_rebuttal(reply).value,
        [
            *(rebuttal(label) for label in LABELS),
            *(rebuttal("NEI", nothing) for nothing in NO_QUOTE),
            rebuttal("REFUTED", "is small", AGAINST, decision_change="change", key_parts_checked=["tall", 7]),
            # What decides nothing may be missing or misspelled.
            '{"verdict": "NEI"}',
            '{"verdict": "NEI", "decision_change": "PERHAPS", "change_trigger": 3, "key_parts_checked": "all"}',
            *("no", '{"key_quote": "is tall"}', '{"verdict": "NEI", "rebuttals": [{}]}'),
            '{"verdict": "NEI", "rebuttals": null}',
        ],
    ),
    "checklist": (
        lambda reply: located(read_checklist(reply).value, CASE),
        [
            jury_playing.checklist(numbers={"truth": ["fewer than 600,000"], "claim": ["fewer than 600,000", " "]}),
            jury_playing.checklist(
                dates={"dimension": " Dates ", "status": "MATCH", "severity": "Minor"},
                causality={"severity": "null", "truth": None, "claim": None, "note": None},
            ),
            {"checklist": [*reversed(ENTRIES)], "by": "me"},
            *("All is well.", {"checklist": ENTRIES[:4]}, {"checklist": [*ENTRIES, ENTRIES[0]]}),
            *({"checklist": [*ENTRIES[:4], ENTRIES[0]]}, {"entries": ENTRIES}),
            *(jury_playing.checklist(numbers={"severity": said}) for said in (None, "serious")),
            jury_playing.checklist(dates={"status": "unclear"}),
            *(jury_playing.checklist(dates={"truth": said}) for said in ("25 March 2020", ["x"] * 21)),
        ],
    ),
    "verdict": (
        lambda reply: read_verdict(reply).value,
        [
            *(
                f"So:\n```json\n{jury_playing.verdict(verdict=label, mood='good')}\n```"
                for label in ("MUTATED", "mutated", " Partially faithful. ", "PARTIALLY-FAITHFUL", "**Faithful**")
            ),
            *without(jury_playing.VERDICT),
            # What decides nothing is read as it is meant, or counts as not said.
            *(jury_playing.verdict(confidence=said) for said in (1.01, -0.1, 85, "85%", "0.85", True, None)),
            *(jury_playing.verdict(verdict=said) for said in ("FALSE", "FAITHFUL | MUTATED", ["MUTATED"])),
            *(jury_playing.faithful(rationale=said) for said in ([], "because", [" "], None)),
            *(jury_playing.verdict(critical_differences=said) for said in (["None."], [""], None, [7], ["x"] * 51)),
            jury_playing.verdict(one_sentence_summary=""),
        ],
    ),
    "ballot": (
        lambda reply: read_ballot(reply, Order.PROPOSER_FIRST).value,
        [
            *(json.dumps({**VERDICT, "winner": said}) for said in ("b", " Side B ", "both", "proposer", 1)),
            ballot(
                scores={f"Side {letter}": each for letter, each in marks(3).items()},
                quality={"genuine_disagreement": "High", "evidence_quality": "medium", "challenge_depth": " LOW"},
                disagreements=[{"point": "Retries", "A": "are free", "Side B": "cost money"}],
                confidence=0.7,
            ),
            *without(VERDICT),
            ballot(
                **dict.fromkeys(("unanswered", "concessions", "agreements", "disagreements", "unresolved_questions"))
            ),
            *(ballot(scores=marks(half)) for half in HALVES),
            *(ballot(scores=[]), ballot(quality="high"), ballot(arguments=[]), ballot(reasoning="")),
            ballot(quality={"genuine_disagreement": "very", "evidence_quality": "medium", "challenge_depth": "low"}),
            *(ballot(arguments=said) for said in ([{**QUOTED, "side": "proposer"}], [QUOTED] * 21)),
            ballot(disagreements=["Retries"]),
            ballot(disagreements=[{"point": "Retries", "proposer": "are free", "challenger": "cost money"}]),
        ],
    ),
    "action": (
        lambda reply: read_draft(reply, Speaker.PROMOTER, Phase.REBUTTAL),
        [
            {"type": "Clarification Request", "content": " What is meant? ", "sources": None}
            | {"rebuttal_to_seq": "null", "target_seq": "3", "source_challenge": "none", "mood": "good"},
            *("I would rather not.", '{"type": "poem", "content": "Roses"}', '{"type": "new_point", "content": "  "}'),
            action("new_point", "It is so [1].", rebuttal_to_seq=0),
            action("new_point", "It is so [1].\n\nSOURCE CHALLENGE: seq 4 — there is no such page."),
            action("new_point", "SOURCE CHALLENGE: seq 4 — made up.", target_seq=6, source_challenge="It is off."),
            action("new_point", "It is so [1].", sources=[source()] * 11),
        ],
    ),
}


def records(read: object) -> Iterator[str]:
    if isinstance(read, Draft):
        yield f"{read.entry.model_dump_json(exclude_defaults=True)} {read.challenge}".rstrip()
        return
    for each in read if isinstance(read, tuple) else (read,):  # pyright: ignore[reportUnknownVariableType]
        assert isinstance(each, BaseModel)
        yield each.model_dump_json(exclude_defaults=True)


@pytest.mark.parametrize("kind", REPLIES)
def test_a_reply_is_read_as_in_its_golden_file(kind: str, golden: Golden) -> None:
    reader, replies = REPLIES[kind]
    lines: list[str] = []
    for said in replies:
        reply = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
        lines.append(f"== {reply}")
        try:
            lines += records(reader(reply))
        except UnusableReplyError as refused:
            lines.append(f"refused: {refused}")
    golden.holds(f"read/{kind}.txt", "\n".join(lines) + "\n")
