"""What each agent is asked: the prompt for models, the brief for consultants made of code.

Whatever somebody else wrote stands between fences.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from sparring.engine.course import Wanted
from sparring.formats.fact_check.readers import OpenQuote
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.consultation import Brief, ContextPart, Question, Speech
from sparring.schema.fact_check import FactCheckRequest, Fault, Position
from sparring.schema.transcript import Ask, Placed, TurnKind

_NAME_LIMIT = 200
"""Characters of a source's name."""

_MOST_FAILED, _QUOTE_LIMIT = 5, 1_000
"""How many of its failed quotes an agent is shown, and how much of each."""

_NOT_THERE = frozenset({Fault.FABRICATED_QUOTE, Fault.ALTERED_QUOTE})
_SAYING_ELSE = frozenset({Fault.UNRELATED_QUOTE, Fault.CONTRADICTED_PART})


class Showing:
    """Fills the phrases of ``prompts/fact-check/shown.md``."""

    def __init__(self, prompts: PromptLibrary) -> None:
        self._prompts = prompts

    def evidence(self, parts: tuple[ContextPart, ...]) -> str:
        """The sources as a list, each with its number and name."""
        blocks = (
            self._phrase("source", number=str(number), name=_one_line(part.name), text=part.text)
            for number, part in enumerate(parts, start=1)
        )
        return "\n".join(blocks).strip()

    def own(self, position: Position) -> str:
        """An agent's own last position, and what of it was not found."""
        blocks = [self._phrase("own-position", verdict=position.verdict, quotes=self._quotes(position.quotes))]
        if position.claimed is not position.verdict:
            blocks.append(self._phrase("recounted", claimed=position.claimed, verdict=position.verdict))
        for phrase, faults in (("failed-quotes", _NOT_THERE), ("idle-quotes", _SAYING_ELSE)):
            if failed := _quotes_of(position, faults):
                blocks.append(self._phrase(phrase, quotes=self._quotes(failed)))
        return "\n".join(blocks).strip()

    def others(self, positions: Mapping[str, Position]) -> str:
        """The others' last positions; of their quotes only those that are verified."""
        blocks = (
            self._phrase("position", name=name, verdict=position.verdict, quotes=self._quotes(position.quotes))
            for name, position in positions.items()
        )
        return "\n".join(blocks).strip()

    def items(self, quotes: Sequence[OpenQuote]) -> str:
        """Parts and quotes that are to be read, each with its number."""
        blocks = (
            self._phrase("item", number=str(number), part=quote.part, quote=quote.passage)
            for number, quote in enumerate(quotes, start=1)
        )
        return "\n".join(blocks).strip()

    def _quotes(self, quotes: Iterable[str]) -> str:
        blocks = [self._phrase("quote", quote=quote) for quote in quotes]
        return "".join(blocks).strip() if blocks else self._phrase("no-quote").strip()

    def _phrase(self, phrase: str, **values: str) -> str:
        return self._prompts.render(f"fact-check/shown#{phrase}", values)


def _quotes_of(position: Position, faults: frozenset[Fault]) -> list[str]:
    quotes = (found.quote[:_QUOTE_LIMIT] for found in position.faults if found.fault in faults and found.quote)
    return list(dict.fromkeys(quotes))[:_MOST_FAILED]


def _one_line(name: str) -> str:
    return " ".join(name.split())[:_NAME_LIMIT]


ANALYSIS, REBUTTAL, READING = "fact-check/analysis", "fact-check/rebuttal", "fact-check/reading"


