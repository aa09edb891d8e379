"""Promoter and detractor: the same project, read for what carries the topic or for what limits it."""

from sparring.consult.offline.case import Case
from sparring.consult.offline.chairing.proceedings import Entry, Proceedings
from sparring.consult.offline.chairing.wording import say
from sparring.consult.offline.debating.drafting import Draft
from sparring.consult.offline.evidence import Evidence
from sparring.consult.offline.writing import json_block
from sparring.schema.base import Role
from sparring.schema.chaired_debate import CONJECTURE_LABEL, EntryType

_QUOTATIONS = 3
"""Most quotations of an opening."""

_NAMED_IN_CLOSING = 5


def ready(case: Case) -> str:
    """The confirmation of its role, word for word (specification: Startup Sequence)."""
    return say(case, "ready", role=case.brief.role.capitalize(), topic=case.brief.topic)


def opening(case: Case) -> str:
    """The position, and what the project holds for it; or that it holds nothing."""
    draft = Draft(case, "")
    found = [evidence for _ in range(_QUOTATIONS) if (evidence := _find(draft))]
    side = "for" if case.brief.role is Role.PROMOTER else "against"
    parts = [say(case, f"opening-{side}", topic=case.brief.topic)]
    parts += [_point(case, draft, evidence) for evidence in found]
    if not found:
        parts.append(say(case, "nothing-found", files=f"{case.library.corpus.files_read:,}"))
    return _entry(EntryType.OPENING_STATEMENT, parts)


def action(case: Case) -> str:
    """What the opponent said last, and what the project holds against it or beside it."""
    draft, proceedings = Draft(case, ""), Proceedings(case)
    evidence = _find(draft)
    parts = [_on(case, entry) for entry in proceedings.against(case.brief.role)[-1:]]
    parts.append(_point(case, draft, evidence) if evidence else say(case, "nothing-more"))
    return _entry(EntryType.CONJECTURE, parts)


def closing(case: Case) -> str:
    """What was not answered yet, what stands for the own side, and what the other one has left unanswered."""
    proceedings, role = Proceedings(case), case.brief.role
    own, open_ = proceedings.by(role), proceedings.unanswered(role)
    side = "for" if role is Role.PROMOTER else "against"
    parts = [say(case, f"closing-{side}")]
    parts += [say(case, "closing-point", seq=str(entry.seq), gist=entry.gist) for entry in _best(own)]
    parts += [_on(case, entry) for entry in proceedings.ignored_by(role)[-_NAMED_IN_CLOSING:]]
    if open_:
        parts.append(say(case, "closing-unanswered", seqs=seqs(open_)))
    return _entry(EntryType.CLOSING_STATEMENT, parts)


def seqs(entries: tuple[Entry, ...]) -> str:
    """``(seq 3), (seq 5)``."""
    return ", ".join(f"(seq {entry.seq})" for entry in entries)


def _best(own: tuple[Entry, ...]) -> tuple[Entry, ...]:
    return tuple(entry for entry in own if entry.brings_something)[:_NAMED_IN_CLOSING] or own[:1]


def _find(draft: Draft) -> Evidence | None:
    topic = dict.fromkeys(draft.case.topic, 1.0)
    is_against = draft.case.brief.role is Role.DETRACTOR
    return draft.find(topic, limits_first=is_against) if topic else None


def _on(case: Case, entry: Entry) -> str:
    phrase = "answer" if entry.brings_something else "answer-unsourced"
    return say(case, phrase, seq=str(entry.seq), gist=entry.gist)


def _point(case: Case, draft: Draft, evidence: Evidence) -> str:
    return say(case, "point", terms=case.words(evidence.terms), quote=draft.argue(evidence))


def _entry(type_: EntryType, paragraphs: list[str]) -> str:
    content = "\n\n".join((f"{CONJECTURE_LABEL} {paragraphs[0]}", *paragraphs[1:]))
    return json_block(
        {
            "type": type_.value,
            "content": content,
            "sources": [],
            "rebuttal_to_seq": None,
            "target_seq": None,
            "source_challenge": None,
        }
    )
