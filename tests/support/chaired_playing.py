"""A chaired debate, and participants who do what is asked unless a test has them do something else."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sparring.formats.chaired_debate.flow import ChairedDebate
from sparring.schema import chaired_debate as schema
from sparring.schema.base import Participant, Role
from sparring.schema.consultation import Reply, Source
from sparring.schema.lookups import SourceFinding, SourceFindings, SourceStatus
from sparring.schema.transcript import Ask
from support.playing import NOON, PROMPTS, Played, Special, answer, play, replying

TOPIC = "Cities should close their centres to private cars."

URL = "https://example.org/streets"
QUOTE = "traffic deaths fell after the centre was closed"
CITED = Source(url=URL, title="Streets", accessed="2026-11-20", quote=QUOTE)


def chaired_request(**changes: object) -> schema.ChairedDebateRequest:
    """A debate of one round, unless told otherwise."""
    fields: dict[str, object] = {
        "topic": TOPIC,
        "chair": Participant(tool="gemini"),
        "promoter": Participant(tool="claude", model="opus"),
        "detractor": Participant(tool="codex"),
        "max_rounds": 1,
    }
    return schema.ChairedDebateRequest.model_validate(fields | changes)


def source(url: str = URL, quote: str = QUOTE, title: str = "Streets") -> dict[str, str]:
    return {"url": url, "title": title, "accessed": "2026-11-20", "quote": quote}


def action(type_: str, content: str, **changes: object) -> str:
    """Return a debater's reply; with one source unless changed."""
    fields: dict[str, object] = {
        "type": type_,
        "content": content,
        "sources": [source()],
        "rebuttal_to_seq": None,
        "target_seq": None,
        "source_challenge": None,
    }
    return json.dumps(fields | changes)


def review(*rulings: tuple[int, str], goes_on: bool | None = True, reason: str = "The log shows it.") -> str:
    said = [{"challenge_seq": seq, "ruling": ruling, "reason": reason} for seq, ruling in rulings]
    return json.dumps({"rulings": said, "continue": goes_on, "reason": reason})


def found(
    *statuses: SourceStatus, reason: str = "the page says so", warnings: Sequence[str] = ()
) -> Callable[[Ask], Reply]:
    """Return a verifier's reply with these statuses in order; the last one is repeated."""

    def reply(ask: Ask) -> Reply:
        asked = ask.question.brief.sources
        known = (*statuses, *(statuses[-1:] * len(asked)))
        findings = tuple(
            SourceFinding(url=each.url, quote=each.quote, status=status, reason=reason)
            for each, status in zip(asked, known, strict=False)
        )
        said = answer(ask, SourceFindings(findings=findings).model_dump_json())
        return said.model_copy(update={"warnings": tuple(warnings)})

    return reply


FABRICATED = found(SourceStatus.FABRICATED, reason="there is no such page (404)")
VERIFIED = found(SourceStatus.VERIFIED)


def said(name: str, written: Any) -> Any:
    """Return the reply that a table of plays describes: an entry of the log, a look-up, or the text itself."""
    del name
    match written:
        case {"found": statuses, **more}:
            return found(*map(SourceStatus, statuses), **more)
        case {"type": type_, "content": content, **more}:
            if "sources" in more:
                more["sources"] = [source(*each) for each in more["sources"]]
            return action(type_, content, **more)
        case _:
            return written


def well_behaved(ask: Ask) -> Reply:
    """Return the reply of a participant that follows its prompt."""
    return VERIFIED(ask) if ask.role is Role.VERIFIER else answer(ask, _well_said(ask))


def _well_said(ask: Ask) -> str:
    where = f"Here {ask.id} argues, as {ask.id} must, from evidence [1]."
    its_own = [source(f"https://example.org/{ask.id}", f"words of a page that {ask.role} cites as {ask.id}")]
    decided = {"outcome": "affirmative_wins", "reasoning": "Seq 1 was never answered.", "decisive": [1]}
    step = ask.question.brief.step.partition("/")[2]
    said = {
        "ready": f"{ask.role.capitalize()} ready. Topic: {TOPIC}. Awaiting opening statement cue.",
        "opening": action("opening_statement", where, sources=its_own),
        "action": action("new_point", where, sources=its_own),
        "closing": action("closing_statement", "As was shown (seq 1).", sources=[]),
        "review": review(),
        "conclusion": json.dumps(decided),
        "questions": json.dumps({"questions": [f"Who pays for it, asks round {ask.round}?"]}),
    }
    return said.get(step, f"Said of {step} in round {ask.round}.")


def play_chaired(
    special: Mapping[str, Special] | None = None, request: schema.ChairedDebateRequest | None = None, **changes: object
) -> Played:
    """Play a debate in which everybody behaves well but for the asks that ``special`` names."""
    chosen, wanted = special or {}, request or chaired_request(**changes)
    played = play(ChairedDebate(wanted, PROMPTS), replying(chosen, well_behaved), most_steps=200)
    assert not chosen.keys() - played.asks.keys(), "a test speaks of an ask that was never put"
    return played


def outcome(played: Played) -> schema.ChairedDebateOutcome:
    assert isinstance(played.outcome, schema.ChairedDebateOutcome)
    return played.outcome


def asked(played: Played) -> list[str]:
    """The ids of everything that models were asked, in order."""
    return [id_ for id_, ask in played.asks.items() if ask.role is not Role.VERIFIER]


def draft(phase: str, speaker: str, type_: str, content: str = "It is so [1].", **changes: object) -> schema.LogDraft:
    """An entry that somebody wants to write; with one source, if it is a debater's."""
    is_debaters = speaker in {"promoter", "detractor"} and type_ != "clarification_request"
    fields: dict[str, object] = {
        "phase": schema.Phase(phase),
        "speaker": schema.Speaker(speaker),
        "type": schema.EntryType(type_),
        "content": content,
        "sources": (CITED,) if is_debaters else (),
    }
    return schema.LogDraft.model_validate(fields | changes)


def written(*drafts: schema.LogDraft) -> tuple[schema.LogEntry, ...]:
    """``drafts`` as a log."""
    return tuple(
        schema.LogEntry.model_validate({**dict(each), "seq": seq, "timestamp": NOON})
        for seq, each in enumerate(drafts, start=1)
    )
