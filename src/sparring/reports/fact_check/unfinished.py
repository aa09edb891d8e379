"""Where an unfinished fact-check stands."""

from sparring.reports.runs import request_of
from sparring.schema.fact_check import Escalation, FactCheckRequest
from sparring.schema.runs import Run


def remaining(run: Run) -> tuple[str, ...]:
    """Which agents have not spoken in the blind round; what follows is decided by their votes.

    Raises:
        DeliberationError: The run is not a fact-check.
    """
    request = request_of(run, FactCheckRequest)
    pairs = zip(request.names, request.agents, strict=True)
    unheard = [
        f"round 1, {name} ({agent.tool})"
        for number, (name, agent) in enumerate(pairs, start=1)
        if run.transcript.turn(f"r1.a{number}") is None
    ]
    return (*unheard, *_debate(run, request), "the count of the votes")


def _debate(run: Run, request: FactCheckRequest) -> tuple[str, ...]:
    """The debate rounds; a round that has begun is asked about again only where an answer could not be used."""
    begun = max((turn.round for turn in run.transcript.turns), default=1)
    left = range(begun + 1, request.max_rounds + 1)
    if request.escalation is Escalation.NEVER or not left:
        return ()
    rounds = f"round {left[0]}" if len(left) == 1 else f"rounds {left[0]} to {left[-1]}"
    return (f"{rounds}, if the agents are not agreed before",)
