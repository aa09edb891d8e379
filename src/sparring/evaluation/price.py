"""Price of an evaluation before anything is paid: its arms simulated on a sample of the rows.

No tool is asked. Calls and prompts follow from the rules of the format and the texts of the rows. Usage per answer is
the mean of earlier answers of the same tools; without any, tokens and dollars are unknown.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import cycle, islice
from pathlib import Path

from msgspec import Struct

from sparring.app import App
from sparring.app.exchanges.keys import ExchangeKeys
from sparring.app.exchanges.opening import ledger_address
from sparring.app.exchanges.session import read_reply
from sparring.engine.estimate import foreseen
from sparring.engine.format import Arms, Format
from sparring.evaluation.arms import MOST_SAMPLES, NamedArm
from sparring.evaluation.measure import DEBATE, VOTE
from sparring.evaluation.statistics import known_mean, known_total
from sparring.prompts import PromptLibrary
from sparring.schema.consultation import Answer
from sparring.schema.evaluation import PlannedPrice
from sparring.schema.runs import CHARACTERS_PER_TOKEN, Request
from sparring.schema.transcript import Ask
from sparring.store.exchanges.ledger import ExchangeLedger
from sparring.store.exchanges.sqlite import SqliteDatabase

SAMPLED = 5
"""Rows that are played through."""

_ANSWERS = 300
"""Earlier answers from which usage is estimated: the latest ones of the ledger."""

_FILLED = frozenset({VOTE, "self"})
_HEARING = frozenset({"revise", "placebo"})


class Pricing(Struct, frozen=True):
    """Factors of the price of a row.

    Attributes:
        costs: Whether a question may be paid for.
    """

    format: Format
    variations: Arms
    arms: Sequence[NamedArm]
    prompts: PromptLibrary
    costs: Callable[[Ask], bool]

    def of(self, requests: Sequence[Request], rows: int, answers: Iterable[Answer]) -> PlannedPrice:
        """Return the price of ``rows`` rows of which ``requests`` are a sample.

        Args:
            requests: Requests of the format about rows of the table; at least one.
            rows: Rows of the whole table.
            answers: Earlier answers of any tools.
        """
        sampled = [self._row(request) for request in requests]
        times = rows / len(sampled)
        asked = [ask for row in sampled for ask in row]
        by_tool = _by_tool(answers)
        like = {_model(ask): _like(ask, by_tool.get(ask.tool, ())) for ask in asked}
        tokens = {model: known_mean(answer.usage.tokens for answer in answers) for model, answers in like.items()}
        cost = {model: known_mean(answer.usage.cost_usd for answer in answers) for model, answers in like.items()}
        all_tokens = known_total(tokens[_model(ask)] for ask in asked)
        all_cost = known_total(cost[_model(ask)] for ask in asked if self.costs(ask))
        return PlannedPrice(
            calls=round(times * len(asked)),
            prompt_tokens=round(times * sum(len(ask.question.prompt) for ask in asked) / CHARACTERS_PER_TOKEN),
            tokens=None if all_tokens is None else round(times * all_tokens),
            cost_usd=None if all_cost is None else round(times * all_cost, 6),
            answers=sum(map(len, like.values())),
            expected_if=self.format.expected_if,
        )

    def _row(self, request: Request) -> list[Ask]:
        """Return all that the arms ask about a row; what several of them ask is there once."""
        debated = self._asked(request)
        asks = dict[bytes, Ask]()
        for arm in self.arms:
            if arm.kind == DEBATE:
                asks |= debated
            elif arm.kind in _HEARING:
                first = self._asked(self.variations.blind(request, arm.seats))
                rest = {arm.name.encode() + key: ask for key, ask in debated.items() if key not in first}
                asks |= debated | rest  # as much is asked again, in words that are not known before
            else:
                asks |= self._sampled(request, arm, len(debated))
        return list(asks.values())

    def _sampled(self, request: Request, arm: NamedArm, target: int) -> Mapping[bytes, Ask]:
        one = self._asked(self.variations.blind(request, arm.seats))
        if arm.kind not in _FILLED or not any(each.kind == DEBATE for each in self.arms):
            return one
        samples = min(MOST_SAMPLES, max(len(arm.seats), round(len(arm.seats) * target / max(1, len(one)))))
        return self._asked(self.variations.blind(request, tuple(islice(cycle(arm.seats), samples))))

    def _asked(self, request: Request) -> dict[bytes, Ask]:
        asks = foreseen(self.format, request, self.prompts).asked
        return {ExchangeKeys.of(ask.question, ask.tool, "").digest: ask for ask in asks}


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


def _model(ask: Ask) -> tuple[str, str | None]:
    return ask.tool, ask.question.model


def _by_tool(answers: Iterable[Answer]) -> dict[str, list[Answer]]:
    by_tool: dict[str, list[Answer]] = {}
    for answer in answers:
        by_tool.setdefault(answer.tool, []).append(answer)
    return by_tool


def _like(ask: Ask, answers: Sequence[Answer]) -> Sequence[Answer]:
    """Return the answers of the model that is asked, or all of the tool where no answer names that model."""
    model = ask.question.model
    return [answer for answer in answers if model and answer.model == model] or answers
