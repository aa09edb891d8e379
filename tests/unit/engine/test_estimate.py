"""The calls that a run is expected to make, by the plan of its format."""

import json
from collections.abc import Callable

import pytest

from sparring.engine.runner import EarlierRun
from sparring.formats.debate.flow import Debate
from sparring.formats.registry import FORMATS
from sparring.schema.base import Participant, Role
from sparring.schema.consult import ConsultedTool
from sparring.schema.consultation import Answer, ContextPart, Ending, FailureCode, Reply
from sparring.schema.runs import CHARACTERS_PER_TOKEN, Request
from sparring.schema.transcript import SPEECH_KINDS, Ask, TurnKind
from support import chaired_playing, fact_checking, jury_playing, review_runs, reviewing
from support.chaired_playing import action, chaired_request, source
from support.estimating import calls, expected
from support.fact_checking import evidence
from support.fact_checking import request as fact_check_request
from support.jury_playing import jury_request
from support.playing import PROMPTS, answer, failure, play, well_behaved
from support.runs import consult_request, debate_request

EIGHT = tuple({"tool": f"t{n}", "family": f"f{n}"} for n in range(8))
OFFLINE = Participant(tool="offline")


@pytest.mark.parametrize(
    ("request_", "range_"),
    [
        # Each judge is asked in both orders. All but the openings may go back once.
        *((debate_request(rounds=rounds), range_) for rounds, range_ in ((1, (4, 4, 7)), (2, (6, 6, 11)))),
        (debate_request(rounds=3), (7, 9, 17)),
        (debate_request(blind_openings=True), (6, 6, 10)),
        (debate_request(panel=(Participant(tool="opencode"), Participant(tool="copilot"))), (10, 10, 19)),
        (debate_request(further_judge=Participant(tool="opencode")), (6, 6, 15)),
        # Usually agents disagree in all rounds, and each reads the quotes of others once.
        *((fact_check_request(max_rounds=n), (3, 3 * n + 3, 18 * n)) for n in (1, 2, 5)),
        (fact_check_request(escalation="always"), (6, 12, 54)),
        (fact_check_request(escalation="never"), (3, 6, 18)),
        (fact_check_request(agents=()), (0, 0, 0)),
        # Usually each step of a jury comes once.
        *((jury_request(rebuttals=n), (4 + 2 * n, 4 + 2 * n, 9 + 4 * n)) for n in (0, 1, 2)),
        (jury_request(alone=(Participant(tool="claude"), Participant(tool="codex"))), (2, 2, 4)),
        (jury_request(**dict.fromkeys(("advocate", "skeptic", "fact_checker", "judge"), OFFLINE)), (0, 0, 0)),
        # The check by code costs nothing.
        (consult_request(asked=(ConsultedTool(tool="claude"), ConsultedTool(tool="codex"))), (2, 2, 2)),
        # A chaired debate usually has all of its rounds, and an audience asks in each.
        (chaired_request(), (9, 9, 30)),
        (chaired_request(min_rounds=2, max_rounds=3, audience=OFFLINE), (14, 17, 61)),
        (chaired_request(min_rounds=0, max_rounds=3), (8, 16, 58)),
        (chaired_request(max_rounds=3, time_budget_s=9.0, reporter=OFFLINE), (8, 16, 60)),
        # Usually each reviewer finds one thing a part, and a reviewer of another family examines it.
        (review_runs.request(reviewers=EIGHT, change={"files": (review_runs.PAY,), "parts": ((0,),)}), (8, 17, 66)),
        (review_runs.request(reviewers=EIGHT[:1], change={"files": (review_runs.PAY,), "parts": ((0,),)}), (1, 1, 50)),
    ],
)
def test_the_calls_of_a_run_are_a_sum_over_its_options(request_: Request, range_: tuple[int, int, int]) -> None:
    range_expected = expected(request_)
    assert (range_expected.fewest, range_expected.usual, range_expected.most) == range_


