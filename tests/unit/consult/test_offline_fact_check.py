"""The fact-checking agent without a model: what it calls covered, missing or in conflict, and when it changes."""

import unicodedata
from pathlib import Path

import pytest

from sparring.checks.quotes import Evidence
from sparring.consult.offline.comparing.weighing import weigh
from sparring.schema.base import Role
from sparring.schema.claims import Label
from sparring.schema.consultation import Speech
from sparring.schema.fact_check import PartStatus
from sparring.schema.quotes import QuoteVerdict
from support.texts import TOWER, analysis_brief, answered, answered_json, position, rebuttal_brief

BIRTHDAY = (
    "On 3 December 2016 ( Benteke 's birthday ) , he scored twice in a 3–0 win over Southampton that ended Palace 's "
    "run of six consecutive defeats."
)
MATCHES = (
    f"{BIRTHDAY}  Benteke marked his return to Anfield , the ground of his former club Liverpool , with two goals in a "
    "2-1 win on 23 April 2017."
)
MATCH_CLAIM = "Christian Benteke played for in Anfield stadium in 2017 ."


@pytest.mark.parametrize(
    ("claim", "evidence", "verdict"),
    [
        ("The Eiffel Tower is 330 metres tall and was completed in 1889.", TOWER, Label.SUPPORTED),
        ("The Eiffel Tower stands 500 metres high, and was completed in 1889.", TOWER, Label.REFUTED),
        ("The Eiffel Tower is painted brown.", TOWER, Label.NEI),
        ("Obama was born in Kenya in 1961.", "Obama was born in Honolulu, Hawaii, on August 4, 1961.", Label.NEI),
        (
            "Obama was born in Hawaii in 1961.",
            "Obama was born in Honolulu, Hawaii, on August 4, 1961.",
            Label.SUPPORTED,
        ),
        ("Obama was born in Hawaii in 1961.", "He was born in Hawaii on August 4, 1961.", Label.SUPPORTED),
        ("Messi scored 5 goals in 2019.", "Ronaldo scored 5 goals in 2019.", Label.NEI),
        ("Messi scored 5 goals in 2019.", "In 2019, Ronaldo scored 5 goals.", Label.NEI),
        ("Messi scored 5 goals in 2019.", "He scored 5 goals in 2019.", Label.SUPPORTED),
        ("Nothing of the kind was said.", "Bananas are yellow.", Label.NEI),
        (
            "Tháp Eiffel cao 330 mét và hoàn thành năm 1889.",
            "Tháp Eiffel hoàn thành năm 1889, cao 330 mét.",
            Label.SUPPORTED,
        ),
        ("The Same.", "The Same.", Label.SUPPORTED),
    ],
)
def test_the_verdict_follows_from_what_the_evidence_holds(claim: str, evidence: str, verdict: Label) -> None:
    assert weigh(claim, (evidence,)).verdict is verdict


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Several series came out in 1981, among them Dynasty.", Label.SUPPORTED),
        ("Several series came out, among them Dynasty.", Label.NEI),
        ("Several series came out.", Label.NEI),
    ],
)
def test_in_another_language_names_alone_support_nothing(claim: str, verdict: Label) -> None:
    evidence = "Một số phim hàng đầu đã ra mắt, bao gồm cả Dynasty, được công chiếu vào năm 1981."
    assert weigh(claim, (evidence,)).verdict is verdict


def test_an_accent_written_by_itself_is_no_negation() -> None:
    said = "Ông nói rằng nó có thể là sự kết hợp của bệnh than và các đại dịch khác."
    weighed = weigh(unicodedata.normalize("NFD", said), (said,))
    assert {part.status for part in weighed.parts} == {PartStatus.COVERED}


async def test_the_analysis_has_the_fields_of_the_specification_and_says_that_it_is_rule_based(tmp_path: Path) -> None:
    words = await answered(analysis_brief("The Eiffel Tower stands 500 metres high.", TOWER), tmp_path)
    assert words == (
        "_Rule-based answer (`offline`, no model)._\n\n"
        "```json\n"
        "{\n"
        '  "parts": [\n'
        "    {\n"
        '      "part": "The Eiffel Tower",\n'
        '      "status": "COVERED",\n'
        '      "quote": "Eiffel Tower"\n'
        "    },\n"
        "    {\n"
        '      "part": "stands 500 metres high",\n'
        '      "status": "CONFLICT",\n'
        '      "quote": "The Eiffel Tower, finished in 1889, stands 330 metres high."\n'
        "    }\n"
        "  ],\n"
        '  "verdict": "REFUTED",\n'
        '  "reasoning_vi": "Decided by rule, not by a model. The evidence has another number, date or word for these '
        'parts of the claim: “stands 500 metres high”."\n'
        "}\n"
        "```"
    )


@pytest.mark.parametrize(
    ("language", "beginning"),
    [("vi", "Quyết định theo quy tắc"), ("vi-VN", "Quyết định theo quy tắc"), ("fr", "Decided by rule")],
)
async def test_reasons_are_in_vietnamese_if_asked_for_and_else_in_english(
    tmp_path: Path, language: str, beginning: str
) -> None:
    briefs = [
        analysis_brief("Bananas are yellow.", TOWER, language=language),
        rebuttal_brief("Bananas are yellow.", (TOWER,), language=language),
    ]
    for brief in briefs:
        assert (await answered_json(brief, tmp_path))["reasoning_vi"].startswith(beginning)


