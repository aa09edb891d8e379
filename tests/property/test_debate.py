"""Whatever the participants do, a debate ends within its bound, in a state that its records allow."""

import json
import re
from collections.abc import Mapping
from functools import partial
from itertools import product

from hypothesis import example, given
from hypothesis import strategies as st

from sparring.checks.folding import Folded
from sparring.checks.quotes import Evidence
from sparring.formats.debate.flow import Debate
from sparring.formats.debate.rulebook import preserved
from sparring.formats.debate.speeches import Mask, without_emphasis
from sparring.schema.base import Participant, Role
from sparring.schema.consultation import FailureCode, Reply
from sparring.schema.debate import SPEAKING_ORDER, Conduct, DebateRequest, DebateStatus
from sparring.schema.judgement import Firmness, Judgement, Order, Side
from sparring.schema.lookups import CitationStatus, QuoteVerdict
from sparring.schema.transcript import SPEECH_KINDS, Ask, TurnKind
from support import debating
from support.estimating import check_most
from support.examples import costly
from support.playing import (
    PROMPTS,
    SUMMARY,
    VERDICT,
    Played,
    answer,
    ballot,
    failure,
    ledger_of,
    letters_of,
    play,
    well_behaved,
)

SPEECHES = st.sampled_from(
    [
        "I concede: it is slow.",
        "speech of challenger in round 1",
        "Great point. I withdraw my concession that it is slow.",
        "See `a.py:1`. You are right.",
        'Resolved: I am convinced because of "speech of challenger in round 1".',
    ]
)
REPLIES = st.one_of(
    st.sampled_from([SUMMARY, "ballot", "against", "invented", json.dumps({**VERDICT, "winner": "both"}), "{"]),
    SPEECHES,
    st.text(alphabet=st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40),
    st.sampled_from(FailureCode),
    st.sampled_from(CitationStatus),
)


@st.composite
def requests(draw: st.DrawFn) -> DebateRequest:
    rounds = draw(st.integers(1, 5))
    return debating.request(
        rounds=rounds,
        panel=tuple(Participant(tool=f"judge-{number}") for number in range(draw(st.integers(0, 2)))),
        blind_openings=rounds > 1 and draw(st.booleans()),
    )


def said(ask: Ask, drawn: str | FailureCode | CitationStatus) -> Reply:
    """What was drawn, as a reply to ``ask``."""
    if isinstance(drawn, FailureCode):
        return failure(ask, drawn)
    speeches = ask.question.brief.speeches
    if isinstance(drawn, CitationStatus):
        return answer(ask, ledger_of(speeches[0].text if speeches else "x", status=drawn).model_dump_json())
    if drawn in {"ballot", "against", "invented"} and ask.role is Role.JUDGE:
        winner = Role.PROPOSER if drawn == "against" else Role.CHALLENGER
        spoken = next((each.text for each in speeches if each.role is winner), "")
        quote = "what nobody has ever said" if drawn == "invented" else spoken
        cited = [{"side": "A" if winner is Role.PROPOSER else "B", "quote": quote}]
        return answer(ask, ballot(letters_of(ask), winner=winner, arguments=cited))
    return answer(ask, drawn)


@st.composite
def played(draw: st.DrawFn) -> tuple[DebateRequest, Played]:
    """A debate in which anybody may say anything, or fail, at any point."""
    request = draw(requests())
    is_usual = draw(st.booleans())  # most drawn debates end early otherwise

    def reply(ask: Ask) -> Reply:
        if is_usual and ask.kind in SPEECH_KINDS:
            return answer(ask, draw(SPEECHES))
        return said(ask, draw(REPLIES))

    # Each speech, the same once more and what it cites, two tries of the judges, what the verdict cites, the end.
    return request, play(Debate(request, PROMPTS), reply, most_steps=6 * request.rounds + 4)


