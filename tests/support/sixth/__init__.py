"""A small example of a format: a poll, whose votes are counted by code.

``records`` has options, request, outcome and the record on disk; ``flow`` has the order of asks, and the report. Its
prompts are in its own folder only because it is no part of the package. ``POLL`` is what a registry adds.
"""

from collections.abc import Iterator
from typing import Any

from sparring.engine.format import Format, PlannedCalls, Presentation, Rules
from sparring.errors import ExitCode
from sparring.formats.registry import Listed
from sparring.participants.seats import ProjectContext
from sparring.prompts import PromptLibrary
from sparring.schema.base import Participant, Role
from support.sixth.records import LastPoll, PollOptions, PollOutcome, PollRequest, PollStatus

POLL = Listed("poll", __name__, "Let two AI tools vote on a question, and code count.")


def _complete(options: PollOptions, project: ProjectContext) -> PollRequest:
    tools, topic = list(project.tools.ai_tools()), project.redact(options.topic).text
    first, second = Participant(tool=options.first or tools[0]), Participant(tool=options.second or tools[-1])
    return PollRequest(topic=topic, first=first, second=second, effort=options.effort, notices=project.tools.notices)


def _rules(request: PollRequest, _prompts: PromptLibrary) -> Rules:
    from support.sixth.flow import Poll  # noqa: PLC0415 -- see Format

    return Poll(request)


def _presentation() -> Presentation[Any]:
    from support.sixth.flow import PRESENTATION  # noqa: PLC0415 -- see Format

    return PRESENTATION


def _plan(request: PollRequest) -> Iterator[PlannedCalls]:
    for voter in (request.first, request.second):
        yield PlannedCalls("vote", Role.CONSULTANT, voter)


FORMAT = Format(
    name="poll",
    title="Poll",
    description="Let two AI tools vote on a question; code counts. Costs one or two calls for each vote.",
    options=PollOptions,
    request=PollRequest,
    outcome=PollOutcome,
    complete=_complete,
    rules=_rules,
    plan=_plan,
    presentation=_presentation,
    exit_codes=dict(zip(PollStatus, (ExitCode.DONE, ExitCode.NO_VERDICT, ExitCode.FAILED), strict=True)),
    subject="topic",
    last_files=(("poll/last-poll.json", LastPoll),),
)
