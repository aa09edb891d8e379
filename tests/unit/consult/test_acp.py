"""What an agent is asked, and what its answer becomes, seen with a real one that does what each test tells it."""

import json
from pathlib import Path
from typing import Any

import pytest

from sparring.schema.base import Effort
from sparring.schema.consultation import Answer, FailureCode, Question, Usage
from sparring.schema.providers import Environment
from sparring.testing.acp_agent import SESSION, Scenario
from sparring.testing.attendance import Attendance
from support.acp_talk import Steps, agent, answer, consultant, failure, reading, reply_to, saying, seen_by
from support.desk import question

pytestmark = pytest.mark.process


async def test_an_agent_is_asked_in_a_session_without_servers_and_with_what_it_may_see(tmp_path: Path) -> None:
    spec = agent(Scenario(), environment=Environment(allow=("AGENT_*",), fixed={"QUIET": "1"}))
    environment = {"LANG": "C.UTF-8", "AGENT_KEY": "x", "OTHER_KEY": "y"}

    reply = await consultant(tmp_path, spec, environment).ask(question("/init Đúng không?"))

    assert isinstance(reply, Answer)
    seen = json.loads(reply.response)
    place = Path(seen["cwd"])
    assert seen["environment"].pop("SPARRING_CHILD")
    assert seen == {
        "client": ["sparring", False],
        "session": ["new", str(place), []],
        "prompt": ["The question follows.\n\n/init Đúng không?"],
        "chosen": {},
        "environment": {"LANG": "C.UTF-8", "AGENT_KEY": "x", "QUIET": "1", "SPARRING_DEPTH": "1"},
        "cwd": str(place),
    }
    assert place.parent == tmp_path / "private"
    assert list(place.parent.iterdir()) == []
    assert reply.model_copy(update={"duration_ms": 0}) == answer(reply.response)


async def test_an_agent_that_may_read_the_project_is_started_there(tmp_path: Path) -> None:
    seen = await seen_by(tmp_path, Scenario(), reading())

    assert (seen["cwd"], seen["client"]) == (str(tmp_path / "project"), ["sparring", True])


async def test_an_agent_that_is_confined_is_started_where_it_is_confined(tmp_path: Path) -> None:
    spec = agent(Scenario(), confinement="opencode")

    reply = await consultant(tmp_path, spec, {"HOME": str(tmp_path)}).ask(reading())

    assert isinstance(reply, Answer)
    seen = json.loads(reply.response)
    assert seen["cwd"] == str(tmp_path / "private" / "opencode" / "opencode")
    assert "OPENCODE_PERMISSION" in seen["environment"]


@pytest.mark.parametrize("prompt", ["x" * 2**20, 'Tiếng Việt \U0001f94a\u2028\n$(id) `id` @/etc/passwd $skill \\ "'])
async def test_a_prompt_arrives_intact(prompt: str, tmp_path: Path) -> None:
    seen = await seen_by(tmp_path, Scenario(), question(prompt))

    assert seen["prompt"] == [f"The question follows.\n\n{prompt}"]


SAID: list[tuple[Steps, str]] = [
    ((("say", "One "), ("say", "answer.")), "One answer."),
    ((("say", "Let me see."), ("call", "think", "idea", "completed"), ("say", "Yes.")), "Let me see.\n\nYes."),
    ((("say", "First.", "m1"), ("say", "Second.", "m2"), ("say", " Still.", "m2")), "First.\n\nSecond. Still."),
    ((("think", "Hm."), ("say", "Yes."), ("think", "Hm."), ("say", "No.")), "Yes.\n\nNo."),
    ((("repeat", "another-session"), ("say", "Yes.")), "Yes."),
    ((("write", "a banner"), ("write", '{"level": "info"}'), ("write", ""), ("say", "Yes.")), "Yes."),
    ((("notify", "session/update", {"update": {"sessionUpdate": "something_new"}}), ("say", "Yes.")), "Yes."),
    ((("notify", "agent/gossip", {}), ("say", "Half a \ud83e.")), "Half a \ufffd."),
]


@pytest.mark.parametrize(("steps", "response"), SAID)
async def test_what_an_agent_says_is_the_answer_and_the_rest_is_not(
    steps: Steps, response: str, tmp_path: Path
) -> None:
    assert await reply_to(tmp_path, saying(*steps)) == answer(response)


