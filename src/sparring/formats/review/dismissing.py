"""Findings that somebody has looked at and calls none: shown as dismissed, as long as the code there is the same."""

from collections.abc import Mapping
from datetime import datetime

from sparring.engine.format import Dismissing
from sparring.errors import UsageError
from sparring.formats.review.finished import place_of
from sparring.formats.review.options import DISMISSED, LAST_REVIEW
from sparring.schema.review import Dismissal, Dismissals, FindingState, LastReview
from sparring.text.tidying import one_line

_LEAST = 4
"""Characters of an id that may stand for it."""

_KNOWN_SHOWN = 8
_SHOWN = 120
_WHY_SHOWN = 2_000


def _dismissed(
    last: LastReview | None, kept: Dismissals, begun: str, why: str, now: datetime
) -> tuple[Dismissals, str]:
    """``kept`` with the finding of the last review that ``begun`` is the id of, or its beginning."""
    if last is None:
        raise UsageError(
            "There is no review here of which a finding could be dismissed.", hint="Begin: sparring review"
        )
    if not why.strip():
        raise UsageError("Nobody will know why it was dismissed.", hint='Say so: --why "the caller holds the lock"')
    found = {each.id: each for each in last.findings if each.state is not FindingState.STRUCK}
    finding = found[_meant(begun, {id_: f"{id_} ({one_line(each.title, 40)})" for id_, each in found.items()})]
    one = Dismissal(id=finding.id, why=one_line(why, _WHY_SHOWN), title=finding.title, file=place_of(finding), at=now)
    others = tuple(each for each in kept.dismissed if each.id != finding.id)
    return Dismissals(dismissed=(*others, one)), f"Dismissed {_told(one)}"


def _recalled(kept: Dismissals, begun: str) -> tuple[Dismissals, str]:
    """``kept`` without the dismissal of that id."""
    id_ = _meant(begun, {each.id: each.id for each in kept.dismissed})
    left = tuple(each for each in kept.dismissed if each.id != id_)
    return Dismissals(dismissed=left), f"{id_} counts again from the next review on."


def _meant(begun: str, known: Mapping[str, str]) -> str:
    """The id of ``known`` that is meant; raises ``UsageError`` with what is known, by id, in words."""
    said = begun.strip().lower()
    found = [id_ for id_ in known if id_ == said or (len(said) >= _LEAST and id_.startswith(said))]
    if len(found) == 1:
        return found[0]
    shown = one_line(repr(begun), 40)
    if found:
        raise UsageError(f"Several findings begin with {shown}: {', '.join(found)}.")
    more = f" and {len(known) - _KNOWN_SHOWN} more" if len(known) > _KNOWN_SHOWN else ""
    listed = ", ".join(list(known.values())[:_KNOWN_SHOWN])
    raise UsageError(f"No finding has the id {shown}.", hint=f"Known: {listed}{more}." if known else "There is none.")


def _lines(kept: Dismissals) -> tuple[str, ...]:
    return tuple(f"{each.at:%Y-%m-%d}  {_told(each)}" for each in kept.dismissed)


def _told(one: Dismissal) -> str:
    return f"{one.id}  {one_line(one.file, _SHOWN)}: {one_line(one.title, _SHOWN)} ({one_line(one.why, _SHOWN)})"


DISMISSING = Dismissing(
    path=DISMISSED,
    record=Dismissals,
    result=(LAST_REVIEW, LastReview),
    dismissed=_dismissed,
    recalled=_recalled,
    lines=_lines,
)
