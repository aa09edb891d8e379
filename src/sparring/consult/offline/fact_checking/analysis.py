"""The answer of the blind round: the parts of the claim, each with its quote, and what follows from them."""

from sparring.consult.offline.comparing.weighing import Weighed, WeighedPart, weigh
from sparring.consult.offline.writing import Phrases, json_block, listed
from sparring.schema.consultation import Brief


def analysis(brief: Brief, phrases: Phrases) -> str:
    """The JSON object that the specification asks for in round 1."""
    weighed = weigh(brief.topic, brief.evidence)
    return json_block(
        {
            "parts": [_shown(part) for part in weighed.parts],
            "verdict": weighed.verdict,
            "reasoning_vi": phrases.say("notice") + " " + reason(weighed, phrases),
        }
    )


def reason(weighed: Weighed, phrases: Phrases) -> str:
    """Why the verdict is what it is, in a sentence."""
    parts = listed([part.text for part in weighed.deciding])
    return phrases.say(f"because-{weighed.verdict.lower()}", parts=parts)


def _shown(part: WeighedPart) -> dict[str, str | None]:
    return {"part": part.text, "status": part.status, "quote": part.quote}
