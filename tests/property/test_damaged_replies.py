"""Deleting or garbling a part of a reply may only weaken what comes of it, in every format.

What is put in its place holds no letter or digit that could spell another answer. A whole finding that is gone leaves a
list that nobody can tell from one that never had it, so that less than a finding is damaged.
"""

import json
from collections.abc import Callable

from hypothesis import example, given
from hypothesis import strategies as st

from sparring.formats.chaired_debate.flow import ChairedDebate
from sparring.formats.fact_check.replies import ReadingsForm, read_readings
from sparring.schema import chaired_debate, jury
from sparring.schema.base import Role
from sparring.schema.chaired_debate import ChairedDebateOutcome
from sparring.schema.claims import Label, Relation
from sparring.schema.debate import DebateOutcome
from sparring.schema.review import FindingState, ReviewStatus
from sparring.schema.transcript import Ask
from support import chaired_playing, debating, fact_checking, jury_playing, reviewing
from support.playing import PROMPTS, ballot, letters_of, play, replying

PATCHES = st.text("{}[]\",:\\\n '“”…|#`", max_size=4)
Damage = Callable[[str], str]


@st.composite
def damages(draw: st.DrawFn, longest: int = 160) -> Damage:
    """A way to damage a text: a part of it is replaced; where, is said as a share of its length."""
    where, length, patch = draw(st.floats(0, 1)), draw(st.integers(0, longest)), draw(PATCHES)

    def damage(text: str) -> str:
        start = int(where * len(text))
        return text[:start] + patch + text[start + length :] or " "

    return damage


