"""Asks of each seat: the prompt for models, the brief for consultants made of code.

A template of ``prompts/chaired-debate`` receives the blocks that it names. The words of participants stand between
fences.
"""

from collections.abc import Callable, Iterable

from sparring.formats.chaired_debate.replies import form_of
from sparring.formats.chaired_debate.rulebook import DEBATERS, is_out
from sparring.formats.chaired_debate.state import ChairedDebateState, ReturnedAnswer, SpeakerCall
from sparring.prompts import PromptLibrary, framed
from sparring.schema import base, chaired_debate, consultation, lookups, transcript

_TO_BE_OBEYED = frozenset(
    {
        chaired_debate.EntryType.RULING,
        chaired_debate.EntryType.WARNING,
        chaired_debate.EntryType.REDACTION,
        chaired_debate.EntryType.CLARIFICATION,
        chaired_debate.EntryType.DISQUALIFICATION,
    }
)


LOOKING_UP_TIMEOUT_S = 60.0
"""Seconds for all sources of an entry."""

_RESEARCHED = frozenset({transcript.TurnKind.OPENING, transcript.TurnKind.ACTION, transcript.TurnKind.CLOSING})
"""The turns of a debater that may search the web."""


_STAGES = {
    transcript.TurnKind.READY: "ready",
    transcript.TurnKind.CONCLUSION: "conclusion",
    transcript.TurnKind.REPORT: "summary",
}
_PARTS = {chaired_debate.Phase.OPENING: "opening", chaired_debate.Phase.CLOSING: "closing"}
_WHAT = {
    transcript.TurnKind.RULING: ", review",
    transcript.TurnKind.SOURCES: ", sources",
    transcript.TurnKind.CLARIFICATION: ", clarification",
}


