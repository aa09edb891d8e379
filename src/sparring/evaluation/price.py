"""Price of an evaluation before anything is paid: the plans of its arms for a sample of the rows.

No tool is asked. Calls follow from the plan of the format, prompts from the texts of the rows as well. Usage per answer
is the mean of earlier answers of the same tools; without any, tokens and dollars are unknown.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import cycle, islice
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from sparring.app import App
from sparring.app.exchanges.opening import ledger_address
from sparring.app.exchanges.session import read_reply
from sparring.engine.estimate import plan_of
from sparring.engine.format import Arms, Format
from sparring.evaluation.arms import MOST_SAMPLES, NamedArm
from sparring.evaluation.measure import DEBATE, VOTE
from sparring.evaluation.statistics import known_mean, known_total
from sparring.prompts import PromptLibrary
from sparring.schema.base import ToolName
from sparring.schema.consultation import Answer
from sparring.schema.evaluation import PlannedPrice
from sparring.schema.runs import Request
from sparring.store.exchanges.ledger import ExchangeLedger
from sparring.store.exchanges.sqlite import SqliteDatabase

SAMPLED = 5
"""Rows whose prompts are measured."""

_ANSWERS = 300
"""Earlier answers from which usage is estimated: the latest ones of the ledger."""

_REPEATED = frozenset({VOTE, "self"})
"""Arms that ask the same again, until they have spent as much as the debate."""

_CONTROLS = frozenset({"revise", "placebo"})
"""Arms whose first round is that of the debate, and whose later prompts differ from it."""


class _Questions(Struct, frozen=True):
    """Different questions to one model in one step.

    Attributes:
        fewest: The least number of them.
        usual: Their number in the usual course of the format.
        tokens: Tokens of the prompt of each, by a rule of thumb.
    """

    tool: str
    model: str | None
    fewest: int
    usual: int
    tokens: float

    @property
    def asked_of(self) -> "_AskedOf":
        return self.tool, self.model


_AskedOf = tuple[str, str | None]
"""Tool and model."""


class Priced(Struct, frozen=True):
    """Price of an evaluation, and the fewest and the most calls of all its arms together."""

    price: PlannedPrice
    calls: tuple[int, int]


class Pricing(Struct, frozen=True):
    """Factors of the price of a row.

    Attributes:
        is_paid: Whether answers of a tool may cost money.
    """

    format: Format
    variations: Arms
    arms: Sequence[NamedArm]
    prompts: PromptLibrary
    is_paid: Callable[[ToolName], bool]

    def of(self, requests: Sequence[Request], rows: int, answers: Iterable[Answer]) -> Priced:
        """Return the price of ``rows`` rows of which ``requests`` are a sample.

        Args:
            requests: Requests of the format about rows of the table; at least one.
            rows: Rows of the whole table.
            answers: Earlier answers of any tools.
        """
        sampled = [self._row(request) for request in requests]
        scale = rows / len(sampled)
        # One entry for each question that is usually asked about the sampled rows.
        asked = [questions for row in sampled for questions in row for _ in range(questions.usual)]

        by_tool = _by_tool(answers)
        similar = {each.asked_of: _similar(each, by_tool.get(each.tool, ())) for each in asked}
        mean_tokens, mean_cost = dict[_AskedOf, float | None](), dict[_AskedOf, float | None]()
        for asked_of, known in similar.items():
            mean_tokens[asked_of] = known_mean(answer.usage.tokens for answer in known)
            mean_cost[asked_of] = known_mean(answer.usage.cost_usd for answer in known)
        tokens = known_total(mean_tokens[each.asked_of] for each in asked)
        # Tools that cost no money report no price, which would make the total unknown.
        cost = known_total(mean_cost[each.asked_of] for each in asked if self.is_paid(each.tool))

        price = PlannedPrice(
            calls=round(scale * len(asked)),
            prompt_tokens=round(scale * sum(questions.tokens for questions in asked)),
            tokens=None if tokens is None else round(scale * tokens),
            cost_usd=None if cost is None else round(scale * cost, 6),
            answers=sum(len(known) for known in similar.values()),
            expected_if=self.format.expected_if,
        )
        fewest = min(sum(questions.fewest for questions in row) for row in sampled)
        most = max(map(self._most, requests))
        return Priced(price, (rows * fewest, rows * most))

    def _row(self, request: Request) -> list[_Questions]:
        """Return all that the arms ask about a row; what several of them ask is there once."""
        debated = self._planned(request)
        asked = dict(debated) if self._needs_debate else {}
        for arm in self.arms:
            if arm.kind == DEBATE:
                continue
            blind = self._planned(self.variations.blind(request, arm.seats))
            if arm.kind in _CONTROLS:
                # After the first round it asks as much as the debate, in words that are not known before.
                asked |= {(arm.name, *key): questions for key, questions in debated.items() if key not in blind}
            elif arm.kind in _REPEATED:
                asked = _joined(asked, self._filled(request, arm, debated, blind))
            else:
                asked = _joined(asked, blind)
        return list(asked.values())

    def _filled(self, request: Request, arm: NamedArm, debated: "_ByStep", blind: "_ByStep") -> "_ByStep":
        """Return the questions of ``arm`` with so many samples that it usually asks as much as the debate.

        At least it asks those of its first samples, ``blind``.
        """
        if not any(planned.kind == DEBATE for planned in self.arms):
            return blind
        calls_of_debate = sum(questions.usual for questions in debated.values())
        calls_of_blind = sum(questions.usual for questions in blind.values())
        seats = len(arm.seats)
        equal_samples = round(seats * calls_of_debate / max(1, calls_of_blind))
        samples = min(MOST_SAMPLES, max(seats, equal_samples))
        seats_of_samples = tuple(islice(cycle(arm.seats), samples))
        sampled = self._planned(self.variations.blind(request, seats_of_samples))
        return {key: replace(questions, fewest=blind[key].fewest) for key, questions in sampled.items()}

    def _most(self, request: Request) -> int:
        """Return the most calls of all arms about a row, as if they had no question in common.

        An arm with further samples spends as much as the debate, unless its first samples already take more.
        """
        debate = sum(call.most for call in self.format.plan(request))
        most = debate if self._needs_debate else 0
        for arm in self.arms:
            if arm.kind == DEBATE:
                continue
            blind_request = self.variations.blind(request, arm.seats)
            blind = sum(call.most for call in self.format.plan(blind_request))
            most += blind if arm.kind == "single" else max(blind, debate)
        return most

    @property
    def _needs_debate(self) -> bool:
        """Return whether the debate is asked: all arms but single answers read its turns, or spend as much."""
        return any(arm.kind != "single" for arm in self.arms)

    def _planned(self, request: Request) -> "_ByStep":
        """Return the questions of a run of ``request``, by step and seat; seats of the same model are one."""
        plan = plan_of(self.format, request, self.prompts)
        asked = dict[tuple[str, ...], _Questions]()
        for call in plan.calls:
            tool, model = call.seat.tool, call.seat.model
            key = (call.step, tool, model or "")
            fewest, usual = call.fewest, call.usual
            if key in asked:
                fewest += asked[key].fewest
                usual += asked[key].usual
            asked[key] = _Questions(tool, model, fewest, usual, plan.tokens(call))
        return asked


_ByStep = dict[tuple[str, ...], _Questions]


def _joined(one: _ByStep, other: _ByStep) -> _ByStep:
    """Return the questions of both; of those for the same step and seat, the larger number includes the smaller one."""
    joined = dict(one)
    for key, questions in other.items():
        if key in one:
            fewest, usual = max(questions.fewest, one[key].fewest), max(questions.usual, one[key].usual)
            joined[key] = replace(questions, fewest=fewest, usual=usual)
        else:
            joined[key] = questions
    return joined


def earlier_answers(app: App, address: str) -> list[Answer]:
    """Return the latest answers in the ledger at ``address``; none where there is no ledger yet.

    Raises:
        StoreError: It cannot be read.
    """
    place = ledger_address(app, address)
    if "://" not in place and not SqliteDatabase(Path(place)).path.exists():
        return []
    with ExchangeLedger.open(place, provenance=app.place.provenance) as ledger:
        replies = [read_reply(body) for body in ledger.latest_answers(_ANSWERS)]
    return [reply for reply in replies if isinstance(reply, Answer)]


def _by_tool(answers: Iterable[Answer]) -> dict[str, list[Answer]]:
    by_tool: dict[str, list[Answer]] = {}
    for answer in answers:
        by_tool.setdefault(answer.tool, []).append(answer)
    return by_tool


def _similar(questions: _Questions, answers: Sequence[Answer]) -> Sequence[Answer]:
    """Return the answers of the model that is asked, or all of the tool where no answer names that model."""
    if not questions.model:
        return answers
    return [answer for answer in answers if answer.model == questions.model] or answers
