"""Preparation of the asks of one step before they are sent: stand-ins, the user's notes, room below the limits.

Pure functions of the request and the transcript. A limit is kept by reservation: an ask is sent only if its likely
maximum fits. The usage of asks of the same step is not known yet when the next one is sent, so it is
reserved: one call, the tokens of its prompt, and the longest and dearest answer of the same tool so far plus
half; where a limit has no room for that half, without it. Of a tool that has not answered yet only the prompt is
known.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from hashlib import sha256

from sparring.engine.course import Asks
from sparring.schema.base import NOTE_TAKER, Role, ToolName, utc_now
from sparring.schema.consultation import Answer, Usage
from sparring.schema.runs import CHARACTERS_PER_TOKEN, Limits, Request, Seated, spent
from sparring.schema.transcript import Ask, Note, Placed, Transcript, Turn, TurnKind

_MOST_SPARE = 2
"""Spare tools that are tried for one question: each may take its whole time."""


def with_stand_ins(asks: Asks, request: Request, transcript: Transcript) -> Asks:
    """Return the ``asks`` of one step with the tools that may stand in.

    The substitute that the user named may take every seat, and a spare tool a seat that the user did not name. The
    rules of planning apply as well: no tool takes a seat against itself. For two such seats that
    are asked at the same time a tool is offered once.
    """
    offered: list[Seated] = []
    completed: list[Ask] = []
    for ask in asks:
        tools = tuple(_stand_ins(ask, request, transcript, offered))
        offered += [Seated(role=ask.role, number=ask.number, tool=tool) for tool in tools]
        completed.append(ask.model_copy(update={"stand_ins": tools}) if tools else ask)
    return tuple(completed)


def _stand_ins(ask: Ask, request: Request, transcript: Transcript, offered: Sequence[Seated]) -> Iterator[ToolName]:
    if ask.role is Role.VERIFIER:
        return
    # A tool must not argue against itself, or judge its own speech.
    rivals = request.rivals(ask.role, ask.number)
    rival_seats = {(rival.role, rival.number) for rival in rivals}
    refused = {ask.tool}
    refused |= {rival.tool for rival in rivals}
    refused |= {seat.tool for seat in offered if (seat.role, seat.number) in rival_seats}
    for turn in transcript.turns:
        if turn.answer and (turn.role, turn.number) in rival_seats:
            refused.add(turn.answer.tool)  # which is a stand-in, where the seat's own tool has failed
    if request.substitute and request.substitute not in refused:
        yield request.substitute
        refused.add(request.substitute)
    if ask.role in request.unnamed:
        yield from _spare(ask, request, transcript, refused)


def _spare(ask: Ask, request: Request, transcript: Transcript, refused: set[ToolName]) -> list[ToolName]:
    """Return the spare tools of another family than the one that failed, first those related to no other seat."""
    in_other_seats = {turn.answer.tool for turn in transcript.turns if turn.answer and _is_other_seat(turn, ask)}
    planned = {needed.participant.tool for needed in request.needed()} - {ask.tool}
    families_at_work = {request.family_of_tool(tool) for tool in in_other_seats | planned}
    failed_family = request.family_of_tool(ask.tool)
    able: list[ToolName] = []
    for tool in request.spare:
        is_free = tool not in refused and tool not in in_other_seats
        if is_free and request.family_of_tool(tool) != failed_family:
            able.append(tool)
    return sorted(able, key=lambda tool: request.family_of_tool(tool) in families_at_work)[:_MOST_SPARE]


def _is_other_seat(turn: Placed, ask: Placed) -> bool:
    if turn.role is not ask.role:
        return True
    are_numbered = turn.number != 0 and ask.number != 0
    return are_numbered and turn.number != ask.number


def note_turn(note: Note) -> Turn:
    """Return the turn by which ``note`` enters the transcript; it counts as no call."""
    return Turn(
        kind=TurnKind.NOTE,
        role=Role.VERIFIER,
        round=1,
        tool=NOTE_TAKER,
        label="note",
        ask_id=note.id,
        prompt_sha256=sha256(note.text.encode()).hexdigest(),
        at=utc_now(),
        reply=Answer(tool=NOTE_TAKER, response=note.text, duration_ms=0),
    )


def with_notes(asks: Asks, transcript: Transcript, kinds: Collection[TurnKind], worded: Callable[[str], str]) -> Asks:
    """Return ``asks``; the prompts of those of these ``kinds`` end with the notes that ``transcript`` has.

    Args:
        asks: Asks of one step.
        transcript: All turns before the step.
        kinds: Kinds of turns that are shown notes.
        worded: Words a note for a prompt.
    """
    notes = [turn.answer.response for turn in transcript.turns if turn.kind is TurnKind.NOTE and turn.answer]
    if not notes:
        return asks
    end = "".join(f"\n{worded(note)}" for note in notes)
    return tuple(_followed(ask, end) if ask.kind in kinds else ask for ask in asks)


def _followed(ask: Ask, end: str) -> Ask:
    question = ask.question.model_copy(update={"prompt": f"{ask.question.prompt}{end}"})
    return ask.model_copy(update={"question": question})


_MARGIN = 1.5


class Reservations:
    """The room that ``limits`` leave for the asks of one step, after ``turns``."""

    def __init__(self, limits: Limits, turns: Iterable[Turn]) -> None:
        turns = tuple(turns) if limits.are_any else ()
        used = spent(turns)
        self._limits = limits
        self._used = used
        self._calls = used.calls
        self._tokens = float(used.tokens)
        self._cost_usd = used.cost_usd
        self._largest: dict[ToolName, Usage] = {}
        for turn in turns:
            if turn.answer:
                self._largest[turn.tool] = _larger(self._largest.get(turn.tool, Usage()), turn.answer.usage)

    def refusal(self, ask: Ask) -> str:
        """Return why ``ask`` must not be sent; empty where it may: then its likely usage is reserved."""
        if ask.role is Role.VERIFIER or not self._limits.are_any:
            return ""  # code costs nothing
        refusal = self._refusal(ask, 1.0)
        if refusal:
            return refusal
        has_room_for_margin = not self._refusal(ask, _MARGIN)
        tokens, cost_usd = self._need(ask, _MARGIN if has_room_for_margin else 1.0)
        self._calls += 1
        self._tokens += tokens
        self._cost_usd += cost_usd
        return ""

    def _refusal(self, ask: Ask, margin: float) -> str:
        limits = self._limits
        tokens, cost_usd = self._need(ask, margin)
        if limits.calls is not None and self._calls >= limits.calls:
            calls = "1 call" if limits.calls == 1 else f"{limits.calls} calls"
            return f"the run's limit of {calls} is used up"
        if limits.tokens is not None and not _has_room(limits.tokens, self._tokens, tokens):
            return f"the run's limit of {limits.tokens} tokens has no room for this ({self._used.tokens} used so far)"
        if limits.cost_usd is not None and not _has_room(limits.cost_usd, self._cost_usd, cost_usd):
            return (
                f"the run's limit of ${limits.cost_usd:g} has no room for this (${self._used.cost_usd:.4f} used so far)"
            )
        return ""

    def _need(self, ask: Ask, margin: float) -> tuple[float, float]:
        """Return the tokens and dollars that ``ask`` is likely to use at most, as far as they are known."""
        largest = self._largest.get(ask.tool, Usage())
        prompt_tokens = math.ceil(len(ask.question.prompt) / CHARACTERS_PER_TOKEN)
        # A tool may add a long prompt of its own, so the largest input that it has counted is reserved as well.
        input_tokens = max(prompt_tokens, largest.input_tokens or 0)
        return input_tokens + margin * (largest.output_tokens or 0), margin * (largest.cost_usd or 0.0)


_ROUNDING = 1e-9
"""Tolerance for sums of prices, relative to the limit."""


def _has_room(limit: float, used: float, need: float) -> bool:
    return used < limit and used + need <= limit * (1 + _ROUNDING)


def _larger(one: Usage, other: Usage) -> Usage:
    return Usage(
        input_tokens=max(one.input_tokens or 0, other.input_tokens or 0),
        output_tokens=max(one.output_tokens or 0, other.output_tokens or 0),
        cost_usd=max(one.cost_usd or 0.0, other.cost_usd or 0.0),
    )
