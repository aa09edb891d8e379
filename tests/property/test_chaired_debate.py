"""Whatever anybody answers, a chaired debate ends within its bound, and what was taken out of it stays out."""

import itertools
import json
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from sparring.formats.chaired_debate.rules import ChairedDebate, log_of
from sparring.prompts import PromptLibrary
from sparring.schema.base import Participant, Role
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
from support.chaired_playing import chaired_request
from support.examples import costly
from support.playing import answer, failure, play

PROMPTS = PromptLibrary()
MOST_ROUNDS = 2
MOST_ASKS = 2 + 2 * 3 + 2 + MOST_ROUNDS * (2 * 6 + 1 + 2) + 2 * 3 + 2 + 2 + 1
"""Ready; openings; rounds of two turns, audience and review; closings; conclusion; report. Each review twice."""

OPENINGS = ("opening_statement",) * 4 + ("ruling",)
ACTIONS = (
    *("new_point", "new_point", "new_point", "rebuttal", "rebuttal", "rebuttal"),
    *("conjecture", "clarification_request", "clarification_request", "closing_statement"),
)
CLOSINGS = ("closing_statement",) * 4 + ("new_point",)
TYPES = {"opening": OPENINGS, "action": ACTIONS, "closing": CLOSINGS}


@dataclass(frozen=True)
class Move:
    """What somebody does whose turn it is; each seat takes of it what it needs.

    Attributes:
        says: In place of an answer in the form that was asked for; None: an answer in that form.
        page: Which page is cited; 0: none.
        seq: Which entry of the other debater is meant, counted round; 0: one that is not there.
        repeats: Whose words are said again: those of that many speeches ago; 0: nobody's.
    """

    says: str | FailureCode | None
    choice: int
    page: int
    seq: int
    challenges: bool
    repeats: int
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
SCRIPTS = st.lists(MOVES, min_size=1, max_size=12)


def request(rounds: int, least: int, *, has_guests: bool) -> ChairedDebateRequest:
    return chaired_request(
        max_rounds=rounds,
        min_rounds=min(least, rounds),
        audience=Participant(tool="opencode") if has_guests else None,
        reporter=Participant(tool="copilot") if has_guests else None,
    )


REQUESTS = st.builds(request, st.integers(1, MOST_ROUNDS), st.integers(0, MOST_ROUNDS), has_guests=st.booleans())


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
        match step:
            case "opening" | "action" | "closing":
                return self._action(ask, step, move)
            case "sources":
                return _findings(ask, move)
            case "review":
                rulings = [
                    {"challenge_seq": int(each.name.split()[1]), "ruling": _ruling(move), "reason": self._last(move)}
                    for each in ask.question.brief.speeches
                    if each.name.startswith("challenge")
                ]
                return json.dumps({"rulings": rulings, "continue": move.agrees, "reason": self._last(move)})
            case "conclusion":
                said = {"outcome": "draw", "reasoning": self._last(move), "decisive": [move.seq + 1]}
                return json.dumps(said)
            case "questions":
                return json.dumps({"questions": [self._last(move)]})
            case _:
                return self._last(move)

    def _action(self, ask: Ask, step: str, move: Move) -> str:
        types = TYPES[step]
        type_, number = types[move.choice % len(types)], len(self._words)
        repeated = self._words[-move.repeats :][:1] if move.repeats else []
        self._words.append(" ".join(f"word{number}x{place}" for place in range(9)))
        seq = _entry_of_the_other(ask, move)
        content = " ".join([self._words[-1], *repeated])
        page = {"url": f"https://example.org/{move.page}", "title": "A page", "accessed": "2026-02-21"}
        sources = [page | {"quote": content}] if move.page else []
        return json.dumps(
            {
                "type": type_,
                "content": f"[CONJECTURE] {content}" if type_ == "conjecture" else content,
                "sources": sources if type_ != "clarification_request" else [],
                "rebuttal_to_seq": seq if type_ == "rebuttal" else None,
                "target_seq": seq if move.challenges else None,
                "source_challenge": f"It is not so: {self._last(move)}" if move.challenges else None,
            }
        )

    def _last(self, move: Move) -> str:
        """What somebody said before, word for word."""
        return self._words[-1 - move.repeats % len(self._words)] if self._words else "Nothing."