@costly
@given(played(), st.data())
def test_it_ends_within_its_bound_from_any_prefix_and_its_outcome_fits_the_speeches(
    found: tuple[DebateRequest, Played], data: st.DataObject
) -> None:
    request, whole = found
    check_most(request, whole)
    outcome = debating.outcome(whole)
    turns = (turn for turn in whole.transcript.turns if turn.kind in SPEECH_KINDS)
    said = dict[tuple[int, Role], str]()
    for turn in turns:
        if turn.answer:  # a second reply completes a speech, and does not replace it
            before = said.get((turn.round, turn.role), "")
            said[turn.round, turn.role] = f"{before}\n{turn.answer.response}"
    complete = 0
    while {(complete + 1, Role.PROPOSER), (complete + 1, Role.CHALLENGER)} <= said.keys():
        complete += 1
    has_failed, has_ended = outcome.status is DebateStatus.FAILED, outcome.status is DebateStatus.COMPLETED
    assert outcome.rounds_completed == complete
    assert (outcome.verdict is not None) == (has_ended or outcome.status is DebateStatus.INCOMPLETE)
    assert (outcome.judgement is not None) == (outcome.verdict is not None or outcome.status is DebateStatus.UNDECIDED)
    is_settled = any(notice.startswith("The debate ended after round ") for notice in outcome.notices)
    assert (outcome.incomplete_round is None) == (complete == request.rounds or has_failed or is_settled)
    assert not is_settled or 1 < complete < request.rounds
    assert has_failed == ((1, Role.PROPOSER) not in said)
    assert not has_ended or is_settled or complete == request.rounds
    assert has_failed or {(each.round, each.role) for each in outcome.ledgers} == said.keys()
    if judged := outcome.judgement:
        for_winner = [each.verdict for each in judged.ballots if each.verdict.winner is judged.winner]
        assert outcome.verdict in for_winner if judged.winner else outcome.verdict is None
        _is_what_its_ballots_say(judged, request, said)
    step = data.draw(st.integers(0, len(whole.steps)))
    assert Debate(request, PROMPTS).next(whole.before(step)) == whole.then(step)


def _is_what_its_ballots_say(judged: Judgement, request: DebateRequest, said: Mapping[tuple[int, Role], str]) -> None:
    heard = sorted((each.judge, each.order) for each in (*judged.ballots, *judged.abstentions))
    asked = {judge for judge, _ in heard}
    assert len(request.judges) <= len(asked) <= len(request.possible_judges)
    assert heard == sorted((judge, order) for judge in range(1, len(asked) + 1) for order in Order)
    assert (judged.winner is None) == (judged.firmness is Firmness.UNDECIDED)
    if judged.firmness in {Firmness.ORDER_SENSITIVE, Firmness.TIE_BREAK}:
        assert judged.tie_break
        assert judged.tie_break.winner is judged.winner
    if judged.firmness is Firmness.UNANIMOUS:
        assert len(asked) > 1
        assert {each.verdict.winner for each in judged.ballots} == {judged.winner}
    for each in judged.ballots:
        cited = (*each.verdict.arguments, *each.unanswered)
        for argument in cited:
            # By lines: the line that a speech lacked stands before it when it is judged.
            assert all(line in said[argument.round, argument.side] for line in argument.quote.split("\n"))


BALLOTS = st.sampled_from([*product((Role.PROPOSER, Role.CHALLENGER), (True, False))])
DAMAGE = st.sampled_from(["struck", "empty quote", "no argument", "torn", "not JSON", "cut off"])


