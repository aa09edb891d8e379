"""Rules that remember how far they were held answer every transcript as rules that have never seen any."""

import copy
import pickle
from collections.abc import Callable, Mapping
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.engine.format import Rules
from sparring.formats.registry import FORMATS
from sparring.schema.consultation import Reply
from sparring.schema.fact_check import Escalation
from sparring.schema.runs import Request
from sparring.schema.transcript import Ask, Transcript
from support import chaired_playing, debating, fact_checking, jury_playing, reviewing, runs
from support.examples import costly
from support.playing import PROMPTS, answer, failure, play, replying, well_behaved

RULES: Mapping[str, tuple[Request, Callable[[Ask], Reply | str]]] = {
    "consult": (runs.consult_request(), lambda ask: answer(ask, "Yes.")),
    "jury": (jury_playing.jury_request(), jury_playing.well_behaved),
    "fact-check": (fact_checking.request(escalation=Escalation.ALWAYS, max_rounds=2), fact_checking.well_behaved),
    "debate": (debating.request(rounds=2), well_behaved),
    "chaired-debate": (chaired_playing.chaired_request(), chaired_playing.well_behaved),
    "review": (reviewing.request(reviewing.WHOLE), lambda ask: answer(ask, '{"findings": []}')),
}
COPIES: Mapping[str, Callable[[Rules], Rules]] = {
    "none": lambda rules: rules,
    "pickled": lambda rules: pickle.loads(pickle.dumps(rules)),  # noqa: S301 -- made here
    "copied": copy.copy,
}


def fresh(kind: str) -> Rules:
    return FORMATS[kind].rules(RULES[kind][0], PROMPTS)


@cache
def transcripts(kind: str) -> tuple[tuple[Transcript, object], ...]:
    """Transcripts of three runs that begin alike, whole and torn, and what fresh rules answer to each.

    In the second run, whoever is asked second fails; the third is the first one once more, as it is read from a disk.
    Of a run that is answered anew for each length a third of them will do.
    """
    usual = replying({}, RULES[kind][1])
    whole = play(fresh(kind), usual, most_steps=200)
    second = [ask.id for step in whole.steps for ask in step][1:2]
    other = play(fresh(kind), replying(dict.fromkeys(second, failure), usual), most_steps=200)
    read = Transcript.model_validate_json(whole.transcript.model_dump_json())
    found = [
        Transcript(turns=said.turns[:length])
        for said in (whole.transcript, other.transcript, read)
        for length in range(len(said.turns) % 3, len(said.turns) + 1, 3)
    ]
    return tuple((said, fresh(kind).next(said)) for said in found)


@pytest.mark.parametrize("kind", RULES)
@costly
@given(st.data())
def test_whatever_was_asked_before_the_same_transcript_gives_the_same_answer(kind: str, data: st.DataObject) -> None:
    rules, known = fresh(kind), transcripts(kind)
    for place, copied in data.draw(
        st.lists(st.tuples(st.integers(0, len(known) - 1), st.sampled_from(sorted(COPIES))), max_size=12)
    ):
        said, expected = known[place]
        rules = COPIES[copied](rules)
        assert rules.next(said) == expected