def _entry_of_the_other(ask: Ask, move: Move) -> int:
    brief = ask.question.brief
    others = [each for each in brief.speeches if each.role in DEBATERS and each.role is not brief.role]
    if not others or not move.seq:
        return 99
    return int(others[move.seq % len(others)].name.removeprefix("seq "))


def _ruling(move: Move) -> str:
    return "upheld" if move.agrees else "dismissed"


def _findings(ask: Ask, move: Move) -> str:
    findings = tuple(
        SourceFinding(url=each.url, quote=each.quote, status=move.status, reason=f"{each.url} says {each.quote}")
        for each in ask.question.brief.sources
    )
    return SourceFindings(findings=findings).model_dump_json()


@costly
@given(REQUESTS, SCRIPTS, st.data())
def test_it_ends_within_its_bound_as_from_any_prefix_and_its_outcome_fits_its_log(
    chosen: ChairedDebateRequest, script: list[Move], data: st.DataObject
) -> None:
    whole = play(ChairedDebate(chosen, PROMPTS), Cast(script).reply, most_steps=MOST_ASKS + 30)
    end = whole.outcome
    assert isinstance(end, ChairedDebateOutcome)
    of_models = [ask for ask in whole.asks.values() if ask.role is not Role.VERIFIER]
    assert len(of_models) <= MOST_ASKS
    assert [entry.seq for entry in end.log] == list(range(1, len(end.log) + 1))
    assert end.rounds_completed <= chosen.max_rounds
    assert (end.decision is None) == (end.status in {ChairedDebateStatus.UNJUDGED, ChairedDebateStatus.FAILED})
    assert (end.decided_by is None) == (end.decision is None)
    standing = {entry.seq for entry in end.log if not entry.content.startswith((REDACTED, STRUCK))}
    assert standing.issuperset(end.decisive)
    assert end.decided_by is DecidedBy.RULE or not end.disqualified
    assert ChairedDebateOutcome.model_validate_json(end.model_dump_json()) == end
    step = data.draw(st.integers(0, len(whole.steps)))
    assert ChairedDebate(chosen, PROMPTS).next(whole.before(step)) == whole.then(step)


@costly
@given(REQUESTS, SCRIPTS, st.data())
def test_the_log_grows_and_what_was_taken_out_of_it_is_in_no_later_prompt_and_not_in_the_outcome(
    chosen: ChairedDebateRequest, script: list[Move], data: st.DataObject
) -> None:
    whole = play(ChairedDebate(chosen, PROMPTS), Cast(script).reply, most_steps=MOST_ASKS + 30)
    turns, asks = whole.transcript.turns, list(whole.asks.values())
    # A debate is held anew for each log, so they are made where a ruling may take out what stood there before.
    rulings = [place for place, turn in enumerate(turns, start=1) if turn.kind is TurnKind.RULING]
    for count in (*rulings, data.draw(st.integers(1, len(turns)))):
        shorter, longer = (log_of(chosen, Transcript(turns=turns[:end])) for end in (count - 1, count))
        assert [entry.seq for entry in longer[: len(shorter)]] == [entry.seq for entry in shorter]
        added = {entry.type for entry in longer[len(shorter) :]}
        assert longer[: len(shorter)] == shorter or EntryType.REDACTION in added
        gone = [old for old, new in zip(shorter, longer, strict=False) if _is_out(new.content) > _is_out(old.content)]
        for entry in gone:
            # Nine words that nobody had said before: the first eight of them are a repetition.
            words = " ".join(entry.content.removeprefix("[CONJECTURE] ").split()[:8])
            assert words not in whole.outcome.model_dump_json()
            assert not [ask.id for ask in asks[count:] if words in ask.question.model_dump_json()]


def _is_out(content: str) -> bool:
    return content.startswith(REDACTED)
