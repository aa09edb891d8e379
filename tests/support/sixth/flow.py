"""The course of a poll, and how it is shown.

Both are asked at once, each once more if need be, and their votes are counted.
"""

from functools import partial
from pathlib import Path
from typing import Any

from sparring.engine import course
from sparring.engine.course import Attempt, Course, DeferredAsk, ReadReply, UnusableReplyError
from sparring.engine.format import Presentation
from sparring.prompts import PromptLibrary
from sparring.reports.conclusion import Conclusion
from sparring.reports.markdown import Section, Sections, bullets
from sparring.reports.runs import FinishedRun
from sparring.schema.base import Participant, Role
from sparring.schema.consultation import Brief, Question
from sparring.schema.runs import Run
from sparring.schema.transcript import Ask, Transcript, TurnKind
from support.sixth.records import LastPoll, PollOutcome, PollRequest, PollStatus, Vote

STEP = "poll/question"
PROMPTS = PromptLibrary(Path(__file__).parent / "prompts")


class Poll:
    """The rules of one poll; see ``engine.format.Rules``."""

    def __init__(self, request: PollRequest) -> None:
        self._request = request
        self._bookmark = course.CourseCursor[DeferredAsk, PollOutcome]()

    def next(self, transcript: Transcript) -> course.Asks | PollOutcome:
        """See ``engine.format.Rules``."""
        return course.next_step(self._bookmark, self._course, transcript)

    def _course(self) -> Course[DeferredAsk, PollOutcome]:
        voters = enumerate((self._request.first, self._request.second), start=1)
        attempts = yield from course.run_together(
            *(course.ask_until_usable(partial(self._want, *voter), _read) for voter in voters)
        )
        votes = tuple(attempt[-1].value for attempt in attempts)
        given = {vote for vote in votes if vote is not None}
        if not given:
            return PollOutcome(status=PollStatus.FAILED, votes=votes, notices=("[ERROR] There is no vote.",))
        if len(given) > 1:
            return PollOutcome(status=PollStatus.SPLIT, votes=votes)
        return PollOutcome(status=PollStatus.COMPLETED, votes=votes, winner=given.pop())

    def _want(self, number: int, voter: Participant, before: Attempt[Vote] | None) -> DeferredAsk:
        attempt = 2 if before else 1
        return DeferredAsk(f"vote.{number}.{attempt}", partial(self._ask, number, voter, attempt, before))

    def _ask(self, number: int, voter: Participant, attempt: int, before: Attempt[Vote] | None) -> Ask:
        asked, role = self._request, Role.CONSULTANT
        values = {"topic": asked.topic, "problem": before.problem if before else "There is none so far."}
        brief = Brief(step=STEP, topic=asked.topic, role=role, round=1, attempt=attempt)
        how: dict[str, Any] = {"effort": asked.effort, "model": voter.model, "timeout_s": asked.timeout_s}
        question = Question(prompt=PROMPTS.render(STEP, values), brief=brief, **how)
        place: dict[str, Any] = {"attempt": attempt, "number": number, "label": f"vote {number}", "round": 1}
        id_ = f"vote.{number}.{attempt}"
        return Ask(id=id_, kind=TurnKind.ANSWER, role=role, tool=voter.tool, question=question, **place)


def _read(reply: str) -> ReadReply[Vote]:
    said = " ".join(reply.lower().strip(" \n.").split())
    if said not in set(Vote):
        raise UnusableReplyError("The answer is not one of: yes, no, cannot say.")
    return ReadReply(Vote(said))


FinishedPoll = FinishedRun[PollRequest, PollOutcome]


def _view(run: Run) -> FinishedPoll:
    return FinishedPoll(run, PollRequest, PollOutcome)


def _report(poll: FinishedPoll) -> Sections:
    seats = zip((poll.request.first, poll.request.second), poll.outcome.votes, strict=True)
    votes = bullets(f"{voter.tool}: {vote or 'no vote'}" for voter, vote in seats)
    return [Section("## Votes", votes)]


def _result(poll: FinishedPoll) -> LastPoll:
    return poll.record(LastPoll)


def _remaining(run: Run) -> tuple[str, ...]:
    return () if run.transcript.turns else ("two votes",)


def _conclusion(poll: FinishedPoll) -> Conclusion:
    winner, topic = poll.outcome.winner or "", ("Topic", poll.request.topic)
    headline = f"Poll: {winner or poll.outcome.status}"
    return Conclusion(headline=headline, is_plain=bool(winner), about=topic, label=winner, doubts=poll.notices)


PRESENTATION = Presentation(_view, _conclusion, _report, _report, _result, _remaining)
