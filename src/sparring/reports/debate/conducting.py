"""How the sides behaved: what they gave up and took back, and what code remarks on."""

from collections.abc import Iterable, Iterator

from sparring.reports.debate.finished import FinishedDebate
from sparring.reports.fitting import Section
from sparring.reports.foreign import inline
from sparring.schema.base import Role
from sparring.schema.debate import Concession, Convergence, FlagKind

_CONVERGENCE = {
    Convergence.NONE: "the challenger marked no concession",
    Convergence.UNCHECKED: "the challenger conceded, and what it cites there was not looked up",
    Convergence.SUPPORTED: "the challenger conceded, each time with a citation that was found",
    Convergence.UNSUPPORTED: "the challenger conceded at least once without a citation that was found",
}
_FLAGS = {
    FlagKind.PRAISE: "begins with praise for the other side",
    FlagKind.UNSUPPORTED_AGREEMENT: "concedes, and cites nothing for it",
}


def conduct_lines(debate: FinishedDebate) -> list[str]:
    """Whether the challenger, if it spoke, conceded anything, then each remark with the words that it is about."""
    if not debate.outcome.ledgers:
        return []
    conduct = debate.outcome.conduct
    flags = (
        f"[WARN] Round {flag.round}, {flag.role} ({debate.request.participant(flag.role).tool}) {_FLAGS[flag.kind]}: "
        f"“{flag.text}”"
        for flag in conduct.flags
    )
    was_heard = any(each.role is Role.CHALLENGER for each in debate.outcome.ledgers)
    gave_way = [f"Convergence: {_CONVERGENCE[conduct.convergence]}"] if was_heard else []
    return [*gave_way, *flags]


def concession_sections(debate: FinishedDebate) -> list[Section]:
    """What was given up and stands, then what was taken back, with both quotes."""
    if not debate.outcome.ledgers:
        return []
    conceded = debate.outcome.conduct.concessions
    standing = (f"{_who(debate, each)}: “{each.text}”" for each in conceded if not each.withdrawn)
    withdrawn = (
        f"Withdrawn: {_who(debate, each)}: “{each.text}”, taken back in round {each.withdrawn.round}: "
        f"“{each.withdrawn.text}”"
        for each in conceded
        if each.withdrawn
    )
    lines = _bullets((*standing, *withdrawn, *_named_by_judges(debate)))
    return [Section("## Concessions", lines or "None was marked, and no judge named one.")]


def _named_by_judges(debate: FinishedDebate) -> Iterator[str]:
    """What judges say was given up, and no mark says; that it was said is all that code knows of it."""
    judgement = debate.outcome.judgement
    named = [each for ballot in judgement.ballots for each in ballot.concessions] if judgement else []
    marked = [each.text for each in debate.outcome.conduct.concessions]
    for each in dict.fromkeys(named):
        if not any(each.quote in text or text in each.quote for text in marked):
            yield f"Named by a judge: {debate.name(each.side)}, round {each.round}: “{each.quote}”"


def _who(debate: FinishedDebate, each: Concession) -> str:
    return f"{debate.name(each.role)}, round {each.round}"


def _bullets(points: Iterable[str]) -> str:
    return "\n".join(f"- {inline(point)}" for point in points)
