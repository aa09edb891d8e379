"""A debater's turn: asked, held against the rules, returned once, then accepted or struck."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from sparring.engine.replies import UnusableReplyError
from sparring.formats.chaired_debate import sources
from sparring.formats.chaired_debate.conceding import concedes
from sparring.formats.chaired_debate.course import Course, Returned, Wanted, asked
from sparring.formats.chaired_debate.drafts import Draft, challenge_refusals, read_draft
from sparring.formats.chaired_debate.floor import Challenge, Floor
from sparring.formats.chaired_debate.rulebook import refusals
from sparring.formats.chaired_debate.standing import ACTIONS, is_struck
from sparring.schema.base import Role
from sparring.schema.chaired_debate import STRUCK, EntryType, LogDraft, Speaker
from sparring.schema.chaired_debate.log import CONTENT_LIMIT
from sparring.schema.transcript import Turn, TurnKind

UNREADABLE = "The reply could not be read."
REPEATED = "It repeats what was taken out of the debate."


@dataclass(frozen=True)
class Place:
    """Where in the course a debater acts.

    Attributes:
        id: What the ids of its asks begin with, e.g. ``r2.promoter``.
        step: Name of the prompt below ``chaired-debate/``.
    """

    id: str
    step: str
    kind: TurnKind
    role: Role

    @property
    def speaker(self) -> Speaker:
        """The debater as the log names it."""
        return Speaker(self.role.value)


@dataclass(frozen=True)
class _Reading:
    """What came of one reply: a draft, unless it cannot be read, and why it is refused, if it is."""

    draft: Draft | None
    reasons: tuple[str, ...] = ()
    is_final: bool = False


Clarify = Callable[[Floor, Place], Course[Floor]]
"""Asks the chair about the newest entry, which is a clarification request."""


def take_turn(floor: Floor, place: Place, clarify: Clarify | None = None) -> Course[Floor]:
    """One turn of one debater, with a clarification by the chair if that is asked for."""
    before = floor.last_seq
    floor = yield from _act(floor, place)
    is_request = any(
        entry.type is EntryType.CLARIFICATION_REQUEST and not is_struck(entry) for entry in floor.log[before:]
    )
    if clarify and is_request:
        floor = yield from clarify(floor, place)
        floor = yield from _act(floor, replace(place, id=f"{place.id}.after"))
    return floor


def _act(floor: Floor, place: Place, returned: Returned | None = None) -> Course[Floor]:
    id_ = f"{place.id}.{2 if returned else 1}"
    heard = yield from asked(floor, Wanted(id_, place.step, place.kind, place.role, returned))
    floor = heard.floor
    if heard.turn.answer is None:
        return _missing(floor, place, heard.turn)
    reply = heard.turn.answer.response
    reading = _read(reply, floor, place)
    if reading.draft and not reading.reasons:
        return (yield from _accepted(floor, place, reading.draft, id_))
    if reading.is_final or returned:
        return _struck(floor, place, reading)
    said = reading.draft.as_json if reading.draft else floor.withheld.masked(reply)[:CONTENT_LIMIT]
    return (yield from _act(floor, place, Returned(said, reading.reasons)))


def _read(reply: str, floor: Floor, place: Place) -> _Reading:
    try:
        draft = read_draft(reply, place.speaker, floor.phase)
    except UnusableReplyError as error:
        is_repeated = floor.withheld.is_repeated_in(reply)
        return _Reading(None, (REPEATED,) if is_repeated else tuple(str(error).splitlines()), is_repeated)
    if floor.withheld.is_repeated_in(*draft.texts):
        return _Reading(draft, (REPEATED,), is_final=True)
    reasons = (*refusals(draft.entry, floor.log, topic=floor.topic), *challenge_refusals(draft))
    return _Reading(draft, reasons)


def _accepted(floor: Floor, place: Place, draft: Draft, id_: str) -> Course[Floor]:
    floor = floor.entered(draft.entry)
    seq, target_seq = floor.last_seq, draft.entry.target_seq
    if draft.challenge and target_seq:
        challenge = Challenge(seq, target_seq, place.speaker, draft.challenge)
        floor = replace(floor, challenges=(*floor.challenges, challenge))
    if draft.entry.sources:
        floor = yield from sources.look_up(floor, seq, f"{id_}.sources")
    if floor.stands(seq) and concedes(draft.entry.content, place.speaker):
        why = f"The {place.speaker} seems to concede the core proposition in seq {seq}, which no debater may."
        floor = floor.said(Speaker.CHAIR, EntryType.WARNING, why, target_seq=seq).noticed(f"[WARN] {why}")
    return floor


def _struck(floor: Floor, place: Place, reading: _Reading) -> Floor:
    possible = ACTIONS[floor.phase]
    type_ = reading.draft.entry.type if reading.draft and reading.draft.entry.type in possible else possible[0]
    reasons = " ".join(reading.reasons) if reading.draft or reading.is_final else UNREADABLE
    floor = floor.entered(
        LogDraft(phase=floor.phase, speaker=place.speaker, type=type_, content=f"{STRUCK} {reasons}"[:CONTENT_LIMIT])
    )
    return floor.noticed(f"[WARN] Seq {floor.last_seq} of the {place.speaker} was struck: {reasons}")


def _missing(floor: Floor, place: Place, turn: Turn) -> Floor:
    """The debater could not be had: the chair says so in the log, and the turn passes to the other one."""
    failure = turn.failure
    cause = f"{failure.code}: {failure.detail.rstrip('.')}" if failure else ""
    where = {TurnKind.OPENING: "the opening", TurnKind.CLOSING: "the closing"}.get(place.kind, f"round {floor.round}")
    content = f"The {place.speaker} could not be heard; its turn passes."
    floor = replace(floor, missing=(*floor.missing, turn)).said(Speaker.CHAIR, EntryType.CUE, content)
    return floor.noticed(f"[WARN] The {place.speaker} ({turn.tool}) is missing in {where}: {cause}.")
