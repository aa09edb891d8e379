"""Whatever anybody answers, a jury ends within its bound, with a label that the judge gave or with none."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from sparring.formats.jury.rules import Jury
from sparring.prompts import PromptLibrary
from sparring.schema.consultation import FailureCode, Reply
from sparring.schema.jury import Faithfulness, JuryOutcome, JuryStatus, TextName
from sparring.schema.transcript import Ask, TurnKind
from support.examples import costly
from support.jury_playing import ADVOCATE, CLAIM, SKEPTIC, TRUTH, checklist, jury_request, outcome, verdict
from support.playing import Played, answer, failure, play

PROMPTS = PromptLibrary()
MOST_STEPS = 8
"""First words twice, two rebuttals, the judge twice, one objection, and the end."""

SPELLED = {
    "FAITHFUL": Faithfulness.FAITHFUL,
    "Partially faithful": Faithfulness.PARTIALLY_FAITHFUL,
    "mutated": Faithfulness.MUTATED,
}
REBUTTALS = st.integers(0, 2)
LABELS = st.sampled_from([*SPELLED, "NEI", "", None])
WORDS = st.sampled_from([*TRUTH.split(), *CLAIM.split(), "“", "”", '"', "…", "\n- ", "million", "\u0301"])
SAID = st.lists(WORDS, min_size=1, max_size=30).map(" ".join) | st.text(min_size=1, max_size=60)
WRITTEN = SAID | st.just("half a character: \ud83d")


def spoken_verdict(label: str | None, confidence: float | str, differences: list[str]) -> str:
    return verdict(verdict=label, confidence=confidence, critical_differences=differences)


def spoken_checklist(status: str, severity: str | None, truth: list[str], claim: list[str]) -> str:
    return checklist(numbers={"status": status, "severity": severity, "truth": truth, "claim": claim})


VERDICTS = st.builds(
    spoken_verdict,
    LABELS,
    st.floats(0, 1) | st.sampled_from([85, "85%", True, float("nan")]),
    st.lists(WRITTEN, max_size=3),
)
CHECKLISTS = st.builds(
    spoken_checklist,
    st.sampled_from(["match", "mismatch", "absent", "open"]),
    st.sampled_from(["minor", "critical", None]),
    st.lists(WRITTEN, max_size=2),
    st.lists(WRITTEN, max_size=2),
)
Said = str | FailureCode
Script = list[tuple[Said, Said]]
REPLIES: st.SearchStrategy[Said] = st.one_of(
    VERDICTS, CHECKLISTS, st.sampled_from([ADVOCATE, SKEPTIC, "{", "- one"]), SAID, st.sampled_from(FailureCode)
)


def jury(rebuttals: int) -> Jury:
    return Jury(jury_request(rebuttals=rebuttals), PROMPTS)


SCRIPTS = st.lists(st.tuples(REPLIES, VERDICTS | REPLIES), min_size=1, max_size=8)
"""What is answered, in asking order, by anybody and by the judge; at its end it begins again."""


def played(rebuttals: int, script: Script) -> Played:
    """A jury in which anybody may say anything, or fail, at any point."""
    answers = itertools.cycle(script)

    def reply(ask: Ask) -> Reply:
        said = next(answers)[ask.kind is TurnKind.VERDICT]
        return failure(ask, said) if isinstance(said, FailureCode) else answer(ask, said)

    return play(jury(rebuttals), reply, most_steps=MOST_STEPS)


@costly
@given(REBUTTALS, SCRIPTS, st.data())
def test_it_ends_within_its_bound_and_status_label_and_places_fit_what_was_said(
    rebuttals: int, script: Script, data: st.DataObject
) -> None:
    whole = played(rebuttals, script)
    end = outcome(whole)
    step = data.draw(st.integers(0, len(whole.steps)))
    assert jury(rebuttals).next(whole.before(step)) == whole.then(step)
    assert len(whole.asks) == len(whole.transcript.turns) <= 6 + 2 * rebuttals + 3
    assert (end.verdict is not None) == (end.status in {JuryStatus.COMPLETED, JuryStatus.INCOMPLETE})
    assert (end.status is JuryStatus.FAILED) == (not end.verdict and not end.statements and not end.checklist)
    assert end.status is not JuryStatus.COMPLETED or (end.checklist and end.rebuttals_completed == rebuttals)
    assert end.rebuttals_completed <= rebuttals
    assert JuryOutcome.model_validate_json(end.model_dump_json()) == end
    turns = [turn for turn in whole.transcript.turns if turn.kind is TurnKind.VERDICT]
    said = "".join(turn.answer.response for turn in turns if turn.answer)
    labels = {label for spelled, label in SPELLED.items() if f'"verdict": "{spelled}"' in said}
    assert end.verdict is None or end.verdict.verdict in labels
    every_span_stands_where_it_says_and_every_type_has_an_anchor(end)


def every_span_stands_where_it_says_and_every_type_has_an_anchor(end: JuryOutcome) -> None:
    texts = {TextName.TRUTH: TRUTH, TextName.CLAIM: CLAIM}
    said = [phrase for statement in end.statements for phrase in statement.phrases]
    listed = [phrase for entry in end.checklist for phrase in (*entry.truth, *entry.claim)]
    anchors = [anchor for difference in end.differences for anchor in difference.anchors]
    assert all(anchor.span for anchor in anchors)
    for phrase in (*said, *listed, *anchors):
        if phrase.span:
            assert texts[phrase.source][phrase.span.start : phrase.span.end] == phrase.span.text
    assert all(difference.anchors for difference in end.differences if difference.types)
    assert set(end.mutations) == {type_ for difference in end.differences for type_ in difference.types}
