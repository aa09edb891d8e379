"""Count what each side has shown, and pick the winner by the written tie-break (design: Debate).

More verified and fewer not-found citations; then fewer challenges left unanswered; then the challenger's burden: who
attacks must have shown a flaw, else the proposer's position stands.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from sparring.checks.citations import CitationStatus
from sparring.consult.offline.case import Case
from sparring.consult.offline.debating.defending import TALK, main_points
from sparring.consult.offline.reading import HeardSpeech, Point
from sparring.schema.base import Role
from sparring.schema.debate import Side

_SHARED_TERMS = 2
_SHARED_PART = 0.25
"""What an answer must share with a point that has no label, for them to be about the same thing."""


@dataclass(frozen=True)
class Raised:
    """A point that wanted an answer, and whether it got one."""

    point: Point
    round: int
    answered: bool


@dataclass(frozen=True)
class Tally:
    """What one side has shown.

    Attributes:
        verified: Citations that hold, of places that the other side had not brought up before.
        concessions: Those that stand, word for word.
        taken_back: How many do not.
    """

    side: Side
    verified: int
    not_found: int
    concessions: tuple[str, ...]
    taken_back: int
    raised: tuple[Raised, ...]

    @property
    def net(self) -> int:
        """Citations that hold, less those that do not."""
        return self.verified - self.not_found


@dataclass(frozen=True)
class Decision:
    """Who wins, and by which step of the tie-break."""

    winner: Side
    step: Literal["citations", "unanswered", "burden-met", "burden-failed"]


def tally(case: Case, side: Side) -> Tally:
    """What ``side`` has shown in the whole debate."""
    speeches = case.by(side)
    given_up = [concession for concession in case.concessions if concession.role is side]
    standing = [concession.text for concession in given_up if concession.withdrawn is None]
    found = [citation for speech in speeches for citation in speech.citations]
    return Tally(
        side=side,
        verified=len(_first_brought(case, side)),
        not_found=len({each.citation.text for each in found if each.status is CitationStatus.NOT_FOUND}),
        concessions=tuple(" ".join(sentence.split()) for sentence in standing),
        taken_back=len(given_up) - len(standing),
        raised=tuple(_raised(case, side)),
    )


def unanswered(other: Tally) -> tuple[Raised, ...]:
    """What ``other`` has raised and got no answer to."""
    return tuple(raised for raised in other.raised if not raised.answered)


def decide(proposer: Tally, challenger: Tally) -> Decision:
    """The winner by the written tie-break."""
    if proposer.net != challenger.net:
        return Decision(Role.PROPOSER if proposer.net > challenger.net else Role.CHALLENGER, "citations")
    left_by_proposer, left_by_challenger = len(unanswered(challenger)), len(unanswered(proposer))
    if left_by_proposer != left_by_challenger:
        winner = Role.PROPOSER if left_by_proposer < left_by_challenger else Role.CHALLENGER
        return Decision(winner, "unanswered")
    if proposer.concessions or proposer.not_found or left_by_proposer:
        return Decision(Role.CHALLENGER, "burden-met")
    return Decision(Role.PROPOSER, "burden-failed")


def _first_brought(case: Case, side: Side) -> set[tuple[str, int | None]]:
    """The places that stand as cited and that ``side`` was the first to cite."""
    first: dict[tuple[str, int | None], Role] = {}
    for speech in case.heard:
        for found in speech.citations:
            if found.status is CitationStatus.VERIFIED:
                first.setdefault((found.citation.path, found.citation.line), speech.role)
    return {place for place, role in first.items() if role is side}


def _raised(case: Case, side: Side) -> Iterable[Raised]:
    """The points of ``side`` to which the other side could still speak."""
    for position, speech in enumerate(case.heard):
        replies = [reply for reply in case.heard[position + 1 :] if reply.role is not side]
        if speech.role is side and replies:
            for point in main_points(speech.points):
                if point.wants_answer:
                    yield Raised(point, speech.round, any(_takes_up(reply, point) for reply in replies))


def _takes_up(reply: HeardSpeech, point: Point) -> bool:
    if point.label and re.search(rf"\b{re.escape(point.label)}\b(?!\.\d)", reply.text):
        return True
    own = point.terms - TALK
    needed = max(_SHARED_TERMS, len(own) * _SHARED_PART)
    return any(len(own & answer.terms) >= needed for answer in reply.points)