class ChairedDebateAsks:
    """Words the asks."""

    def __init__(self, request: chaired_debate.ChairedDebateRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._prompts = prompts

    def ask(self, call: SpeakerCall) -> transcript.Ask:
        """The ask for a call."""
        seat = self._request.participant(call.role) if call.role is not base.Role.VERIFIER else None
        question = self._looking_up(call) if seat is None else self._question(call, seat.model)
        return transcript.Ask(
            id=call.id,
            kind=call.kind,
            role=call.role,
            round=call.state.round,
            tool=seat.tool if seat else base.SOURCE_CHECKER,
            attempt=call.attempt,
            label=_label(call),
            question=question,
        )

    def _question(self, call: SpeakerCall, model: str | None) -> consultation.Question:
        request = self._request
        brief = consultation.Brief(
            step=call.step,
            topic=request.topic,
            role=call.role,
            round=call.state.round,
            attempt=call.attempt,
            speeches=_speeches(call),
            name=call.role,
        )
        prompt, stable = self._prompt(call)
        return consultation.Question(
            prompt=prompt,
            stable=stable,
            brief=brief,
            effort=request.effort,
            model=model,
            timeout_s=request.timeout_s,
            web=call.kind in _RESEARCHED and call.role in request.searching,
            form=form_of(call),
        )

    def _looking_up(self, call: SpeakerCall) -> consultation.Question:
        brief = consultation.Brief(
            step=lookups.SOURCES_STEP,
            topic=self._request.topic,
            role=call.role,
            round=call.state.round,
            sources=call.sources,
        )
        return consultation.Question(prompt=lookups.SOURCES_STEP, brief=brief, timeout_s=LOOKING_UP_TIMEOUT_S)

    def _prompt(self, call: SpeakerCall) -> tuple[str, int]:
        """Return the prompt, and the length of its part before the log, which grows from one ask to the next."""
        request, role, state = self._request, call.role, call.state
        searches = role in request.searching
        # One for each variable of a template; only those are worded that the template of this step has.
        blocks: dict[str, Callable[[], str]] = {
            "case": self._case,
            "role": role.upper,
            "seat": lambda: self._phrase(f"debater#{role}"),
            "conduct": lambda: self._phrase("debater#conduct", today=state.today.isoformat()),
            "search": lambda: self._phrase("debater#can-search" if searches else "debater#no-search"),
            "form": lambda: self._phrase("debater#form"),
            "topic": lambda: request.topic,
            "ready": lambda: ready_message(role, request.topic),
            "log": lambda: self._log(state),
            "chair": lambda: self._from_chair(role, state),
            "findings": lambda: self._findings(role, state),
            "questions": lambda: self._questions(role, state),
            "challenges": lambda: self._challenges(state),
            "conduct_rules": lambda: self._phrase("review-parts#conduct"),
            "needed": lambda: self._phrase("review-parts#needed" if call.may_go_on else "review-parts#not-asked"),
            "request": lambda: str(call.seq),
            "round": lambda: str(state.round),
            "rounds": lambda: str(request.max_rounds),
        }
        names = self._prompts.template(call.step).variables
        values = {name: blocks[name]() for name in names}
        prompt = self._prompts.render(call.step, values)
        length_before_log = prompt.find(values["log"]) if "log" in values else 0
        if call.returned:
            prompt = f"{prompt}\n{self._again(call.returned)}\n"
        return prompt, length_before_log

    def _again(self, returned: ReturnedAnswer) -> str:
        problems = "\n".join(f"- {reason}" for reason in returned.reasons)
        return self._phrase("again", answer=returned.text, problems=problems)

    def _case(self) -> str:
        material = framed(self._request.context, self._prompts) if self._request.context else ""
        return self._phrase("case", topic=self._request.topic, material=material)

    def _log(self, state: ChairedDebateState) -> str:
        entries = "\n\n".join(self._entry(entry) for entry in state.log)
        return self._phrase("log#entries", entries=entries) if entries else self._phrase("log#empty")

    def _entry(self, entry: chaired_debate.LogEntry) -> str:
        values = {"seq": str(entry.seq), "speaker": entry.speaker, "content": entry.content}
        values["what"] = _what(entry)
        if not entry.sources:
            return self._phrase("log#entry", **values)
        lines = "\n".join(_source(number, each) for number, each in enumerate(entry.sources, start=1))
        return self._phrase("log#entry-with-sources", sources=lines, **values)

    def _about(
        self, role: base.Role, state: ChairedDebateState, types: Iterable[chaired_debate.EntryType]
    ) -> list[chaired_debate.LogEntry]:
        """Return the log entries of the given ``types`` about an entry of ``role``."""
        chosen = frozenset(types)
        return [
            entry
            for entry in state.log
            if entry.type in chosen and entry.target_seq and state.entry(entry.target_seq).speaker == role.value
        ]

    def _from_chair(self, role: base.Role, state: ChairedDebateState) -> str:
        entries = self._about(role, state, _TO_BE_OBEYED)
        if not entries:
            return ""
        shown = self._phrase("debater#rulings", rulings=_lines(entries))
        has_lost = any(entry.type is chaired_debate.EntryType.REDACTION for entry in entries)
        return f"{shown}\n\n{self._phrase('debater#redacted')}" if has_lost else shown

    def _findings(self, role: base.Role, state: ChairedDebateState) -> str:
        entries = self._about(role, state, (chaired_debate.EntryType.SOURCE_CHECK,))
        return self._phrase("debater#findings", findings=_lines(entries)) if entries else ""

    def _questions(self, role: base.Role, state: ChairedDebateState) -> str:
        """Return the audience's questions since the last entry of ``role``."""
        last = max((entry.seq for entry in state.log if entry.speaker == role.value), default=0)
        asked = [entry for entry in state.log[last:] if entry.type is chaired_debate.EntryType.QUESTION]
        return self._phrase("debater#questions", questions=_lines(asked)) if asked else ""

    def _challenges(self, state: ChairedDebateState) -> str:
        challenges = state.open_challenges
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


def _what(entry: chaired_debate.LogEntry) -> str:
    """Describe an entry by its type and target, e.g. ``rebuttal to seq 4``."""
    if entry.rebuttal_to_seq and entry.target_seq:
        return f"{entry.type} to seq {entry.rebuttal_to_seq}, with a source challenge of seq {entry.target_seq}"
    if entry.rebuttal_to_seq:
        return f"{entry.type} to seq {entry.rebuttal_to_seq}"
    if entry.target_seq is None:
        return entry.type
    is_challenge = entry.speaker in DEBATERS and entry.type is not chaired_debate.EntryType.CLARIFICATION_REQUEST
    return f"{entry.type}, {'with a source challenge of' if is_challenge else 'about'} seq {entry.target_seq}"


def _source(number: int, source: consultation.Source) -> str:
    accessed = f", accessed {source.accessed}" if source.accessed else ""
    quote = f': "{source.quote}"' if source.quote else ": nothing quoted"
    return f"[{number}] {source.title or 'untitled'}, {source.url}{accessed}{quote}"


def _lines(entries: Iterable[chaired_debate.LogEntry]) -> str:
    return "\n".join(f"seq {entry.seq}, {_what(entry)}: {entry.content}" for entry in entries)


def ready_message(role: base.Role, topic: str) -> str:
    """Return the sentence with which a debater must report that it is ready."""
    return f"{role.capitalize()} ready. Topic: {topic}. Awaiting opening statement cue."


def _label(call: SpeakerCall) -> str:
    """E.g. ``round 2, sources`` or ``closing``."""
    part = _PARTS.get(call.state.phase) or f"round {call.state.round}"
    return _STAGES.get(call.kind) or part + _WHAT.get(call.kind, "")


def _speeches(call: SpeakerCall) -> tuple[consultation.Speech, ...]:
    """Return the entries that were not removed, except the chair's; each named by its entry.

    In a review the open challenges follow, named ``challenge {seq} of seq {target_seq}``.
    """
    entries = (
        entry
        for entry in call.state.log
        if entry.speaker is not chaired_debate.Speaker.CHAIR and not is_out(entry, call.state.log)
    )
    challenges = call.state.open_challenges if call.kind is transcript.TurnKind.RULING else ()
    return (
        *(
            consultation.Speech(
                role=base.Role(each.speaker.value),
                round=call.state.entry_rounds[each.seq - 1],
                text=each.content,
                name=f"seq {each.seq}",
            )
            for each in entries
        ),
        *(
            consultation.Speech(
                role=base.Role(each.by.value),
                round=call.state.round,
                text=each.reason,
                name=f"challenge {each.seq} of seq {each.target_seq}",
            )
            for each in challenges
        ),
    )
