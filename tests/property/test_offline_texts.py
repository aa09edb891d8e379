"""Whatever the claim, the texts, the files and the topic: answers made by rule can be read, and quote what is there."""

import re
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from sparring.checks.citations import CitationStatus, check_citations
from sparring.checks.claims import check_claim
from sparring.providers.offline.passages import cut
from sparring.schema.claims import Label, Status
from sparring.schema.consultation import Brief
from sparring.schema.jury import JudgeVerdict
from sparring.text.extraction import json_object
from support.projects import brief, composed
from support.texts import jury_brief

WORDS_TEXT = """
    The tower|Anna|of Oslo|is|was|not|never|30 metres|1,200|5 %|March 3, 2020|in 1961|more than|tall|opened|because|and
    |,|.|“so”|"so"|``|'s|```json|{"a": 1}|\n|Tháp|cao|năm 1889|không|e\u0301cole|東京|\ufffd|(|)|-|e.g.|cache|disk|must
    |write|`code`|``x``|fails.|#|secret|đĩa
"""
WORDS = [word.strip(" ") for word in WORDS_TEXT.replace("\n    ", " ").strip().split("|")]
TEXTS = st.one_of(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=25).map(" ".join), st.text(min_size=1, max_size=80)
)
SOURCES = st.lists(TEXTS, min_size=1, max_size=3).map(tuple)
LINES = st.lists(st.lists(st.sampled_from(WORDS), max_size=10).map(" ".join), max_size=12).map("\n".join)
FILES = st.dictionaries(st.sampled_from(["a.md", "src/b.py", "tests/test_c.py", "my docs/d e.md"]), LINES, max_size=4)
TOPICS = st.lists(st.sampled_from([*WORDS, "or", "Should"]), min_size=1, max_size=8).map(" ".join)


def found(asked: Brief) -> dict[str, Any]:
    """The JSON object in what the consultant says."""
    return json_object(composed(asked)) or {}


@given(TEXTS, TEXTS)
def test_a_jury_says_what_code_finds_or_nothing(claim: str, truth: str) -> None:
    assume(any(map(str.isalnum, truth)))
    check = check_claim(claim, [truth])
    matches = sum(finding.status is Status.MATCH for finding in check.findings)
    for role, count in (("advocate", matches), ("skeptic", len(check.findings) - matches)):
        words = composed(jury_brief(f"{role}-opening", claim, truth))
        assert len(re.findall("^- ", words, re.MULTILINE)) == min(count, 5)
        assert words == composed(jury_brief(f"{role}-rebuttal", claim, truth))
    assert len(found(jury_brief("checklist", claim, truth))["checklist"]) == 5
    decided = composed(jury_brief("verdict", claim, truth))
    assert bool(decided) == (check.label is not Label.NEI)
    if decided:
        JudgeVerdict.model_validate(json_object(decided))


@given(FILES, TOPICS)
def test_every_passage_stands_where_it_is_cited(files: dict[str, str], topic: str) -> None:
    assume(topic.strip())
    text = composed(brief("consult/question", topic), files)
    for found in check_citations(text, files.get):
        assert found.status is CitationStatus.VERIFIED, (found, text)


@given(LINES)
def test_passages_are_the_lines_of_the_file_in_order(text: str) -> None:
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    covered: list[int] = []
    for passage in cut("a.md", text):
        numbers = range(passage.first_line, passage.last_line + 1)
        assert [lines[number - 1] for number in numbers] == passage.text.split("\n")
        covered.extend(numbers)
    assert covered == sorted(set(covered))
    assert {number for number, line in enumerate(lines, start=1) if line.strip()} <= set(covered)