async def test_noise_before_the_first_message_is_passed_over(tmp_path: Path) -> None:
    scenario = Scenario(before="Starting…\n{}\n[1]\n", steps=(("say", "Yes."),))

    assert await reply_to(tmp_path, scenario) == answer("Yes.")


@pytest.mark.parametrize(
    ("scenario", "warning"),
    [
        (Scenario(stop="max_tokens"), "The answer of agent may be incomplete: the model reached its limit of tokens."),
        (
            Scenario(stop="max_turn_requests"),
            "The answer of agent may be incomplete: it reached its limit of requests to the model.",
        ),
        (Scenario(steps=(("show",),)), "agent said something that is no text; it is left out."),
    ],
)
async def test_what_is_missing_from_an_answer_is_told(scenario: Scenario, warning: str, tmp_path: Path) -> None:
    saying_yes = scenario.model_copy(update={"steps": (*scenario.steps, ("say", "Yes."))})
    without_tale = saying_yes.model_copy(
        update={"steps": tuple(step for step in saying_yes.steps if step != ("tell",))}
    )

    assert await reply_to(tmp_path, without_tale) == answer("Yes.", warnings=(warning,))


@pytest.mark.parametrize(
    ("tokens", "usage"),
    [
        ((1234, 1195, 34, 5), Usage(input_tokens=1200, cached_tokens=5, output_tokens=34, cost_usd=0.5)),  # opencode
        ((1234, 1200, 34, 5), Usage(input_tokens=1200, cached_tokens=5, output_tokens=34, cost_usd=0.5)),  # Copilot
        (None, Usage(cost_usd=0.5)),
    ],
)
async def test_tokens_and_cost_are_told(tokens: tuple[int, int, int, int] | None, usage: Usage, tmp_path: Path) -> None:
    scenario = Scenario(tokens=tokens, steps=(("pay", 0.5, "USD"), ("say", "Yes.")))

    assert await reply_to(tmp_path, scenario) == answer("Yes.", usage=usage)


async def test_a_cost_in_another_currency_is_not_taken_for_dollars(tmp_path: Path) -> None:
    assert await reply_to(tmp_path, saying(("pay", 0.5, "EUR"), ("say", "Yes."))) == answer("Yes.")


OPTIONS = {"model": ("m-1", "m-2"), "thought_level": ("low", "high"), "mode": ("build", "ask"), "permissions": ("off",)}


async def test_model_effort_and_mode_are_really_set(tmp_path: Path) -> None:
    asked = question(model="m-2", effort=Effort.HIGH)

    reply = await reply_to(tmp_path, Scenario(options=OPTIONS), asked, mode="ask")

    assert isinstance(reply, Answer)
    assert json.loads(reply.response)["chosen"] == {
        "model": "m-2",
        "thought_level": "high",
        "mode": "ask",
        "permissions": "off",
    }
    assert (reply.model, reply.effort) == ("m-2", Effort.HIGH)


async def test_an_effort_goes_by_the_agents_own_word_for_it(tmp_path: Path) -> None:
    seen = await seen_by(
        tmp_path, Scenario(options=OPTIONS), question(effort=Effort.MAX), efforts={"low": "low", "max": "high"}
    )

    assert seen["chosen"]["thought_level"] == "high"


async def test_model_and_mode_can_be_set_in_the_older_way(tmp_path: Path) -> None:
    scenario = Scenario(models=("m-1", "m-2"), modes=("yolo", "ask"))

    reply = await reply_to(tmp_path, scenario, question(model="m-2"), mode="ask")

    assert isinstance(reply, Answer), reply
    assert (reply.model, json.loads(reply.response)["chosen"]) == ("m-2", {"model": "m-2", "mode": "ask"})


async def test_an_agent_that_cannot_be_told_how_hard_to_think_is_asked_and_that_is_said(tmp_path: Path) -> None:
    reply = await reply_to(tmp_path, saying(("say", "Yes.")), question(effort=Effort.LOW), efforts={})

    assert reply == answer("Yes.", warnings=("agent cannot be told how hard to think; it used its own effort.",))


