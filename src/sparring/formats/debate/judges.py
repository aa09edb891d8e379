"""Obtaining the verdict: every judge is asked in both orders at the same time, and counted (design: Debate).

Whose reply cannot be used, or cites what nobody has said, is asked once more in that order. What then still cannot be
used is an abstention with its cause, never a default label.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from sparring.engine.course import Attempt, Course, Reading, Wanted, together, until_usable
from sparring.formats.debate.anonymize import ORDERS
from sparring.formats.debate.asks import Asking, ask_of
from sparring.formats.debate.replies import Checked, check, read_reply
from sparring.formats.debate.said import Said
from sparring.formats.debate.sides import Searchable, Sides
from sparring.formats.debate.verdict import Case, counted, tie_break
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.debate import Abstention, Ballot, DebateRequest, Judgement, Order
from sparring.schema.participants import Participant
from sparring.schema.transcript import Ask, Placed, TurnKind
from sparring.text.tidying import one_line

STEP = "debate/synthesis"
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


class Bench:
    """The judges of one debate, on what was ``said`` in its completed rounds."""

    def __init__(
        self, request: DebateRequest, prompts: PromptLibrary, asking: Asking, said: Said, searchable: Searchable
    ) -> None:
        self._request = request
        self._prompts = prompts
        self._asking = asking
        self._said = said
        self._sides = {order: Sides(request, prompts, said, order, searchable) for order in Order}

    def judge(self, completed: int) -> Course[Wanted, Judgement | Unjudged]:
        """The ballots on ``completed`` rounds, all asked for at once; then what comes of them."""
        judges = enumerate(self._request.judges, start=1)
        seats = [_Seat(number, participant, letters) for number, participant in judges for letters in ORDERS]
        found = yield from together(*(self._ballot(seat, completed) for seat in seats))
        ballots = tuple(each for each in found if isinstance(each, Ballot))
        abstentions = tuple(each for each in found if isinstance(each, Abstention))
        if not ballots:
            return Unjudged(abstentions)
        return counted(ballots, abstentions, len(self._request.judges), tie_break(self._case(ballots)))

    def _case(self, ballots: tuple[Ballot, ...]) -> Case:
        return Case(
            ledgers=self._said.ledgers,
            concessions=self._said.conduct.concessions,
            unanswered=tuple(challenge for ballot in ballots for challenge in ballot.unanswered),
            blind_openings=self._request.blind_openings,
        )

    def _ballot(self, seat: _Seat, completed: int) -> Course[Wanted, Ballot | Abstention]:
        def want(first: Attempt[Checked] | None) -> Wanted:
            id_, problem = f"{seat.name}.{2 if first else 1}", first.problem if first else ""
            return Wanted(id_, partial(self._ask, id_, seat, completed, problem))

        return _decided(seat, (yield from until_usable(want, partial(self._read, seat))))

    def _read(self, seat: _Seat, reply: str) -> Reading[Checked]:
        checked = check(read_reply(reply), self._sides[seat.order])
        objection = self._objection(checked)
        return Reading(checked, (objection,) if objection else ())

    def _objection(self, checked: Checked) -> str:
        """What speaks against a reply, in words for the judge; empty when nothing does."""
        if checked.invented:
            quotes = (f"- Side {cited.side}: {one_line(cited.quote, _QUOTE_LENGTH)}" for cited in checked.invented)
            return self._prompts.render("debate/objections#invented", {"quotes": "\n".join(quotes)}).strip()
        if not checked.supports_winner:
            values = {"winner": f"Side {checked.reply.winner}"}
            return self._prompts.render("debate/objections#rests-on-nothing", values).strip()
        return ""

    def _ask(self, id_: str, seat: _Seat, completed: int, problem: str) -> Ask:
        sides = self._sides[seat.order]
        values = {"topic": self._asking.topic, "rounds": str(completed), "exchanges": sides.exchanges}
        prompt = self._prompts.render(STEP, values)
        if problem:
            prompt += "\n" + self._prompts.render("debate/again", {"problem": problem})
        judge = seat.participant
        placed = Placed(
            kind=TurnKind.SYNTHESIS,
            role=Role.JUDGE,
            round=completed,
            tool=judge.tool,
            attempt=2 if problem else 1,
            number=seat.judge,
            order=1 if seat.order is Order.PROPOSER_FIRST else 2,
            label="verdict",
        )
        # The name tells a script which of the two orders it is asked in.
        return ask_of(self._request, id_, STEP, placed, prompt, sides.speeches, model=judge.model, name=seat.name)


def _decided(seat: _Seat, attempts: Sequence[Attempt[Checked]]) -> Ballot | Abstention:
    last = attempts[-1]
    if why := last.turn.failure:
        return _abstention(seat, f"failed: {why.cause}")
    if last.said is None:
        return _abstention(seat, NO_USABLE_VERDICT)
    # What cites words that nobody has said stands without them, unless nothing is left that carries it.
    return _ballot(seat, last.said) if last.said.supports_winner else _abstention(seat, RESTS_ON_NOTHING)


def _ballot(seat: _Seat, checked: Checked) -> Ballot:
    return Ballot(
        judge=seat.judge,
        tool=seat.participant.tool,
        order=seat.order,
        verdict=checked.reply.verdict(seat.order, checked.arguments),
        struck=tuple(dict.fromkeys(cited.quote for cited in checked.invented)),
        unanswered=checked.unanswered,
        concessions=checked.concessions,
    )


def _abstention(seat: _Seat, cause: str) -> Abstention:
    return Abstention(judge=seat.judge, tool=seat.participant.tool, order=seat.order, cause=cause)
