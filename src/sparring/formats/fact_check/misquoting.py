"""What a rebuttal says of another agent, held against what that agent was shown to say."""

import re
from collections.abc import Iterable, Mapping

from sparring.checks.quotes import Evidence
from sparring.formats.fact_check.grounds import shown
from sparring.formats.fact_check.reading import SaidRebuttal
from sparring.schema.fact_check import Fault, FaultFound, Position
from sparring.schema.quotes import QuoteVerdict

_WORD = re.compile(r"\w+")


def agent_named(name: str, others: Iterable[str]) -> str | None:
    """Which of ``others`` is meant by ``name``, whatever its letter case and the marks around it."""
    words = _words(name)
    return next((other for other in others if _words(other) == words), None)


def misquotation(said: SaidRebuttal, others: Mapping[str, Position]) -> FaultFound | None:
    """How ``said`` puts words into another agent's mouth, or answers nobody; None when it does neither."""
    name = agent_named(said.agent, others)
    if name is None:
        return FaultFound(fault=Fault.MISQUOTED_AGENT, why=f"It answers {shown(said.agent)}, who has not spoken.")
    position = others[name]
    if said.their_verdict and said.their_verdict is not position.verdict:
        why = f"It has {name} say {said.their_verdict}, who said {position.verdict}."
        return FaultFound(fault=Fault.MISQUOTED_AGENT, why=why)
    if said.their_quote and not _is_made_of(said.their_quote, position.quotes):
        why = f"It has {name} quote what {name} has not quoted."
        return FaultFound(fault=Fault.MISQUOTED_AGENT, why=why, quote=said.their_quote)
    return None


def _is_made_of(text: str, quotes: tuple[str, ...]) -> bool:
    """Whether ``text`` is one of ``quotes``, a piece of one, or several of them with marks between."""
    if Evidence(quotes).find(text).verdict is QuoteVerdict.VERBATIM:
        return True
    rest = " ".join(_WORD.findall(text))
    for quote in quotes:
        rest = rest.replace(" ".join(_WORD.findall(quote)), "")
    return not rest.strip()


def _words(name: str) -> list[str]:
    return _WORD.findall(name.casefold().replace("_", " "))
