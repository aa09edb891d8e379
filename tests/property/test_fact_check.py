"""Whatever agents answer, a fact-check ends, and its label is never more than verified quotes carry."""

import json
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from sparring.checks.quotes import Evidence
from sparring.formats.fact_check.flow import FactCheck
from sparring.schema.claims import Label, Relation
from sparring.schema.consultation import FailureCode, Reply
from sparring.schema.fact_check import (
    QUORUM,
    CheckedPart,
    Escalation,
    FactCheckOutcome,
    FactCheckRequest,
    FactCheckStatus,
    Movement,
    PartStatus,
    Position,
)
from sparring.schema.lookups import QuoteVerdict
from sparring.schema.transcript import Ask, TurnKind
from support.estimating import check_most
from support.examples import costly
from support.fact_checking import (
    CROISSANTS,
    IN_PARIS,
    IS_TALL,
    OPENED,
    POSTER,
    SOURCES,
    against,
    analysis,
    covered,
    readings,
    rebuttal,
    request,
    well_behaved,
)
from support.playing import PROMPTS, Played, answer, failure, play

TOOLS: tuple[str, ...] = ("ada", "bob", "cyd", "dan")
QUOTES = st.sampled_from(
    [IN_PARIS, IS_TALL, OPENED, POSTER, CROISSANTS, "tower", "Nothing of the kind", "is 331 metres tall", "NULL", None]
)
VERDICTS = st.sampled_from(["SUPPORTED", "SUPPORTED", "REFUTED", "NEI", "supported", "TRUE"])
PARTS = st.fixed_dictionaries(
    {
        "part": st.sampled_from(["Eiffel Tower in Paris", "330 metres tall", "opened in 1889", "croissants"]),
        "status": st.sampled_from(["COVERED", "COVERED", "CONFLICT", "MISSING", "covered"]),
        "quote": QUOTES,
    }
)
AGAINST = st.builds(against, st.sampled_from(TOOLS), VERDICTS, QUOTES, QUOTES)
ANALYSES = st.tuples(VERDICTS, st.lists(PARTS, max_size=3)).map(lambda said: analysis(said[0], *said[1]))
REBUTTALS = st.tuples(VERDICTS, QUOTES, st.lists(AGAINST, max_size=2)).map(
    lambda said: rebuttal(said[0], said[1], *said[2])
)
READ = st.lists(
    st.tuples(st.sampled_from(["SAYS", "contradicts", "NEITHER"]), QUOTES.map(str)), min_size=1, max_size=4
).map(lambda said: readings(*said))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | QUOTES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["part", "agent", "x"]), inner),
    max_leaves=6,
)
FIELDS = st.sampled_from(["parts", "verdict", "reasoning_vi", "rebuttals", "key_quote", "decision_change"])
ODD = st.dictionaries(FIELDS, JSON).map(lambda fields: {"verdict": "NEI", **fields})
SAID = st.one_of(
    st.one_of(ANALYSES, ANALYSES, REBUTTALS, REBUTTALS, READ, ODD).map(json.dumps),
    st.sampled_from(["{", "Surely true.", '{"parts": [{"part": "\\ud800", "status": "COVERED"}], "verdict": "NEI"}']),
    st.text(alphabet=st.characters(exclude_categories=("Cs",)), min_size=1, max_size=20),
    st.sampled_from(FailureCode),
)


def reply(ask: Ask, said: str | FailureCode) -> Reply:
    return failure(ask, said) if isinstance(said, FailureCode) else answer(ask, said)


@st.composite
def played(draw: st.DrawFn) -> tuple[FactCheckRequest, Played]:
    """A fact-check in which any agent may say anything, or fail, at any point."""
    wanted = request(
        *TOOLS[: draw(st.integers(2, 4))],
        max_rounds=draw(st.integers(1, 3)),
        escalation=draw(st.sampled_from(Escalation)),
    )
    rules, most_steps = FactCheck(wanted, PROMPTS), 4 * wanted.max_rounds + 1
    return wanted, play(rules, lambda ask: reply(ask, draw(SAID)), most_steps=most_steps)


def ending(whole: Played) -> FactCheckOutcome:
    assert isinstance(whole.outcome, FactCheckOutcome)
    return whole.outcome


