"""Evidence and positions as prompts show them: whatever somebody else wrote stands between fences."""

from collections.abc import Iterable, Mapping

from sparring.prompts import PromptLibrary
from sparring.schema.context import ContextPart
from sparring.schema.fact_check import Fault, Position

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
