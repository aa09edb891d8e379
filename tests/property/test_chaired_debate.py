"""Whatever anybody answers, a chaired debate ends within its bound, and what was taken out of it stays out."""

import itertools
import json
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from sparring.formats.chaired_debate.flow import ChairedDebate, log_of
from sparring.schema.base import Participant
from sparring.schema.chaired_debate import (
    DEBATERS,
    REDACTED,
    STRUCK,
    ChairedDebateOutcome,
    ChairedDebateRequest,
    ChairedDebateStatus,
    DecidedBy,
    EntryType,
)
from sparring.schema.consultation import FailureCode, Reply
from sparring.schema.lookups import SourceFinding, SourceFindings, SourceStatus
from sparring.schema.transcript import Ask, Transcript, TurnKind
from support.chaired_playing import action, chaired_request, review
from support.estimating import check_most
from support.examples import costly
from support.playing import PROMPTS, Played, answer, failure, play

MOST_ROUNDS = 2
MOST_ASKS = 2 + 2 * 3 + 2 + MOST_ROUNDS * (2 * 6 + 1 + 2) + 2 * 3 + 2 + 2 + 1
"""Ready; openings; rounds of two turns, audience and review; closings; conclusion; report. Each review twice."""

ACTIONS = (
    *("new_point", "new_point", "new_point", "rebuttal", "rebuttal", "rebuttal"),
    *("conjecture", "clarification_request", "clarification_request", "closing_statement"),
)
TYPES = {
    "opening": (*("opening_statement",) * 4, "ruling"),
    "action": ACTIONS,
    "closing": (*("closing_statement",) * 4, "new_point"),
}


class Move(NamedTuple):
    """What somebody does whose turn it is; each seat takes of it what it needs."""

    says: str | FailureCode | None  # in place of an answer in the form that was asked for
    choice: int
    page: int  # which one is cited; 0: none
    seq: int  # which entry of the other debater is meant, counted round; 0: one that is not there
    challenges: bool
    repeats: int  # whose words are said again: those of that many speeches ago; 0: nobody's
    status: SourceStatus
    agrees: bool


MISBEHAVIOUR: dict[int, st.SearchStrategy[str | FailureCode | None]] = {
    0: st.sampled_from(FailureCode),
    1: st.text(min_size=1, max_size=20),
}
MOVES = st.builds(
    Move,
    says=st.integers(0, 19).flatmap(lambda number: MISBEHAVIOUR.get(number, st.none())),
    choice=st.integers(0, 9),
    page=st.integers(0, 30),
    seq=st.integers(0, 12),
    challenges=st.booleans(),
    repeats=st.sampled_from([0, 0, 0, 1, 2, 3]),
    status=st.sampled_from([*SourceStatus, SourceStatus.FABRICATED, SourceStatus.UNREACHABLE]),
    agrees=st.booleans(),
)
GUESTS = {"audience": Participant(tool="opencode"), "reporter": Participant(tool="copilot")}
NOBODY: dict[str, Participant] = {}


def request(rounds: int, least: int, guests: dict[str, Participant]) -> ChairedDebateRequest:
    return chaired_request(max_rounds=rounds, min_rounds=min(least, rounds), **guests)


REQUESTS = st.builds(
    request, st.integers(1, MOST_ROUNDS), st.integers(0, MOST_ROUNDS), guests=st.sampled_from([GUESTS, NOBODY])
)


