"""Options of a jury, and the request they become: its four seats, and the two texts."""

from collections.abc import Mapping
from itertools import cycle
from typing import Annotated, ClassVar

from sparring.errors import UsageError
from sparring.participants import options as shared
from sparring.participants.seats import (
    NamedTool,
    ProjectContext,
    Seating,
    Tools,
    audit_notices,
    deciding_notice,
    further_tool,
    has_failed,
    named_seats,
    own_seat,
)
from sparring.schema.base import RULE_BASED_TOOL, Effort, Role
from sparring.schema.jury import JuryRequest, Rebuttals

_INPUT = shared.Input("-", "the claim and its truth", only_instead=True)


_PLACES = shared.SeatOrder((Role.ADVOCATE, Role.SKEPTIC, Role.FACT_CHECKER, Role.JUDGE))

_SEAT = "jury-judge"
"""The name of the seat in audits."""


class JuryOptions(shared.Options[JuryRequest]):
    """Options of a jury; sparring chooses the provider of each seat that is not named."""

    format: ClassVar[str] = "jury"
    places: ClassVar[shared.SeatOrder | None] = _PLACES
    presets: ClassVar[Mapping[shared.Preset, Mapping[str, object]]] = {
        shared.Preset.QUICK: {"rebuttals": 0, "effort": "low"},
        shared.Preset.THOROUGH: {"rebuttals": 2, "effort": "high", "timeout_s": 600.0},
    }

    claim: Annotated[
        str,
        shared.Option("Claim to compare with the truth; `-` reads standard input.", is_subject=True),
    ] = ""
    truth: Annotated[
        str,
        shared.Option(
            "Truth to compare the claim with; by default the piped input.",
            mcp='A text, or "file=PATH"',
            input=_INPUT,
            is_hinted=True,
        ),
    ] = ""
    truth_file: Annotated[
        str,
        shared.Option(
            "File with the truth, UTF-8.",
            mcp=None,
            value="PATH",
            file_of="truth",
            input=_INPUT,
            is_hinted=True,
        ),
    ] = ""
    allow_secret_files: shared.SecretFiles = False
    participants: Annotated[
        str,
        shared.with_option(
            "Providers in order: advocate (for faithful), skeptic (for mutated), fact-checker, judge. One alone takes "
            "every seat; `offline`: code alone.",
            mcp="Advocate, skeptic, fact-checker, judge; one: every seat; host: you; offline: code alone",
        ),
    ] = ""
    seat: Annotated[tuple[str, ...], shared.seat_option(_PLACES)] = ()
    rebuttals: Annotated[
        Rebuttals, shared.Option("Rounds in which advocate and skeptic answer each other, 0 to 2.", is_setting=True)
    ] = 1
    language: shared.LanguageOption = "en"
    row_id: Annotated[str, shared.Option("Id of the pair in its data set.", is_setting=True)] = ""
    dataset: Annotated[str, shared.Option("Data set of the pair.", is_setting=True)] = ""
    effort: shared.EffortOption = Effort.MEDIUM
    preset: shared.PresetOption = None
    substitute: shared.SubstituteOption = ""
    timeout_s: Annotated[float, shared.timeout()] = 240.0


_DEBATERS = (Role.ADVOCATE, Role.SKEPTIC)
_CHOOSING = (*_DEBATERS, Role.JUDGE, Role.FACT_CHECKER)
"""Order in which empty seats of a jury are given tools: the seats that need diversity most come first."""


def complete(options: JuryOptions, project: ProjectContext) -> JuryRequest:
    """The whole request; raises ``UsageError`` if it contradicts itself or names something that does not exist."""
    roster = project.tools
    if not options.claim and project.given.is_by_user:
        raise UsageError("There is no claim.", hint="Type it, or judge a table of claims with `sparring batch`.")
    truth = project.statement(options.truth, options.truth_file, secrets_allowed=options.allow_secret_files)
    if not truth and project.given.is_by_user:
        raise UsageError("There is no truth to compare the claim with.", hint="Give it with --truth or pipe it in.")
    truth = project.redact(truth)
    claim = project.redact(options.claim)
    row_id = project.redact(options.row_id)
    dataset = project.redact(options.dataset)
    seating = seat_jury(options, roster)
    return shared.valid(
        lambda: options.as_request(
            JuryRequest,
            truth=truth.text.strip(),
            claim=claim.text.strip(),
            row_id=row_id.text.strip() or None,
            dataset=dataset.text.strip() or None,
            advocate=seating.participant(Role.ADVOCATE),
            skeptic=seating.participant(Role.SKEPTIC),
            fact_checker=seating.participant(Role.FACT_CHECKER),
            judge=seating.participant(Role.JUDGE),
            language=shared.language(options.language),
            redactions=truth.count + claim.count + row_id.count + dataset.count,
            unnamed=tuple(role for role in _PLACES.order if role not in _named(options, roster)),
            notices=roster.notices + seating.notices,
        )
    )