async def test_fences_and_braces_in_the_evidence_stay_in_their_quotes(tmp_path: Path) -> None:
    evidence = 'The town {"verdict": "NEI"} of Ålesund ```json has 12 towers and "old" houses.'
    found = await answered_json(analysis_brief("The town of Ålesund has 12 towers.", evidence), tmp_path)
    assert found["verdict"] == "SUPPORTED"
    assert all(Evidence([evidence]).find(part["quote"]).verdict is QuoteVerdict.VERBATIM for part in found["parts"])


async def test_by_default_the_verdict_is_kept(tmp_path: Path) -> None:
    claim = "The Eiffel Tower stands 330 metres high."
    speeches = (position(1, Label.SUPPORTED, "330 metres"), position(2, Label.NEI))
    assert await answered_json(rebuttal_brief(claim, (TOWER,), *speeches), tmp_path) == {
        "key_parts_checked": ["The Eiffel Tower", "stands 330 metres high"],
        "has_new_evidence": False,
        "has_strong_counterevidence": False,
        "rebuttals": [
            {
                "agent": "Agent 2",
                "their_verdict": "NEI",
                "their_quote": None,
                "issue": "misses_key_part",
                "counter_quote": "stands 330 metres high.",
            }
        ],
        "decision_change": "MAINTAIN",
        "changed_from": "N/A",
        "change_trigger": "N/A",
        "verdict": "SUPPORTED",
        "key_quote": "stands 330 metres high.",
        "reasoning_vi": "Decided by rule, not by a model. Kept: no quote of another agent speaks against the claim in "
        "a part that I had not found. Sentences of the evidence hold enough of every part: “The Eiffel Tower”, "
        "“stands 330 metres high”.",
    }


async def test_the_verdict_of_the_round_before_is_kept_even_where_the_own_search_says_otherwise(tmp_path: Path) -> None:
    brief = rebuttal_brief("The Eiffel Tower is 330 metres tall.", (TOWER,), position(1, Label.NEI))
    found = await answered_json(brief, tmp_path)
    assert (found["verdict"], found["decision_change"]) == ("NEI", "MAINTAIN")
    assert "hold enough" not in found["reasoning_vi"]


async def test_a_quote_that_refutes_what_was_not_found_changes_the_verdict(tmp_path: Path) -> None:
    assert weigh(MATCH_CLAIM, (MATCHES,)).verdict is Label.NEI
    speeches = (position(1, Label.NEI), position(2, Label.REFUTED, "Benteke marked", BIRTHDAY))
    found = await answered_json(rebuttal_brief(MATCH_CLAIM, (MATCHES,), *speeches), tmp_path)
    changed = ("verdict", "key_quote", "decision_change", "changed_from", "change_trigger", "has_new_evidence")
    assert [found[name] for name in changed] == ["REFUTED", BIRTHDAY, "CHANGE", "NEI", "stronger_quote", True]
    assert found["rebuttals"] == []
    assert BIRTHDAY in found["reasoning_vi"]


@pytest.mark.parametrize(
    ("claim", "evidence", "speech"),
    [
        (MATCH_CLAIM, MATCHES, position(2, Label.REFUTED, BIRTHDAY.replace("2016", "2015"))),  # nobody wrote that
        (MATCH_CLAIM, MATCHES, position(2, Label.SUPPORTED, BIRTHDAY)),  # whoever quotes it reads it otherwise
        (MATCH_CLAIM, MATCHES, position(2, Label.REFUTED, "Benteke marked his return")),
        (MATCH_CLAIM, MATCHES, Speech(role=Role.FACT_CHECKER, round=1, name="Agent 2", text="No JSON.")),
        (MATCH_CLAIM, MATCHES, Speech(role=Role.FACT_CHECKER, round=1, name="Agent 2", text="[1]")),
        (  # the evidence has the claim's number elsewhere
            "Lake Tana is a quiet lake with 37 islands that nobody visits.",
            "Lake Tana has 37 islands. Lake Tana has 30 islands.",
            position(2, Label.REFUTED, "Lake Tana has 30 islands."),
        ),
    ],
)
async def test_nothing_else_changes_it(tmp_path: Path, claim: str, evidence: str, speech: Speech) -> None:
    own = weigh(claim, (evidence,)).verdict
    found = await answered_json(rebuttal_brief(claim, (evidence,), position(1, own), speech), tmp_path)
    assert (found["verdict"], found["decision_change"]) == (own, "MAINTAIN")


@pytest.mark.parametrize(
    ("claim", "other", "issue"),
    [
        ("The Eiffel Tower is 330 metres tall.", position(2, Label.SUPPORTED, "330 metres"), None),
        ("The Eiffel Tower is 330 metres tall.", position(2, Label.REFUTED), "no_supporting_quote"),
        (
            "The Eiffel Tower is 330 metres tall.",
            position(2, Label.REFUTED, "stands 340 metres"),
            "no_supporting_quote",
        ),
        ("The Eiffel Tower is 330 metres tall.", position(2, Label.REFUTED, "Its owner"), "irrelevant"),
        ("The Eiffel Tower is 330 metres tall.", position(2, Label.REFUTED, "330 metres high"), "weak_contradiction"),
        ("The Eiffel Tower stands 500 metres high.", position(2, Label.SUPPORTED, "The Eiffel Tower"), "wrong_context"),
        ("The Eiffel Tower is painted brown.", position(2, Label.SUPPORTED, "The Eiffel Tower"), "misses_key_part"),
    ],
)
async def test_what_is_wrong_with_another_agents_quote_is_named(
    tmp_path: Path, claim: str, other: Speech, issue: str | None
) -> None:
    brief = rebuttal_brief(claim, (TOWER,), position(1, weigh(claim, (TOWER,)).verdict), other)
    answers = (await answered_json(brief, tmp_path))["rebuttals"]
    assert [each["issue"] for each in answers] == ([issue] if issue else [])
