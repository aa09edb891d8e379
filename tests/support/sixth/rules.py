"""The course of a poll: both are asked at once, each once more if need be, and their votes are counted."""

from functools import partial
from pathlib import Path

from sparring.engine.course import (
    Asks,
    Attempt,
    Bookmark,
    Course,
    Reading,
    UnusableReplyError,
    Wanted,
    decided,
    together,
    until_usable,
)
from sparring.prompts import PromptLibrary
from sparring.schema.base import Participant, Role
from sparring.schema.consultation import Brief, Question
from sparring.schema.transcript import Ask, Transcript, TurnKind
from support.sixth.records import PollOutcome, PollRequest, PollStatus, Vote

STEP = "poll/question"
PROMPTS = PromptLibrary(Path(__file__).parent / "prompts")


class Poll:
    """The rules of one poll; see ``engine.format.Rules``."""

    def __init__(self, request: PollRequest) -> None:
        self._request = request
        self._bookmark = Bookmark[Wanted, PollOutcome]()

    def next(self, transcript: Transcript) -> Asks | PollOutcome:
        """See ``engine.format.Rules``."""
        return decided(self._bookmark, self._course, transcript)

    def _course(self) -> Course[Wanted, PollOutcome]:
        voters = enumerate((self._request.first, self._request.second), start=1)
        attempts = yield from together(*(until_usable(partial(self._want, *voter), _read) for voter in voters))
        votes = tuple(attempt[-1].said for attempt in attempts)
        given = {vote for vote in votes if vote is not None}
        if not given:
            return PollOutcome(status=PollStatus.FAILED, votes=votes, notices=("[ERROR] Nobody has voted.",))
        if len(given) > 1:
            return PollOutcome(status=PollStatus.SPLIT, votes=votes)
        return PollOutcome(status=PollStatus.COMPLETED, votes=votes, winner=given.pop())

    def _want(self, number: int, voter: Participant, before: Attempt[Vote] | None) -> Wanted:
        attempt = 2 if before else 1
        return Wanted(f"vote.{number}.{attempt}", partial(self._ask, number, voter, attempt, before))

    def _ask(self, number: int, voter: Participant, attempt: int, before: Attempt[Vote] | None) -> Ask:
        request = self._request
        values = {"topic": request.topic, "problem": before.problem if before else "There is none so far."}
        return Ask(
            id=f"vote.{number}.{attempt}",
            kind=TurnKind.ANSWER,
            role=Role.CONSULTANT,
            round=1,
            tool=voter.tool,
            attempt=attempt,
            number=number,
            label=f"vote {number}",
            question=Question(
                prompt=PROMPTS.render(STEP, values),
                brief=Brief(step=STEP, topic=request.topic, role=Role.CONSULTANT, round=1, attempt=attempt),
                effort=request.effort,
                model=voter.model,
                timeout_s=request.timeout_s,
            ),
        )


def _read(reply: str) -> Reading[Vote]:
    said = " ".join(reply.lower().strip(" \n.").split())
    if said not in set(Vote):
        raise UnusableReplyError("The answer is not one of: yes, no, cannot say.")
    return Reading(Vote(said))
