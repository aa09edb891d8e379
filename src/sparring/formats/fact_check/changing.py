"""Whether a changed verdict counts (specification: seed 000, Round 2+: maintain by default).

It does with a quote that is in the evidence, has to do with the claim, and is new: the agent has not quoted that
place before. A change without one, whatever is said for it, is a change of heart. One to SUPPORTED has to carry what
the agent's own analysis left open.
"""

from collections.abc import Iterator, Mapping, Sequence

from sparring.formats.fact_check.citing import Cited
from sparring.formats.fact_check.grounds import Grounds, shown
from sparring.schema.claims import Label
from sparring.schema.fact_check import Fault, FaultFound, PartStatus, Position
from sparring.schema.quotes import QuoteFinding
from sparring.schema.spans import Span


class Change:
    """A verdict other than the one before.

    Args:
        verdict: The new one.
        key: The quote that it is said to rest on most.
        cited: Every quote that was brought, ``key`` among them.
        own: Where the agent stood after each round before.
        grounds: Claim and evidence.
    """

    def __init__(
        self, verdict: Label, key: Cited | None, cited: Sequence[Cited], own: Sequence[Position], grounds: Grounds
    ) -> None:
        self._verdict = verdict
        self._key = key
        quoted = [span for position in own for span in _quoted(position)]
        sound = [each for each in cited if each.fault is None]
        fit = [each for each in sound if _is_new(each.found, quoted)]
        # What speaks against the claim cannot be what supports it.
        against = [grounds.contradiction(each) if verdict is Label.SUPPORTED else "" for each in fit]
        self.carried_by = tuple(each for each, why in zip(fit, against, strict=True) if not why)
        self._refuted = [(each, why) for each, why in zip(fit, against, strict=True) if why]
        self._left_open = next(_left_open(own[0], sound, grounds), "") if verdict is Label.SUPPORTED else ""

    @property
    def refusal(self) -> str:
        """Why the change does not count; empty when it does."""
        if self._verdict is not Label.NEI and self._key and not self._key.is_verbatim:
            return f"Its change to {self._verdict} rests on a quote that is not in the evidence."
        if not self.carried_by:
            return f"Its change to {self._verdict} brings no new quote that carries it."
        if self._left_open:
            return f"Its change to {self._verdict} still has no quote for {shown(self._left_open)}."
        return ""

    def faults(self, others: Mapping[str, Position]) -> Iterator[FaultFound]:
        """What is wrong with the change; ``others`` are the positions that the agent was shown."""
        for cited, against in self._refuted:
            why = f"The claim is called SUPPORTED by a quote that says otherwise. {against}"
            yield FaultFound(fault=Fault.CONTRADICTED_PART, why=why, quote=cited.quote)
        if not self.refusal:
            return
        yield FaultFound(fault=Fault.CHANGE_WITHOUT_NEW_QUOTE, why=self.refusal)
        agreeing = [position for position in others.values() if position.verdict is self._verdict]
        if 2 * len(agreeing) > len(others):
            why = f"It goes to what {len(agreeing)} of {len(others)} others said: {self._verdict}."
            yield FaultFound(fault=Fault.CONFORMED, why=why)


def _left_open(blind: Position, sound: Sequence[Cited], grounds: Grounds) -> Iterator[str]:
    """The parts that were not covered in the agent's analysis, and that none of ``sound`` can cover."""
    for part in blind.parts:
        is_open = part.status is not PartStatus.COVERED and not grounds.is_foreign(part.part)
        if is_open and all(grounds.misfit(each, part.part) for each in sound):
            yield part.part


def _quoted(position: Position) -> Iterator[Span]:
    """Every place that an agent has quoted in a round."""
    findings = (
        *(part.found for part in position.parts),
        position.key_quote_found,
        *(rebuttal.found for rebuttal in position.rebuttals),
    )
    return (span for found in findings if found for span in found.parts)


def _is_new(found: QuoteFinding, quoted: Sequence[Span]) -> bool:
    return any(not any(_is_within(part, span) for span in quoted) for part in found.parts)


def _is_within(one: Span, other: Span) -> bool:
    return one.index == other.index and other.start <= one.start and one.end <= other.end
