"""Asks of each agent: the prompt for models and the brief for consultants made of code.

All prompts but a reader's begin with the same words, so that a provider can cache claim and evidence.

Text by other authors stands between fences.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from sparring.engine.course import DeferredAsk
from sparring.formats.fact_check.grounds import UndecidedQuote
from sparring.formats.fact_check.positions import positions_shown_to
from sparring.formats.fact_check.replies import form_of
from sparring.prompts import PromptLibrary
from sparring.schema import base, consultation, transcript
from sparring.schema import fact_check as schema

_NAME_LIMIT = 200
"""Characters of a source's name."""

_MOST_FAILED, _QUOTE_LIMIT = 5, 1_000
"""Number of failed quotes that an agent is shown, and characters of each."""

_NOT_THERE = frozenset({schema.Fault.FABRICATED_QUOTE, schema.Fault.ALTERED_QUOTE})
_SAYING_ELSE = frozenset({schema.Fault.CONTRADICTED_PART})


class FactCheckAsks:
    """Words the asks. A ``problem`` is the defect of the first answer, if this is the second attempt."""

    def __init__(self, request: schema.FactCheckRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._prompts = prompts

    def wanted(self, name: str, shown: Mapping[str, schema.Position], *, problem: str) -> DeferredAsk:
        """The ask of the agent ``name``.

        ``shown`` has the positions of all agents, including its own, after the previous round; empty in round 1.
        """
        round_ = shown[name].round + 1 if shown else 1
        kind = transcript.TurnKind.REBUTTAL if shown else transcript.TurnKind.ANALYSIS
        placed = self._placed(kind, name, round_, f"round {round_}", problem)
        id_ = f"r{round_}.a{placed.number}{'.2' if problem else ''}"

        def ask() -> transcript.Ask:
            sources = tuple(part.text for part in self._request.evidence)
            return self._ask(id_, placed, self._values(name, shown), problem, sources)

        return DeferredAsk(id_, ask)

    def reading(
        self, name: str, quotes: Sequence[UndecidedQuote], round_: int, *, problem: str, again: bool = False
    ) -> DeferredAsk:
        """The ask of the agent ``name`` as a second reader of ``quotes``."""
        placed = self._placed(transcript.TurnKind.READING, name, round_, f"round {round_}, reading", problem)
        id_ = f"r{round_}.{'rereading' if again else 'reading'}{placed.number}{'.2' if problem else ''}"

        def ask() -> transcript.Ask:
            values = {"items": self._items(quotes), "count": str(len(quotes))}
            return self._ask(id_, placed, values, problem, tuple(quote.passage for quote in quotes))

        return DeferredAsk(id_, ask)

    def _placed(self, kind: transcript.TurnKind, name: str, round_: int, label: str, problem: str) -> transcript.Placed:
        number = self._request.names.index(name) + 1
        return transcript.Placed(
            kind=kind,
            role=base.Role.FACT_CHECKER,
            round=round_,
            tool=self._request.agents[number - 1].tool,
            attempt=2 if problem else 1,
            number=number,
            label=label,
        )

    def _ask(
        self,
        id_: str,
        placed: transcript.Placed,
        values: Mapping[str, str],
        problem: str,
        evidence: tuple[str, ...],
    ) -> transcript.Ask:
        """Build the ask of one agent, with the brief for one that is code."""
        request, step = self._request, f"fact-check/{placed.kind}"
        again = f"\n{self._prompts.render('fact-check/again', {'problem': problem})}" if problem else ""
        stable = "" if placed.kind is transcript.TurnKind.READING else self._case
        brief = consultation.Brief(
            step=step,
            topic=request.claim,
            role=placed.role,
            round=placed.round,
            attempt=placed.attempt,
            name=request.names[placed.number - 1],
            evidence=evidence,
        )
        question = consultation.Question(
            prompt=f"{stable}{self._prompts.render(step, values)}{again}",
            stable=len(stable),
            brief=brief,
            effort=request.effort,
            model=request.agents[placed.number - 1].model,
            timeout_s=request.timeout_s,
            form=form_of(placed.kind),
        )
        return transcript.Ask(id=id_, question=question, **placed.place)

    def _values(self, name: str, shown: Mapping[str, schema.Position]) -> dict[str, str]:
        values = {"claim": self._request.claim, "language": self._request.language}
        if not shown:
            return values
        others = [
            self._phrase("position", name=other, verdict=position.verdict, quotes=self._quotes(position.quotes))
            for other, position in positions_shown_to(name, shown, self._request).items()
        ]
        return values | {
            "round": str(shown[name].round + 1),
            "name": name,
            "own_position": self._own(shown[name]),
            "other_positions": "\n".join(others or [self._phrase("no-position")]).strip(),
        }

    @cached_property
    def _case(self) -> str:
        """The beginning of the prompts of all agents: their task, the claim, the evidence."""
        values = {"claim": self._request.claim, "evidence": self._evidence}
        return self._prompts.render("fact-check/case", values) + "\n"

    @cached_property
    def _evidence(self) -> str:
        blocks: list[str] = []
        for number, part in enumerate(self._request.evidence, start=1):
            name = " ".join(part.name.split())[:_NAME_LIMIT]
            blocks.append(self._phrase("source", number=str(number), name=name, text=part.text))
        return "\n".join(blocks).strip()

    def _own(self, position: schema.Position) -> str:
        """An agent's own last position, with the citations that were not found."""
        blocks = [self._phrase("own-position", verdict=position.verdict, quotes=self._quotes(position.quotes))]
        if position.claimed is not position.verdict:
            blocks.append(self._phrase("recounted", claimed=position.claimed, verdict=position.verdict))
        for phrase, faults in (("failed-quotes", _NOT_THERE), ("idle-quotes", _SAYING_ELSE)):
            failed = _quotes_of(position, faults)
            if failed:
                blocks.append(self._phrase(phrase, quotes=self._quotes(failed)))
        return "\n".join(blocks).strip()

    def _items(self, quotes: Sequence[UndecidedQuote]) -> str:
        blocks: list[str] = []
        for number, quote in enumerate(quotes, start=1):
            block = self._phrase("item", number=str(number), part=quote.part, quote=quote.passage)
            if quote.by_code:  # it is read again, with the views of agents and code
                block += self._phrase("views", by_code=quote.by_code)
            blocks.append(block)
        return "\n".join(blocks).strip()

    def _quotes(self, quotes: Iterable[str]) -> str:
        blocks = [self._phrase("quote", quote=quote) for quote in quotes]
        return "".join(blocks).strip() if blocks else self._phrase("no-quote").strip()

    def _phrase(self, phrase: str, **values: str) -> str:
        return self._prompts.render(f"fact-check/shown#{phrase}", values)


def _quotes_of(position: schema.Position, faults: frozenset[schema.Fault]) -> list[str]:
    """Return the quotes with one of those faults, each once, as an agent is shown them again."""
    quotes = [fault.quote[:_QUOTE_LIMIT] for fault in position.faults if fault.fault in faults and fault.quote]
    return list(dict.fromkeys(quotes))[:_MOST_FAILED]
