"""The course of a fact-check, and when it is over.

Everybody who still has a position is asked at once, round by round, until ``stop_reason`` finds one to stop.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from sparring.checks.claims import check_claim
from sparring.engine.course import Asks, Attempt, Bookmark, Course, Reading, Wanted, decided, together, until_usable
from sparring.formats.fact_check.asks import Asking
from sparring.formats.fact_check.grounds import Grounds
from sparring.formats.fact_check.outcome import (
    Round,
    Stand,
    decide,
    doubts_about,
    notices_of,
    path_of,
    status_of,
    tally,
)
from sparring.formats.fact_check.parts import WholeClaim
from sparring.formats.fact_check.positions import moved, weighed
from sparring.formats.fact_check.readers import (
    MOST_READ,
    Carrying,
    OpenQuote,
    Readings,
    SaidReadings,
    assigned,
    read_readings,
)
from sparring.formats.fact_check.reading import Analysis, Rebuttal, read_analysis, read_rebuttal
from sparring.prompts import PromptLibrary
from sparring.schema.claims import Label
from sparring.schema.consultation import DETAIL_LIMIT, FailureCode
from sparring.schema.fact_check import (
    QUORUM,
    Abstention,
    Decision,
    Escalation,
    FactCheckOutcome,
    FactCheckRequest,
    FactCheckStatus,
    Fault,
    FaultFound,
    Movement,
    Position,
    StopReason,
    Tally,
)
from sparring.schema.transcript import Transcript
from sparring.text.tidying import one_line

QUOTE_FAILURES = frozenset(
    {
        Fault.FABRICATED_QUOTE,
        Fault.ALTERED_QUOTE,
        Fault.MISSING_QUOTE,
        Fault.UNRELATED_QUOTE,
        Fault.CONTRADICTED_PART,
        Fault.AGREEING_QUOTE,
        Fault.OPEN_QUOTE,
    }
)
"""Faults by which a quote did not carry what it was given for."""


_Attempts = tuple[Attempt[Analysis | Rebuttal], ...]


class FactCheck:
    """The rules of one fact-check; see ``engine.format.Rules``."""

    def __init__(self, request: FactCheckRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._sources = tuple(part.text for part in request.evidence)
        self._asking = Asking(request, prompts)
        self._whole = WholeClaim(request.claim) if request.edition > 1 else None
        self._grounds = Grounds(request.claim, self._sources, self._whole)
        self._bookmark = Bookmark[Wanted, FactCheckOutcome]()

    def next(self, transcript: Transcript) -> Asks | FactCheckOutcome:
        """See ``engine.format.Rules``."""
        return decided(self._bookmark, self._course, transcript)

    def _course(self) -> Course[Wanted, FactCheckOutcome]:
        if not self._request.agents:
            return self._by_code()
        rounds: list[Round] = []
        readings = Readings()
        while (reason := stop_reason(rounds, self._request)) is None:
            names = tuple(rounds[-1].positions) if rounds else self._request.names
            said = yield from together(*(self._attempts(name, rounds) for name in names))
            answers = dict(zip(names, said, strict=True))
            stands = self._stands(answers, rounds, readings)
            if readings.wanted:
                yield from self._read(readings, [stand.name for stand in stands if stand.position], len(rounds) + 1)
                stands = self._stands(answers, rounds, readings)
            rounds.append(Round(len(rounds) + 1, stands))
        return self._outcome(rounds, reason, readings)

    def _attempts(self, name: str, before: Sequence[Round]) -> Course[Wanted, _Attempts]:
        """What ``name`` says in the round after ``before``; an answer that cannot be used twice counts as none."""
        shown: Mapping[str, Position] = before[-1].positions if before else {}
        return until_usable(
            lambda first: self._asking.wanted(name, shown, problem=first.problem if first else ""),
            self._rebuttal if before else self._analysis,
        )

    def _analysis(self, said: str) -> Reading[Analysis]:
        analysis = read_analysis(said)
        problems = self._whole.problems([part.part for part in analysis.parts]) if self._whole else ()
        return Reading(analysis, problems)

    def _rebuttal(self, said: str) -> Reading[Rebuttal]:
        rebuttal = read_rebuttal(said)
        return Reading(rebuttal, rebuttal.problems)

    def _read(self, readings: Readings, names: Sequence[str], number: int) -> Course[Wanted, None]:
        """Put what is open to second readers, all of it at the same time."""
        shown = assigned(readings.wanted, names, self._request)
        for reader, quotes in shown.items():
            readings.leave(reader, quotes[MOST_READ:])
        said = yield from together(
            *(self._second(reader, quotes[:MOST_READ], number) for reader, quotes in shown.items())
        )
        for (reader, quotes), attempts in zip(shown.items(), said, strict=True):
            readings.take(reader, quotes[:MOST_READ], number, attempts)

    def _second(
        self, reader: str, quotes: Sequence[OpenQuote], number: int
    ) -> Course[Wanted, tuple[Attempt[SaidReadings], ...]]:
        return until_usable(
            lambda first: self._asking.reading(reader, quotes, number, problem=first.problem if first else ""),
            lambda said: read_readings(said, len(quotes)),
        )

    def _stands(
        self, answers: Mapping[str, _Attempts], before: Sequence[Round], readings: Readings
    ) -> tuple[Stand, ...]:
        """Where everybody stands who has given ``answers``, by what second readers have found so far."""

        def position(name: str, said: Analysis | Rebuttal) -> Position:
            carrying = Carrying(self._grounds, self._whole, readings, name) if self._whole else None
            if isinstance(said, Analysis):
                return weighed(said, self._grounds, carrying)
            own = tuple(round_.positions[name] for round_ in before)
            others = {other: position for other, position in before[-1].positions.items() if other != name}
            return moved(said, own, others, self._grounds, carrying)

        return tuple(
            _stand(name, len(before) + 1, attempts, partial(position, name)) for name, attempts in answers.items()
        )

    def _by_code(self) -> FactCheckOutcome:
        """What code finds, asking nobody; no votes are made of it."""
        check = check_claim(self._request.claim, self._sources)
        return FactCheckOutcome(
            status=FactCheckStatus.COMPLETED,
            label=check.label,
            decision=Decision.BY_CODE,
            stop_reason=StopReason.BY_CODE,
            rounds_completed=0,
            blind=Tally(),
            debated=Tally(),
            agents=(),
            check=check,
        )

    def _outcome(self, rounds: Sequence[Round], reason: StopReason, readings: Readings) -> FactCheckOutcome:
        """What ``rounds``, of which there is at least one, come to."""
        last = rounds[-1]
        has_quorum = len(last.votes) >= QUORUM
        decision = decide(last.votes) if has_quorum else None
        label = decision.label if decision else None
        check = check_claim(self._request.claim, self._sources)
        is_doubtful = self._whole is not None and check.label is not label  # what code shows by itself needs no voter
        agents = tuple(map(partial(path_of, self._request, rounds, label), range(len(self._request.agents))))
        return FactCheckOutcome(
            status=status_of(last),
            label=label,
            decision=decision.decision if decision else None,
            stop_reason=reason,
            rounds_completed=len(rounds) if has_quorum else len(rounds) - 1,
            blind=tally(rounds[0], self._request),
            debated=tally(last, self._request),
            agents=agents,
            check=check,
            doubts=doubts_about(label, agents, self._request, self._grounds) if is_doubtful else (),
            is_contested=label is Label.SUPPORTED and check.label is Label.REFUTED,
            notices=tuple(notices_of(agents, last, readings)),
        )


def _stand(name: str, number: int, attempts: _Attempts, position: Callable[[Analysis | Rebuttal], Position]) -> Stand:
    reported = [each.turn.answer.model for each in attempts if each.turn.answer and each.turn.answer.model]
    last, model = attempts[-1], reported[-1] if reported else None
    said = [each.said for each in attempts if each.said]
    if said:  # one that lacks fields counts where no better one came
        return Stand(name, _noted(position(said[-1]), attempts[0].problem), model=model)
    if last.turn.failure:
        why = Abstention(round=number, code=last.turn.failure.code, detail=last.turn.failure.detail)
        return Stand(name, abstention=why, model=model)
    detail = one_line(last.problem, DETAIL_LIMIT)
    return Stand(name, abstention=Abstention(round=number, code=FailureCode.PARSE, detail=detail), model=model)


def _noted(position: Position, problem: str) -> Position:
    """``position``, with the ``problem`` that the first answer had, if it had one."""
    if not problem:
        return position
    why = f"The first answer could not be used: {one_line(problem, DETAIL_LIMIT)}"
    first = FaultFound(fault=Fault.UNUSABLE_ANSWER, why=why)
    return position.model_copy(update={"faults": (first, *position.faults)})


def stop_reason(rounds: Sequence[Round], request: FactCheckRequest) -> StopReason | None:
    """Why nobody is asked any more after ``rounds``; None when another round follows."""
    if not rounds:
        return None
    last = rounds[-1]
    if len(last.votes) < QUORUM:
        return StopReason.NO_QUORUM
    if len(rounds) == 1 and not _is_debate_called_for(last, request.escalation):
        return StopReason.NOT_ESCALATED
    if len(rounds) > 1 and _is_unanimous(last) and not _has_movement(last):
        return StopReason.STABLE
    return StopReason.MAX_ROUNDS if len(rounds) == request.max_rounds else None


def _is_debate_called_for(blind: Round, escalation: Escalation) -> bool:
    if escalation is not Escalation.AUTO:
        return escalation is Escalation.ALWAYS
    faults = {found.fault for position in blind.positions.values() for found in position.faults}
    return not _is_unanimous(blind) or not faults.isdisjoint(QUOTE_FAILURES)


def _is_unanimous(round_: Round) -> bool:
    return len(set(round_.votes)) == 1


def _has_movement(round_: Round) -> bool:
    return any(position.movement is Movement.CHANGED for position in round_.positions.values())