WAY_OUT = "`efforts = {}` in its provider file asks it all the same."
UNSUPPORTED: dict[str, tuple[Scenario, Question, dict[str, Any], str]] = {
    "a model that is not there": (
        Scenario(options={"model": tuple(f"m-{number}" for number in range(8))}),
        question(model="gpt"),
        {},
        "agent does not offer the model 'gpt'; it offers: m-0, m-1, m-2, m-3, m-4, m-5 and 2 more.",
    ),
    "no model at all": (
        Scenario(),
        question(model="gpt"),
        {},
        "agent lets nobody choose its model; it cannot use 'gpt'.",
    ),
    "an effort that is not there": (
        Scenario(options=OPTIONS),
        question(effort=Effort.MAX),
        {},
        "agent does not offer the effort level 'max'; it offers: low, high.",
    ),
    "no effort": (
        Scenario(),
        question(effort=Effort.MEDIUM),
        {},
        f"agent lets nobody choose its effort level; it cannot use 'medium'. {WAY_OUT}",
    ),
    "a mode that is not there": (
        Scenario(modes=("yolo",)),
        question(),
        {"mode": "ask"},
        "agent does not offer the session mode 'ask'; it offers: yolo.",
    ),
    "a choice without effect": (
        Scenario(options=OPTIONS, is_stubborn=True),
        question(model="m-2"),
        {},
        "agent offers the model 'm-2' but does not use it.",
    ),
    "a session": (Scenario(), question(session_id="s-1"), {}, "agent cannot continue a session."),
    "another protocol": (Scenario(version=2), question(), {}, "agent speaks version 2 of the protocol, not 1."),
}


@pytest.mark.parametrize(("scenario", "asked", "changes", "detail"), UNSUPPORTED.values(), ids=UNSUPPORTED.keys())
async def test_what_an_agent_cannot_do_is_refused_before_it_is_asked(
    scenario: Scenario, asked: Question, changes: dict[str, Any], detail: str, tmp_path: Path
) -> None:
    with Attendance() as attendance:
        asking = scenario.model_copy(update={"steps": (("stay", attendance.address),)})

        reply = await reply_to(tmp_path, asking, asked, **changes)

    assert reply == failure(FailureCode.UNSUPPORTED, detail)


@pytest.mark.parametrize(
    ("asked", "changes", "detail"),
    [
        (
            question(effort=Effort.LOW),
            {"efforts": {"high": "high"}},
            "agent has no effort level 'low'; it knows: high.",
        ),
        (reading(), {"repo_access": ("none",)}, "agent cannot be given 'read' access to the repository."),
    ],
)
async def test_what_the_provider_file_rules_out_is_refused_before_anything_is_started(
    asked: Question, changes: dict[str, Any], detail: str, tmp_path: Path
) -> None:
    reply = await reply_to(tmp_path, Scenario(), asked, program="no-such-program", **changes)

    assert reply == failure(FailureCode.UNSUPPORTED, detail)


@pytest.mark.parametrize(
    ("scenario", "how"), [(Scenario(loads=True), "load"), (Scenario(loads=True, resumes=True), "resume")]
)
async def test_a_session_is_continued_in_a_place_that_stays(scenario: Scenario, how: str, tmp_path: Path) -> None:
    first = await reply_to(tmp_path, scenario, question(keep_session=True))
    second = await reply_to(tmp_path, scenario, question(session_id="session-9", keep_session=True))

    assert isinstance(first, Answer)
    assert isinstance(second, Answer)
    place = str(tmp_path / "private" / "agents" / "agent")
    assert (first.continuable, first.session_id, json.loads(first.response)["session"]) == (
        True,
        SESSION,
        ["new", place, []],
    )
    # What was said long ago is no part of it.
    assert (second.continuable, second.session_id, json.loads(second.response)["session"]) == (
        True,
        "session-9",
        [how, place, []],
    )


async def test_the_usage_of_a_continued_session_is_not_known(tmp_path: Path) -> None:
    scenario = Scenario(resumes=True, tokens=(3, 2, 1, 0), steps=(("pay", 0.5, "USD"), ("say", "Yes.")))

    reply = await reply_to(tmp_path, scenario, question(session_id="s-1"))

    assert reply == answer("Yes.", session_id="s-1")


async def test_a_session_whose_id_nobody_could_type_cannot_be_continued(tmp_path: Path) -> None:
    scenario = Scenario(loads=True, session="-rf /", steps=(("say", "Yes."),))

    assert await reply_to(tmp_path, scenario, question(keep_session=True)) == answer("Yes.", session_id=None)