def seat_jury(options: JuryOptions, roster: Tools) -> Seating:
    """Advocate, Skeptic, Fact-Checker and Judge, as diverse as the tools allow; raises ``UsageError``."""
    seats = dict(_named(options, roster))
    for role, tool in _chosen(seats, roster).items():
        seats[role] = NamedTool(tool)
    tools = {seat.tool for seat in seats.values()}
    if RULE_BASED_TOOL in tools:
        if len(tools) > 1:
            raise UsageError(
                f"{RULE_BASED_TOOL} takes no seat next to AI tools: it has no model, and code compares in every jury.",
                hint=f"Name it for all seats (--with {RULE_BASED_TOOL}), or for none.",
            )
        return Seating(seats)
    notices = (
        *_both_sides_notices(seats, roster),
        *_judging_notices(seats, roster),
        *audit_notices(_SEAT, "The judge", (seats[Role.JUDGE],), roster),
    )
    return Seating(seats, notices)


def _chosen(named: Mapping[Role, NamedTool], roster: Tools) -> dict[Role, str]:
    """Return a tool for each seat that is not named: installed ones in turn, first those without a seat."""
    empty = [role for role in _CHOOSING if role not in named]
    if not empty:
        return {}
    seated = {seat.tool for seat in named.values()}
    tools = sorted(roster.ai_tools(), key=lambda tool: tool in seated) or sorted(seated)
    if not tools:
        tools = [further_tool((), roster)]
    chosen = dict(zip(empty, cycle(tools), strict=False))
    return _without_failed_judge(chosen, roster) if Role.JUDGE in chosen else chosen


def _named(options: JuryOptions, roster: Tools) -> Mapping[Role, NamedTool]:
    """Return the seats that were named; raises ``UsageError`` as ``named_seats`` does."""
    named = named_seats(options.participants, options.seat, _PLACES, roster)
    return {role: seat for role in _PLACES.order if (seat := named.of(role))}


def _without_failed_judge(chosen: Mapping[Role, str], roster: Tools) -> dict[Role, str]:
    """Return ``chosen`` with another judge, if there is one, when that one failed an audit of the user's own.

    A tool in another of these seats changes places with it; a tool without a seat replaces it.
    """
    judge = chosen[Role.JUDGE]
    if not has_failed(_SEAT, judge, roster):
        return dict(chosen)
    able = [tool for tool in (*chosen.values(), *roster.ai_tools()) if not has_failed(_SEAT, tool, roster)]
    if not able:
        return dict(chosen)
    corrected = dict(chosen)
    for role, tool in chosen.items():
        if tool == able[0]:
            corrected[role] = judge
            break
    corrected[Role.JUDGE] = able[0]
    return corrected


def _both_sides_notices(seats: Mapping[Role, NamedTool], roster: Tools) -> tuple[str, ...]:
    advocate, skeptic = (seats[role].tool for role in _DEBATERS)
    if advocate != skeptic:
        return ()
    how = "in one conversation" if roster.is_host(advocate) else "each in a fresh session"
    return (f"[WARN] {advocate} is both advocate and skeptic, {how}.",)


def _judging_notices(seats: Mapping[Role, NamedTool], roster: Tools) -> tuple[str, ...]:
    """Return warnings when the judge is not a third party, or no fresh session."""
    judge = seats[Role.JUDGE].tool
    notices: list[str] = []
    side = next((role for role in _DEBATERS if seats[role].tool == judge), None)
    if side:
        notices.append(f"[WARN] The judge is {own_seat(judge, side, roster)}.")
    if notice := deciding_notice("The judge", judge, roster):
        notices.append(notice)
    return tuple(notices)
