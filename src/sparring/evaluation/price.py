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

_FILLED = frozenset({VOTE, "self"})
_HEARING = frozenset({"revise", "placebo"})


class _Questions(Struct, frozen=True):
    """Different questions to one seat in one step, and the tokens of the prompt of each."""

    tool: str
    model: str | None
    fewest: int
    usual: int
    tokens: float


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
        times = rows / len(sampled)
        planned = [each for row in sampled for each in row]
        asked = [each for each in planned for _ in range(each.usual)]
        by_tool = _by_tool(answers)
        like = {(each.tool, each.model): _like(each, by_tool.get(each.tool, ())) for each in asked}
        tokens = {model: known_mean(answer.usage.tokens for answer in answers) for model, answers in like.items()}
        cost = {model: known_mean(answer.usage.cost_usd for answer in answers) for model, answers in like.items()}
        all_tokens = known_total(tokens[each.tool, each.model] for each in asked)
        all_cost = known_total(cost[each.tool, each.model] for each in asked if self.is_paid(each.tool))
        price = PlannedPrice(
            calls=round(times * len(asked)),
            prompt_tokens=round(times * sum(each.tokens for each in asked)),
            tokens=None if all_tokens is None else round(times * all_tokens),
            cost_usd=None if all_cost is None else round(times * all_cost, 6),
            answers=sum(map(len, like.values())),
            expected_if=self.format.expected_if,
        )
        fewest = min(sum(each.fewest for each in row) for row in sampled)
        return Priced(price, (rows * fewest, rows * max(map(self._most, requests))))

    def _row(self, request: Request) -> list[_Questions]:
        """Return all that the arms ask about a row; what several of them ask is there once."""
        debated = self._planned(request)
        needs_debate = any(arm.kind != "single" for arm in self.arms)  # the others spend or read what it does
        asked = dict(debated) if needs_debate else {}
        for arm in self.arms:
            if arm.kind == DEBATE:
                continue
            blind = self._planned(self.variations.blind(request, arm.seats))
            if arm.kind in _HEARING:
                # Behind the first round it asks as much as the debate, in words that are not known before.
                asked |= {(arm.name, *key): each for key, each in debated.items() if key not in blind}
            elif arm.kind in _FILLED:
                asked = _joined(asked, self._filled(request, arm, debated, blind))
            else:
                asked = _joined(asked, blind)
        return list(asked.values())

    def _filled(self, request: Request, arm: NamedArm, debated: "_ByStep", blind: "_ByStep") -> "_ByStep":
        """Return the questions of ``arm`` with so many samples that it usually asks as much as the debate.

        At least it asks those of its first samples, ``blind``.
        """
        if not any(each.kind == DEBATE for each in self.arms):
            return blind
        target, usual = (sum(each.usual for each in asked.values()) for asked in (debated, blind))
        samples = min(MOST_SAMPLES, max(len(arm.seats), round(len(arm.seats) * target / max(1, usual))))
        sampled = self._planned(self.variations.blind(request, tuple(islice(cycle(arm.seats), samples))))
        return {key: replace(each, fewest=blind[key].fewest) for key, each in sampled.items()}

    def _most(self, request: Request) -> int:
        """Return the most calls of all arms about a row, as if they had no question in common.

        An arm with further samples spends as much as the debate, unless its first samples already take more.
        """
        debate = sum(each.most for each in self.format.plan(request))
        most = debate if any(arm.kind != "single" for arm in self.arms) else 0
        for arm in (each for each in self.arms if each.kind != DEBATE):
            blind = sum(each.most for each in self.format.plan(self.variations.blind(request, arm.seats)))
            most += blind if arm.kind == "single" else max(blind, debate)
        return most

    def _planned(self, request: Request) -> "_ByStep":
        """Return the questions of a run of ``request``, by step and seat."""
        plan, asked = plan_of(self.format, request, self.prompts), dict[tuple[str, ...], _Questions]()
        for each in plan.calls:
            tool, model = each.seat.tool, each.seat.model
            before = asked.get((each.step, tool, model or ""))
            fewest, usual = (before.fewest, before.usual) if before else (0, 0)
            asked[each.step, tool, model or ""] = _Questions(
                tool, model, fewest + each.fewest, usual + each.usual, plan.tokens(each)
            )
        return asked


_ByStep = dict[tuple[str, ...], _Questions]


def _joined(one: _ByStep, other: _ByStep) -> _ByStep:
    """Return the questions of both; of those for the same step and seat, the larger number includes the smaller one."""
    joined = dict(one)
    for key, each in other.items():
        before = joined.get(key, each)
        joined[key] = replace(each, fewest=max(each.fewest, before.fewest), usual=max(each.usual, before.usual))
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


def _like(asked: _Questions, answers: Sequence[Answer]) -> Sequence[Answer]:
    """Return the answers of the model that is asked, or all of the tool where no answer names that model."""
    model = asked.model
    return [answer for answer in answers if model and answer.model == model] or answers
