"""Quotes that code leaves open: who reads them once more, what counts of that, and what it costs."""

import pytest

from sparring.formats.fact_check.readers import OpenQuote, assigned
from sparring.schema.claims import Label, Relation
from sparring.schema.fact_check import FactCheckOutcome, FactCheckRequest, Fault, PartStatus, SecondReading
from support.fact_checking import (
    Json,
    Said,
    analysis,
    check,
    conflict,
    covered,
    evidence,
    missing,
    position,
    readings,
    request,
)
from support.playing import failure, steps

CLAIM = "The ship sank in a storm."
SENTENCE = "The vessel went down in heavy weather."
DENIED = "The vessel reached the port in heavy weather."
HARBOUR = "It lay in the harbour."


def about(source: str = f"{SENTENCE} {HARBOUR}", *agents: str, **changes: object) -> FactCheckRequest:
    return request(*agents, claim=CLAIM, evidence=evidence(source), max_rounds=1, **changes)


def holding(quote: str = SENTENCE, *, status: str = "COVERED") -> Json:
    part = {"COVERED": covered, "CONFLICT": conflict}[status]
    label = {"COVERED": "SUPPORTED", "CONFLICT": "REFUTED"}[status]
    return analysis(label, part("The ship sank", quote), part("in a storm", quote))


NOTHING = analysis("NEI", missing("The ship sank"), missing("in a storm"))
SAYS = readings(("SAYS", "went down"), ("SAYS", "in heavy weather"))
TWO = {"r1.a1": holding(), "r1.a2": NOTHING, "r1.a3": NOTHING}


def first(said: dict[str, Said], wanted: FactCheckRequest | None = None) -> tuple[FactCheckOutcome, list[list[str]]]:
    played, outcome = check({**TWO, **said}, wanted or about())
    return outcome, steps(played)


def test_two_readers_who_agree_carry_a_part() -> None:
    outcome, asked = first({"r1.reading2": readings(("SAYS", "went down")), "r1.reading3": readings("NEITHER")})
    assert asked == [["r1.a1", "r1.a2", "r1.a3"], ["r1.reading2", "r1.reading3"]]
    sank, storm = position(outcome, 1).parts
    read = SecondReading(by="Agent 2", beside=("Agent 1",), says=Relation.CARRIES, words="went down")
    assert (sank.status, sank.relation, sank.reading) == (PartStatus.COVERED, Relation.OPEN, read)
    assert storm.status is PartStatus.MISSING
    assert position(outcome, 1).verdict is Label.NEI
    assert [each.fault for each in position(outcome, 1).faults] == [Fault.OPEN_QUOTE]


@pytest.mark.parametrize(
    ("status", "says", "verdict"),
    [
        ("COVERED", "SAYS", Label.SUPPORTED),
        ("COVERED", "CONTRADICTS", Label.NEI),
        ("COVERED", "NEITHER", Label.NEI),
        ("CONFLICT", "CONTRADICTS", Label.REFUTED),
        ("CONFLICT", "SAYS", Label.NEI),
    ],
)
def test_a_vote_needs_both_to_say_the_same(status: str, says: str, verdict: Label) -> None:
    read = readings(*[(says, "heavy weather")] * 2)
    said: dict[str, Said] = {"r1.a1": holding(status=status), "r1.reading2": read}
    outcome, _ = first({**said, "r1.a2": NOTHING}, about(f"{SENTENCE}", "claude", "codex"))
    assert position(outcome, 1).verdict is verdict


def test_what_a_reader_names_must_stand_in_the_quote() -> None:
    invented = readings(("SAYS", "it sank"), ("SAYS", None))  # pyright: ignore[reportArgumentType] -- a reader may say nothing
    outcome, _ = first({"r1.reading2": invented}, about(SENTENCE, "claude", "codex"))
    told = [part.reading.problem for part in position(outcome, 1).parts if part.reading]
    assert told == ["the words that it names are not in the quote"] * 2
    assert position(outcome, 1).verdict is Label.NEI


@pytest.mark.parametrize("said", [failure, "I would say so."])
def test_a_reader_that_fails_leaves_the_parts_missing_and_the_cause_is_told(said: Said) -> None:
    outcome, _ = first({"r1.reading2": said}, about(SENTENCE, "claude", "codex"))
    assert position(outcome, 1).verdict is Label.NEI
    assert outcome.agents[1].debated is Label.NEI  # its own vote is not touched
    assert outcome.notices[0].startswith("[WARN] Agent 2 (codex) could not read 2 quotes in round 1, which nobody else")


def test_an_entry_that_is_missing_is_asked_for_once_more() -> None:
    bare = readings(("SAYS", "went down"))
    outcome, asked = first({"r1.reading2": bare}, about(SENTENCE, "claude", "codex"))
    assert asked[1:] == [["r1.reading2"], ["r1.reading2.2"]]
    assert [part.status for part in position(outcome, 1).parts] == [PartStatus.COVERED, PartStatus.MISSING]


def test_a_reader_is_of_another_family_and_the_same_is_read_once() -> None:
    wanted = about(SENTENCE, "claude", "claude", "codex", "gemini", families=("a", "a", "o", "g"))
    said: dict[str, Said] = {"r1.a1": holding(), "r1.a2": holding(), "r1.a3": NOTHING, "r1.a4": NOTHING}
    played, outcome = check(said, wanted)
    assert steps(played)[1] == ["r1.reading3", "r1.reading4"]
    reading = position(outcome, 2).parts[0].reading
    assert reading is not None
    assert (reading.by, reading.beside) == ("Agent 3", ("Agent 1", "Agent 2"))


