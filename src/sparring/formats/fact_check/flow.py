"""The course of a fact-check, the reasons to stop, the count of its votes, and the doubts added to the label.

All agents that still have a position are asked at once, round by round, until there is a reason to stop.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from sparring.checks.claims import check_claim
from sparring.engine.course import (
    Asks,
    Attempt,
    Course,
    CourseCursor,
    DeferredAsk,
    ReadReply,
    ask_until_usable,
    defaulted_notice,
    next_step,
    run_together,
)
from sparring.formats.fact_check import replies
from sparring.formats.fact_check.grounds import EvidenceCheck, UndecidedQuote, shown
from sparring.formats.fact_check.positions import moved, positions_shown_to, weighed
from sparring.formats.fact_check.prompts import FactCheckAsks
from sparring.formats.fact_check.readers import FINDS, Readings, SupportCheck, assigned
from sparring.prompts import PromptLibrary
from sparring.schema import fact_check as schema
from sparring.schema.claims import Label
from sparring.schema.consultation import DETAIL_LIMIT, FailureCode
from sparring.schema.transcript import Transcript
from sparring.text.tidying import one_line


class AgentResult(Struct, frozen=True):
    """Result of asking one agent in one round: position or abstention, tool and model.

    ``defaulted`` are the fields of its answer that decide nothing and could not be read.
    """

    name: str
    tool: str
    position: schema.Position | None = None
    abstention: schema.Abstention | None = None
    model: str | None = None
    family: str = ""
    defaulted: tuple[str, ...] = ()


class Round(Struct, frozen=True):
    """A round that is over."""

    number: int
    results: tuple[AgentResult, ...]

    @property
    def positions(self) -> Mapping[str, schema.Position]:
        """Positions of the agents that do not abstain, by name."""
        return {stand.name: stand.position for stand in self.results if stand.position}

    @property
    def votes(self) -> tuple[Label, ...]:
        """The valid votes, in the order of the agents."""
        return tuple(position.verdict for position in self.positions.values())


_Attempts = tuple[Attempt[replies.Analysis | replies.Rebuttal], ...]


class FactCheck:
    """The rules of one fact-check; see ``engine.format.Rules``."""

    def __init__(self, request: schema.FactCheckRequest, prompts: PromptLibrary) -> None:
        self._request = request
        self._prompts = prompts
        self._sources = tuple(part.text for part in request.evidence)
        self._bookmark = CourseCursor[DeferredAsk, schema.FactCheckOutcome]()

    def next(self, transcript: Transcript) -> Asks | schema.FactCheckOutcome:
        """See ``engine.format.Rules``."""
        return next_step(self._bookmark, self._course, transcript)

    @cached_property
    def _asking(self) -> FactCheckAsks:
        return FactCheckAsks(self._request, self._prompts)

    @cached_property
    def _grounds(self) -> EvidenceCheck:
        return EvidenceCheck(self._request.claim, self._sources)

    def _course(self) -> Course[DeferredAsk, schema.FactCheckOutcome]:
        """Ask all agents round by round, and second readers for the open quotes of each round; then count the votes."""
        if not self._request.agents:
            return self._by_code()
        rounds: list[Round] = []
        readings = Readings()
        while (reason := _stop_reason(rounds, self._request)) is None:
            number = len(rounds) + 1
            names = tuple(rounds[-1].positions) if rounds else self._request.names
            attempted = yield from run_together(*(self._attempts(name, rounds) for name in names))
            answers = dict(zip(names, attempted, strict=True))
            # To work out the positions notes the quotes that need a reading; with the readings they may change.
            stands = self._stands(answers, rounds, readings)
            for again in (False, True):  # a quote is read again if agents and a reader disagree with code
                if not readings.wanted:
                    break
                yield from self._read(readings, self._families(stands), number, again=again)
                stands = self._stands(answers, rounds, readings)
            rounds.append(Round(number, stands))
        return self._outcome(rounds, reason, readings)

    def _families(self, stands: Sequence[AgentResult]) -> Mapping[str, str]:
        """Return the model families of the agents that have a position."""
        voters = [stand for stand in stands if stand.position]
        return {stand.name: stand.family or self._request.family_of(stand.name, stand.tool) for stand in voters}

    def _attempts(self, name: str, before: Sequence[Round]) -> Course[DeferredAsk, _Attempts]:
        """Ask ``name`` in the round after ``before``; two unusable answers count as no answer."""
        shown: Mapping[str, schema.Position] = before[-1].positions if before else {}
        return ask_until_usable(
            lambda first: self._asking.wanted(name, shown, problem=first.problem if first else ""),
            replies.read_rebuttal if before else self._analysis,
        )

    def _analysis(self, reply: str) -> ReadReply[replies.Analysis]:
        read = replies.read_analysis(reply)
        problems = self._grounds.whole.problems([part.part for part in read.value.parts])
        return ReadReply(read.value, tuple(problems), read.defaulted)

    def _read(
        self, readings: Readings, families: Mapping[str, str], number: int, *, again: bool
    ) -> Course[DeferredAsk, None]:
        """Ask second readers about the open quotes, all at the same time."""
        quotes_by_reader: dict[str, Sequence[UndecidedQuote]] = {}
        for reader, quotes in assigned(readings.wanted, families).items():
            quotes_by_reader[reader] = quotes[: replies.MOST_READ]
            readings.leave(reader, quotes[replies.MOST_READ :])
        attempted = yield from run_together(
            *(self._reading_by(reader, quotes, number, again=again) for reader, quotes in quotes_by_reader.items())
        )
        for (reader, quotes), attempts in zip(quotes_by_reader.items(), attempted, strict=True):
            readings.take(reader, quotes, number, attempts)

    def _reading_by(
        self, reader: str, quotes: Sequence[UndecidedQuote], number: int, *, again: bool
    ) -> Course[DeferredAsk, tuple[Attempt[replies.ReadingsForm], ...]]:
        return ask_until_usable(
            lambda first: self._asking.reading(
                reader, quotes, number, problem=first.problem if first else "", again=again
            ),
            lambda reply: replies.read_readings(reply, len(quotes)),
        )

    def _stands(
        self, answers: Mapping[str, _Attempts], before: Sequence[Round], readings: Readings
    ) -> tuple[AgentResult, ...]:
        """Return the stands of all agents in ``answers``, given the second readings so far."""
        return tuple(self._stand(name, attempts, before, readings) for name, attempts in answers.items())

    def _stand(self, name: str, attempts: _Attempts, before: Sequence[Round], readings: Readings) -> AgentResult:
        last = attempts[-1]
        tool, family, model = last.turn.tool, "", None
        answers = [attempt.turn.answer for attempt in attempts if attempt.turn.answer]
        if answers:
            tool, family = answers[-1].tool, answers[-1].family
            # The model of the last answer, else of an earlier one of the same tool: not every answer names it.
            models = [answer.model for answer in answers if answer.model and answer.tool == tool]
            model = models[-1] if models else None
        for attempt in reversed(attempts):
            if attempt.value:  # without a better one, one whose parts are incomplete counts
                position = self._position(name, attempt.value, before, readings)
                position = _with_returned(position, attempts[0].problem)
                return AgentResult(name, tool, position, model=model, family=family, defaulted=attempt.defaulted)
        failure = last.turn.failure
        if failure:
            code, detail = failure.code, failure.detail
        else:
            code = FailureCode.CUT_OFF if last.is_cut_off else FailureCode.PARSE
            detail = one_line(last.problem, DETAIL_LIMIT)
        abstention = schema.Abstention(round=len(before) + 1, code=code, detail=detail)
        return AgentResult(name, tool, abstention=abstention, model=model, family=family)

    def _position(
        self, name: str, reply: replies.Analysis | replies.Rebuttal, before: Sequence[Round], readings: Readings
    ) -> schema.Position:
        carrying = SupportCheck(self._grounds, readings, name)
        if isinstance(reply, replies.Analysis):
            return weighed(reply, carrying)
        own = tuple(round_.positions[name] for round_ in before)
        return moved(reply, own, positions_shown_to(name, before[-1].positions, self._request), carrying)

    def _by_code(self) -> schema.FactCheckOutcome:
        """Return the outcome by code alone, without agents and votes."""
        check = check_claim(self._request.claim, self._sources)
        return schema.FactCheckOutcome(
            status=schema.FactCheckStatus.COMPLETED,
            label=check.label,
            decision=schema.Decision.BY_CODE,
            stop_reason=schema.StopReason.BY_CODE,
            rounds_completed=0,
            blind=schema.Tally(),
            debated=schema.Tally(),
            agents=(),
            check=check,
        )

    def _outcome(
        self, rounds: Sequence[Round], reason: schema.StopReason, readings: Readings
    ) -> schema.FactCheckOutcome:
        last = rounds[-1]
        has_quorum = len(last.votes) >= schema.QUORUM
        decision = decide(last.votes) if has_quorum else None
        label = decision.label if decision else None
        check = check_claim(self._request.claim, self._sources)
        is_doubtful = check.label is not label  # a label that code reaches alone needs no voter
        seats = range(len(self._request.agents))
        agents = tuple(_path_of(self._request, rounds, label, number) for number in seats)
        return schema.FactCheckOutcome(
            status=_status_of(last),
            label=label,
            decision=decision.decision if decision else None,
            stop_reason=reason,
            rounds_completed=len(rounds) if has_quorum else len(rounds) - 1,
            blind=_tally(rounds[0], self._request),
            debated=_tally(last, self._request),
            agents=agents,
            check=check,
            doubts=_doubts_about(label, agents, self._request, self._grounds) if is_doubtful else (),
            is_contested={label, check.label} == {Label.SUPPORTED, Label.REFUTED},
            notices=tuple(_notices_of(agents, rounds, readings)),
        )


def _with_returned(position: schema.Position, problem: str) -> schema.Position:
    """``position``, with the ``problem`` for which the first answer was returned, if it was."""
    if not problem:
        return position
    why = f"The first answer went back: {one_line(problem, DETAIL_LIMIT)}"
    first = schema.FaultFinding(fault=schema.Fault.UNUSABLE_ANSWER, why=why)
    return position.model_copy(update={"faults": (first, *position.faults)})


_QUOTE_FAILURES = frozenset(
    {
        schema.Fault.FABRICATED_QUOTE,
        schema.Fault.ALTERED_QUOTE,
        schema.Fault.MISSING_QUOTE,
        schema.Fault.CONTRADICTED_PART,
        schema.Fault.AGREEING_QUOTE,
        schema.Fault.OPEN_QUOTE,
    }
)
"""Faults by which a quote did not support the status that it was given for."""


def _stop_reason(rounds: Sequence[Round], request: schema.FactCheckRequest) -> schema.StopReason | None:
    """Return why no round follows ``rounds``; None if one does."""
    if not rounds:
        return None
    last = rounds[-1]
    if len(last.votes) < schema.QUORUM:
        return schema.StopReason.NO_QUORUM
    if len(rounds) == 1 and not _is_debate_called_for(last, request.escalation):
        return schema.StopReason.NOT_ESCALATED
    if request.shown_positions is not schema.ShownPositions.OTHERS:  # a control takes as many rounds as the debate did
        return schema.StopReason.MAX_ROUNDS if len(rounds) == request.max_rounds else None
    has_movement = any(each.movement is schema.Movement.CHANGED for each in last.positions.values())
    if len(rounds) > 1 and _is_unanimous(last) and not has_movement:
        return schema.StopReason.STABLE
    return schema.StopReason.MAX_ROUNDS if len(rounds) == request.max_rounds else None


def _is_debate_called_for(blind: Round, escalation: schema.Escalation) -> bool:
    if escalation is not schema.Escalation.AUTO:
        return escalation is schema.Escalation.ALWAYS
    faults = {fault.fault for position in blind.positions.values() for fault in position.faults}
    return not _is_unanimous(blind) or not faults.isdisjoint(_QUOTE_FAILURES)


def _is_unanimous(round_: Round) -> bool:
    return len(set(round_.votes)) == 1


class RuleDecision(Struct, frozen=True):
    """A label and the votes that decided it."""

    label: Label
    decision: schema.Decision


def decide(votes: Sequence[Label]) -> RuleDecision:
    """The label with the most of ``votes``, which must not be empty; NEI on a tie."""
    counted = Counter(votes).most_common()
    label, most = counted[0]
    if len(counted) == 1:
        return RuleDecision(label, schema.Decision.UNANIMOUS)
    if most == counted[1][1]:
        return RuleDecision(Label.NEI, schema.Decision.SPLIT)
    return RuleDecision(label, schema.Decision.MAJORITY if 2 * most > len(votes) else schema.Decision.PLURALITY)


def _tally(round_: Round, request: schema.FactCheckRequest) -> schema.Tally:
    """The votes of a round; an agent without a vote abstained in it or before."""
    votes = Counter(round_.votes)
    return schema.Tally(
        supported=votes[Label.SUPPORTED],
        refuted=votes[Label.REFUTED],
        nei=votes[Label.NEI],
        abstained=len(request.agents) - len(round_.votes),
    )


_QUOTE_SHOWN = 200
"""Characters of a quote that a doubt repeats."""


def _doubts_about(
    label: Label | None, agents: Sequence[schema.AgentPath], request: schema.FactCheckRequest, grounds: EvidenceCheck
) -> tuple[schema.Doubt, ...]:
    if label is None or label is Label.NEI:
        return ()
    voters = [agent for agent in agents if agent.debated is label]
    not_compared = _not_compared(voters, grounds) if label is Label.SUPPORTED else ()
    return (*_doubts(label, voters, agents, request), *not_compared)


def _not_compared(voters: Sequence[schema.AgentPath], grounds: EvidenceCheck) -> Iterator[schema.Doubt]:
    """Yield the comparisons missing from the label SUPPORTED: completeness of the parts, the link between them."""
    if not grounds.whole.is_separable:
        why = "Code cannot split this claim into words: its parts were not compared with the whole."
        yield schema.Doubt(kind=schema.DoubtKind.PARTS_NOT_COMPARED, why=why)
    passages = [
        {grounds.passage(part.quote_finding) for part in _parts(agent) if part.quote_finding} for agent in voters
    ]
    if all(len(sentences) > 1 for sentences in passages):
        why = "Different sentences carry the parts, and none says the whole claim: how they connect was not compared."
        yield schema.Doubt(kind=schema.DoubtKind.PARTS_NOT_JOINED, why=why)


def _parts(agent: schema.AgentPath) -> Sequence[schema.CheckedPart]:
    """The parts of the claim as the agent named them last; a rebuttal may name none."""
    return next((position.parts for position in reversed(agent.positions) if position.parts), ())


def _doubts(
    label: Label,
    voters: Sequence[schema.AgentPath],
    agents: Sequence[schema.AgentPath],
    request: schema.FactCheckRequest,
) -> Iterator[schema.Doubt]:
    """Yield reasons to doubt a label that code does not reach alone: what its votes rest on, and whose they are."""
    against = [part for agent in voters for part in _parts(agent) if part.is_against_code]
    if against:
        findings = [f"{shown(part.part)}: the quote {FINDS[part.relation]}" for part in against if part.relation]
        reasons = "; ".join(dict.fromkeys(findings))
        why = f"Code finds otherwise ({reasons}); agents and a second reader, who saw that, keep {label}."
        yield schema.Doubt(kind=schema.DoubtKind.AGAINST_CODE, why=why)
    unshown = [_unshown(agent, label) for agent in voters]
    quotes = list(dict.fromkeys(quote for readings in unshown for quote in readings))
    common = [quote for quote in quotes if all(quote in readings for readings in unshown)]
    if common:
        why = f"All who vote {label} rest on a quote that code could not show: “{common[0]}”"
        yield schema.Doubt(kind=schema.DoubtKind.ONE_QUOTE, why=why)
    others = len(quotes) - len(common[:1])
    if others:
        finds = "it says so" if others == 1 else "they say so"
        why = f"Code could not show {others} of the quotes behind {label}; a second reader finds that {finds}."
        yield schema.Doubt(kind=schema.DoubtKind.UNSHOWN_QUOTE, why=why)
    # A substitute runs with its own default model: the model of the seat is that of the requested tool only.
    tool_and_model: dict[str, tuple[str, str | None]] = {}
    for agent, seat in zip(agents, request.agents, strict=True):
        tool_and_model[agent.name] = (agent.tool, seat.model if seat.tool == agent.tool else None)
    for reading in (reading for readings in unshown for reading in readings.values()):
        if len({tool_and_model[name] for name in (reading.by, *reading.other_givers)}) == 1:
            why = (
                "A quote that code could not show was read twice by the same tool, in fresh sessions, and by no other."
            )
            yield schema.Doubt(kind=schema.DoubtKind.ONE_READER, why=why)
            break
    families = {agent.family or request.family_of(agent.name, agent.tool) for agent in voters}
    if len(families) == 1:
        count = "the only vote" if len(voters) == 1 else f"all {len(voters)} votes"
        why = f"One family: {count} for {label} come from {families.pop()}."
        yield schema.Doubt(kind=schema.DoubtKind.ONE_FAMILY, why=why)


def _unshown(agent: schema.AgentPath, label: Label) -> Mapping[str, schema.SecondReading]:
    """The quotes of the decisive parts that code could not confirm, with their second readings."""
    status = schema.PartStatus.COVERED if label is Label.SUPPORTED else schema.PartStatus.CONFLICT
    parts = [part for part in _parts(agent) if part.status is status]
    if status is schema.PartStatus.CONFLICT and any(part.reading is None for part in parts):
        return {}  # one conflict is enough, and code shows it
    return {one_line(part.quote or "", _QUOTE_SHOWN): part.reading for part in parts if part.reading}


def _status_of(last: Round) -> schema.FactCheckStatus:
    if len(last.votes) >= schema.QUORUM:
        return schema.FactCheckStatus.COMPLETED
    return schema.FactCheckStatus.NO_QUORUM if last.votes else schema.FactCheckStatus.FAILED


def _path_of(
    request: schema.FactCheckRequest, rounds: Sequence[Round], label: Label | None, number: int
) -> schema.AgentPath:
    """Return all positions of an agent, and how its vote moved towards or away from the ``label``."""
    name, seat = request.names[number], request.agents[number]
    stands = [stand for round_ in rounds for stand in round_.results if stand.name == name]
    last = stands[-1]
    # A substitute runs with its own model; that of the seat is known only for the requested tool.
    is_substitute = last.tool != seat.tool
    models = [stand.model for stand in stands if stand.model and stand.tool == last.tool]
    model = None if is_substitute else seat.model
    if models:
        model = models[-1]
    in_first, in_last = rounds[0].positions.get(name), rounds[-1].positions.get(name)
    blind = in_first.verdict if in_first else None
    debated = in_last.verdict if in_last else None
    return schema.AgentPath(
        name=name,
        tool=last.tool,
        stands_in_for=seat.tool if is_substitute else None,
        model=model,
        family=last.family,
        positions=tuple(stand.position for stand in stands if stand.position),
        abstention=next((stand.abstention for stand in stands if stand.abstention), None),
        blind=blind,
        debated=debated,
        path=_path(blind, debated, label),
    )


def _path(blind: Label | None, debated: Label | None, label: Label | None) -> schema.Path:
    if blind is None or debated is None:
        return schema.Path.ABSTAINED
    if blind is debated:
        return schema.Path.KEPT
    return schema.Path.FIXED if debated is label else schema.Path.FLIPPED


_FAULTS = {
    schema.Fault.FABRICATED_QUOTE: ("fabricated quote", "fabricated quotes"),
    schema.Fault.ALTERED_QUOTE: ("altered quote", "altered quotes"),
    schema.Fault.CONTRADICTED_PART: ("part contradicted by its quote", "parts contradicted by their quotes"),
    schema.Fault.AGREEING_QUOTE: ("conflict whose quote agrees", "conflicts whose quotes agree"),
    schema.Fault.OPEN_QUOTE: ("quote that no other reader confirms", "quotes that no other reader confirms"),
    schema.Fault.MISSING_QUOTE: ("missing quote", "missing quotes"),
    schema.Fault.FOREIGN_PART: ("part that is not in the claim", "parts that are not in the claim"),
    schema.Fault.INCOMPLETE_PARTS: ("analysis that leaves words of the claim out",) * 2,
    schema.Fault.VERDICT_NOT_BY_RULE: ("verdict not by the rules", "verdicts not by the rules"),
    schema.Fault.CHANGE_WITHOUT_NEW_QUOTE: ("change rejected", "changes rejected"),
    schema.Fault.CONFORMED: ("of them to what most others said", "of them to what most others said"),
    schema.Fault.MISQUOTED_AGENT: ("agent misquoted", "agents misquoted"),
    schema.Fault.MISSTATED_ITSELF: ("misstatement about itself", "misstatements about itself"),
    schema.Fault.UNUSABLE_ANSWER: ("unusable answer", "unusable answers"),
}
"""Singular and plural of the faults."""


def _notices_of(agents: Sequence[schema.AgentPath], rounds: Sequence[Round], readings: Readings) -> Iterator[str]:
    """Lines for the reader: agents without a vote, quotes without a reading, faults, and defaulted fields."""
    last = rounds[-1]
    if len(last.votes) < schema.QUORUM:
        yield _no_verdict(agents, last)
    tools = {agent.name: agent.respondent.name for agent in agents}
    for agent in agents:
        if agent.abstention:
            yield f"[WARN] {agent.name} ({tools[agent.name]}) abstains{_abstention_line(agent.abstention)}"
    for reader, failure in readings.failures:
        yield f"[WARN] {reader} ({tools[reader]}) could not read {failure}"
    for agent in agents:
        faults = _counted(agent)
        if faults:
            yield f"[WARN] {agent.name} ({tools[agent.name]}): {faults}."
        stands = [stand for round_ in rounds for stand in round_.results if stand.name == agent.name]
        fields = [field for stand in stands for field in stand.defaulted]
        yield from defaulted_notice(f"{agent.name} ({tools[agent.name]})", fields)


def _no_verdict(agents: Sequence[schema.AgentPath], last: Round) -> str:
    causes = ", ".join(f"{agent.name}: {agent.abstention.code}" for agent in agents if agent.abstention)
    count = len(last.votes)
    votes = "1 valid vote" if count == 1 else f"{count or 'no'} valid votes"
    return f"[ERROR] No verdict: round {last.number} has {votes}, and a verdict needs {schema.QUORUM} ({causes})."


def _abstention_line(abstention: schema.Abstention) -> str:
    since = "" if abstention.round == 1 else f" from round {abstention.round} on"
    return f"{since}: {abstention.code}: {abstention.detail.rstrip('.')}."


def _counted(agent: schema.AgentPath) -> str:
    """Count the faults of an agent by kind, e.g. ``1 altered quote, 2 changes rejected``; empty if it has none."""
    counts = Counter(fault.fault for position in agent.positions for fault in position.faults)
    parts: list[str] = []
    for fault in schema.Fault:
        if counts[fault]:
            singular, plural = _FAULTS[fault]
            parts.append(f"{counts[fault]} {singular if counts[fault] == 1 else plural}")
    return ", ".join(parts)
