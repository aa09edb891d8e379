"""What a debater is shown of earlier rounds (specification: seed 004, Context Assembly).

Before rounds 1 and 2: everything, in full. Before round N from 3 on: a summary of rounds 1..N-2, then round N-1 in
full. The summary is a turn like any other: it is asked of the judge's tool together with the proposer's speech of
round N-1, when all that it covers has been said, so that nobody waits for it.
"""

import re
from functools import cached_property

from sparring.formats.debate.asks import ask_of
from sparring.formats.material import framed
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.consultation import Speech
from sparring.schema.debate import DebateRequest
from sparring.schema.transcript import SPEECH_KINDS, Ask, Transcript, Turn, TurnKind

FIRST_SUMMARIZED_ROUND = 3
"""From this round on the context is a summary and the last round."""

_SECTIONS = ("core positions", "concessions", "evidence citations", "open disagreements", "walk-backs")
"""What a summary must preserve, as the headings of ``prompts/debate/summary.md``."""

_LONGEST_SUMMARY = 4_000
"""Characters: about 1,000 tokens of four each. 800 are asked for; a quarter more is let pass."""

_HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)


def missing_sections(summary: str) -> tuple[str, ...]:
    """The must-preserve sections that ``summary`` has no heading for."""
    headings = {heading.strip("*: ").lower() for heading in _HEADING.findall(summary)}
    return tuple(section for section in _SECTIONS if section not in headings)


def summary_problem(summary: str) -> str:
    """What is wrong with ``summary``, in words for whoever made it; empty when nothing is."""
    if missing := missing_sections(summary):
        return "These headings are missing: " + ", ".join(missing)
    if len(summary) > _LONGEST_SUMMARY:
        return f"It has {len(summary):,} characters. 800 tokens are about 3,200 characters, which is the most."
    return ""


class Context:
    """Reads the transcript for the prompts."""

    def __init__(self, request: DebateRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._prompts = prompts

    @cached_property
    def topic(self) -> str:
        """The topic as prompts show it: between fences, with the material that goes with it."""
        material = framed(self._request.context, self._prompts) if self._request.context else ""
        return self._prompts.render("debate/topic", {"topic": self._request.topic, "material": material}).strip()

    def said(self, round_: int, role: Role, transcript: Transcript) -> str:
        """What ``role`` said in ``round_``, in full."""
        return next(
            speech.text for speech in self.speeches(transcript) if (speech.round, speech.role) == (round_, role)
        )

    def speeches(self, transcript: Transcript, *, last_round: int | None = None) -> tuple[Speech, ...]:
        """The debaters' answered speeches, up to ``last_round`` if given."""
        return tuple(
            Speech(role=turn.role, round=turn.round, text=turn.answer.response)
            for turn in transcript.turns
            if turn.kind in SPEECH_KINDS and turn.answer and (last_round is None or turn.round <= last_round)
        )

    def exchanges(self, rounds: range, transcript: Transcript) -> str:
        """The exchanges of ``rounds`` in full, one block a speech."""
        blocks = [
            self._prompts.render(
                "debate/exchange",
                {
                    "round": str(speech.round),
                    "side": speech.role.capitalize(),
                    "tool": self._request.participant(speech.role).tool,
                    "speech": speech.text,
                },
            )
            for speech in self.speeches(transcript)
            if speech.round in rounds
        ]
        return "\n".join(blocks).strip()

    def before(self, round_: int, transcript: Transcript) -> str:
        """The context block of a prompt in ``round_`` (2 or later).

        Where no usable summary could be had, the full text stands in its place: nothing is lost but tokens.
        """
        summary = self._summary(round_, transcript)
        if summary is None:
            exchanges = self.exchanges(range(1, round_), transcript)
            return self._prompts.render("debate/context-full", {"exchanges": exchanges})
        values = {
            "last_summarized_round": str(round_ - 2),
            "summary": summary,
            "exchanges": self.exchanges(range(round_ - 1, round_), transcript),
        }
        return self._prompts.render("debate/context-summary", values)

    def summary_due(self, speaking_round: int, transcript: Transcript) -> Ask | None:
        """The summary to be asked for beside a speech of ``speaking_round``, if the next round needs one.

        A summary that lacks a section or is too long is asked for once more, beside the challenger's speech.
        """
        target = speaking_round + 1
        if target < FIRST_SUMMARIZED_ROUND or target > self._request.rounds:
            return None
        first, second = self._attempts(target, transcript)
        if first is None:
            return self._summary_ask(target, transcript)
        if second is None and first.answer and (problem := summary_problem(first.answer.response)):
            return self._summary_ask(target, transcript, problem=problem)
        return None

    def notices(self, transcript: Transcript) -> tuple[str, ...]:
        """One line for each round whose context had to be the full text."""
        summarized = {turn.round for turn in transcript.turns if turn.kind is TurnKind.SUMMARY}
        return tuple(
            f"[WARN] No usable summary before round {round_}: the debaters were shown the full text instead."
            for round_ in sorted(summarized)
            if self._summary(round_, transcript) is None
        )

    def _summary(self, round_: int, transcript: Transcript) -> str | None:
        answers = [turn.answer.response for turn in self._attempts(round_, transcript) if turn and turn.answer]
        whole = [summary for summary in answers if not missing_sections(summary)]
        # One that stays too long is still shorter than what it stands for.
        return min(whole, key=len, default=None)

    def _attempts(self, round_: int, transcript: Transcript) -> tuple[Turn | None, Turn | None]:
        return transcript.turn(f"r{round_}.summary.1"), transcript.turn(f"r{round_}.summary.2")

    def _summary_ask(self, target: int, transcript: Transcript, *, problem: str = "") -> Ask:
        last_round = target - 2
        prompt = self._prompts.render(
            "debate/summary",
            {
                "topic": self._request.topic,
                "last_round": str(last_round),
                "exchanges": self.exchanges(range(1, last_round + 1), transcript),
            },
        )
        if problem:
            prompt += "\n" + self._prompts.render("debate/again", {"problem": problem})
        attempt = 2 if problem else 1
        return ask_of(
            self._request,
            Role.JUDGE,
            TurnKind.SUMMARY,
            prompt,
            self.speeches(transcript, last_round=last_round),
            id_=f"r{target}.summary.{attempt}",
            round_=target,
            attempt=attempt,
        )
