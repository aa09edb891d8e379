"""A sixth format, as somebody else would write one: a poll, whose votes are counted by code.

Reading order: ``options`` is what can be said; ``records`` is what is asked for and what comes of it; ``rules`` is the
course, ``report`` what is shown. Nothing outside this folder knows it; whoever wants it adds ``POLL`` to the registry.
"""

from sparring.engine.format import Format, Presentation, Rules
from sparring.errors import ExitCode
from sparring.formats.registry import Listed
from sparring.prompts import PromptLibrary
from sparring.schema.base import Participant
from sparring.schema.transcript import Ask
from sparring.seating.seats import Circumstances
from support.sixth.options import PollOptions
from support.sixth.records import LastPoll, PollOutcome, PollRequest, PollStatus

POLL = Listed("poll", __name__, "Let two AI tools vote on a question, and code count.")


def _complete(options: PollOptions, here: Circumstances) -> PollRequest:
    tools = list(here.tools.ai_tools())
    first, second = (options.first or tools[0], options.second or tools[-1])
    return PollRequest(
        topic=here.redact(options.topic).text,
        first=Participant(tool=first),
        second=Participant(tool=second),
        effort=options.effort,
        notices=here.tools.notices,
    )


def _rules(request: PollRequest, _prompts: PromptLibrary) -> Rules:
    from support.sixth.rules import Poll  # noqa: PLC0415 -- see Format

    return Poll(request)


def _presentation() -> Presentation:
    from support.sixth.report import PRESENTATION  # noqa: PLC0415 -- see Format

    return PRESENTATION


def _usual(_ask: Ask, _place: int) -> str:
    return "yes"


FORMAT = Format(
    name="poll",
    title="Poll",
    description="Let two AI tools vote on a question; code counts. Costs one or two calls for each vote.",
    options=PollOptions,
    request=PollRequest,
    outcome=PollOutcome,
    complete=_complete,
    rules=_rules,
    presentation=_presentation,
    exit_codes={
        PollStatus.COMPLETED: ExitCode.DONE,
        PollStatus.SPLIT: ExitCode.NO_VERDICT,
        PollStatus.FAILED: ExitCode.FAILED,
    },
    subject="topic",
    last_files=(("poll/last-poll.json", LastPoll),),
    usual=_usual,
)
