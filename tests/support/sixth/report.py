"""A poll as it is shown: the votes and what has the most of them."""

from sparring.engine.format import Presentation
from sparring.reports.conclusion import Conclusion
from sparring.reports.markdown import Section, Sections, bullets
from sparring.reports.runs import FinishedRun
from sparring.schema.runs import Run
from support.sixth.records import LastPoll, PollOutcome, PollRequest


def _report(run: Run) -> Sections:
    poll = FinishedRun(run, PollRequest, PollOutcome)
    seats = zip((poll.request.first, poll.request.second), poll.outcome.votes, strict=True)
    votes = bullets(f"{voter.tool}: {vote or 'no vote'}" for voter, vote in seats)
    return [Section("## Votes", votes)]


def _result(run: Run) -> LastPoll:
    return FinishedRun(run, PollRequest, PollOutcome).record(LastPoll)


def _remaining(run: Run) -> tuple[str, ...]:
    return () if run.transcript.turns else ("two votes",)


def _conclusion(run: Run) -> Conclusion:
    poll = FinishedRun(run, PollRequest, PollOutcome)
    winner = poll.outcome.winner or ""
    return Conclusion(
        headline=f"Poll: {winner or poll.outcome.status}",
        is_plain=bool(winner),
        about=("Topic", poll.request.topic),
        label=winner,
        doubts=poll.notices,
    )


PRESENTATION = Presentation(_conclusion, _report, _report, _result, _remaining)
