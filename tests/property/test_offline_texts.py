"""Whatever the claim and the texts: the answers made by rule can be read, and their quotes stand in the texts."""

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sparring.checks.quotes import Evidence
from sparring.consult.offline.texts import compose_on_texts
from sparring.formats.fact_check.reading import read_analysis, read_rebuttal
from sparring.formats.jury.case import Case
from sparring.formats.jury.checklist import read_checklist
from sparring.formats.jury.statements import read_bullets
from sparring.prompts import PromptLibrary
from sparring.schema.claims import Label
from sparring.schema.fact_check import PartStatus, verdict_by_rule
from sparring.schema.jury import JudgeVerdict
from sparring.schema.quotes import QuoteVerdict
from sparring.text.extraction import json_object
from support.texts import analysis_brief, jury_brief, position, rebuttal_brief

WORDS = [
    *(
        "The tower",
        "Anna",
        "of Oslo",
        "is",
        "was",
        "not",
        "never",
        "30 metres",
        "1,200",
        "5 %",
        "March 3, 2020",
        "in 1961",
    ),
    *(
        "more than",
        "tall",
        "opened",
        "because",
        "and",
        ",",
        ".",
        "“so”",
        '"so"',
        "``",
        "'s",
        "```json",
        '{"a": 1}',
        "\n",
    ),
    *("Tháp", "cao", "năm 1889", "không", "e\u0301cole", "東京", "\ufffd", "(", ")", "-", "e.g."),
]
TEXTS = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=25).map(" ".join), st.text(min_size=1, max_size=80)
)
SOURCES = st.lists(TEXTS, min_size=1, max_size=3).map(tuple)
PROMPTS = PromptLibrary()


@settings(deadline=None)
@given(TEXTS, SOURCES)
def test_an_analysis_can_be_read_and_rests_on_quotes_that_are_there(claim: str, evidence: tuple[str, ...]) -> None:
    assume(claim.strip())
    said = read_analysis(compose_on_texts(analysis_brief(claim, *evidence), PROMPTS, "offline"))
    sources = Evidence(evidence)
    for part in said.parts:
        assert part.part in claim
        if part.status is not PartStatus.MISSING and part.quote and any(map(str.isalnum, part.quote)):
            assert sources.find(part.quote).verdict is QuoteVerdict.VERBATIM
    assert said.verdict is verdict_by_rule([part.status for part in said.parts])


@settings(deadline=None)
@given(TEXTS, SOURCES, st.sampled_from(list(Label)), TEXTS)
def test_a_rebuttal_can_be_read_and_names_only_the_others(
    claim: str, evidence: tuple[str, ...], verdict: Label, quote: str
) -> None:
    speeches = (position(1, Label.NEI), position(2, verdict, quote, evidence[0]), position(3, Label.SUPPORTED))
    said = read_rebuttal(compose_on_texts(rebuttal_brief(claim, evidence, *speeches), PROMPTS, "offline"))
    assert {each.agent for each in said.rebuttals} <= {"Agent 2", "Agent 3"}
    assert said.verdict in {Label.NEI, Label.REFUTED}


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_a_jury_can_be_read_and_quotes_the_texts(claim: str, truth: str) -> None:
    assume(any(map(str.isalnum, truth)))
    case = Case(truth, claim)
    for step in ("advocate-opening", "skeptic-opening", "advocate-rebuttal", "skeptic-rebuttal"):
        words = compose_on_texts(jury_brief(step, claim, truth), PROMPTS, "offline")
        assert 1 <= len(read_bullets(words)) <= 5
    assert len(read_checklist(compose_on_texts(jury_brief("checklist", claim, truth), PROMPTS, "offline"), case)) == 5
    found = json_object(compose_on_texts(jury_brief("verdict", claim, truth), PROMPTS, "offline"))
    JudgeVerdict.model_validate(found)
