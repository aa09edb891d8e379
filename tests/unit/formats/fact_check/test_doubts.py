"""What is said first: what a label rests on, where that is little."""

from collections.abc import Mapping

import pytest

from sparring.schema.base import Participant
from sparring.schema.fact_check import DoubtKind, FactCheckRequest
from support.fact_checking import REFUTED, Said, analysis, check, covered, evidence, readings, request

CLAIM, SENTENCE = "The ship sank in a storm.", "The vessel went down in heavy weather."
HELD = analysis("SUPPORTED", covered("The ship sank", SENTENCE), covered("in a storm", SENTENCE))
SAYS = readings(("SAYS", "went down"))
MODELS = (Participant(tool="claude", model="opus"), Participant(tool="claude", model="haiku"))


def two(*agents: str, **changes: object) -> FactCheckRequest:
    return request(*agents, claim=CLAIM, evidence=evidence(SENTENCE), max_rounds=1, **changes)


def read_by(*numbers: int) -> dict[str, Said]:
    """Both agents have said the same, and these have read it once more."""
    read: dict[str, Said] = {f"r1.reading{number}": SAYS for number in numbers}
    return {"r1.a1": HELD, "r1.a2": HELD, **read}


@pytest.mark.parametrize(
    ("said", "wanted", "doubts"),
    [
        ({}, request("claude", "codex", "gemini"), [DoubtKind.PARTS_NOT_JOINED]),
        ({}, request("claude", "claude", "claude"), [DoubtKind.ONE_FAMILY, DoubtKind.PARTS_NOT_JOINED]),
        ({}, request("claude", "codex", families=("a", "a")), [DoubtKind.ONE_FAMILY, DoubtKind.PARTS_NOT_JOINED]),
        (dict.fromkeys(("r1.a1", "r1.a2"), REFUTED), request("claude", "codex"), []),
        ({"r1.a1": REFUTED}, request("claude", "codex", escalation="never"), []),
        (read_by(1, 2), two("claude", "codex"), [DoubtKind.ONE_QUOTE]),
        (read_by(1, 2), two("claude", "claude"), [DoubtKind.ONE_QUOTE, DoubtKind.ONE_READER, DoubtKind.ONE_FAMILY]),
        (read_by(1, 2), two(agents=MODELS, families=("a", "a")), [DoubtKind.ONE_QUOTE, DoubtKind.ONE_FAMILY]),
    ],
)
def test_it_is_said_when_a_label_rests_on_little(
    said: Mapping[str, Said], wanted: FactCheckRequest, doubts: list[DoubtKind]
) -> None:
    outcome = check(said, wanted)[1]
    assert [doubt.kind for doubt in outcome.doubts] == doubts


def test_where_words_are_not_told_apart_completeness_is_not_compared() -> None:
    claim = "埃菲尔铁塔高330米。"
    source = "埃菲尔铁塔在巴黎，高330米。"
    said = analysis("SUPPORTED", covered("埃菲尔铁塔", source), covered("高330米", source))
    wanted = request("claude", "codex", claim=claim, evidence=evidence(source), max_rounds=1)
    read = readings(("SAYS", "高330米"))
    outcome = check({"r1.a1": said, "r1.a2": said, "r1.reading1": read, "r1.reading2": read}, wanted)[1]
    assert outcome.doubts[-1].kind is DoubtKind.PARTS_NOT_COMPARED


def test_what_code_finds_by_itself_rests_on_nobody() -> None:
    source = "It opened in 1889."
    said = analysis("SUPPORTED", covered("It opened", source), covered("in 1889", source))
    wanted = request("claude", "claude", claim=source, evidence=evidence(source), max_rounds=1)
    outcome = check({"r1.a1": said, "r1.a2": said}, wanted)[1]
    assert (outcome.label, outcome.doubts) == ("SUPPORTED", ())


def test_parts_that_different_sentences_carry_are_joined_by_nobody() -> None:
    claim, source = "The otter won the 2019 prize.", "The otter lost. The heron won the 2019 prize."
    won = covered("won the 2019 prize", "The heron won the 2019 prize")
    said = analysis("SUPPORTED", covered("The otter", "The otter lost"), won)
    wanted = request("claude", "codex", claim=claim, evidence=evidence(source), max_rounds=1)
    outcome = check({"r1.a1": said, "r1.a2": said}, wanted)[1]
    assert [doubt.kind for doubt in outcome.doubts] == [DoubtKind.PARTS_NOT_JOINED]
