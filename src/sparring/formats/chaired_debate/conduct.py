"""How debaters behave: the chair says of which entry, with its words; code looks these up and draws the consequence.

What cannot be found where the chair says is no ruling. The first breach of a debater is a warning, one after that takes
the entry out of the debate, as a repetition of what was taken out does at once. A concession is no more than warned of.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sparring.checks.concessions import given_up, marks
from sparring.checks.quotes import Evidence
from sparring.formats.chaired_debate.floor import Floor
from sparring.formats.chaired_debate.replies import Misconduct, SaidBreach
from sparring.formats.chaired_debate.rulebook import entry_of, opponent, standing
from sparring.schema.chaired_debate import EntryType, LogEntry, Speaker
from sparring.schema.lookups import QuoteVerdict

_FEWEST_LETTERS, _FEWEST_WORDS = 6, 2
"""Fewer stand in anything."""

_SPOKEN = {
    Misconduct.PERSONAL_ATTACK: "a personal attack",
    Misconduct.MISREPRESENTATION: "a misrepresentation of the opponent",
    Misconduct.REPETITION: "a repetition of what was taken out",
    Misconduct.CONCESSION: "a concession of the core proposition, which no debater may make",
}


def unfounded(floor: Floor, said: Sequence[SaidBreach]) -> tuple[str, ...]:
    """What is wrong with what the chair says of conduct, a sentence each."""
    faults = ((number, _fault(floor, each)) for number, each in enumerate(said, start=1))
    return tuple(f'"conduct", number {number}: {fault}' for number, fault in faults if fault)


def ruled(floor: Floor, said: Sequence[SaidBreach]) -> Floor:
    """The floor after the rulings on conduct; those that code cannot follow are dropped, and told."""
    for each in said:
        if _fault(floor, each):
            floor = floor.noticed(f"[WARN] A ruling of the chair on conduct in seq {each.seq} could not be followed.")
        else:
            floor = _consequence(floor, each)
    return floor


def _consequence(floor: Floor, breach: SaidBreach) -> Floor:
    speaker = floor.entry(breach.seq).speaker
    floor = replace(floor, ruled=floor.ruled | {breach.seq})
    if breach.kind is Misconduct.REPETITION or (_is_warned(floor, speaker, breach.seq) and _counts(breach)):
        return _taken_out(floor, breach)
    why = f"Seq {breach.seq} of the {speaker} holds {_SPOKEN[breach.kind]}: “{breach.quote}”. {breach.reason}"
    floor = floor.said(Speaker.CHAIR, EntryType.WARNING, why, target_seq=breach.seq).noticed(f"[WARN] {why}")
    return replace(floor, warned=(*floor.warned, (speaker, floor.last_seq))) if _counts(breach) else floor


def _counts(breach: SaidBreach) -> bool:
    return breach.kind is not Misconduct.CONCESSION


def _is_warned(floor: Floor, speaker: Speaker, seq: int) -> bool:
    """Whether the speaker had been warned when it made the entry ``seq``."""
    return any(who is speaker and warning < seq for who, warning in floor.warned)


def _taken_out(floor: Floor, breach: SaidBreach) -> Floor:
    speaker, seq = floor.entry(breach.seq).speaker, breach.seq
    why = f"It holds {_SPOKEN[breach.kind]}. {breach.reason}"
    floor = floor.redacted(seq, why, quotes=(breach.quote,))
    content = f"Seq {seq} is taken out of the debate. {why}"
    floor = floor.said(Speaker.CHAIR, EntryType.REDACTION, content, target_seq=seq)
    return floor.noticed(f"[WARN] Seq {seq} of the {speaker} was taken out of the debate. {why}")


def _fault(floor: Floor, breach: SaidBreach) -> str:
    """Why that is no ruling; empty when it is one."""
    entry = entry_of(breach.seq, standing(floor.log))
    if entry is None:
        return f"seq {breach.seq} is no entry of a debater that still stands."
    if breach.seq in floor.ruled:
        return f"the conduct in seq {breach.seq} has been ruled on."
    if not _holds(entry.content, breach.quote):
        return f'"quote" does not stand in seq {breach.seq}, word for word.'
    return next(_FAULTS[breach.kind](floor, entry, breach), "")


def _attacking(_floor: Floor, _entry: LogEntry, _breach: SaidBreach) -> Iterator[str]:
    yield from ()


def _misrepresenting(floor: Floor, entry: LogEntry, breach: SaidBreach) -> Iterator[str]:
    about = entry_of(breach.about_seq or 0, standing(floor.log))
    if about is None or about.speaker is not opponent(entry.speaker) or about.seq > entry.seq:
        yield '"about_seq" names no earlier entry of the opponent that still stands.'
    elif not _holds(about.content, breach.original):
        yield f'"original" does not stand in seq {about.seq}, word for word.'


def _repeating(floor: Floor, entry: LogEntry, breach: SaidBreach) -> Iterator[str]:
    about = breach.about_seq or 0
    was_out = any(
        each.type is EntryType.REDACTION and each.target_seq == about for each in floor.log[: max(entry.seq - 1, 0)]
    )
    if not was_out:
        yield '"about_seq" names no entry that had been redacted before.'
    elif not _holds(floor.taken.get(about, ""), breach.quote):
        yield f'"quote" does not stand in what was redacted of seq {about}.'
    elif any(_holds(text, breach.quote) for text in floor.public(about)):
        yield '"quote" had been said before that was redacted, and may be said again.'


def _conceding(floor: Floor, entry: LogEntry, breach: SaidBreach) -> Iterator[str]:
    own = (each for each in standing(floor.log) if each.speaker is entry.speaker)
    said = [(each.seq, mark) for each in own for mark in marks(each.content)]
    kept = (said[number] for number, taken in given_up([mark for _, mark in said]).items() if taken is None)
    if not any(seq == entry.seq and _holds(mark.span.text, breach.quote) for seq, mark in kept):
        yield f'"quote" stands in no line of seq {entry.seq} that begins with "I concede:" and was not withdrawn.'


_FAULTS = {
    Misconduct.PERSONAL_ATTACK: _attacking,
    Misconduct.MISREPRESENTATION: _misrepresenting,
    Misconduct.REPETITION: _repeating,
    Misconduct.CONCESSION: _conceding,
}


def _holds(text: str, quote: str) -> bool:
    """Whether ``quote`` stands in ``text`` word for word, and says enough to be found there only."""
    is_enough = len(re.findall(r"\w+", quote)) >= _FEWEST_WORDS or not quote.isascii()
    if not is_enough or sum(map(str.isalnum, quote)) < _FEWEST_LETTERS:
        return False
    return Evidence([text]).find(quote).verdict is QuoteVerdict.VERBATIM
