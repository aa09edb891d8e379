"""Estimate the usage of a run before it begins.

The rules run with usual answers for all participants: formats are pure, so that costs nothing, and
every kind of deliberation is estimated by its own rules, with the answers that are usual in it.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Sequence

from msgspec import Struct

from sparring.engine.course import Asks
from sparring.engine.format import SPEECH, Format
from sparring.prompts import PromptLibrary
from sparring.schema.base import Role, utc_now
from sparring.schema.consultation import Answer
from sparring.schema.dry_run import CallRange, DryRun, SeatAsked, TableStanding
from sparring.schema.runs import CHARACTERS_PER_TOKEN, Expected, Request
from sparring.schema.transcript import Ask, Transcript, Turn

_MOST_STEPS = 100


def expected(format_: Format, request: Request, prompts: PromptLibrary, answered: Collection[str] = ()) -> Expected:
    """Return the range of calls for a run of ``request`` without failures.

    The fewest are those where all participants agree from the beginning, as far as the usual answers can show that; the
    most those where no agent agrees, and every repeatable ask is repeated. ``answered`` are the ids of asks whose
    answers are taken over, until something is asked anew: its answer stands in all prompts after it.
    """
    return foreseen(format_, request, prompts, answered).expected


class Foreseen(Struct, frozen=True):
    """A run in its usual course.

    Attributes:
        asked: New asks, except for those that code answers.
    """

    expected: Expected
    asked: tuple[Ask, ...]


def foreseen(format_: Format, request: Request, prompts: PromptLibrary, answered: Collection[str] = ()) -> Foreseen:
    """Return the same as ``expected``, with the asks of the usual way."""
    usual, most = _played(format_, request, prompts, format_.usual or _any_speech, answered)
    short, _ = _played(format_, request, prompts, lambda ask, _: (format_.usual or _any_speech)(ask, 0), answered)
    fewest = min(short, usual, key=len)
    counts = Expected(
        fewest=len(fewest), usual=len(usual), most=most, least_tokens=_tokens(fewest), prompt_tokens=_tokens(usual)
    )
    return Foreseen(counts, tuple(usual))


def dry_run(
    format_: Format,
    requests: Sequence[Request],
    prompts: PromptLibrary,
    costs: Callable[[Ask], bool],
    rows: TableStanding | None = None,
) -> DryRun:
    """Return a dry run of all ``requests`` together, or of as many as ``rows`` are left, of which they are a sample.

    ``costs`` decides whether an ask may be paid for.
    """
    runs = [foreseen(format_, request, prompts) for request in requests]
    times = rows.left / len(runs) if rows else 1
    asked = [ask for run in runs for ask in run.asked]
    fewest, most = [run.expected.fewest for run in runs], [run.expected.most for run in runs]
    seats = Counter((ask.tool, ask.role, ask.question.model, ask.question.effort) for ask in asked)
    return DryRun(
        kind=format_.name,
        seats=tuple(
            SeatAsked(tool=tool, role=role, model=model, effort=effort, calls=round(count * times))
            for (tool, role, model, effort), count in seats.items()
        ),
        rows=rows,
        calls=CallRange(
            fewest=rows.left * min(fewest) if rows else sum(fewest),
            usual=round(times * len(asked)),
            most=rows.left * max(most) if rows else sum(most),
        ),
        prompt_tokens=round(times * sum(run.expected.prompt_tokens for run in runs)),
        cost_usd=None if times and any(map(costs, asked)) else 0.0,
        expected_if=format_.expected_if,
        first_prompt=asked[0].question.prompt if asked else "",
    )


def _played(
    format_: Format,
    request: Request,
    prompts: PromptLibrary,
    usual: Callable[[Ask, int], str],
    answered: Collection[str],
) -> tuple[list[Ask], int]:
    """Return the asks that are sent for the first time, and their number with all that may be repeated."""
    rules, transcript, asked, most = format_.rules(request, prompts), Transcript(), list[Ask](), 0
    for _ in range(_MOST_STEPS):
        decision = rules.next(transcript)
        if not isinstance(decision, tuple):
            break
        counted = _counted(decision)
        counted = counted if asked else [ask for ask in counted if ask.id not in answered]
        asked += counted
        if counted:
            after = format_.rules(request, prompts).next(transcript.extended(_spoken(decision, _nothing_usable)))
            again = [ask for ask in after if ask.attempt > 1] if isinstance(after, tuple) else []
            most += len(counted) + len(again)
        transcript = transcript.extended(_spoken(decision, usual))
    return asked, max(most, len(asked))


def _counted(decision: Asks) -> list[Ask]:
    """Return the asks that count: not those of code, which costs nothing, and not repeated ones.

    A usual speech is no ballot and no summary, so these are asked a second time here.
    """
    return [ask for ask in decision if ask.attempt == 1 and ask.role is not Role.VERIFIER]


def _any_speech(_ask: Ask, _place: int) -> str:
    return SPEECH


def _nothing_usable(_ask: Ask, _place: int) -> str:
    return "Hm."


def _tokens(asked: Collection[Ask]) -> int:
    return round(sum(len(ask.question.prompt) for ask in asked) / CHARACTERS_PER_TOKEN)


def _spoken(asks: Asks, usual: Callable[[Ask, int], str]) -> tuple[Turn, ...]:
    return tuple(
        Turn(
            **ask.place,
            ask_id=ask.id,
            prompt_sha256=hashlib.sha256(b"").hexdigest(),
            at=utc_now(),
            reply=Answer(tool=ask.tool, response=usual(ask, place), duration_ms=0),
        )
        for place, ask in enumerate(asks)
    )