@costly
@given(played(), st.data())
def test_it_ends_within_its_bound_and_no_vote_is_more_than_its_verified_quotes_carry(
    found: tuple[FactCheckRequest, Played], data: st.DataObject
) -> None:
    wanted, whole = found
    check_most(wanted, whole)
    outcome = ending(whole)
    step = data.draw(st.integers(0, len(whole.steps)))
    assert FactCheck(wanted, PROMPTS).next(whole.before(step)) == whole.then(step)
    votes = [agent.debated for agent in outcome.agents if agent.debated]
    assert (outcome.label is None) == (outcome.status is not FactCheckStatus.COMPLETED) == (len(votes) < QUORUM)
    assert (outcome.status is FactCheckStatus.FAILED) == (not votes)
    assert outcome.rounds_completed <= wanted.max_rounds
    assert all((agent.debated is None) == (agent.abstention is not None) for agent in outcome.agents)
    assert FactCheckOutcome.model_validate_json(outcome.model_dump_json()) == outcome
    evidence = Evidence(SOURCES)
    for agent in outcome.agents:
        for before, position in zip((None, *agent.positions), agent.positions, strict=False):
            assert all(evidence.find(quote).verdict is QuoteVerdict.VERBATIM for quote in position.quotes)
            assert position.verdict is Label.NEI or position.quotes
            assert carries(position, before)
    if outcome.label in {Label.SUPPORTED, Label.REFUTED}:
        assert any(agent.debated is outcome.label for agent in outcome.agents)


def carries(position: Position, before: Position | None) -> bool:
    """Return whether the records of a position hold what its verdict needs."""
    if before is not None and position.movement is not Movement.CHANGED:
        return position.verdict is before.verdict
    if before is not None and position.verdict is Label.NEI:
        return True  # to find that one does not know needs no quote
    made = {part.status for part in position.parts}
    needed = {
        Label.SUPPORTED: made == {PartStatus.COVERED},
        Label.REFUTED: PartStatus.CONFLICT in made,
        Label.NEI: PartStatus.CONFLICT not in made,
    }
    return needed[position.verdict] and all(
        part.status is PartStatus.MISSING or is_shown(part) for part in position.parts
    )


def is_shown(part: CheckedPart) -> bool:
    """Return whether the quote of a part stands there, and code or a second reader finds that it makes the status."""
    needed = {PartStatus.COVERED: Relation.CARRIES, PartStatus.CONFLICT: Relation.CONFLICTS}[part.status]
    is_there = bool(part.quote_finding and part.quote_finding.verdict is QuoteVerdict.VERBATIM)
    return is_there and needed is (part.reading.says if part.reading else part.relation)


@costly
@given(st.integers(2, 4), st.dictionaries(st.tuples(st.sampled_from(TOOLS), st.integers(1, 2)), SAID), st.data())
def test_the_seating_of_the_agents_decides_nothing(
    count: int, script: dict[tuple[str, int], str | FailureCode], data: st.DataObject
) -> None:
    seated = TOOLS[:count]
    one, other = (_seated(order, script) for order in (seated, data.draw(st.permutations(seated))))
    assert one == other


def _seated(order: Sequence[str], script: dict[tuple[str, int], str | FailureCode]) -> FactCheckOutcome:
    """The end of a fact-check in which each tool says its own, wherever it sits; others go by their names there.

    Who sits where is no longer in it.
    """
    wanted = request(*order, escalation=Escalation.ALWAYS, max_rounds=2)
    names = dict(zip(order, wanted.names, strict=True))
    usual = analysis("SUPPORTED", covered("330 metres tall", IS_TALL)), rebuttal("SUPPORTED", OPENED)

    def seated(ask: Ask) -> Reply:
        if ask.kind is TurnKind.READING:
            return answer(ask, well_behaved(ask))
        said = script.get((ask.tool, ask.round), json.dumps(usual[ask.round - 1]))
        for tool, name in names.items():
            said = said if isinstance(said, FailureCode) else said.replace(f'"{tool}"', f'"{name}"')
        return reply(ask, said)

    end = ending(play(FactCheck(wanted, PROMPTS), seated))
    agents = frozenset((agent.tool, agent.blind, agent.debated, agent.path) for agent in end.agents)
    return end.model_copy(update={"agents": agents, "notices": len(end.notices)})
