"""Say before a run begins what it will probably use.

The rules are played through with speeches of a usual length in everybody's place: formats are pure, so that costs
nothing, and every kind of deliberation is estimated by its own rules.
"""

import hashlib

from sparring.formats import Asks, Format
from sparring.schema.base import Role, utc_now
from sparring.schema.consultation import Answer
from sparring.schema.estimates import CHARACTERS_PER_TOKEN, Estimate
from sparring.schema.transcript import Ask, Transcript, Turn

_SPEECH = "word " * 600
"""An answer of a usual length: about 750 tokens, and what prompts ask of a summary."""

_MOST_STEPS = 100


def estimate(format_: Format) -> Estimate:
    """What the run of ``format_`` will use if every answer can be used at once."""
    transcript, asked = Transcript(), list[Ask]()
    for _ in range(_MOST_STEPS):
        decision = format_.next(transcript)
        if not isinstance(decision, tuple):
            break
        # The usual speech is no verdict and no summary, so these are asked for a second time; that is not counted.
        asked += [ask for ask in decision if ask.question.brief.attempt == 1 and ask.role is not Role.VERIFIER]
        transcript = transcript.extended(_spoken(decision))
    characters = sum(len(ask.question.prompt) for ask in asked)
    return Estimate(calls=len(asked), prompt_tokens=round(characters / CHARACTERS_PER_TOKEN))


def _spoken(asks: Asks) -> tuple[Turn, ...]:
    return tuple(
        Turn(
            ask_id=ask.id,
            kind=ask.kind,
            role=ask.role,
            round=ask.round,
            tool=ask.tool,
            prompt_sha256=hashlib.sha256(b"").hexdigest(),
            at=utc_now(),
            reply=Answer(tool=ask.tool, response=_SPEECH, duration_ms=0),
        )
        for ask in asks
    )
