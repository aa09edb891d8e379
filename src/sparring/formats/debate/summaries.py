"""The summaries that stand in for earlier rounds (specification: seed 004, Context Assembly).

A summary is a turn like any other: it is asked of the first judge's tool together with the proposer's speech of the
round before, when all that it covers has been said, so that nobody waits for it. One that lacks a section or is too
long is asked for once more, beside the challenger's speech.
"""

from sparring.formats.debate.asks import Place, ask_of
from sparring.formats.debate.hearing import Hearing
from sparring.formats.debate.preserving import CONCESSIONS, WALK_BACKS, Preserved, headings, preserved
from sparring.formats.debate.showing import Showing
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.debate import DebateRequest
from sparring.schema.transcript import Ask, Transcript, Turn, TurnKind

FIRST_SUMMARIZED_ROUND = 3
"""From this round on the context is a summary and the last round."""

_SECTIONS = ("core positions", CONCESSIONS, "evidence citations", "open disagreements", WALK_BACKS)
"""What a summary must preserve, as the headings of ``prompts/debate/summary.md``."""

_LONGEST_SUMMARY = 4_000
"""Characters: about 1,000 tokens of four each. 800 are asked for; a quarter more is let pass."""


def missing_sections(summary: str) -> tuple[str, ...]:
    """The must-preserve sections that ``summary`` has no heading for."""
    return tuple(section for section in _SECTIONS if section not in headings(summary))


def summary_problem(summary: str) -> str:
    """What is wrong with ``summary``, in words for whoever made it; empty when nothing is."""
    if missing := missing_sections(summary):
        return "These headings are missing: " + ", ".join(missing)
    if len(summary) > _LONGEST_SUMMARY:
        return f"It has {len(summary):,} characters. 800 tokens are about 3,200 characters, which is the most."
    return ""


class Summaries:
    """Asks for the summaries and reads them."""

    def __init__(self, request: DebateRequest, prompts: PromptLibrary, showing: Showing) -> None:
        self._request = request
        self._prompts = prompts
        self._showing = showing

    def due(self, speaking_round: int, transcript: Transcript) -> Ask | None:
        """The summary to be asked for beside a speech of ``speaking_round``, if the next round needs one."""
        target = speaking_round + 1
        if target < FIRST_SUMMARIZED_ROUND or target > self._request.rounds:
            return None
        first, second = _attempts(target, transcript)
        if first is None:
            return self._ask(target, transcript)
        if second is None and first.answer and (problem := summary_problem(first.answer.response)):
            return self._ask(target, transcript, problem=problem)
        return None

    def before(self, round_: int, transcript: Transcript) -> Preserved | None:
        """The summary that ``round_`` is shown, with what it had lost; None where there is no usable one."""
        answers = [turn.answer.response for turn in _attempts(round_, transcript) if turn and turn.answer]
        whole = [summary for summary in answers if not missing_sections(summary)]
        if not whole:
            return None
        # One that stays too long is still shorter than what it stands for.
        return preserved(min(whole, key=len), Hearing(transcript, last_round=round_ - 2).conduct)

    def notices(self, transcript: Transcript) -> tuple[str, ...]:
        """One line for each round that had no usable summary, or one that had lost something."""
        rounds = sorted({turn.round for turn in transcript.turns if turn.kind is TurnKind.SUMMARY})
        lines = (_notice(round_, self.before(round_, transcript)) for round_ in rounds)
        return tuple(line for line in lines if line)

    def _ask(self, target: int, transcript: Transcript, *, problem: str = "") -> Ask:
        covered = Hearing(transcript, last_round=target - 2).speeches
        values = {
            "topic": self._request.topic,
            "last_round": str(target - 2),
            "exchanges": self._showing.exchanges(covered),
        }
        prompt = self._prompts.render("debate/summary", values)
        if problem:
            prompt += "\n" + self._prompts.render("debate/again", {"problem": problem})
        attempt = 2 if problem else 1
        place = Place(_summary_id(target, attempt), TurnKind.SUMMARY, "debate/summary", target, attempt)
        return ask_of(self._request, place, Role.JUDGE, prompt, covered)


def _summary_id(target: int, attempt: int) -> str:
    return f"r{target}.summary.{attempt}"


def _attempts(target: int, transcript: Transcript) -> tuple[Turn | None, Turn | None]:
    return transcript.turn(_summary_id(target, 1)), transcript.turn(_summary_id(target, 2))


def _notice(round_: int, summary: Preserved | None) -> str:
    if summary is None:
        return f"[WARN] No usable summary before round {round_}: the debaters were shown the full text instead."
    if not summary.put_back:
        return ""
    what = "1 quote" if summary.put_back == 1 else f"{summary.put_back} quotes"
    return f"[WARN] The summary before round {round_} had lost {what} of concessions; code put back what was said."
