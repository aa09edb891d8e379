"""Play a format to its end without a runner: formats are pure, so a function from ask to reply is all it takes."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from sparring.formats import Asks, Format
from sparring.schema.consultation import Answer, Failure, FailureCode, Reply
from sparring.schema.runs import Outcome
from sparring.schema.transcript import Ask, Transcript, Turn

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)

SUMMARY = "\n\n".join(
    f"## {heading}\nNone."
    for heading in ("Core positions", "Concessions", "Evidence citations", "Open disagreements", "Walk-backs")
)

VERDICT: Mapping[str, object] = {
    "winner": "challenger",
    "reasoning": "The proposer never answered the point about retries in round 1.",
    "quality": {"genuine_disagreement": "high", "evidence_quality": "medium", "challenge_depth": "low"},
    "agreements": [{"point": "Latency matters.", "evidence": "bench/latency.md:3"}],
    "disagreements": [{"point": "Retries", "proposer": "are free", "challenger": "cost money"}],
    "unresolved_questions": ["Who pays?"],
    "recommendation": "Bound the retries.",
}


def answer(ask: Ask, response: str) -> Answer:
    return Answer(tool=ask.tool, response=response, duration_ms=1000)


def failure(ask: Ask, code: FailureCode = FailureCode.TIMEOUT, detail: str = "no answer within 240 s") -> Failure:
    return Failure(tool=ask.tool, code=code, detail=detail, duration_ms=240_000)


def well_behaved(ask: Ask) -> Reply:
    """Every participant does what is asked; a speech names its place."""
    match ask.question.brief.step:
        case "debate/synthesis":
            return answer(ask, json.dumps(VERDICT))
        case "debate/summary":
            return answer(ask, SUMMARY)
        case _:
            return answer(ask, f"speech of {ask.role} in round {ask.round}")


def turn_for(ask: Ask, reply: Reply) -> Turn:
    return Turn(
        ask_id=ask.id,
        kind=ask.kind,
        role=ask.role,
        round=ask.round,
        tool=ask.tool,
        prompt_sha256=hashlib.sha256(ask.question.prompt.encode()).hexdigest(),
        at=NOON,
        reply=reply,
    )


@dataclass(frozen=True)
class Played:
    """A format played to its end: the asks of each step, everything said, and the outcome."""

    steps: tuple[Asks, ...]
    transcript: Transcript
    outcome: Outcome

    @property
    def asks(self) -> dict[str, Ask]:
        return {ask.id: ask for step in self.steps for ask in step}


def play(format_: Format, reply: Callable[[Ask], Reply] = well_behaved, *, most_steps: int = 30) -> Played:
    """Play ``format_``; an endless one fails after ``most_steps``."""
    transcript, steps = Transcript(), list[Asks]()
    for _ in range(most_steps):
        decision = format_.next(transcript)
        if not isinstance(decision, tuple):
            return Played(tuple(steps), transcript, decision)
        steps.append(decision)
        transcript = transcript.extended(tuple(turn_for(ask, reply(ask)) for ask in decision))
    raise AssertionError(f"the format did not end within {most_steps} steps")
