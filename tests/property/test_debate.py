"""Whatever the participants do, a debate ends within its bound, in a state that its records allow."""

import json

from hypothesis import given
from hypothesis import strategies as st

from sparring.formats.debate import Debate
from sparring.prompts import PromptLibrary
from sparring.schema.consultation import FailureCode, Reply
from sparring.schema.debate import DebateOutcome, DebateRequest, DebateStatus
from sparring.schema.participants import Participant
from sparring.schema.transcript import Ask, Transcript
from support.playing import SUMMARY, VERDICT, Played, answer, failure, play

PROMPTS = PromptLibrary()
REPLIES = st.one_of(
    st.sampled_from([SUMMARY, json.dumps(VERDICT), json.dumps({**VERDICT, "winner": "both"}), "{", "plain words"]),
    st.text(alphabet=st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40),
    st.sampled_from(FailureCode),
)


def debate(rounds: int) -> Debate:
    seats = {seat: Participant(tool=seat) for seat in ("proposer", "challenger", "judge")}
    return Debate(DebateRequest(topic="Tabs?", rounds=rounds, **seats), PROMPTS)  # pyright: ignore[reportArgumentType] -- the names are its fields


@st.composite
def played(draw: st.DrawFn) -> tuple[int, Played]:
    """A debate in which anybody may say anything, or fail, at any point."""
    rounds = draw(st.integers(1, 5))

    def reply(ask: Ask) -> Reply:
        said = draw(REPLIES)
        return failure(ask, said) if isinstance(said, FailureCode) else answer(ask, said)

    return rounds, play(debate(rounds), reply, most_steps=2 * rounds + 3)  # speeches, two tries of the judge, the end


@given(played())
def test_it_ends_within_its_bound_and_its_outcome_fits_what_was_said(found: tuple[int, Played]) -> None:
    rounds, whole = found
    outcome = whole.outcome
    assert isinstance(outcome, DebateOutcome)
    speeches = {turn.ask_id for turn in whole.transcript.turns if turn.answer and turn.ask_id.startswith("r")}
    complete = 0
    while {f"r{complete + 1}.proposer", f"r{complete + 1}.challenger"} <= speeches:
        complete += 1
    assert outcome.rounds_completed == complete
    assert (outcome.verdict is not None) == (outcome.status in {DebateStatus.COMPLETED, DebateStatus.INCOMPLETE})
    assert (outcome.incomplete_round is None) == (complete == rounds or outcome.status is DebateStatus.FAILED)
    assert (outcome.status is DebateStatus.FAILED) == ("r1.proposer" not in speeches)
    assert outcome.status is not DebateStatus.COMPLETED or complete == rounds


@given(played(), st.data())
def test_from_any_prefix_the_same_remainder_follows(found: tuple[int, Played], data: st.DataObject) -> None:
    rounds, whole = found
    steps = data.draw(st.integers(0, len(whole.steps)))
    length = sum(len(step) for step in whole.steps[:steps])
    prefix = Transcript(turns=whole.transcript.turns[:length])
    expected = whole.steps[steps] if steps < len(whole.steps) else whole.outcome
    assert debate(rounds).next(prefix) == expected


@given(played())
def test_no_prompt_keeps_a_placeholder_of_its_template(found: tuple[int, Played]) -> None:
    _, whole = found
    for ask in whole.asks.values():
        template = PROMPTS.template(ask.question.brief.step)
        assert not any(f"{{{variable}}}" in ask.question.prompt for variable in template.variables - {"topic"})
