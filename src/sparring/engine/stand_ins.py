"""Substitutes for a tool that fails for good: a pure function of the request and the transcript."""

from collections.abc import Iterator, Sequence

from sparring.schema.base import Role, ToolName
from sparring.schema.runs import Request, Seated
from sparring.schema.transcript import Ask, Placed, Transcript

_MOST_SPARE = 2
"""Spare tools that are tried for one question: each may take its whole time."""


def with_stand_ins(asks: Sequence[Ask], request: Request, transcript: Transcript) -> tuple[Ask, ...]:
    """Return the ``asks`` of one step with the tools that may stand in.

    The substitute that the user named may take every seat, and a spare tool a seat that the user did not name. What is
    refused when a run is planned is refused here as well: no tool takes a seat against itself. For two such seats that
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
    rivals = request.rivals(ask.role, ask.number)
    places = {(each.role, each.number) for each in rivals}
    refused = {ask.tool, *(each.tool for each in rivals)}
    refused |= {each.tool for each in offered if (each.role, each.number) in places}
    refused |= {turn.answer.tool for turn in transcript.turns if turn.answer and (turn.role, turn.number) in places}
    if request.substitute and request.substitute not in refused:
        yield request.substitute
    if ask.role in request.unnamed:
        yield from _spare(ask, request, transcript, refused | {request.substitute})


def _spare(ask: Ask, request: Request, transcript: Transcript, refused: set[ToolName | None]) -> list[ToolName]:
    """Return the spare tools of another family than the one that failed, first those related to no other seat."""
    elsewhere = {turn.answer.tool for turn in transcript.turns if turn.answer and _is_other_seat(turn, ask)}
    planned = {needed.participant.tool for needed in request.needed()} - {ask.tool}
    related = {request.family_of_tool(tool) for tool in elsewhere | planned}
    own = request.family_of_tool(ask.tool)
    free = (tool for tool in request.spare if tool not in refused and tool not in elsewhere)
    others = [tool for tool in free if request.family_of_tool(tool) != own]
    return sorted(others, key=lambda tool: request.family_of_tool(tool) in related)[:_MOST_SPARE]


def _is_other_seat(turn: Placed, ask: Placed) -> bool:
    return turn.role is not ask.role or 0 != turn.number != ask.number != 0