class Asking:
    """Words the asks."""

    def __init__(self, request: FactCheckRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._prompts = prompts
        self._showing = Showing(prompts)

    def wanted(self, name: str, shown: Mapping[str, Position], *, problem: str) -> Wanted:
        """The ask of the agent ``name``.

        Args:
            name: What the agent is called.
            shown: Where everybody, itself included, stood after the round before; empty in round 1.
            problem: What was wrong with its first answer, if this is the second attempt.
        """
        round_ = shown[name].round + 1 if shown else 1
        id_ = f"r{round_}.a{self._request.names.index(name) + 1}{'.2' if problem else ''}"
        return Wanted(id_, lambda: self._ask(id_, name, round_, shown, problem))

    def _ask(self, id_: str, name: str, round_: int, shown: Mapping[str, Position], problem: str) -> Ask:
        step, kind = (REBUTTAL, TurnKind.REBUTTAL) if shown else (ANALYSIS, TurnKind.ANALYSIS)
        placed = self._placed(kind, name, round_, f"round {round_}", problem)
        speeches = tuple(_speech(other, position) for other, position in shown.items())
        evidence = tuple(part.text for part in self._request.evidence)
        return self._ask_of(id_, step, placed, self._prompt(step, name, shown, problem), speeches, evidence)

    def reading(self, name: str, quotes: Sequence[OpenQuote], round_: int, *, problem: str) -> Wanted:
        """The ask of the agent ``name`` as a second reader of ``quotes``."""
        number = self._request.names.index(name) + 1
        id_ = f"r{round_}.reading{number}{'.2' if problem else ''}"
        return Wanted(id_, lambda: self._ask_to_read(id_, name, quotes, round_, problem))

    def _ask_to_read(self, id_: str, name: str, quotes: Sequence[OpenQuote], round_: int, problem: str) -> Ask:
        placed = self._placed(TurnKind.READING, name, round_, f"round {round_}, reading", problem)
        prompt = self._prompts.render(READING, {"items": self._showing.items(quotes), "count": str(len(quotes))})
        parts = tuple(Speech(role=Role.FACT_CHECKER, round=round_, text=quote.part) for quote in quotes)
        passages = tuple(quote.passage for quote in quotes)
        return self._ask_of(id_, READING, placed, self._again(prompt, problem), parts, passages)

    def _placed(self, kind: TurnKind, name: str, round_: int, label: str, problem: str) -> Placed:
        number = self._request.names.index(name) + 1
        return Placed(
            kind=kind,
            role=Role.FACT_CHECKER,
            round=round_,
            tool=self._request.agents[number - 1].tool,
            attempt=2 if problem else 1,
            number=number,
            label=label,
        )

    def _ask_of(
        self, id_: str, step: str, placed: Placed, prompt: str, speeches: tuple[Speech, ...], evidence: tuple[str, ...]
    ) -> Ask:
        """What is put to the agent in that place, with what code would read of it."""
        request, agent = self._request, placed.number - 1
        brief = Brief(
            step=step,
            topic=request.claim,
            role=placed.role,
            round=placed.round,
            attempt=placed.attempt,
            speeches=speeches,
            name=request.names[agent],
            evidence=evidence,
            language=request.language,
        )
        question = Question(
            prompt=prompt,
            brief=brief,
            effort=request.effort,
            model=request.agents[agent].model,
            timeout_s=request.timeout_s,
        )
        return Ask(id=id_, question=question, **placed.place)

    def _again(self, prompt: str, problem: str) -> str:
        return f"{prompt}\n{self._prompts.render('fact-check/again', {'problem': problem})}" if problem else prompt

    def _prompt(self, step: str, name: str, shown: Mapping[str, Position], problem: str) -> str:
        values = {"claim": self._request.claim, "evidence": self._evidence, "language": self._request.language}
        if shown:
            others = {other: position for other, position in shown.items() if other != name}
            values |= {
                "round": str(shown[name].round + 1),
                "name": name,
                "own_position": self._showing.own(shown[name]),
                "other_positions": self._showing.others(others),
            }
        return self._again(self._prompts.render(step, values), problem)

    @cached_property
    def _evidence(self) -> str:
        return self._showing.evidence(self._request.evidence)


def _speech(name: str, position: Position) -> Speech:
    said = json.dumps({"verdict": position.verdict, "quotes": position.quotes}, ensure_ascii=False)
    return Speech(role=Role.FACT_CHECKER, round=position.round, name=name, text=said)
