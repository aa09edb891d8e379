"""What a user asks for, made complete and checked: one function a format."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sparring.app.asked import asked, default_tool, named_tools
from sparring.app.continuing import continued
from sparring.app.debate_folder import CONFIG_PATH, ReadConfig, named_folder, read_config
from sparring.app.debate_seats import seat_chaired_debate, seat_debate
from sparring.app.material import blind_notices, gather, gather_evidence, read_truth
from sparring.app.place import Place
from sparring.app.roster import Roster
from sparring.app.seats import Seating, access_notices, choose_agents, seat_jury
from sparring.app.validation import effort, language, one_of, repo_access, valid
from sparring.app.wishes import ChairedDebateWish, ConsultWish, DebateWish, FactCheckWish, JuryWish
from sparring.errors import UsageError
from sparring.schema.base import Role
from sparring.schema.chaired_debate import DEBATERS, ChairedDebateRequest
from sparring.schema.consult import Consulted, ConsultRequest
from sparring.schema.debate import SPEAKING_ORDER, DebateRequest
from sparring.schema.fact_check import Escalation, FactCheckRequest
from sparring.schema.jury import JuryRequest
from sparring.schema.participants import Participant
from sparring.schema.runs import Request
from sparring.settings import Settings


@dataclass(frozen=True)
class Desk:
    """Where wishes become requests: who can be asked, and where we are."""

    roster: Roster
    place: Place
    settings: Settings


def check_tools(request: Request, roster: Roster) -> None:
    """Refuse a request that needs what is not to be had here; raises like ``Roster.check``."""
    for needed in dict.fromkeys(request.needed()):
        roster.check(needed)


def complete_debate(wish: DebateWish, desk: Desk) -> DebateRequest:
    """The whole request; raises ``UsageError`` where it contradicts itself or names what does not exist."""
    roster = desk.roster
    seating = seat_debate(wish, roster)
    material = gather(wish.context, desk.place, desk.settings, roster.redactor)
    blind = blind_notices(seating.tools, material)
    access = repo_access(wish.repo_access)
    debaters = tuple(seating.seats[role].tool for role in SPEAKING_ORDER)
    reading = access_notices(debaters, access, roster)
    return valid(
        lambda: DebateRequest(
            topic=roster.redactor.redact(wish.topic).text.strip(),
            context=material.parts,
            proposer=seating.participant(Role.PROPOSER),
            challenger=seating.participant(Role.CHALLENGER),
            judge=seating.participant(Role.JUDGE),
            panel=seating.panelists,
            rounds=wish.rounds,
            effort=effort(wish.effort),
            timeout_s=wish.timeout_s,
            repo_access=access,
            blind_openings=wish.blind_openings,
            devil=bool(wish.devil.strip()),
            notices=roster.notices + seating.notices + material.notices + blind + reading,
        ),
    )


_SECONDS_A_MINUTE = 60


def complete_chaired_debate(wish: ChairedDebateWish, desk: Desk) -> ChairedDebateRequest:
    """The whole request; raises ``UsageError`` where it contradicts itself or names what does not exist."""
    roster = desk.roster
    read = read_config(wish.config, desk.place, desk.settings)
    topic = _topic(wish, read)
    seating = seat_chaired_debate(wish, read, roster)
    searching = () if wish.no_web else tuple(role for role in DEBATERS if _can_search(seating, role, roster))
    material = gather(wish.context, desk.place, desk.settings, roster.redactor)
    blind = blind_notices(seating.tools, material)
    web = tuple(_web_notices(wish, seating, searching))
    return valid(
        lambda: ChairedDebateRequest(
            topic=roster.redactor.redact(topic).text.strip(),
            context=material.parts,
            chair=seating.participant(Role.CHAIR),
            promoter=seating.participant(Role.PROMOTER),
            detractor=seating.participant(Role.DETRACTOR),
            audience=seating.participant(Role.AUDIENCE) if Role.AUDIENCE in seating.seats else None,
            reporter=seating.participant(Role.REPORTER) if Role.REPORTER in seating.seats else None,
            searching=searching,
            effort=effort(wish.effort),
            timeout_s=wish.timeout_s,
            output_dir=named_folder(wish.output_dir or read.config.output_dir or "", desk.place.project),
            notices=roster.notices + read.notices + seating.notices + web + material.notices + blind,
            **_bounds(wish, read),
        ),
    )


def _topic(wish: ChairedDebateWish, read: ReadConfig) -> str:
    topic = wish.topic if wish.topic.strip() else read.config.topic
    if not topic.strip():
        where = f"in {read.path}" if read.path else f"in {CONFIG_PATH}"
        raise UsageError("There is no topic to debate.", hint=f"Name one, or write it {where}.")
    return topic


def _bounds(wish: ChairedDebateWish, read: ReadConfig) -> Mapping[str, Any]:
    """How long the debate may last: what was said, else what the file says, else nothing: the record's own bounds.

    Of two bounds of which only one is said, the other one gives way.
    """
    low = wish.min_rounds if wish.min_rounds is not None else read.config.min_rounds
    high = wish.max_rounds if wish.max_rounds is not None else read.config.max_rounds
    usual_low, usual_high = (ChairedDebateRequest.model_fields[name].default for name in ("min_rounds", "max_rounds"))
    if high is not None and low is None:
        low = min(usual_low, high)
    if low is not None and high is None:
        high = max(usual_high, low)
    if low is not None and high is not None and low > high:
        raise UsageError(f"min_rounds is {low} and max_rounds is {high}: the least cannot be more than the most.")
    chosen = {"min_rounds": low, "max_rounds": high, "time_budget_s": _time_budget_s(wish, read)}
    return {name: value for name, value in chosen.items() if value is not None}


def _time_budget_s(wish: ChairedDebateWish, read: ReadConfig) -> float | None:
    minutes = read.config.time_budget_minutes
    if wish.time_budget_s is not None:
        minutes = wish.time_budget_s / _SECONDS_A_MINUTE
    if minutes is None:
        return None
    if not (math.isfinite(minutes) and minutes > 0):
        raise UsageError(f"The time budget must be a number of minutes above 0; it is {minutes:g}.")
    return minutes * _SECONDS_A_MINUTE


def _can_search(seating: Seating, role: Role, roster: Roster) -> bool:
    return roster.spec(seating.seats[role].tool).can_search


def _web_notices(wish: ChairedDebateWish, seating: Seating, searching: tuple[Role, ...]) -> Iterator[str]:
    if wish.no_web:
        yield "Nobody searches the web: what the debaters cannot source they have to label."
        return
    for role in DEBATERS:
        tool = seating.seats[role].tool
        if role in searching:
            yield f"The {role} ({tool}) may search the web."
        else:
            yield f"The {role} ({tool}) cannot search the web, and has to label what it cannot source."


def complete_consult(wish: ConsultWish, desk: Desk) -> ConsultRequest:
    """The whole request; raises ``UsageError`` where it contradicts itself or names what does not exist."""
    roster, named, notices = desk.roster, named_tools(wish.tool, wish.model), tuple[str, ...]()
    session = None
    if wish.session:
        session = continued(wish, named, desk.place.state, roster)
    if session is None and not named:
        tool, notices = default_tool(roster)
        named = named_tools(tool, wish.model)
    answering = (session.named,) if session else asked(named, wish.count, roster)
    if roster.host in {each.tool for each in answering}:
        raise UsageError(f"{roster.host} is you, who ask.", hint="Name another tool, or none to have one chosen.")
    begun_with = session.effort if session else None
    material = gather(wish.context, desk.place, desk.settings, roster.redactor)
    question = roster.redactor.redact(wish.question)
    blind = blind_notices((each.tool for each in answering), material)
    return valid(
        lambda: ConsultRequest(
            question=question.text,
            context=material.parts,
            asked=tuple(Consulted(tool=each.tool, model=each.model, transport=each.transport) for each in answering),
            effort=effort(wish.effort or begun_with or ""),
            timeout_s=wish.timeout_s,
            repo_access=repo_access(wish.repo_access),
            session_id=session.session_id if session else None,
            redactions=question.count + material.redactions,
            notices=roster.notices + notices + material.notices + blind,
        ),
    )


def complete_fact_check(wish: FactCheckWish, desk: Desk) -> FactCheckRequest:
    """The whole request; raises ``UsageError`` where it contradicts itself or names what does not exist."""
    roster = desk.roster
    chosen = choose_agents(wish, roster)
    claim = roster.redactor.redact(wish.claim)
    material = gather_evidence(wish.evidence, desk.place, desk.settings, roster.redactor)
    return valid(
        lambda: FactCheckRequest(
            claim=claim.text.strip(),
            evidence=material.parts,
            agents=tuple(Participant(tool=agent.tool, model=agent.model) for agent in chosen.agents),
            max_rounds=wish.max_rounds,
            escalation=one_of(Escalation, wish.escalation, "The escalation"),
            language=language(wish.language),
            effort=effort(wish.effort),
            timeout_s=wish.timeout_s,
            redactions=claim.count + material.redactions,
            notices=roster.notices + chosen.notices,
        ),
    )


def complete_jury(wish: JuryWish, desk: Desk) -> JuryRequest:
    """The whole request; raises ``UsageError`` where it contradicts itself or names what does not exist."""
    roster = desk.roster
    seating = seat_jury(wish, roster)
    truth = read_truth(wish.truth, desk.place, desk.settings)
    texts = truth, wish.claim, wish.row_id, wish.dataset
    truth, claim, row_id, dataset = (roster.redactor.redact(text) for text in texts)
    return valid(
        lambda: JuryRequest(
            truth=truth.text.strip(),
            claim=claim.text.strip(),
            row_id=row_id.text.strip() or None,
            dataset=dataset.text.strip() or None,
            advocate=seating.participant(Role.ADVOCATE),
            skeptic=seating.participant(Role.SKEPTIC),
            fact_checker=seating.participant(Role.FACT_CHECKER),
            judge=seating.participant(Role.JUDGE),
            rebuttals=wish.rebuttals,
            language=language(wish.language),
            effort=effort(wish.effort),
            timeout_s=wish.timeout_s,
            redactions=truth.count + claim.count + row_id.count + dataset.count,
            notices=roster.notices + seating.notices,
        ),
    )
