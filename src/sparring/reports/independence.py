"""Warnings about the tools that really answered: the substitutions, and those that planning makes for seats.

When a run is planned, ``seats`` warns about the tools in the seats. Where another tool answered in a seat, or a model
of another family than expected, those warnings are made again here for the tools that answered.
"""

from collections.abc import Iterator, Sequence

from sparring.reports.seat_names import seat_name
from sparring.schema.base import HOST_TOOL, Role
from sparring.schema.runs import Run
from sparring.schema.transcript import Respondent
from sparring.text.tidying import capitalized


def substitutions(run: Run) -> tuple[str, ...]:
    """Return a line for each seat and tool that answered in the place of another, with why."""
    notices: dict[tuple[str, str], str] = {}
    for turn in run.transcript.turns:
        respondent = turn.respondent
        if turn.answer and respondent and respondent.stands_in_for and turn.role is not Role.VERIFIER:
            why = turn.answer.warnings[0] if turn.answer.warnings else f"{respondent.name}."
            notices.setdefault((seat_name(turn), respondent.name), f"[WARN] {capitalized(seat_name(turn))}: {why}")
    return tuple(notices.values())


def independence_warnings(run: Run) -> tuple[str, ...]:
    """Return the warnings about tools that judge themselves or relatives, where others answered than were planned."""
    return tuple(dict.fromkeys(_warnings(run)))


def _warnings(run: Run) -> Iterator[str]:
    for judge, sides in run.header.request.judged.items():
        first, second = (respondents(run, side) for side in sides)
        yield from _side_warnings(first, second, sides)
        numbers = _numbers(run, judge)
        for number in numbers:
            seat = f"Judge {number}" if len(numbers) > 1 else f"The {judge.display_name}"
            for each in respondents(run, judge, number):
                yield from _judge_warnings(seat, each, dict(zip(sides, (first, second), strict=True)))


def _judge_warnings(seat: str, judge: Respondent, sides: dict[Role, Sequence[Respondent]]) -> Iterator[str]:
    for role, opponents in sides.items():
        for each in opponents:
            if not (_is_new(judge) or _is_new(each)):
                continue
            if judge.tool == each.tool:
                yield f"[WARN] {seat} is {judge.name}, the {role.display_name}'s own tool, in a fresh session."
            elif judge.family and judge.family == each.family:
                kin = f"of the same family of models ({judge.family}) as {each.name}, the {role.display_name}"
                yield f"[WARN] {seat} is {judge.name}, {kin}."
    if _is_new(judge) and not judge.family:
        yield f"[WARN] {seat} is {judge.name}, whose family of models is not known."
    if _is_new(judge) and judge.tool == HOST_TOOL:
        yield f"[WARN] {seat} is {judge.name}, the calling agent: it has no fresh session."


def _side_warnings(
    first: Sequence[Respondent], second: Sequence[Respondent], roles: tuple[Role, Role]
) -> Iterator[str]:
    for one in first:
        for other in second:
            if not (_is_new(one) or _is_new(other)):
                continue
            seats = f"{one.name} ({roles[0].display_name}) and {other.name} ({roles[1].display_name})"
            if one.tool == other.tool:
                yield f"[WARN] One tool on both sides: {seats}."
            elif one.family and one.family == other.family:
                yield f"[WARN] One family of models ({one.family}) on both sides: {seats}."


def _is_new(respondent: Respondent) -> bool:
    return respondent.stands_in_for is not None or respondent.is_of_other_family


def respondents(run: Run, role: Role, number: int = 0) -> tuple[Respondent, ...]:
    """Return the tools that answered in a seat, with their families as far as they are known."""
    families = run.header.families
    return tuple(
        each if each.family else each.model_copy(update={"family": families.get(each.tool, "")})
        for each in run.transcript.respondents(role, number)
    )


def _numbers(run: Run, role: Role) -> tuple[int, ...]:
    numbers = {turn.number or 1 for turn in run.transcript.turns if turn.role is role and turn.answer}
    return tuple(sorted(numbers))


def current_notices(notices: Sequence[str], run: Run) -> tuple[str, ...]:
    """Return the ``notices`` of the plan without the warnings about tools in seats that others have answered from."""
    gone = tuple(_planned_phrases(run))
    return tuple(each for each in notices if not any(words in each for words in gone))


def _planned_phrases(run: Run) -> Iterator[str]:
    """Return the words by which planning warns about a tool in a seat, for each tool that never answered there."""
    judged = run.header.request.judged
    for role in (*judged, *(side for sides in judged.values() for side in sides)):
        for number in _numbers(run, role):
            turns = [turn for turn in run.transcript.turns if turn.role is role and (turn.number or 1) == number]
            planned = {turn.tool for turn in turns}
            for tool in planned - {turn.answer.tool for turn in turns if turn.answer}:
                if role in judged:
                    yield f"[WARN] The {role.display_name} is {tool},"
                    yield f"[WARN] Judge {number} is {tool},"
                else:
                    yield f" as {tool}, the {role.display_name}"
                    yield f" is {tool}, the {role.display_name}'s own tool"