def test_where_all_have_given_the_same_one_of_them_reads_it_in_a_fresh_session() -> None:
    said: dict[str, Said] = {"r1.a1": holding(), "r1.a2": holding()}
    played, _ = check(said, about(SENTENCE, "claude", "codex"))
    assert steps(played)[1] == ["r1.reading1", "r1.reading2"]
    assert not any(ask.question.session_id for ask in played.asks.values())


def test_a_reader_sees_parts_and_quotes_and_nothing_else() -> None:
    played, _ = check({**TWO}, about())
    shown = played.asks["r1.reading2"].question.prompt
    assert "The ship sank" in shown
    assert SENTENCE in shown
    assert HARBOUR not in shown
    assert "Agent 1" not in shown


def test_a_part_in_other_words_than_the_claims_is_put_to_nobody() -> None:
    said = analysis("SUPPORTED", covered("The ship sank: OBEY", SENTENCE), covered("in a storm", SENTENCE))
    played, outcome = check({**TWO, "r1.a1": said}, about(SENTENCE, "claude", "codex"))
    assert "OBEY" not in played.asks["r1.reading2"].question.prompt
    assert "The part has words that the claim has not: OBEY." in position(outcome, 1).faults[1].why


@pytest.mark.parametrize(
    ("claim", "source", "status", "fault"),
    [
        ("The bridge was painted green by convicts.", "The bridge is old.", "COVERED", Fault.OPEN_QUOTE),
        ("It closed in 2019.", "It closed in 2019.", "CONFLICT", Fault.AGREEING_QUOTE),
        ("It closed in 2019.", "It closed in 2020.", "COVERED", Fault.CONTRADICTED_PART),
        ("Windows is fully supported.", "SUPPORTED", "COVERED", Fault.OPEN_QUOTE),
    ],
)
def test_a_quote_that_does_not_make_its_status_is_named(claim: str, source: str, status: str, fault: Fault) -> None:
    said = analysis("SUPPORTED", {"part": claim, "status": status, "quote": source})
    wanted = request("claude", "codex", claim=claim, evidence=evidence(source), max_rounds=1)
    outcome = check({"r1.a1": said, "r1.a2": said}, wanted)[1]
    assert outcome.label is Label.NEI
    assert position(outcome, 1).faults[1].fault is fault


def test_what_speaks_against_the_whole_claim_supports_none_of_it() -> None:
    claim, source = "The tower opened in 1887.", "The tower opened in 1889. A plate says 1887."
    said = analysis("SUPPORTED", covered("The tower opened", "The tower opened in 1889"), covered("in 1887", "1887"))
    wanted = request("claude", "codex", claim=claim, evidence=evidence(source), max_rounds=1)
    read = readings(("SAYS", "1887"))
    outcome = check({"r1.a1": said, "r1.a2": said, "r1.reading1": read}, wanted)[1]
    assert outcome.label is Label.NEI
    assert position(outcome, 1).faults[0].fault is Fault.CONTRADICTED_PART


def test_pieces_of_several_sentences_are_joined_by_nobody_but_a_reader() -> None:
    claim, source = "Anna Berg won the prize.", "Anna Berg lost. Then Bob won the prize."
    said = analysis("SUPPORTED", covered("Anna Berg", "Anna Berg lost"), covered(claim, "Anna Berg ... won the prize"))
    wanted = request("claude", "codex", claim=claim, evidence=evidence(source), max_rounds=1)
    outcome = check({"r1.a1": said}, wanted)[1]
    assert position(outcome, 1).parts[1].relation is Relation.OPEN
    assert position(outcome, 1).verdict is Label.NEI


def test_a_piece_of_a_sentence_that_says_the_whole_claim_speaks_not_against_it() -> None:
    claim, source = "The bridge opened in 1932.", "The bridge, begun in 1923, opened to traffic in 1932."
    begun, opened = "The bridge, begun in 1923", "opened to traffic in 1932"
    said = analysis("SUPPORTED", covered("The bridge", begun), covered("opened in 1932", opened))
    wanted = request("claude", "codex", claim=claim, evidence=evidence(source), max_rounds=1)
    assert check({"r1.a1": said, "r1.a2": said}, wanted)[1].label is Label.SUPPORTED


def test_nobody_reads_again_what_it_has_given_while_somebody_else_can() -> None:
    sank, storm = (OpenQuote(part, SENTENCE) for part in ("The ship sank", "in a storm"))
    names = ("Agent 1", "Agent 2", "Agent 3")
    families = request("claude", "codex", "codex")
    assert assigned({sank: ["Agent 1"], storm: ["Agent 1"]}, names, families) == {"Agent 2": [sank], "Agent 3": [storm]}
    assert assigned({sank: ["Agent 2", "Agent 3"]}, names, families) == {"Agent 1": [sank]}
    assert assigned({sank: ["Agent 2"]}, names[1:], families) == {"Agent 3": [sank]}
    assert assigned({sank: list(names)}, names, families) == {"Agent 1": [sank]}
