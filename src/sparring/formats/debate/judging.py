"""Obtaining the verdict: one judge, asked once more when the reply cannot be used, never a default label.

What the judge is shown and in how many orders it judges is decided here and nowhere else.
"""

from typing import Any, cast

from sparring.formats import Asks
from sparring.formats.debate.asks import ask_of
from sparring.formats.debate.context import Context
from sparring.formats.replies import UnusableReplyError, as_record, read_object
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role
from sparring.schema.debate import DebateRequest, Verdict
from sparring.schema.transcript import Ask, Transcript, Turn, TurnKind

ATTEMPTS = 2
"""How often the judge is asked before the debate is left unjudged."""


def read_verdict(reply: str, request: DebateRequest) -> Verdict:
    """The verdict in a judge's reply. Fields we do not know are ignored, missing ones are not made up.

    Raises:
        UnusableReplyError: There is no JSON object, or it is no verdict.
    """
    return as_record(_with_plain_labels(read_object(reply), request), Verdict)


def _with_plain_labels(found: dict[str, Any], request: DebateRequest) -> dict[str, Any]:
    """``found`` with its labels in lower case and a winner named by tool turned into the role, if that is clear."""
    winner = str(found.get("winner", "")).strip().lower()
    tools = {request.challenger.tool: Role.CHALLENGER, request.proposer.tool: Role.PROPOSER}
    plain = found | {"winner": tools.get(winner, winner) if len(tools) == 2 else winner}
    if isinstance(quality := found.get("quality"), dict):
        ratings = cast("dict[str, object]", quality)
        plain["quality"] = {name: str(rating).strip().lower() for name, rating in ratings.items()}
    return plain


class Judging:
    """Asks for the verdict and reads it."""

    def __init__(self, request: DebateRequest, prompts: PromptLibrary, context: Context) -> None:
        self._request = request
        self._prompts = prompts
        self._context = context

    def next(self, completed: int, transcript: Transcript) -> Asks | Verdict | Turn:
        """The next ask, or the verdict on the ``completed`` rounds, or the turn with which the judge failed."""
        return self._attempt(1, "", completed, transcript)

    def _attempt(self, attempt: int, problem: str, completed: int, transcript: Transcript) -> Asks | Verdict | Turn:
        turn = transcript.turn(f"synthesis.{attempt}")
        if turn is None:
            return (self._ask(attempt, problem, completed, transcript),)
        if turn.answer is None:
            return turn
        try:
            return read_verdict(turn.answer.response, self._request)
        except UnusableReplyError as error:
            if attempt == ATTEMPTS:
                return turn
            return self._attempt(attempt + 1, str(error), completed, transcript)

    def _ask(self, attempt: int, problem: str, completed: int, transcript: Transcript) -> Ask:
        request = self._request
        prompt = self._prompts.render(
            "debate/synthesis",
            {
                "topic": self._context.topic,
                "rounds": str(completed),
                "proposer_tool": request.proposer.tool,
                "challenger_tool": request.challenger.tool,
                "exchanges": self._context.exchanges(range(1, completed + 1), transcript),
            },
        )
        if problem:
            prompt += "\n" + self._prompts.render("debate/again", {"problem": problem})
        return ask_of(
            request,
            Role.JUDGE,
            TurnKind.SYNTHESIS,
            prompt,
            self._context.speeches(transcript, last_round=completed),
            id_=f"synthesis.{attempt}",
            round_=completed,
            attempt=attempt,
        )