def _cast(ask: Ask, winner: Side, *, names_unanswered: bool, damage: str) -> Reply:
    """A judge's ballot for ``winner``, in which something is broken."""
    side = "A" if winner is Role.PROPOSER else "B"  # as it is written in the first order
    broken = {"struck": "words that nobody has ever said", "empty quote": ""}
    cited = [{"side": side, "quote": broken.get(damage, f"speech of {winner} in round 1")}]
    arguments = [] if damage == "no argument" else cited
    text = ballot(letters_of(ask), winner=winner, arguments=arguments, unanswered=cited if names_unanswered else [])
    if damage == "cut off":
        return failure(ask, FailureCode.CUT_OFF)
    return answer(ask, {"torn": text[: len(text) // 2], "not JSON": "I would say so."}.get(damage, text))


@costly
@given(st.lists(BALLOTS, min_size=2, max_size=6).filter(lambda cast: len(cast) % 2 == 0), st.data())
def test_damage_to_a_ballot_may_take_the_winner_away_and_never_makes_another(
    cast: list[tuple[Side, bool]], data: st.DataObject
) -> None:
    request = debating.request(
        rounds=1,
        panel=tuple(Participant(tool=f"judge-{number}") for number in range(len(cast) // 2 - 1)),
        further_judge=Participant(tool="further") if data.draw(st.booleans()) else None,
    )
    hit, damage = data.draw(st.integers(0, len(cast) - 1)), data.draw(DAMAGE)
    ledgers = {role: data.draw(st.sampled_from(CitationStatus)) for role in SPEAKING_ORDER}

    def reply(ask: Ask, broken: str) -> Reply:
        if ask.kind is TurnKind.CITATIONS:
            speech = ask.question.brief.speeches[0]
            status = ledgers.get(speech.role, CitationStatus.UNCHECKED)
            return answer(ask, ledger_of(speech.text, status=status).model_dump_json())
        if ask.kind is not TurnKind.SYNTHESIS or ask.number > len(cast) // 2:
            return well_behaved(ask)
        place = 2 * (ask.number - 1) + ask.order - 1
        winner, names_unanswered = cast[place]
        return _cast(ask, winner, names_unanswered=names_unanswered, damage=broken if place == hit else "")

    whole, damaged = (
        debating.outcome(play(Debate(request, PROMPTS), partial(reply, broken=each), most_steps=20))
        for each in ("", damage)
    )
    winners = [each.verdict.winner if each.verdict else None for each in (whole, damaged)]
    assert winners[1] in {winners[0], None}


NAMES = Mask({"claude": "Side A", "gpt-5": "Side B"})
TEXTS = st.text(alphabet="claude gpt-5`~\n./ISX*_", max_size=60)


@given(TEXTS, st.data())
def test_every_place_of_a_masked_text_leads_back_to_the_original(text: str, data: st.DataObject) -> None:
    masked = NAMES.masked(text)
    assert not text or masked.original(0, len(masked.text)) == (0, len(text))
    assert NAMES.masked(masked.text).text == masked.text
    _leads_back(masked, text, data)


@given(TEXTS, st.data())
def test_every_place_of_a_text_without_emphasis_leads_back_to_the_original(text: str, data: st.DataObject) -> None:
    bare = without_emphasis(text)
    assert re.sub(r"[`*_]", "", bare.text) == re.sub(r"[`*_]", "", text)
    assert "`" not in bare.text
    _leads_back(bare, text, data)


def _leads_back(found: Folded, text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(found.text)))
    end = data.draw(st.integers(start, len(found.text)))
    begin, stop = found.original(start, end) if start < end else (0, 0)
    assert 0 <= begin <= stop <= len(text)


CONCEDED = st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=60).filter(
    lambda text: re.search(r"[^\W_]", text) is not None
)


@given(st.lists(CONCEDED, max_size=4), st.text(max_size=80))
@example(["-RRB-"], "")  # a bracket to whoever compares
def test_every_concession_stands_in_a_summary_after_restoring(conceded: list[str], body: str) -> None:
    summary = f"## Core positions\n{body.replace('#', '')}\n## Concessions\nNone.\n## Walk-backs\nNone.\n"
    place = {"start": 0, "role": Role.PROPOSER, "round": 1}
    found = Conduct.model_validate({"concessions": [{"text": text, "end": len(text), **place} for text in conceded]})
    kept = preserved(summary, found)
    evidence = Evidence([without_emphasis(kept.text).text])
    for text in conceded:
        is_quoted = evidence.find(without_emphasis(text).text).verdict is QuoteVerdict.VERBATIM
        assert is_quoted or " ".join(text.split()) in kept.text
    assert preserved(kept.text, found).put_back == 0
    assert (kept.put_back == 0) == (kept.text == summary)
