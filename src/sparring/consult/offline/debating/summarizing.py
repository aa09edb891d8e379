"""The record of the earlier rounds, in five sections, for speakers who will not see the full text."""

from collections.abc import Iterator

from sparring.checks.citations import CitationStatus
from sparring.consult.offline.case import Case
from sparring.consult.offline.debating.defending import main_points
from sparring.consult.offline.debating.judging import open_challenges
from sparring.consult.offline.evidence import code_span
from sparring.schema.debate import SPEAKING_ORDER
from sparring.schema.spans import TextSpan
from sparring.text.tidying import one_line

_BUDGET = 2500
"""Characters that the entries may fill; with the headings that stays below the 800 tokens asked for."""


def summary(case: Case) -> str:
    """Five sections. Concessions and walk-backs are never left out; the rest fills the space they leave, evenly."""
    kept = {"concessions": list(_concessions(case)), "walk-backs": list(_walk_backs(case))}
    offered = {
        "positions": _positions(case),
        "citations": _citations(case),
        "disagreements": _disagreements(case),
    }
    room = _BUDGET - sum(len(entry) for entries in kept.values() for entry in entries)
    kept |= _filled(offered, room)
    sections = {name: "\n".join(entries) or case.say("none") for name, entries in kept.items()}
    return case.say("summary", **{name.replace("-", "_"): text for name, text in sections.items()})


def _filled(offered: dict[str, Iterator[str]], room: int) -> dict[str, list[str]]:
    """Entries taken in turns from each section, as many as fit; the first of each always."""
    taken: dict[str, list[str]] = {name: [] for name in offered}
    waiting = dict(offered)
    while waiting:
        for name, entries in list(waiting.items()):
            entry = next(entries, None)
            if entry is None or (taken[name] and len(entry) > room):
                del waiting[name]
                continue
            taken[name].append(entry)
            room -= len(entry)
    return taken


def _positions(case: Case) -> Iterator[str]:
    for side in SPEAKING_ORDER:
        for speech in case.by(side)[:1]:
            for point in main_points(speech.points)[:3]:
                yield case.say("summary-position", side=side.capitalize(), text=one_line(point.text, 300))


def _concessions(case: Case) -> Iterator[str]:
    for speech in case.heard:
        for sentence in speech.concessions:
            yield case.say("summary-said", side=speech.role, round=str(speech.round), sentence=sentence)


def _citations(case: Case) -> Iterator[str]:
    seen: set[str] = set()
    for speech in case.heard:
        for found in speech.citations:
            cited = found.citation
            if found.status is CitationStatus.VERIFIED and cited.text not in seen:
                seen.add(cited.text)
                quoted = f": {code_span(one_line(cited.quoted, 160))}" if cited.quoted else ""
                yield f"- `{cited.text}` ({speech.role}, {speech.round}){quoted}"


def _disagreements(case: Case) -> Iterator[str]:
    for point in open_challenges(case):
        label = f"{point.label} " if point.label else ""
        yield f"- {label}{one_line(point.text, 260)}"


def _walk_backs(case: Case) -> Iterator[str]:
    """Each withdrawal, after what it takes back as far as that can be told."""
    withdrawn = [(made, made.withdrawn) for made in case.concessions if made.withdrawn]
    for speech in case.heard:
        for sentence in speech.walk_backs:
            for made, withdrawal in withdrawn:
                place = (made.role, withdrawal.round, _in_one_line(withdrawal))
                if place == (speech.role, speech.round, sentence):
                    yield case.say("summary-said", side=made.role, round=str(made.round), sentence=_in_one_line(made))
            yield case.say("summary-withdrawn", side=speech.role, round=str(speech.round), sentence=sentence)


def _in_one_line(place: TextSpan) -> str:
    return " ".join(place.text.split())
