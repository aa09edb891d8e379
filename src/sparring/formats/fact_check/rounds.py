"""One round: who is asked, who is asked once more, and what each agent's answer comes to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sparring.engine.course import Asks
from sparring.engine.replies import UnusableReplyError
from sparring.formats.fact_check.asks import Asking, ask_id
from sparring.formats.fact_check.grounds import Grounds
from sparring.formats.fact_check.moving import moved
from sparring.formats.fact_check.reading import read_analysis, read_rebuttal
from sparring.formats.fact_check.weighing import weighed
from sparring.schema.claims import Label
from sparring.schema.consultation import DETAIL_LIMIT, FailureCode
from sparring.schema.fact_check import Abstention, FactCheckRequest, Fault, FaultFound, Position
from sparring.schema.transcript import Transcript
from sparring.text.tidying import one_line

ATTEMPTS = 2
"""How often an agent is asked in a round before an answer that cannot be used counts as none."""


@dataclass(frozen=True)
class Round:
    """A round that is over: each agent that was asked stands somewhere or abstains, by its name."""

    number: int
    positions: Mapping[str, Position]
    abstentions: Mapping[str, Abstention]

    @property
    def votes(self) -> tuple[Label, ...]:
        """The valid votes, in the order of the agents."""
        return tuple(position.verdict for position in self.positions.values())


@dataclass(frozen=True)
class _Due:
    """An ask that was not put yet; ``problem`` is what was wrong with the answer to the one before."""

    attempt: int
    problem: str = ""


class Rounds:
    """Obtains the rounds, one after the other."""

    def __init__(self, request: FactCheckRequest, asking: Asking, grounds: Grounds) -> None:
        self._request = request
        self._asking = asking
        self._grounds = grounds

    def next(self, before: Sequence[Round], transcript: Transcript) -> Asks | Round:
        """The round after those ``before``, or what has to be asked for it.

        Everybody who still has a position is asked at once, and so are all those whose answer could not be used.
        """
        number = len(before) + 1
        names = tuple(before[-1].positions) if before else self._request.names
        heard = {name: self._heard(name, before, transcript) for name in names}
        if asks := self._asks(heard, before):
            return asks
        return Round(
            number=number,
            positions={name: each for name, each in heard.items() if isinstance(each, Position)},
            abstentions={name: each for name, each in heard.items() if isinstance(each, Abstention)},
        )

    def _asks(self, heard: Mapping[str, Position | Abstention | _Due], before: Sequence[Round]) -> Asks:
        shown: Mapping[str, Position] = before[-1].positions if before else {}
        return tuple(
            self._asking.ask(name, shown, attempt=each.attempt, problem=each.problem)
            for name, each in heard.items()
            if isinstance(each, _Due)
        )

    def _heard(self, name: str, before: Sequence[Round], transcript: Transcript) -> Position | Abstention | _Due:
        number, problem = len(before) + 1, ""
        for attempt in range(1, ATTEMPTS + 1):
            turn = transcript.turn(ask_id(number, self._request.names.index(name), attempt))
            if turn is None:
                return _Due(attempt, problem)
            if turn.failure:
                return Abstention(round=number, code=turn.failure.code, detail=turn.failure.detail)
            try:
                position = self._position(name, turn.answer.response if turn.answer else "", before)
            except UnusableReplyError as error:
                problem = str(error)
                continue
            return _noted(position, problem) if problem else position
        return Abstention(round=number, code=FailureCode.PARSE, detail=one_line(problem, DETAIL_LIMIT))

    def _position(self, name: str, reply: str, before: Sequence[Round]) -> Position:
        if not before:
            return weighed(read_analysis(reply), self._grounds)
        own = tuple(round_.positions[name] for round_ in before)
        others = {other: position for other, position in before[-1].positions.items() if other != name}
        return moved(read_rebuttal(reply), own, others, self._grounds)


def _noted(position: Position, problem: str) -> Position:
    why = f"The first answer could not be used: {one_line(problem, DETAIL_LIMIT)}"
    first = FaultFound(fault=Fault.UNUSABLE_ANSWER, why=why)
    return position.model_copy(update={"faults": (first, *position.faults)})
