"""A sixth format, as somebody else would write one: a poll, whose votes are counted by code.

Reading order: ``records`` is what is asked for and what comes of it; ``rules`` is the course. Nothing outside this
folder knows it; whoever wants it adds ``POLL`` to the registry.
"""

from sparring.engine.format import Format, Rules
from sparring.errors import ExitCode
from sparring.formats.registry import Listed
from sparring.prompts import PromptLibrary
from sparring.schema.transcript import Ask
from support.sixth.records import LastPoll, PollOutcome, PollRequest, PollStatus

POLL = Listed("poll", __name__, "Let two AI tools vote on a question, and code count.")


def _rules(request: PollRequest, _prompts: PromptLibrary) -> Rules:
    from support.sixth.rules import Poll  # noqa: PLC0415 -- see Format

    return Poll(request)


def _usual(_ask: Ask, _place: int) -> str:
    return "yes"


FORMAT = Format(
    name="poll",
    request=PollRequest,
    outcome=PollOutcome,
    rules=_rules,
    exit_codes={
        PollStatus.COMPLETED: ExitCode.DONE,
        PollStatus.SPLIT: ExitCode.NO_VERDICT,
        PollStatus.FAILED: ExitCode.FAILED,
    },
    subject="topic",
    last_files=(("poll/last-poll.json", LastPoll),),
    usual=_usual,
)
