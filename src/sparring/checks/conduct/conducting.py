"""How both sides behaved over the whole debate."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from sparring.checks.conduct.finding import Found, ReadSpeech
from sparring.checks.conduct.linking import Standing
from sparring.schema.base import Role
from sparring.schema.citations import CitationStatus
from sparring.schema.debate import Concession, Conduct, Convergence, Flag, FlagKind, Side, Withdrawal
from sparring.schema.ledger import Ledger, LedgerEntry
from sparring.schema.spans import TextSpan


@dataclass(frozen=True)
class Spoken:
    """One speech as it was made. ``ledger`` has its citations, if they were looked up."""

    role: Side
    round: int
    text: str
    ledger: Ledger | None


def conduct(speeches: Sequence[Spoken]) -> Conduct:
    """What the words of ``speeches`` show, in the order of speaking.

    Of a speech whose citations were not looked up it cannot be told what supports its agreements: it is not flagged
    for them, and of convergence no more is known than that its speaker gave way.
    """
    heard = [_Heard(speech) for speech in speeches]
    return Conduct(
        concessions=_concessions(heard),
        flags=tuple(flag for each in heard for flag in each.flags()),
        convergence=_convergence(heard),
    )


class _Heard:
    """A speech, what it says, and what it cites where."""

    def __init__(self, speech: Spoken) -> None:
        self.speech = speech
        self.read = ReadSpeech(speech.text)

    def flags(self) -> Iterator[Flag]:
        """What is told of it; the same words once."""
        bare: dict[str, TextSpan] = {}
        for praise in self.read.praise:
            yield self._flag(FlagKind.PRAISE, praise)
        for found in self.read.agreements:
            if self.is_looked_up(found) and not self.citations(found):
                bare.setdefault(found.span.text, found.span)
        for place in bare.values():
            yield self._flag(FlagKind.UNSUPPORTED_AGREEMENT, place)

    def is_looked_up(self, found: Found) -> bool:
        """Whether it is known what stands beside ``found``. A ledger that is full does not know what follows."""
        ledger = self.speech.ledger
        if ledger is None or not ledger.left_out:
            return ledger is not None
        return bool(ledger.entries) and found.passage.end <= ledger.entries[-1].start

    def citations(self, found: Found) -> list[LedgerEntry]:
        """What is cited beside ``found``: in its paragraph or list item, or in the list that it leads to."""
        entries = self.speech.ledger.entries if self.speech.ledger else ()
        return [entry for entry in entries if found.passage.start <= entry.start < self._ends[found.passage.start]]

    @cached_property
    def _ends(self) -> dict[int, int]:
        """Where each passage ends, by where it starts; with a lead-in goes the list below it."""
        ends: dict[int, int] = {}
        end_of_list = 0
        for passage in reversed(self.read.passages):
            is_lead = passage.is_title and not passage.is_item
            ends[passage.start] = max(passage.end, end_of_list if is_lead else 0)
            end_of_list = max(end_of_list, passage.end) if passage.is_item else 0
        return ends

    def _flag(self, kind: FlagKind, place: TextSpan) -> Flag:
        return Flag(kind=kind, role=self.speech.role, round=self.speech.round, **place.model_dump())


def _concessions(heard: Sequence[_Heard]) -> tuple[Concession, ...]:
    made: list[Concession] = []
    standing: dict[Side, Standing] = {Role.PROPOSER: Standing(), Role.CHALLENGER: Standing()}
    for each in heard:
        role, round_ = each.speech.role, each.speech.round
        for found, is_withdrawal in each.read.moves:
            place = found.span.model_dump()
            if not is_withdrawal:
                standing[role].add(len(made), round_, found.span.text)
                made.append(Concession(role=role, round=round_, **place))
                continue
            for taken in standing[role].take_back(found.span.text):
                made[taken] = made[taken].model_copy(update={"withdrawn": Withdrawal(round=round_, **place)})
    return tuple(made)


def _convergence(heard: Sequence[_Heard]) -> Convergence:
    agreed = [(each, found) for each in heard if each.speech.role is Role.CHALLENGER for found in each.read.agreements]
    if not agreed:
        return Convergence.NONE
    supported = [_is_verified_beside(each, found) for each, found in agreed if each.is_looked_up(found)]
    if not all(supported):
        return Convergence.UNSUPPORTED
    return Convergence.SUPPORTED if len(supported) == len(agreed) else Convergence.UNCHECKED


def _is_verified_beside(heard: _Heard, found: Found) -> bool:
    return any(entry.status is CitationStatus.VERIFIED for entry in heard.citations(found))
