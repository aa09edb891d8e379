"""What a jury quotes, with its place in the texts or the mark that it is not there."""

from collections.abc import Iterable

from sparring.reports.foreign import cell, literal
from sparring.reports.highlighting import reference
from sparring.schema.base import Role
from sparring.schema.jury import ChecklistEntry, CriticalDifference, Phrase
from sparring.text.tidying import one_line

CHECKLIST_HEAD = ("compared", "found", "truth", "claim", "note")

_PHRASE_SHOWN = 200


def placed(phrase: Phrase) -> str:
    """E.g. ``“more than 645,000” (truth, 12–29)``."""
    place = reference(phrase.source, phrase.span) if phrase.span else f"not in the {phrase.source}"
    return f"“{literal(one_line(phrase.text, _PHRASE_SHOWN))}” ({place})"


def difference(found: CriticalDifference) -> str:
    """A difference as a bullet, below it the kinds of mutation and the places that it points at."""
    below = [f"kind of mutation: {', '.join(found.types)}"] if found.types else []
    below += [placed(anchor) for anchor in found.anchors] or ["points at no words of either text, and carries nothing"]
    return "\n".join([f"- {literal(found.text)}", *(f"  - {line}" for line in below)])


def invented(phrases: Iterable[Phrase]) -> str:
    """The phrases that are not where they are said to be; empty if all are."""
    missing = list(dict.fromkeys(placed(phrase) for phrase in phrases if phrase.span is None))
    return f"Not in the texts, word for word: {', '.join(missing)}." if missing else ""


def checklist_row(entry: ChecklistEntry) -> tuple[str, ...]:
    """A dimension as the Fact-Checker sees it, for a table under ``CHECKLIST_HEAD``."""
    found = f"{entry.status}, {entry.severity}" if entry.severity else entry.status.value
    return entry.dimension.value, found, _cells(entry.truth), _cells(entry.claim), cell(entry.note)


def title(role: Role) -> str:
    """A role as it begins a heading, e.g. ``Fact-Checker``."""
    return role.spoken.title()


def _cells(phrases: Iterable[Phrase]) -> str:
    return "; ".join(placed(phrase).replace("|", "\\|") for phrase in phrases)
