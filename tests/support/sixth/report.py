"""A poll as it is shown: the votes and what has the most of them."""

from sparring.engine.format import Presentation
from sparring.reports.markdown import Section, Sections, bullets, given
from sparring.reports.runs import FinishedRun
from sparring.schema.runs import Run
from support.sixth.records import LastPoll, PollOutcome, PollRequest


def _report(run: Run) -> Sections:
    poll = FinishedRun(run, PollRequest, PollOutcome)
    seats = zip((poll.request.first, poll.request.second), poll.outcome.votes, strict=True)
    votes = bullets(f"{voter.tool}: {vote or 'no vote'}" for voter, vote in seats)
    return [
        Section(f"# Poll: {poll.outcome.winner or poll.outcome.status}", poll.request.topic),
        Section("## Votes", votes),
        *given("## Notices", bullets(poll.notices)),
        Section("", poll.about({})),
    ]


def _result(run: Run) -> LastPoll:
    return FinishedRun(run, PollRequest, PollOutcome).record(LastPoll)


def _remaining(run: Run) -> tuple[str, ...]:
    return () if run.transcript.turns else ("two votes",)


PRESENTATION = Presentation(report=_report, decision=_report, result=_result, remaining=_remaining)
