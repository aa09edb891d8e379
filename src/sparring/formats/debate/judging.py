"""Obtaining the verdict: every judge is asked in both orders at the same time, and counted (design: Debate).

A judge whose reply cannot be used, or who cites what nobody has said, is asked once more in that order. What then
still cannot be used is an abstention with its cause, never a default label.
"""

from dataclasses import dataclass

from sparring.engine.course import Asks
from sparring.engine.replies import UnusableReplyError
from sparring.formats.debate.arguments import Checked, check
from sparring.formats.debate.asks import Place, ask_of
from sparring.formats.debate.counting import counted
from sparring.formats.debate.hearing import Hearing
from sparring.formats.debate.lettering import ORDERS
from sparring.formats.debate.reading import read_reply
from sparring.formats.debate.showing import Showing
from sparring.formats.debate.sides import Searchable, Sides
from sparring.formats.debate.tie_break import Case, tie_break
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.debate import Abstention, Ballot, DebateRequest, Judgement, Order
from sparring.schema.participants import Participant
from sparring.schema.transcript import Ask, Transcript, TurnKind
from sparring.text.tidying import one_line

STEP = "debate/synthesis"
ATTEMPTS = 2
"""How often a judge is asked in one order."""

NO_USABLE_VERDICT = "was asked twice and gave no usable verdict"
RESTS_ON_NOTHING = "was asked twice and cites no argument that the side it picked has made"

_QUOTE_LENGTH = 300


@dataclass(frozen=True)
class Unjudged:
    """No judge gave a usable verdict in any order."""

    abstentions: tuple[Abstention, ...]


@dataclass(frozen=True)
class _Seat:
    """One judge in one order; ``letters`` is how ids spell the order."""

    judge: int
    participant: Participant
    letters: str

    @property
    def name(self) -> str:
        return f"judge{self.judge}.{self.letters}"

    @property
    def order(self) -> Order:
        return ORDERS[self.letters]


class Judging:
    """Asks for the ballots on the ``completed`` rounds and counts them."""

    def __init__(
        self,
        request: DebateRequest,
        prompts: PromptLibrary,
        showing: Showing,
        searchable: Searchable,
        *,
        completed: int,
        transcript: Transcript,
    ) -> None:
        self._request = request
        self._prompts = prompts
        self._showing = showing
        self._completed = completed
        self._transcript = transcript
        self._hearing = Hearing(transcript, last_round=completed)
        self._sides = {order: Sides(request, prompts, self._hearing, order, searchable) for order in Order}

    def next(self) -> Asks | Judgement | Unjudged:
        """The ballots that are still to be asked for, all at once; then what comes of them."""
        found = [self._decided(seat) for seat in self._seats()]
        if asks := tuple(each for each in found if isinstance(each, Ask)):
            return asks
        ballots = tuple(each for each in found if isinstance(each, Ballot))
        abstentions = tuple(each for each in found if isinstance(each, Abstention))
        if not ballots:
            return Unjudged(abstentions)
        return counted(ballots, abstentions, len(self._request.judges), tie_break(self._case(ballots)))

    def _seats(self) -> list[_Seat]:
        judges = enumerate(self._request.judges, start=1)
        return [_Seat(number, participant, letters) for number, participant in judges for letters in ORDERS]

    def _case(self, ballots: tuple[Ballot, ...]) -> Case:
        return Case(
            ledgers=self._hearing.ledgers,
            concessions=self._hearing.conduct.concessions,
            unanswered=tuple(challenge for ballot in ballots for challenge in ballot.unanswered),
            blind_openings=self._request.blind_openings,
        )

    def _decided(self, seat: _Seat) -> Ask | Ballot | Abstention:
        problem, cause = "", NO_USABLE_VERDICT
        for attempt in range(1, ATTEMPTS + 1):
            turn = self._transcript.turn(f"{seat.name}.{attempt}")
            if turn is None:
                return self._ask(seat, attempt, problem)
            if turn.answer is None:
                why = turn.failure
                return _abstention(seat, f"failed: {why.code}: {why.detail.rstrip('.')}" if why else "failed")
            try:
                checked = check(read_reply(turn.answer.response), self._sides[seat.order])
            except UnusableReplyError as error:
                problem, cause = str(error), NO_USABLE_VERDICT
                continue
            problem, cause = self._objection(checked), RESTS_ON_NOTHING
            if not problem or (attempt == ATTEMPTS and checked.supports_winner):
                return _ballot(seat, checked)
        return _abstention(seat, cause)

    def _objection(self, checked: Checked) -> str:
        """What speaks against a reply, in words for the judge; empty when nothing does."""
        if checked.invented:
            quotes = (f"- Side {cited.side}: {one_line(cited.quote, _QUOTE_LENGTH)}" for cited in checked.invented)
            return self._prompts.render("debate/objections#invented", {"quotes": "\n".join(quotes)}).strip()
        if not checked.supports_winner:
            values = {"winner": f"Side {checked.reply.winner}"}
            return self._prompts.render("debate/objections#rests-on-nothing", values).strip()
        return ""

    def _ask(self, seat: _Seat, attempt: int, problem: str) -> Ask:
        sides = self._sides[seat.order]
        values = {"topic": self._showing.topic, "rounds": str(self._completed), "exchanges": sides.exchanges}
        prompt = self._prompts.render(STEP, values)
        if problem:
            prompt += "\n" + self._prompts.render("debate/again", {"problem": problem})
        # The name tells a script which of the two orders it is asked in.
        id_ = f"{seat.name}.{attempt}"
        place = Place(id_, TurnKind.SYNTHESIS, STEP, self._completed, attempt, name=seat.name)
        return ask_of(self._request, place, Role.JUDGE, prompt, sides.speeches, participant=seat.participant)


def _ballot(seat: _Seat, checked: Checked) -> Ballot:
    return Ballot(
        judge=seat.judge,
        tool=seat.participant.tool,
        order=seat.order,
        verdict=checked.reply.verdict(seat.order, checked.arguments),
        struck=tuple(dict.fromkeys(cited.quote for cited in checked.invented)),
        unanswered=checked.unanswered,
    )


def _abstention(seat: _Seat, cause: str) -> Abstention:
    return Abstention(judge=seat.judge, tool=seat.participant.tool, order=seat.order, cause=cause)
