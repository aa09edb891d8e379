"""The sources of an accepted entry: they are looked up, and what follows from the findings follows by rule.

Fabricated: the entry is taken out before anybody else speaks; the first time with a warning, the second time the
debater is disqualified. Unreliable: a warning. Unreachable: neither (design: Chaired debate).
"""

from dataclasses import dataclass, replace

from pydantic import ValidationError

from sparring.formats.chaired_debate.course import Course, Wanted, asked
from sparring.formats.chaired_debate.floor import Floor
from sparring.formats.chaired_debate.standing import is_out
from sparring.schema.base import Role
from sparring.schema.chaired_debate import CheckedSource, EntryType, Speaker
from sparring.schema.consultation import Failure
from sparring.schema.sources import SOURCES_STEP, Source, SourceFinding, SourceFindings, SourceStatus
from sparring.schema.transcript import Turn, TurnKind

_UNKNOWN = "nobody could look it up"


def look_up(floor: Floor, seq: int, id_: str) -> Course[Floor]:
    """Look up those sources of an entry that nobody has looked up yet, and draw the consequences."""
    sources = floor.entry(seq).sources
    if unknown := tuple({_key(each): each for each in sources if _key(each) not in floor.findings}.values()):
        heard = yield from asked(
            floor, Wanted(id_, SOURCES_STEP, TurnKind.SOURCES, Role.VERIFIER, sources=unknown, seq=seq)
        )
        floor = _learned(heard.floor, seq, unknown, heard.turn)
    findings = tuple(_finding(source, floor) for source in sources)
    checked = tuple(CheckedSource(seq=seq, finding=finding) for finding in findings)
    return _judged(replace(floor, checked=floor.checked + checked), seq, findings)


def checked_sources(floor: Floor) -> tuple[CheckedSource, ...]:
    """What came of each source, without what was taken out of the debate."""
    return tuple(
        CheckedSource(seq=each.seq, finding=_shown(each.finding, floor, is_gone=is_out(entry, floor.log)))
        for each in floor.checked
        if (entry := floor.entry(each.seq))
    )


def _key(source: Source) -> tuple[str, str]:
    return source.url, source.quote


def _learned(floor: Floor, seq: int, sources: tuple[Source, ...], turn: Turn) -> Floor:
    try:
        found = SourceFindings.model_validate_json(turn.answer.response if turn.answer else "{}").findings
    except ValidationError:
        found = ()
    if len(found) != len(sources):
        why = _failure(turn.failure) if turn.failure else "the findings could not be read"
        return floor.noticed(f"[WARN] The sources of seq {seq} were not looked up: {why}.")
    floor = replace(floor, findings={**floor.findings, **dict(zip(map(_key, sources), found, strict=True))})
    return floor.noticed(*_new_warnings(floor, turn))


def _new_warnings(floor: Floor, turn: Turn) -> tuple[str, ...]:
    """What whoever looks sources up wants the user to know; it says so each time, and the user hears it once."""
    warnings = (f"[WARN] {warning}" for warning in (turn.answer.warnings if turn.answer else ()))
    return tuple(warning for warning in warnings if warning not in floor.notices)


def _failure(failure: Failure) -> str:
    return f"{failure.code}: {failure.detail.rstrip('.')}"


def _finding(source: Source, floor: Floor) -> SourceFinding:
    unknown = SourceFinding(url=source.url, quote=source.quote, status=SourceStatus.UNREACHABLE, reason=_UNKNOWN)
    return floor.findings.get(_key(source), unknown)


@dataclass(frozen=True)
class _Found:
    """The findings for one entry, by number from 1."""

    seq: int
    findings: tuple[SourceFinding, ...]

    def lines(self, *statuses: SourceStatus) -> str:
        """What was found out of the sources with one of ``statuses``, without their own words."""
        return "; ".join(
            f"source [{number}] is {each.status}: {_reason(each)}"
            for number, each in enumerate(self.findings, start=1)
            if each.status in statuses
        )

    def of(self, status: SourceStatus) -> tuple[SourceFinding, ...]:
        """The findings with that status."""
        return tuple(each for each in self.findings if each.status is status)


def _judged(floor: Floor, seq: int, findings: tuple[SourceFinding, ...]) -> Floor:
    found = _Found(seq, findings)
    content = f"Sources of seq {seq}: {found.lines(*SourceStatus)}."
    floor = floor.said(Speaker.VERIFIER, EntryType.SOURCE_CHECK, content, target_seq=seq)
    if found.of(SourceStatus.FABRICATED):
        return _taken_out(floor, found)
    if found.of(SourceStatus.UNRELIABLE):
        why = f"In seq {seq}, {found.lines(SourceStatus.UNRELIABLE)}."
        return floor.said(Speaker.CHAIR, EntryType.WARNING, why, target_seq=seq)
    return floor


def _taken_out(floor: Floor, found: _Found) -> Floor:
    made_up, seq = found.of(SourceStatus.FABRICATED), found.seq
    speaker, why = floor.entry(seq).speaker, _capital(found.lines(SourceStatus.FABRICATED))
    urls, quotes = tuple(each.url for each in made_up), tuple(each.quote for each in made_up)
    floor = floor.redacted(seq, f"{why}.", urls=urls, quotes=quotes)
    is_first = speaker not in floor.fabricators
    floor = replace(floor, fabricators=(*floor.fabricators, speaker))
    floor = floor.said(
        Speaker.CHAIR, EntryType.REDACTION, f"Seq {seq} is taken out of the debate. {why}.", target_seq=seq
    ).noticed(f"[WARN] Seq {seq} of the {speaker} was taken out of the debate. {why}.")
    return _warned(floor, seq, speaker) if is_first else _disqualified(floor, seq, speaker)


def _warned(floor: Floor, seq: int, speaker: Speaker) -> Floor:
    why = f"The {speaker} is warned: another entry with a fabricated source means disqualification."
    return floor.said(Speaker.CHAIR, EntryType.WARNING, why, target_seq=seq)


def _disqualified(floor: Floor, seq: int, speaker: Speaker) -> Floor:
    why = f"The {speaker} is disqualified for a second entry with a fabricated source."
    floor = floor.said(Speaker.CHAIR, EntryType.DISQUALIFICATION, why, target_seq=seq)
    return replace(floor, disqualified=(*floor.disqualified, Role(speaker.value))).noticed(f"[WARN] {why}")


def _reason(finding: SourceFinding) -> str:
    """Why a source has its status, without its address and words where these may not be named again."""
    reason = finding.reason.rstrip(".")
    if finding.status is not SourceStatus.FABRICATED:
        return reason
    for words in (finding.url, finding.quote):
        reason = reason.replace(words, "…") if words else reason
    return reason


def _shown(finding: SourceFinding, floor: Floor, *, is_gone: bool) -> SourceFinding:
    mask = floor.withheld.masked
    if is_gone:
        return SourceFinding(
            url="", status=finding.status, reason=mask(_reason(finding)), fetched_at=finding.fetched_at
        )
    shown = {name: mask(getattr(finding, name)) for name in ("url", "quote", "reason", "found", "final_url")}
    return finding.model_copy(update=shown)


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
