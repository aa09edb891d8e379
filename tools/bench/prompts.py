"""Prompts of a debate: the part that a provider can cache from the one before, and all tokens.

Nobody is asked: the rules are played through with speeches of a given length.
"""

from collections.abc import Iterator
from itertools import pairwise
from os.path import commonprefix

from bench.figures import Figure, Figures, Scale
from sparring.formats.debate.flow import Debate
from sparring.prompts import PromptLibrary
from sparring.schema.base import Participant, Role
from sparring.schema.consultation import Answer, Exhibit, Reply
from sparring.schema.debate import DebateRequest
from sparring.schema.transcript import SPEECH_KINDS, Ask
from support.playing import Played, play, well_behaved

ASKED_FOR, LONG = 2_500, 8_192
"""Characters of a speech: the 400 words that prompts ask for, and what models said that were not told how much."""

EXHIBITS = 24 * 1024
BEFORE = 498_000
"""Characters that 0.1.0 sent in five rounds of long speeches, without anything to go with them."""


def run(scale: Scale) -> Figures:
    """Yield the share of a debater's prompt that begins like its last one, and all characters."""
    rounds = scale.of(5, smoke=3)
    kept = kept_of_a_debate(rounds, ASKED_FOR, EXHIBITS)
    long = kept_of_a_debate(rounds, LONG, EXHIBITS)
    yield Figure(
        "kept from the prompt before / prompt, the least",
        kept[0],
        f"from round 2 on, of {rounds}; 24 KiB of exhibits and speeches of {ASKED_FOR:,} characters; "
        f"median {kept[len(kept) // 2]:.3f}",
        ">= 0.7",
    )
    yield Figure(
        "the same with speeches of 8 KiB",
        long[0],
        f"median {long[len(long) // 2]:.3f}; such speeches are not asked for",
    )
    sent = sum(len(ask.question.prompt) for ask in models(_played(rounds, LONG, 0)))
    yield Figure(
        "characters sent in five rounds of 8 KiB / in 0.1.0", sent / BEFORE, f"{sent:,} over {BEFORE:,}", "<= 0.6"
    )


def _played(rounds: int, length: int, exhibits: int) -> Played:
    shown = Exhibit(number=1, path="shop/charging.py", last=600, text=("x" * 39 + "\n") * (exhibits // 41))
    request = DebateRequest(
        topic="Should the client retry a payment that timed out?",
        proposer=Participant(tool="claude"),
        challenger=Participant(tool="codex"),
        judge=Participant(tool="gemini"),
        rounds=rounds,
        exhibits=(shown,) if exhibits else (),
    )

    def reply(ask: Ask) -> Reply:
        said = well_behaved(ask)
        if not isinstance(said, Answer) or ask.kind not in SPEECH_KINDS or ask.role is Role.JUDGE:
            return said
        return said.model_copy(update={"response": f"{said.response} {'word ' * (length // 5)}"})

    return play(Debate(request, PromptLibrary()), reply)


def models(played: Played) -> list[Ask]:
    """Return the asks of models in a debate, without look-ups by code."""
    return [ask for ask in played.asks.values() if ask.role is not Role.VERIFIER]


def kept_of_a_debate(rounds: int, length: int, exhibits: int) -> list[float]:
    """The part of each prompt of a debater from round 2 on that the debater was sent before; the least first."""
    return sorted(_kept(_played(rounds, length, exhibits)))


def _kept(played: Played) -> Iterator[float]:
    """For each prompt of a debater from round 2 on, how much of it the debater was sent in the round before."""
    for role in (Role.PROPOSER, Role.CHALLENGER):
        prompts = [ask.question.prompt for ask in models(played) if ask.role is role]
        for before, prompt in pairwise(prompts):
            yield len(commonprefix([before, prompt])) / len(prompt)  # noqa: RUF071 -- no paths
