"""Whatever anybody answers, a jury ends within its bound, with a label that the judge gave or with none."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from sparring.formats.jury.flow import Jury
from sparring.schema.consultation import FailureCode, Reply
from sparring.schema.jury import Faithfulness, JuryOutcome, JuryStatus, TextName
from sparring.schema.transcript import Ask, TurnKind
from support.estimating import check_most
from support.examples import costly
from support.jury_playing import ADVOCATE, CLAIM, SKEPTIC, TRUTH, checklist, jury_request, outcome, verdict
from support.playing import PROMPTS, answer, failure, play

MOST_STEPS = 8
"""First words twice, two rebuttals, the judge twice, one objection, and the end."""

SPELLED = {
    "FAITHFUL": Faithfulness.FAITHFUL,
    "Partially faithful": Faithfulness.PARTIALLY_FAITHFUL,
    "mutated": Faithfulness.MUTATED,
}
WORDS = st.sampled_from([*TRUTH.split(), *CLAIM.split(), "“", "”", '"', "…", "\n- ", "million", "\u0301"])
SAID = st.lists(WORDS, min_size=1, max_size=30).map(" ".join) | st.text(min_size=1, max_size=60)
WRITTEN = SAID | st.just("half a character: \ud83d")
VERDICTS = st.fixed_dictionaries(
    {
        "verdict": st.sampled_from([*SPELLED, "NEI", "", None]),
        "confidence": st.floats(0, 1) | st.sampled_from([85, "85%", True, float("nan")]),
        "critical_differences": st.lists(WRITTEN, max_size=3),
    }
).map(lambda changes: verdict(**changes))
CHECKLISTS = st.fixed_dictionaries(
    {
        "status": st.sampled_from(["match", "mismatch", "absent", "open"]),
        "severity": st.sampled_from(["minor", "critical", None]),
        "truth": st.lists(WRITTEN, max_size=2),
        "claim": st.lists(WRITTEN, max_size=2),
    }
).map(lambda numbers: checklist(numbers=numbers))
Said = str | FailureCode
REPLIES: st.SearchStrategy[Said] = st.one_of(
    VERDICTS, CHECKLISTS, st.sampled_from([ADVOCATE, SKEPTIC, "{", "- one"]), SAID, st.sampled_from(FailureCode)
)
SCRIPTS = st.lists(st.tuples(REPLIES, VERDICTS | REPLIES), min_size=1, max_size=8)
"""What is answered, in asking order, by anybody and by the judge; at its end it begins again."""


@costly
@given(st.integers(0, 2), SCRIPTS, st.data())
def test_it_ends_within_its_bound_and_status_label_and_places_fit_the_answers(
    rebuttals: int, script: list[tuple[Said, Said]], data: st.DataObject
) -> None:
    answers, rules = itertools.cycle(script), Jury(jury_request(rebuttals=rebuttals), PROMPTS)

    def reply(ask: Ask) -> Reply:
        said = next(answers)[ask.kind is TurnKind.VERDICT]
        return failure(ask, said) if isinstance(said, FailureCode) else answer(ask, said)

    whole = play(rules, reply, most_steps=MOST_STEPS)
    check_most(jury_request(rebuttals=rebuttals), whole)
    end = outcome(whole)
    step = data.draw(st.integers(0, len(whole.steps)))
    assert Jury(jury_request(rebuttals=rebuttals), PROMPTS).next(whole.before(step)) == whole.then(step)
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
