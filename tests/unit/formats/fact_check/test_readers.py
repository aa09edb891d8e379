"""Quotes that code leaves open: who reads them once more, what counts of that, and what it costs."""

from sparring.formats.fact_check.grounds import OpenQuote
from sparring.formats.fact_check.readers import assigned
from sparring.schema.fact_check import FactCheckRequest
from support.fact_checking import Json, Said, analysis, check, conflict, covered, evidence, missing, position, request
from support.playing import steps

CLAIM = "The ship sank in a storm."
SENTENCE = "The vessel went down in heavy weather."
HARBOUR = "It lay in the harbour."


def about(source: str = f"{SENTENCE} {HARBOUR}", *agents: str, **changes: object) -> FactCheckRequest:
    return request(*agents, claim=CLAIM, evidence=evidence(source), max_rounds=1, **changes)


def holding(quote: str = SENTENCE, *, status: str = "COVERED") -> Json:
    part = {"COVERED": covered, "CONFLICT": conflict}[status]
    label = {"COVERED": "SUPPORTED", "CONFLICT": "REFUTED"}[status]
    return analysis(label, part("The ship sank", quote), part("in a storm", quote))


NOTHING = analysis("NEI", missing("The ship sank"), missing("in a storm"))
TWO = {"r1.a1": holding(), "r1.a2": NOTHING, "r1.a3": NOTHING}


def test_a_reader_is_of_another_family_and_the_same_is_read_once() -> None:
    wanted = about(SENTENCE, "claude", "claude", "codex", "gemini", families=("a", "a", "o", "g"))
    said: dict[str, Said] = {"r1.a1": holding(), "r1.a2": holding(), "r1.a3": NOTHING, "r1.a4": NOTHING}
    played, outcome = check(said, wanted)
    assert steps(played)[1] == ["r1.reading3", "r1.reading4"]
    reading = position(outcome, 2).parts[0].reading
    assert reading is not None
    assert (reading.by, reading.beside) == ("Agent 3", ("Agent 1", "Agent 2"))


def test_a_reader_sees_parts_and_quotes_and_nothing_else() -> None:
    played, _ = check({**TWO}, about())
    shown = played.asks["r1.reading2"].question.prompt
    assert "The ship sank" in shown
    assert SENTENCE in shown
    assert HARBOUR not in shown
    assert "Agent 1" not in shown


def test_nobody_reads_again_what_it_has_given_while_somebody_else_can() -> None:
    sank, storm = (OpenQuote(part, SENTENCE) for part in ("The ship sank", "in a storm"))
    names = ("Agent 1", "Agent 2", "Agent 3")
    families = request("claude", "codex", "codex")
    assert assigned({sank: ["Agent 1"], storm: ["Agent 1"]}, names, families) == {"Agent 2": [sank], "Agent 3": [storm]}
    assert assigned({sank: ["Agent 2", "Agent 3"]}, names, families) == {"Agent 1": [sank]}
    assert assigned({sank: ["Agent 2"]}, names[1:], families) == {"Agent 3": [sank]}
    assert assigned({sank: list(names)}, names, families) == {"Agent 1": [sank]}
