"""The blocks that prompts are made of: the topic, the log, what the chair said, what a debater may do.

A template of ``prompts/chaired-debate`` names the blocks it needs, and gets those. Whatever a participant wrote stands
between fences.
"""

from collections.abc import Callable, Iterable

from sparring.formats.chaired_debate.chairing import open_challenges
from sparring.formats.chaired_debate.course import Returned, Wanted
from sparring.formats.chaired_debate.floor import Floor
from sparring.formats.chaired_debate.standing import DEBATERS
from sparring.formats.chaired_debate.startup import ready_message
from sparring.formats.material import framed
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.chaired_debate import ChairedDebateRequest, EntryType, LogEntry
from sparring.schema.sources import Source

_TO_BE_OBEYED = frozenset(
    {EntryType.RULING, EntryType.WARNING, EntryType.REDACTION, EntryType.CLARIFICATION, EntryType.DISQUALIFICATION}
)


class Showing:
    """Fills the templates of ``prompts/chaired-debate``."""

    def __init__(self, request: ChairedDebateRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._prompts = prompts

    def prompt(self, wanted: Wanted, floor: Floor) -> str:
        """The prompt for what is wanted."""
        request, role = self._request, wanted.role
        blocks: dict[str, Callable[[], str]] = {
            "case": self._case,
            "role": role.upper,
            "seat": lambda: self._phrase(f"debater#{role}"),
            "conduct": lambda: self._phrase("debater#conduct"),
            "search": lambda: self._phrase("debater#can-search" if role in request.searching else "debater#no-search"),
            "form": lambda: self._phrase("debater#form"),
            "ready": lambda: ready_message(role, request.topic),
            "log": lambda: self._log(floor),
            "chair": lambda: self._from_chair(role, floor),
            "findings": lambda: self._findings(role, floor),
            "questions": lambda: self._questions(role, floor),
            "challenges": lambda: self._challenges(floor),
            "needed": lambda: self._phrase("review-parts#needed" if wanted.may_go_on else "review-parts#not-asked"),
            "request": lambda: str(wanted.seq),
            "round": lambda: str(floor.round),
            "rounds": lambda: str(request.max_rounds),
        }
        names = self._prompts.template(wanted.step).variables
        prompt = self._prompts.render(wanted.step, {name: blocks[name]() for name in names})
        return f"{prompt}\n{self._again(wanted.returned)}\n" if wanted.returned else prompt

    def _again(self, returned: Returned) -> str:
        problems = "\n".join(f"- {reason}" for reason in returned.reasons)
        if not returned.said:
            return self._phrase("again#unheard")
        return self._phrase("again#returned", said=returned.said, problems=problems)

    def _case(self) -> str:
        material = framed(self._request.context, self._prompts) if self._request.context else ""
        return self._phrase("case", topic=self._request.topic, material=material)

    def _log(self, floor: Floor) -> str:
        entries = "\n\n".join(self._entry(entry) for entry in floor.log)
        return self._phrase("log#entries", entries=entries) if entries else self._phrase("log#empty")

    def _entry(self, entry: LogEntry) -> str:
        values = {"seq": str(entry.seq), "speaker": entry.speaker, "content": entry.content}
        values["what"] = _what(entry)
        if not entry.sources:
            return self._phrase("log#entry", **values)
        lines = "\n".join(_source(number, each) for number, each in enumerate(entry.sources, start=1))
        return self._phrase("log#entry-with-sources", sources=lines, **values)

    def _about(self, role: Role, floor: Floor, types: Iterable[EntryType]) -> list[LogEntry]:
        """What was entered of ``types`` about an entry of ``role``."""
        chosen = frozenset(types)
        return [
            entry
            for entry in floor.log
            if entry.type in chosen and entry.target_seq and floor.entry(entry.target_seq).speaker == role.value
        ]

    def _from_chair(self, role: Role, floor: Floor) -> str:
        entries = self._about(role, floor, _TO_BE_OBEYED)
        if not entries:
            return self._phrase("debater#no-rulings")
        shown = self._phrase("debater#rulings", rulings=_lines(entries))
        has_lost = any(entry.type is EntryType.REDACTION for entry in entries)
        return f"{shown}\n\n{self._phrase('debater#redacted')}" if has_lost else shown

    def _findings(self, role: Role, floor: Floor) -> str:
        entries = self._about(role, floor, (EntryType.SOURCE_CHECK,))
        return self._phrase("debater#findings", findings=_lines(entries)) if entries else ""

    def _questions(self, role: Role, floor: Floor) -> str:
        """What the audience has asked since ``role`` last wrote."""
        last = max((entry.seq for entry in floor.log if entry.speaker == role.value), default=0)
        asked = [entry for entry in floor.log[last:] if entry.type is EntryType.QUESTION]
        return self._phrase("debater#questions", questions=_lines(asked)) if asked else ""

    def _challenges(self, floor: Floor) -> str:
        challenges = open_challenges(floor)
        if not challenges:
            return self._phrase("review-parts#no-challenges")
        shown = (
            self._phrase(
                "review-parts#challenge",
                seq=str(each.seq),
                by=each.by,
                target_seq=str(each.target_seq),
                reason=each.reason,
            )
            for each in challenges
        )
        return self._phrase("review-parts#challenges", challenges="\n\n".join(shown))

    def _phrase(self, name: str, **values: str) -> str:
        return self._prompts.render(f"chaired-debate/{name}", values).strip()


def _what(entry: LogEntry) -> str:
    """What an entry is and what it is about, e.g. ``rebuttal to seq 4``."""
    if entry.rebuttal_to_seq and entry.target_seq:
        return f"{entry.type} to seq {entry.rebuttal_to_seq}, with a source challenge of seq {entry.target_seq}"
    if entry.rebuttal_to_seq:
        return f"{entry.type} to seq {entry.rebuttal_to_seq}"
    if entry.target_seq is None:
        return entry.type
    is_challenge = entry.speaker in DEBATERS and entry.type is not EntryType.CLARIFICATION_REQUEST
    return f"{entry.type}, {'with a source challenge of' if is_challenge else 'about'} seq {entry.target_seq}"


def _source(number: int, source: Source) -> str:
    accessed = f", accessed {source.accessed}" if source.accessed else ""
    quote = f': "{source.quote}"' if source.quote else ": nothing quoted"
    return f"[{number}] {source.title or 'untitled'}, {source.url}{accessed}{quote}"


def _lines(entries: Iterable[LogEntry]) -> str:
    return "\n".join(f"seq {entry.seq}, {_what(entry)}: {entry.content}" for entry in entries)
