"""What the chair does while the debate goes on: it answers debaters, rules on challenges, says when all has been said.

Rulings are logged and obeyed. A challenge that nobody rules on twice is dismissed: nobody loses words for want of one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sparring.engine.replies import as_record, read_object
from sparring.formats.chaired_debate.answers import Reading, SaidReview, SaidRuling, answered, why_unusable
from sparring.formats.chaired_debate.course import Course, Wanted, asked
from sparring.formats.chaired_debate.floor import Challenge, Floor
from sparring.formats.chaired_debate.turns import Place
from sparring.schema.base import Role
from sparring.schema.chaired_debate import EntryType, Speaker
from sparring.schema.sources import SourceStatus
from sparring.schema.transcript import TurnKind

_NO_RULING = "dismissed for want of a ruling"


@dataclass(frozen=True)
class Reviewed:
    """The floor after a review, and whether the chair finds that all has been said."""

    floor: Floor
    is_over: bool = False


def clarify(floor: Floor, place: Place) -> Course[Floor]:
    """The chair's answer to the clarification request that was entered last."""
    seq, id_ = floor.last_seq, f"{place.id}.clarification"
    wanted = Wanted(id_, "chaired-debate/clarification", TurnKind.CLARIFICATION, Role.CHAIR, seq=seq)
    heard = yield from asked(floor, wanted)
    if heard.turn.answer is None:
        why = f"[WARN] The chair gave no clarification about seq {seq}: {why_unusable(heard.turn)}."
        return heard.floor.noticed(why)
    return heard.floor.said(Speaker.CHAIR, EntryType.CLARIFICATION, heard.turn.answer.response, target_seq=seq)


def open_challenges(floor: Floor) -> tuple[Challenge, ...]:
    """The challenges that are still to be ruled on: there is nothing to rule where the entry was taken out."""
    return tuple(challenge for challenge in floor.challenges if floor.stands(challenge.target_seq))


def review(floor: Floor, stem: str, *, may_go_on: bool) -> Course[Reviewed]:
    """The chair's rulings on all open challenges and, if there may be another round, whether it is needed.

    The chair is not asked when there is nothing to say.
    """
    challenges = open_challenges(floor)
    if not challenges and not may_go_on:
        return Reviewed(floor)
    wanted = Wanted("", "chaired-debate/review", TurnKind.RULING, Role.CHAIR, may_go_on=may_go_on)

    def read(reply: str) -> Reading[SaidReview]:
        said = as_record(read_object(reply), SaidReview)
        return Reading(said, _problems(said, challenges, may_go_on=may_go_on))

    result = yield from answered(floor, f"{stem}.chair", wanted, read)
    floor = result.floor
    if result.reading is None:
        floor = floor.noticed(f"[WARN] The chair gave no usable review: {why_unusable(result.turn)}.")
    said = result.reading.said if result.reading else SaidReview()
    for challenge in challenges:
        floor = _ruled(floor, challenge, _ruling(said.rulings, challenge))
    floor = replace(floor, challenges=())
    return _closed(floor, said.reason) if may_go_on and said.goes_on is False else Reviewed(floor)


def _problems(said: SaidReview, challenges: Sequence[Challenge], *, may_go_on: bool) -> tuple[str, ...]:
    unruled = [challenge.seq for challenge in challenges if _ruling(said.rulings, challenge) is None]
    problems = [f"There is no ruling with challenge_seq {seq}." for seq in unruled]
    if may_go_on and said.goes_on is None:
        problems.append('"continue" is missing: true or false.')
    return tuple(problems)


def _ruling(rulings: Sequence[SaidRuling], challenge: Challenge) -> SaidRuling | None:
    return next((ruling for ruling in rulings if ruling.challenge_seq == challenge.seq), None)


def _closed(floor: Floor, reason: str) -> Reviewed:
    content = f"All has been said; the closing statements follow. {reason}"
    return Reviewed(floor.said(Speaker.CHAIR, EntryType.RULING, content), is_over=True)


def _ruled(floor: Floor, challenge: Challenge, ruling: SaidRuling | None) -> Floor:
    seq = challenge.target_seq
    whose = f"The challenge by the {challenge.by} in seq {challenge.seq} of the sources of seq {seq}"
    if ruling is None:
        floor = floor.said(Speaker.CHAIR, EntryType.RULING, f"{whose} is {_NO_RULING}.", target_seq=seq)
        return floor.noticed(f"[WARN] {whose} is {_NO_RULING}.")
    verb = "upheld" if ruling.is_upheld else "dismissed"
    content = f"{whose} is {verb}. It said: {challenge.reason} The chair: {ruling.reason}"
    floor = floor.said(Speaker.CHAIR, EntryType.RULING, content, target_seq=seq)
    return _upheld(floor, seq, ruling.reason) if ruling.is_upheld and floor.stands(seq) else floor


def _upheld(floor: Floor, seq: int, reason: str) -> Floor:
    """What an upheld challenge leads to; what code has verified is not taken out by a ruling."""
    findings = [each.finding for each in floor.checked if each.seq == seq]
    if all(finding.status is SourceStatus.VERIFIED for finding in findings):
        content = f"A challenge of the sources of seq {seq} was upheld, though code found the quoted words in each."
        return floor.said(Speaker.CHAIR, EntryType.WARNING, content, target_seq=seq)
    speaker = floor.entry(seq).speaker
    quotes = tuple(each.quote for each in findings if each.status is not SourceStatus.VERIFIED)
    why = f"A challenge of its sources was upheld. {reason}"
    floor = floor.redacted(seq, why, quotes=quotes)
    return floor.said(
        Speaker.CHAIR, EntryType.REDACTION, f"Seq {seq} is taken out of the debate. {why}", target_seq=seq
    ).noticed(f"[WARN] Seq {seq} of the {speaker} was taken out of the debate by a ruling of the chair.")