USABLE: dict[str, Callable[[Ask], Reply | str]] = {
    "debate": well_behaved,
    "chaired-debate": chaired_playing.well_behaved,
    "fact-check": fact_checking.well_behaved,
    "jury": jury_playing.well_behaved,
    "consult": lambda _: "It is.",
    "review": lambda _: '{"findings": []}',
}


@pytest.mark.parametrize(
    "request_",
    [
        *(debate_request(rounds=rounds) for rounds in range(1, 6)),
        *(debate_request(rounds=rounds, blind_openings=True) for rounds in range(2, 6)),
        *(fact_check_request(escalation=when) for when in ("auto", "always", "never")),
        *(fact_check_request(*"abcd", max_rounds=rounds, escalation="always") for rounds in range(1, 6)),
        *(jury_request(rebuttals=rebuttals) for rebuttals in range(3)),
        consult_request(),
        *(chaired_request(min_rounds=least, max_rounds=2) for least in range(3)),
        chaired_request(max_rounds=2, time_budget_s=1.0, audience=OFFLINE, reporter=OFFLINE),
        review_runs.request(),
    ],
    ids=lambda request_: request_.kind,
)
def test_a_run_with_usable_answers_makes_no_fewer_calls_than_expected(request_: Request) -> None:
    def reply(ask: Ask) -> Reply:
        usable = USABLE[request_.kind](ask)
        return answer(ask, usable) if isinstance(usable, str) else usable

    made = calls(play(FORMATS[request_.kind].rules(request_, PROMPTS), reply, most_steps=80))
    assert expected(request_).fewest <= made <= expected(request_).most


@pytest.mark.parametrize("rounds", range(1, 6))
def test_a_debate_in_which_each_answer_goes_back_makes_as_many_calls_as_any(rounds: int) -> None:
    def reply(ask: Ask) -> Reply:
        return answer(ask, "Hm, hm, that is so and so, as it was before, and it will be so for ever after.")

    request = debate_request(rounds=rounds, further_judge=Participant(tool="opencode"))
    assert calls(play(Debate(request, PROMPTS), reply, most_steps=80)) == expected(request).most


def acting(ask: Ask) -> Reply:
    """A debater that requests a clarification in each turn, and challenges a source of the other debater."""
    step = ask.question.brief.step.partition("/")[2]
    if step not in {"action", "closing"}:
        return chaired_playing.well_behaved(ask)
    if step == "action" and ".after" not in ask.id:
        return answer(ask, action("clarification_request", "Which streets are meant?", sources=[]))
    seq = 1 if ask.role is Role.DETRACTOR else 2
    type_ = "new_point" if step == "action" else "closing_statement"
    challenge = {"target_seq": seq, "source_challenge": "Its page says nothing of the kind."}
    own = [source(f"https://example.org/{ask.id}", f"words that {ask.id} cites")] if step == "action" else []
    return answer(ask, action(type_, f"So argues {ask.id} from what was said (seq {seq}).", sources=own, **challenge))


DENIALS = evidence("The cache is not shared. The cache is not small.")
BOTH_DENIED = {"claim": "The cache is shared and is small.", "max_rounds": 1}


def contradicted(ask: Ask) -> str:
    """An agent that calls a part covered by words that deny it, and as a reader agrees with the other one."""
    shared, small = (
        ("The cache is shared", "The cache is not shared."),
        ("The cache is small", "The cache is not small."),
    )
    if ask.kind is TurnKind.READING:
        return json.dumps(fact_checking.readings(("SAYS", ask.question.brief.evidence[0])))
    said = fact_checking.covered(*(shared if ask.tool == "claude" else small))
    return json.dumps(fact_checking.analysis("SUPPORTED", said))


def lenient(ask: Ask) -> str:
    """A judge that overlooks what code finds, and others who do what is asked."""
    return jury_playing.faithful() if ask.role is Role.JUDGE else jury_playing.well_behaved(ask)


