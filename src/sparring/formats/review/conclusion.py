"""What a review has come to: what to fix, most severe first, and how far that can be relied on."""

from collections import Counter
from collections.abc import Iterator

from sparring.formats.review.finished import FinishedReview, Heading, heading_of, place_of
from sparring.reports.conclusion import Conclusion
from sparring.schema.changes import NotShown, ReviewedChange
from sparring.schema.review import Anchoring, FindingState, ReviewFinding, ReviewStatus
from sparring.schema.runs import Run
from sparring.text.tidying import one_line

_TITLE_SHOWN, _PLACE_SHOWN, _WHY_SHOWN = 90, 80, 400
_FILES_NAMED = 5

NOT_SHOWN = {
    NotShown.SUBMODULE: "submodule",
    NotShown.BINARY: "binary",
    NotShown.MODE: "only its mode changed",
    NotShown.GENERATED: "generated",
    NotShown.VENDORED: "somebody else's code",
    NotShown.SEEN: "reviewed before",
    NotShown.SECRET: "its name is made for secrets",
    NotShown.NO_ROOM: "no room within the limit",
    NotShown.UNREADABLE: "could not be read",
}
"""Why nobody was shown a file, in words."""

_UNFIT = {ReviewStatus.INCOMPLETE, ReviewStatus.FAILED}
_OTHERS = {
    Heading.OUTSIDE: "outside the change",
    Heading.DISMISSED: "dismissed before",
    Heading.REFUTED: "refuted",
    Heading.STRUCK: "struck",
}


def conclusion(run: Run) -> Conclusion:
    """What came of a finished review."""
    review = FinishedReview(run)
    change = review.request.change
    quotes = Counter(each.anchoring for finding in review.outcome.findings for each in finding.reporters)
    missing = quotes[Anchoring.NO_FILE] + quotes[Anchoring.NO_QUOTE]
    gaps = "; ".join(left_out(change, are_gaps=True))
    heard = (number for number in range(1, len(review.reviewers) + 1) if review.answered(number))
    return Conclusion(
        headline=_headline(review),
        is_plain=not review.shortcomings and review.outcome.status not in _UNFIT,
        about=("Change", change.title),
        why="; ".join(review.shortcomings),
        label=review.outcome.status,
        points=tuple(point(review, each) for each in review.of(Heading.TO_FIX, Heading.CONTESTED)),
        firmness=_counted(review),
        doubts=(*((f"[WARN] Shown to nobody: {gaps}.",) if gaps else ()), *review.notices),
        notes=tuple(f"Left out: {told}." for told in left_out(change, are_gaps=False)),
        citations={
            "quotes there": quotes.total() - missing,
            "of them moved": quotes[Anchoring.MOVED],
            "not there": missing,
        },
        answered_by=tuple(review.title(number) for number in heard),
    )


def _headline(review: FinishedReview) -> str:
    to_fix, contested = len(review.of(Heading.TO_FIX)), len(review.of(Heading.CONTESTED))
    found = ", ".join(f"{count} {what}" for count, what in ((to_fix, "to fix"), (contested, "contested")) if count)
    match review.outcome.status:
        case ReviewStatus.FAILED:
            return "Review failed: nobody answered"
        case ReviewStatus.INCOMPLETE:
            return f"Review incomplete: {found or 'nothing found'} so far"
        case ReviewStatus.BLOCKING:
            return f"Review: blocked: {found}"
        case ReviewStatus.CLEAN:
            return "Review: clean"
        case _:
            return f"Review: {found or 'something outside the change'}"


def point(review: FinishedReview, finding: ReviewFinding) -> str:
    """A finding in a line: how bad, where, what, who, and last why, which may be cut."""
    said = finding.reporters[0].said
    how = (
        "" if finding.state is FindingState.CONFIRMED and not finding.dismissed else f"{heading_of(finding).lower()}, "
    )
    place, title = one_line(place_of(finding), _PLACE_SHOWN), one_line(finding.title, _TITLE_SHOWN)
    why = one_line(" → ".join(part for part in (said.trigger, said.consequence) if part.strip()), _WHY_SHOWN)
    told = f"{how}{finding.severity} {place}: {title.rstrip('.')} ({review.who(finding)}; {finding.id})"
    return f"{told}: {why}" if why else told


def _counted(review: FinishedReview) -> str:
    """E.g. ``2 of 6 findings confirmed, 1 contested, 2 refuted, 1 struck``; empty where nobody answered."""
    counts = Counter(map(heading_of, review.outcome.findings))
    if not any(map(len, review.outcome.answered)):
        return ""
    total = counts.total()
    others = [f"{counts[Heading.CONTESTED]} contested"] if counts[Heading.CONTESTED] else []
    others += [f"{counts[each]} {words}" for each, words in _OTHERS.items() if counts[each]]
    confirmed = f"{counts[Heading.TO_FIX]} of {total} {'finding' if total == 1 else 'findings'} confirmed"
    return ", ".join((confirmed, *others)) if total else "nobody who answered found anything"


def left_out(change: ReviewedChange, *, are_gaps: bool) -> Iterator[str]:
    """The files that nobody is shown, by the reason, e.g. ``a.lock, b.lock and 3 more (generated)``."""
    for why, words in NOT_SHOWN.items():
        paths = tuple(dict.fromkeys(each.path for each in change.left_out if each.why is why))
        if paths and why.is_gap is are_gaps:
            named = ", ".join(one_line(path, _PLACE_SHOWN) for path in paths[:_FILES_NAMED])
            more = f" and {len(paths) - _FILES_NAMED} more" if len(paths) > _FILES_NAMED else ""
            yield f"{named}{more} ({words})"
