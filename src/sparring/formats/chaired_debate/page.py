"""What the page of a chaired debate shows besides: the log at a glance, and what is known of each entry.

As everywhere, all of it comes from the outcome: what the chair took out is nowhere in it.
"""

from collections import Counter

from sparring.formats.chaired_debate.conclusion import STATUSES, FinishedChairedDebate
from sparring.reports.page.elements import NOTHING, Html, element
from sparring.reports.page.pictures import Card, Figure, Pictures, badge, strip, tone_of
from sparring.schema.base import Role
from sparring.schema.chaired_debate import LogEntry
from sparring.schema.lookups import SourceStatus
from sparring.schema.runs import Run

_ROWS_SHOWN = 100


def key(entry: LogEntry) -> str:
    """What ``entry`` is called in links."""
    return f"seq-{entry.seq}"


def pictures(run: Run) -> Pictures:
    """The log, and what is known of each entry."""
    debate = FinishedChairedDebate(run)
    cards = {key(entry): _card(debate, entry) for entry in debate.outcome.log}
    return Pictures((_log(debate),) if cards else (), cards, called="The log")


def _log(debate: FinishedChairedDebate) -> Figure:
    head = [element("th", name, scope="col") for name in ("Entry", "Phase", "Who", "What", "Its sources")]
    rows = [_row(debate, entry) for entry in debate.outcome.log[:_ROWS_SHOWN]]
    table = element("table", element("thead", element("tr", head)), element("tbody", rows))
    scrolled = element("div", table, class_="scroll", tabindex="0", role="group", aria_label="The log")
    more = len(debate.outcome.log) - _ROWS_SHOWN
    return Figure("The log", scrolled, f"{more} more below." if more > 0 else "", is_wide=True)


def _row(debate: FinishedChairedDebate, entry: LogEntry) -> Html:
    number = element("th", element("a", f"seq {entry.seq}", href=f"#{key(entry)}"), scope="row")
    what = entry.type.value.replace("_", " ") + (f" to seq {entry.rebuttal_to_seq}" if entry.rebuttal_to_seq else "")
    removed = debate.label(entry).strip("[]").lower()
    taken = badge(removed, "bad") if removed else NOTHING
    who = badge(entry.speaker.value, tone_of(_role(entry)))
    cells = (entry.phase.value, who, (what, " ", taken), strip(_counts(debate, entry)))
    return element("tr", number, *(element("td", each) for each in cells))


def _role(entry: LogEntry) -> Role:
    return next((role for role in Role if role.value == entry.speaker.value), Role.VERIFIER)


def _counts(debate: FinishedChairedDebate, entry: LogEntry) -> dict[str, int]:
    found = Counter(finding.status for finding in debate.findings.get(entry.seq, ()))
    return {name: found[status] for status, name in STATUSES.items() if found[status]}


def _card(debate: FinishedChairedDebate, entry: LogEntry) -> Card:
    removed = debate.label(entry).strip("[]").lower()
    found = {finding.status for finding in debate.findings.get(entry.seq, ())}
    marks = [removed] if removed else []
    marks += ["not found"] if SourceStatus.FABRICATED in found else []
    return Card({"role": (entry.speaker.value,), "mark": tuple(marks)}, _counts(debate, entry))