class Cast:
    """Everybody who takes part; what a debater says is unmistakable, so that it can be searched for."""

    def __init__(self, script: list[Move]) -> None:
        self._moves = itertools.cycle(script)
        self._words: list[str] = []

    def reply(self, ask: Ask) -> Reply:
        move = next(self._moves)
        step = ask.question.brief.step.partition("/")[2]
        # A debate that never begins shows nothing: roles are confirmed, and openings do not fail.
        if step == "ready":
            return answer(ask, "Ready.")
        if isinstance(move.says, FailureCode) and step != "opening":
            return failure(ask, move.says)
        return answer(ask, move.says if isinstance(move.says, str) else self._said(ask, step, move))

    def _said(self, ask: Ask, step: str, move: Move) -> str:
        brief, last = ask.question.brief, self._last(move)
        match step:
            case "opening" | "action" | "closing":
                return self._action(ask, TYPES[step][move.choice % len(TYPES[step])], move)
            case "sources":
                found = [
                    SourceFinding(url=each.url, quote=each.quote, status=move.status, reason=f"It has {each.quote}")
                    for each in brief.sources
                ]
                return SourceFindings(findings=tuple(found)).model_dump_json()
            case "review":
                challenges = [int(each.name.split()[1]) for each in brief.speeches if each.name.startswith("challenge")]
                ruling = "upheld" if move.agrees else "dismissed"
                return review(*((seq, ruling) for seq in challenges), goes_on=move.agrees, reason=last)
            case "conclusion":
                return json.dumps({"outcome": "draw", "reasoning": last, "decisive": [move.seq + 1]})
            case _:
                return json.dumps({"questions": [last]}) if step == "questions" else last

    def _action(self, ask: Ask, type_: str, move: Move) -> str:
        number = len(self._words)
        repeated = self._words[-move.repeats :][:1] if move.repeats else []
        self._words.append(" ".join(f"word{number}x{place}" for place in range(9)))
        seq = _entry_of_the_other(ask, move)
        content = " ".join([self._words[-1], *repeated])
        page = {"url": f"https://example.org/{move.page}", "title": "A page", "accessed": "2026-02-21"}
        return action(
            type_,
            f"[CONJECTURE] {content}" if type_ == "conjecture" else content,
            sources=[page | {"quote": content}] if move.page and type_ != "clarification_request" else [],
            rebuttal_to_seq=seq if type_ == "rebuttal" else None,
            target_seq=seq if move.challenges else None,
            source_challenge=f"It is not so: {self._last(move)}" if move.challenges else None,
        )

    def _last(self, move: Move) -> str:
        """What somebody said before, word for word."""
        return self._words[-1 - move.repeats % len(self._words)] if self._words else "Nothing."


def _entry_of_the_other(ask: Ask, move: Move) -> int:
    brief = ask.question.brief
    others = [each for each in brief.speeches if each.role in DEBATERS and each.role is not brief.role]
    return int(others[move.seq % len(others)].name.removeprefix("seq ")) if others and move.seq else 99


@costly
@given(REQUESTS, st.lists(MOVES, min_size=1, max_size=12), st.data())
def test_it_ends_within_its_bound_from_any_prefix_and_withheld_text_stays_out(
    chosen: ChairedDebateRequest, script: list[Move], data: st.DataObject
) -> None:
    whole = play(ChairedDebate(chosen, PROMPTS), Cast(script).reply, most_steps=MOST_ASKS + 30)
    check_most(chosen, whole)
    step = data.draw(st.integers(0, len(whole.steps)))
    assert ChairedDebate(chosen, PROMPTS).next(whole.before(step)) == whole.then(step)
    assert isinstance(whole.outcome, ChairedDebateOutcome)
    _fits_its_log(chosen, whole.outcome)
    turns = whole.transcript.turns
    # A debate is held anew for each log, so they are made where a ruling may take out what stood there before.
    rulings = [place for place, turn in enumerate(turns, start=1) if turn.kind is TurnKind.RULING]
    for count in (*rulings, data.draw(st.integers(1, len(turns)))):
        _grows(chosen, whole, count)


def _fits_its_log(chosen: ChairedDebateRequest, end: ChairedDebateOutcome) -> None:
    assert [entry.seq for entry in end.log] == list(range(1, len(end.log) + 1))
    assert end.rounds_completed <= chosen.max_rounds
    assert (end.decision is None) == (end.status in {ChairedDebateStatus.UNJUDGED, ChairedDebateStatus.FAILED})
    assert (end.decided_by is None) == (end.decision is None)
    standing = {entry.seq for entry in end.log if not entry.content.startswith((REDACTED, STRUCK))}
    assert standing.issuperset(end.decisive)
    assert end.decided_by is DecidedBy.RULE or not end.disqualified
    assert ChairedDebateOutcome.model_validate_json(end.model_dump_json()) == end


def _grows(chosen: ChairedDebateRequest, whole: Played, count: int) -> None:
    """With that turn the log grows, and what is taken out is in no later prompt and not in the outcome."""
    shorter, longer = (log_of(chosen, Transcript(turns=whole.transcript.turns[:end])) for end in (count - 1, count))
    kept, added = longer[: len(shorter)], longer[len(shorter) :]
    assert [entry.seq for entry in kept] == [entry.seq for entry in shorter]
    assert kept == shorter or EntryType.REDACTION in {entry.type for entry in added}
    for old, new in zip(shorter, kept, strict=True):
        if new.content.startswith(REDACTED) and not old.content.startswith(REDACTED):
            # Nine words that nobody had said before: the first eight of them are a repetition.
            words = " ".join(old.content.removeprefix("[CONJECTURE] ").split()[:8])
            assert words not in whole.outcome.model_dump_json()
            later = list(whole.asks.values())[count:]
            assert not [ask.id for ask in later if words in ask.question.model_dump_json()]
