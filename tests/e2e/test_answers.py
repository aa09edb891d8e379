"""What comes back from the real tools, what of the question reaches the model, and what they remember of it."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import anyio
import pytest
from anyio.to_thread import run_sync

from sparring.schema.base import Effort
from sparring.schema.consultation import Answer, Usage
from sparring.testing.model_endpoint import Say
from support.desk import TOOLS, Desk, answered, files, question
from support.processes import processes_with_home

pytestmark = pytest.mark.npm

EFFORT: Mapping[str, Callable[[Any], object]] = {
    "claude": lambda body: body["output_config"]["effort"],
    "codex": lambda body: body["reasoning"]["effort"],
    "copilot": lambda body: body["reasoning_effort"],
    "gemini": lambda body: body["generationConfig"]["thinkingConfig"]["thinkingLevel"],
    "opencode": lambda body: body["reasoning_effort"],
}
"""Where each tool tells the model how hard to think."""


@pytest.mark.parametrize(
    ("tool", "model", "sent", "cost_usd"),
    [
        ("claude", "claude-opus-5-5", "max", 0.0068),
        ("codex", "gpt-5.5", "xhigh", None),
        ("copilot", "gpt-5.5", "max", None),
        ("gemini", "gemini-3.1-pro-preview", "HIGH", None),
        ("opencode", "loopback/second", "high", 0.001263),
    ],
)
async def test_an_answer_arrives_whole_with_what_it_used_and_leaves_nothing(
    tool: str, model: str, sent: str, cost_usd: float | None, desk: Desk
) -> None:
    reply = answered(await desk.consultant(tool).ask(question("What is a QUOKKA?", model=model, effort=Effort.MAX)))
    usage = reply.usage
    assert reply.model_copy(update={"duration_ms": 0, "session_id": None, "usage": Usage(), "warnings": ()}) == Answer(
        tool=tool, model=model, effort=Effort.MAX, response="The answer is yes.", duration_ms=0
    )
    assert reply.session_id
    assert usage.model_copy(update={"cost_usd": None}) == Usage(
        input_tokens=1205 if tool == "claude" else 1200, cached_tokens=5, output_tokens=34, reasoning_tokens=0
    )
    assert usage.cost_usd == (None if cost_usd is None else pytest.approx(cost_usd, rel=0.5))
    request = desk.endpoint.request  # the only one: no other model chooses who answers, or finds a title
    assert (request.model, EFFORT[tool](request.body)) == (model.removeprefix("loopback/"), sent)
    assert [name for name, content in files(desk.home).items() if b"QUOKKA" in content] == []


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_kept_session_is_continued_and_others_are_deleted_or_reported(tool: str, desk: Desk) -> None:
    ask = desk.consultant(tool).ask
    model = {"claude": "claude-opus-5-5", "gemini": "gemini-3.1-pro-preview", "opencode": "loopback/second"}.get(tool)

    first = answered(await ask(question("Remember the number 41.", model=model, effort=Effort.LOW, keep_session=True)))
    second = answered(await ask(question("Forget this.", session_id=first.session_id)))
    third = answered(await ask(question("Which number?", session_id=first.session_id, keep_session=True)))

    assert EFFORT[tool](desk.endpoint.requests[0].body) == ("LOW" if tool == "gemini" else "low")
    assert [each.continuable for each in (first, second, third)] == [True, False, True]
    assert third.session_id == first.session_id
    assert len(second.warnings) == (tool in {"codex", "copilot"})
    last = desk.endpoint.requests[2]
    assert "Remember the number 41." in last
    assert "Forget this." not in last
    assert last.prompt.endswith("Which number?")


@pytest.mark.parametrize("tool", TOOLS)
async def test_a_cancelled_consultation_ends_everything_that_was_started(tool: str, desk: Desk) -> None:
    desk.endpoint.behaviour = Say("Half of an answer", pieces=3, stalled=True)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(desk.consultant(tool).ask, question(timeout_s=600))
        await run_sync(partial(desk.endpoint.wait_for, 1, timeout_s=240))
        assert processes_with_home(desk.home)
        tasks.cancel_scope.cancel()
    assert processes_with_home(desk.home) == []
    assert list(desk.calls_folder.iterdir()) == []
