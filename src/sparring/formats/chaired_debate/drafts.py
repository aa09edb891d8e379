"""Reading what a debater wants to enter in the log."""

import json
from dataclasses import dataclass
from typing import Annotated

from pydantic import BeforeValidator, Field, StringConstraints

from sparring.engine.replies import as_record, read_object
from sparring.formats.chaired_debate.spelling import or_empty, or_none, plain
from sparring.schema.base import Record
from sparring.schema.chaired_debate import EntryType, LogDraft, Phase, Speaker
from sparring.schema.chaired_debate.log import CONTENT_LIMIT
from sparring.schema.sources import MOST_SOURCES, Source

_Seq = Annotated[int | None, Field(ge=1), BeforeValidator(or_none)]


class _SaidAction(Record):
    type: Annotated[EntryType, BeforeValidator(plain)]
    content: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=CONTENT_LIMIT)]
    sources: Annotated[tuple[Source, ...], Field(max_length=MOST_SOURCES), BeforeValidator(or_empty)] = ()
    rebuttal_to_seq: _Seq = None
    target_seq: _Seq = None
    source_challenge: Annotated[str | None, BeforeValidator(or_none)] = None


@dataclass(frozen=True)
class Draft:
    """An entry as a debater wants to write it, and why it challenges a source of the other one, if it does."""

    entry: LogDraft
    challenge: str = ""

    @property
    def as_json(self) -> str:
        """The draft as its author wrote it."""
        said = self.entry.model_dump(mode="json", exclude={"phase", "speaker"})
        return json.dumps(said | {"source_challenge": self.challenge or None}, ensure_ascii=False, indent=1)

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything in it that somebody would read."""
        sources = (text for source in self.entry.sources for _, text in source)
        return (self.entry.content, self.challenge, *sources)


def read_draft(reply: str, speaker: Speaker, phase: Phase) -> Draft:
    """The action in ``reply``.

    Raises:
        UnusableReplyError: There is no JSON object, or it is no action.
    """
    said = as_record(read_object(reply), _SaidAction)
    entry = LogDraft(
        phase=phase,
        speaker=speaker,
        type=said.type,
        content=said.content,
        sources=said.sources,
        rebuttal_to_seq=said.rebuttal_to_seq,
        target_seq=said.target_seq,
    )
    return Draft(entry, (said.source_challenge or "").strip())


def challenge_refusals(draft: Draft) -> tuple[str, ...]:
    """Why the source challenge of ``draft`` cannot be heard."""
    is_request = draft.entry.type is EntryType.CLARIFICATION_REQUEST
    has_target = draft.entry.target_seq is not None
    if draft.challenge and is_request:
        return ("A clarification request carries no source challenge: raise it with an argument.",)
    if draft.challenge and not has_target:
        return ("A source challenge needs target_seq: the entry whose sources it is about.",)
    if has_target and not draft.challenge and not is_request:
        return ("target_seq goes with a source challenge, whose reason is missing; else it is null.",)
    return ()