def finding(ask: Ask) -> str:
    """A reviewer that finds something else than the others in the same line."""
    if ask.kind is TurnKind.EXAMINATION:
        return json.dumps({"verdict": "unsure", "reason": "It may be."})
    if ask.kind is TurnKind.JOINING:
        return json.dumps({"same": []})
    defects = {"claude": "bug", "codex": "security"}
    return reviewing.reported({"class": defects[ask.tool], "title": f"{ask.tool} finds it"})


@pytest.mark.parametrize(
    ("request_", "usable"),
    [
        *((jury_request(rebuttals=n), lenient) for n in (0, 2)),
        (jury_request(alone=(Participant(tool="claude"),)), jury_playing.well_behaved),
        (chaired_request(min_rounds=0, max_rounds=2, audience=OFFLINE, reporter=OFFLINE), acting),
        (fact_check_request("claude", "codex", evidence=DENIALS, **BOTH_DENIED), contradicted),
        (reviewing.request({"examined": 2}), finding),
        (consult_request(), USABLE["consult"]),
    ],
    ids=["jury", "jury with rebuttals", "judge alone", "chaired debate", "fact-check", "review", "consultation"],
)
def test_a_run_in_which_each_first_answer_is_cut_off_makes_as_many_calls_as_any(
    request_: Request, usable: Callable[[Ask], Reply | str]
) -> None:
    def reply(ask: Ask) -> Reply:
        whole = usable(ask)
        whole = answer(ask, whole) if isinstance(whole, str) else whole
        is_first = ask.attempt == 1 and ask.role is not Role.VERIFIER and not ask.id.startswith("ready")
        return whole.model_copy(update={"ending": Ending.CUT_OFF}) if is_first else whole

    played = play(FORMATS[request_.kind].rules(request_, PROMPTS), reply, most_steps=200)
    assert calls(played) == expected(request_).most


@pytest.mark.parametrize(("failed", "left"), [(Role.JUDGE, 2), (Role.CHALLENGER, 5)])
def test_answers_that_are_taken_over_are_not_expected(failed: Role, left: int) -> None:
    def reply(ask: Ask) -> Reply:
        return failure(ask, FailureCode.TIMEOUT) if ask.role is failed else well_behaved(ask)

    played = play(Debate(debate_request(), PROMPTS), reply)
    turns = {turn.ask_id: turn for turn in played.transcript.turns}
    earlier = EarlierRun.of("debate-1", [[turns[ask.id] for ask in step] for step in played.steps])
    rest = expected(debate_request()).without(earlier.reused)
    assert (rest.fewest, rest.usual, rest.most) == (left, left, 11 - 6 + left)
    assert 0 < rest.prompt_tokens < expected(debate_request()).prompt_tokens


@pytest.mark.parametrize(("rounds", "material", "words"), [(1, 0, 500), (4, 24_000, 300)], ids=["small", "large"])
def test_as_much_is_expected_as_is_sent_when_nothing_fails(rounds: int, material: int, words: int) -> None:
    part = ContextPart(name="a.py", size_bytes=material, text="x = 1\n\n\n" * (material // 8))
    request = debate_request(rounds=rounds, context=(part,) * bool(material))

    def reply(ask: Ask) -> Reply:
        said = well_behaved(ask)
        if isinstance(said, Answer) and ask.kind is TurnKind.SUMMARY:  # of the length that is asked for
            return said.model_copy(update={"response": said.response + " every" * 400})
        if not isinstance(said, Answer) or ask.kind not in SPEECH_KINDS:
            return said
        return said.model_copy(update={"response": said.response + " every" * words})

    asks = [ask for ask in play(Debate(request, PROMPTS), reply).asks.values() if ask.role is not Role.VERIFIER]
    sent = sum(len(ask.question.prompt) for ask in asks) / CHARACTERS_PER_TOKEN
    assert expected(request).usual == len(asks)
    assert 0.75 <= expected(request).prompt_tokens / sent <= 1.25