def cut(text: str) -> str:
    return text[: len(text) // 2]


@given(damages(), st.sampled_from([Role.PROPOSER, Role.CHALLENGER]))
@example(cut, Role.PROPOSER)
def test_a_damaged_ballot_is_the_same_vote_or_none(damage: Damage, winner: Role) -> None:
    def judges(ask: Ask) -> str:
        return damage(ballot(letters_of(ask), winner=winner, agreements=[]))

    spoken = {f"judge1.{letters}.{attempt}": judges for letters in ("ab", "ba") for attempt in (1, 2)}
    found = debating.played(spoken, rounds=1).outcome
    assert isinstance(found, DebateOutcome)
    cast = found.judgement.ballots if found.judgement else ()
    assert {each.verdict.winner for each in cast} <= {winner}


@given(damages())
@example(cut)
def test_a_damaged_jury_verdict_is_the_same_or_none(damage: Damage) -> None:
    said = damage(jury_playing.verdict())
    found = jury_playing.outcome(
        jury_playing.play_jury(dict.fromkeys(("verdict.1", "verdict.2", "reconsider.1"), said), rebuttals=0)
    )
    assert found.verdict is None or found.verdict.verdict is jury.Faithfulness.MUTATED


@given(damages())
def test_a_damaged_checklist_finds_no_more_than_before(damage: Damage) -> None:
    said = damage(jury_playing.checklist())
    played = jury_playing.play_jury({"checklist.1": said, "checklist.2": said}, rebuttals=0)
    severe = [entry for entry in jury_playing.ENTRIES if entry["severity"] == "critical"]
    found = [entry for entry in jury_playing.outcome(played).checklist if entry.severity == "critical"]
    assert len(found) <= len(severe)


@given(damages(), st.sampled_from([fact_checking.SUPPORTED, fact_checking.REFUTED]))
def test_a_damaged_analysis_gives_the_same_label_none_or_not_enough(damage: Damage, said: fact_checking.Json) -> None:
    reply = damage(json.dumps(said))
    wanted = fact_checking.request(max_rounds=1)
    agents = {f"r1.a{number}": reply for number in (1, 2, 3)}
    whole, found = (
        fact_checking.check(agents, wanted)[1] for agents in ({name: json.dumps(said) for name in agents}, agents)
    )
    assert found.label in {whole.label, Label.NEI, None}


@given(damages(), st.sampled_from([Label.SUPPORTED, Label.REFUTED]))
def test_a_damaged_rebuttal_never_leads_to_another_label(damage: Damage, said: Label) -> None:
    quote = fact_checking.IS_TALL if said is Label.SUPPORTED else fact_checking.POSTER
    reply = damage(json.dumps(fact_checking.rebuttal(said, quote, decision_change="CHANGE")))
    agents: dict[str, object] = {f"r1.a{number}": fact_checking.NEI for number in (1, 2, 3)}
    agents |= {f"r2.a{number}": reply for number in (1, 2, 3)}
    found = fact_checking.check(agents, fact_checking.request(max_rounds=2, escalation="always"))[1]  # pyright: ignore[reportArgumentType]
    assert found.label in {said, Label.NEI, None}


READINGS = (("SAYS", "went down in heavy weather"), ("CONTRADICTS", "on Tuesday"), "NEITHER")


@given(damages())
def test_a_damaged_reading_is_the_same_or_decides_nothing(damage: Damage) -> None:
    try:
        found = read_readings(damage(json.dumps(fact_checking.readings(*READINGS))), 3).value
    except ValueError:
        return
    for number, said in enumerate(READINGS, start=1):
        assert _deciding(found, number) in {None, said}


def _deciding(said: ReadingsForm, number: int) -> tuple[str, str] | None:
    """Return the relation and the words of a reading, if both could decide: words of another quote never do."""
    reading = said.of(number)
    if (
        reading is None
        or reading.relation is Relation.OPEN
        or not reading.quote
        or reading.quote not in READINGS[number - 1]
    ):
        return None
    return str(reading.says), reading.quote


@given(damages(longest=60))
@example(cut)
def test_a_damaged_list_of_findings_is_never_clean(damage: Damage) -> None:
    finds = damage(reviewing.reported({"title": "Twice", "severity": "critical"}))
    outcome = reviewing.held({"say": dict.fromkeys(("claude", "codex"), finds), "fail_on": "major"})[1]
    struck = any(each.state is FindingState.STRUCK for each in outcome.findings)
    assert struck or outcome.status is not ReviewStatus.CLEAN


REFUTED = {"verdict": "refuted", "line": 43, "quote": "return gateway.post(amount, key)"}


@given(
    damages(), st.sampled_from([({"verdict": "confirmed"}, FindingState.CONFIRMED), (REFUTED, FindingState.REFUTED)])
)
@example(cut, ({"verdict": "confirmed"}, FindingState.CONFIRMED))
@example(str, (REFUTED, FindingState.REFUTED))
def test_a_damaged_examination_says_the_same_of_a_finding_or_nothing(
    damage: Damage, said: tuple[reviewing.Json, FindingState]
) -> None:
    examination, state = said
    reply = damage(json.dumps({**reviewing.EXAMINED, **examination}))
    say: reviewing.Json = {"claude": [{}], "codex": [], "examine T": reply, "examine T.again": reply}
    found = reviewing.held({"access": "read", "elsewhere": ["shop/gateway.py:7"], "say": say})[1].findings
    assert {each.state for each in found} <= {state, FindingState.CONTESTED}
    if reply == json.dumps({**reviewing.EXAMINED, **examination}):
        assert [each.state for each in found] == [state]


@given(damages(), st.sampled_from([chaired_debate.DebateDecision.AFFIRMATIVE_WINS, chaired_debate.DebateDecision.DRAW]))
def test_a_damaged_decision_of_the_chair_is_the_same_or_none(
    damage: Damage, decision: chaired_debate.DebateDecision
) -> None:
    said = damage(json.dumps({"decisive": [1], "conduct": [], "reasoning": "It (seq 1) stands.", "verdict": decision}))
    spoken = replying({"conclusion.1": said, "conclusion.2": said}, chaired_playing.well_behaved)
    found = play(ChairedDebate(chaired_playing.chaired_request(), PROMPTS), spoken, most_steps=60).outcome
    assert isinstance(found, ChairedDebateOutcome)
    assert found.decision in {decision, None}
