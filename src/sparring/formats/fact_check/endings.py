"""The outcome of a fact-check, and what people are told beside it."""

from collections import Counter
from collections.abc import Iterator, Sequence

from sparring.formats.fact_check.asks import ask_id
from sparring.formats.fact_check.deciding import decide, tally
from sparring.formats.fact_check.rounds import ATTEMPTS, Round
from sparring.schema.claims import ClaimCheck, Label
from sparring.schema.fact_check import (
    QUORUM,
    Abstention,
    AgentPath,
    FactCheckOutcome,
    FactCheckRequest,
    FactCheckStatus,
    Fault,
    Path,
    StopReason,
)
from sparring.schema.transcript import Transcript

_FAULTS = {
    Fault.FABRICATED_QUOTE: ("fabricated quote", "fabricated quotes"),
    Fault.ALTERED_QUOTE: ("altered quote", "altered quotes"),
    Fault.UNRELATED_QUOTE: ("unrelated quote", "unrelated quotes"),
    Fault.CONTRADICTED_PART: ("part contradicted by its quote", "parts contradicted by their quotes"),
    Fault.MISSING_QUOTE: ("missing quote", "missing quotes"),
    Fault.FOREIGN_PART: ("part that is none of the claim", "parts that are none of the claim"),
    Fault.VERDICT_NOT_BY_RULE: ("verdict not by the rules", "verdicts not by the rules"),
    Fault.CHANGE_WITHOUT_NEW_QUOTE: ("change rejected", "changes rejected"),
    Fault.CONFORMED: ("of them to what most others said", "of them to what most others said"),
    Fault.MISQUOTED_AGENT: ("agent misquoted", "agents misquoted"),
    Fault.UNUSABLE_ANSWER: ("unusable answer", "unusable answers"),
}
"""How one fault and how several are called."""


def outcome(
    request: FactCheckRequest,
    rounds: Sequence[Round],
    reason: StopReason,
    check: ClaimCheck,
    transcript: Transcript,
) -> FactCheckOutcome:
    """What ``rounds``, of which there is at least one, come to."""
    last = rounds[-1]
    has_quorum = len(last.votes) >= QUORUM
    decided = decide(last.votes) if has_quorum else None
    label = decided.label if decided else None
    agents = _Agents(request, rounds, transcript).paths(label)
    return FactCheckOutcome(
        status=_status(last),
        label=label,
        decision=decided.decision if decided else None,
        stop_reason=reason,
        rounds_completed=len(rounds) if has_quorum else len(rounds) - 1,
        blind=tally(rounds[0], request),
        debated=tally(last, request),
        agents=agents,
        check=check,
        is_contested=label is Label.SUPPORTED and check.label is Label.REFUTED,
        notices=tuple(_notices(agents, last)),
    )


def _status(last: Round) -> FactCheckStatus:
    if len(last.votes) >= QUORUM:
        return FactCheckStatus.COMPLETED
    return FactCheckStatus.NO_QUORUM if last.votes else FactCheckStatus.FAILED


class _Agents:
    def __init__(self, request: FactCheckRequest, rounds: Sequence[Round], transcript: Transcript) -> None:
        self._request = request
        self._rounds = rounds
        self._transcript = transcript

    def paths(self, label: Label | None) -> tuple[AgentPath, ...]:
        return tuple(self._path(number, name, label) for number, name in enumerate(self._request.names))

    def _path(self, number: int, name: str, label: Label | None) -> AgentPath:
        first, last = self._rounds[0].positions.get(name), self._rounds[-1].positions.get(name)
        blind, debated = first.verdict if first else None, last.verdict if last else None
        return AgentPath(
            name=name,
            tool=self._request.agents[number].tool,
            model=self._model(number),
            positions=tuple(round_.positions[name] for round_ in self._rounds if name in round_.positions),
            abstention=next((each for round_ in self._rounds if (each := round_.abstentions.get(name))), None),
            blind=blind,
            debated=debated,
            path=_path_of(blind, debated, label),
        )

    def _model(self, number: int) -> str | None:
        """What the tool reported last, else what was asked for."""
        ids = [ask_id(round_.number, number, attempt) for round_ in self._rounds for attempt in range(1, ATTEMPTS + 1)]
        turns = [turn for id_ in reversed(ids) if (turn := self._transcript.turn(id_))]
        reported = (turn.answer.model for turn in turns if turn.answer and turn.answer.model)
        return next(reported, self._request.agents[number].model)


def _path_of(blind: Label | None, debated: Label | None, label: Label | None) -> Path:
    if blind is None or debated is None:
        return Path.ABSTAINED
    if blind is debated:
        return Path.KEPT
    return Path.FIXED if debated is label else Path.FLIPPED


def _notices(agents: Sequence[AgentPath], last: Round) -> Iterator[str]:
    if len(last.votes) < QUORUM:
        yield _no_verdict(agents, last)
    for agent in agents:
        if agent.abstention:
            yield f"[WARN] {agent.name} ({agent.tool}) abstains{_since(agent.abstention)}: {_cause(agent.abstention)}"
    for agent in agents:
        if found := _counted(agent):
            yield f"[WARN] {agent.name} ({agent.tool}): {found}."


def _no_verdict(agents: Sequence[AgentPath], last: Round) -> str:
    causes = ", ".join(f"{agent.name}: {agent.abstention.code}" for agent in agents if agent.abstention)
    count = len(last.votes)
    votes = "1 valid vote" if count == 1 else f"{count or 'no'} valid votes"
    return f"[ERROR] No verdict: round {last.number} has {votes}, and a verdict needs {QUORUM} ({causes})."


def _since(abstention: Abstention) -> str:
    return "" if abstention.round == 1 else f" from round {abstention.round} on"


def _cause(abstention: Abstention) -> str:
    return f"{abstention.code}: {abstention.detail.rstrip('.')}."


def _counted(agent: AgentPath) -> str:
    counts = Counter(found.fault for position in agent.positions for found in position.faults)
    return ", ".join(f"{count} {_FAULTS[fault][count > 1]}" for fault in Fault if (count := counts[fault]))
