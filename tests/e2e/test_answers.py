"""What comes back from the real tools, and what of the question reaches the model."""

import pytest

from sparring.schema.base import Effort
from sparring.schema.consultation import Answer, Failure, FailureCode, Usage
from support.desk import Desk, question

pytestmark = pytest.mark.npm


@pytest.mark.parametrize(
    ("tool", "model", "reasoning", "cost_usd"),
    [
        ("claude", "claude-sonnet-4-5", 0, 0.0041115),
        ("codex", "gpt-5.5", 0, None),
        ("copilot", "gpt-5.5", 0, None),
        ("gemini", "gemini-3.1-pro-preview", 0, None),
        ("opencode", "loopback/second", 0, 0.001263),
    ],
)
async def test_an_answer_arrives_whole_with_what_it_used(
    tool: str, model: str, reasoning: int, cost_usd: float | None, desk: Desk
) -> None:
    reply = await desk.consultant(tool).ask(question(model=model))

    assert isinstance(reply, Answer)
    usage = reply.usage
    assert reply.model_copy(update={"duration_ms": 0, "session_id": None, "usage": Usage()}) == Answer(
        tool=tool, model=model, response="The answer is yes.", duration_ms=0
    )
    assert reply.session_id
    assert usage.model_copy(update={"cost_usd": None}) == Usage(
        input_tokens=1205 if tool == "claude" else 1200,
        cached_tokens=5,
        output_tokens=34,
        reasoning_tokens=reasoning,
    )
    assert usage.cost_usd == (None if cost_usd is None else pytest.approx(cost_usd, rel=0.5))
    assert list(desk.prompt_folder.iterdir()) == []


@pytest.mark.parametrize(
    ("tool", "effort", "sent"),
    [
        ("claude", Effort.LOW, "low"),
        ("claude", Effort.MEDIUM, "medium"),
        ("claude", Effort.HIGH, "high"),
        ("claude", Effort.MAX, "max"),
        ("codex", Effort.LOW, "low"),
        ("codex", Effort.MEDIUM, "medium"),
        ("codex", Effort.HIGH, "high"),
        ("codex", Effort.MAX, "xhigh"),
        ("copilot", Effort.LOW, "low"),
        ("copilot", Effort.MEDIUM, "medium"),
        ("copilot", Effort.HIGH, "high"),
        ("copilot", Effort.MAX, "max"),
        ("gemini", Effort.LOW, "LOW"),
        ("gemini", Effort.MEDIUM, "MEDIUM"),
        ("gemini", Effort.HIGH, "HIGH"),
        ("gemini", Effort.MAX, "HIGH"),
        ("opencode", Effort.LOW, "low"),
        ("opencode", Effort.MEDIUM, "medium"),
        ("opencode", Effort.HIGH, "high"),
        ("opencode", Effort.MAX, "high"),
    ],
)
async def test_model_and_effort_reach_the_model(tool: str, effort: Effort, sent: str, desk: Desk) -> None:
    models = {
        "claude": "claude-opus-5-5",
        "codex": "gpt-5.5",
        "copilot": "gpt-5.5",
        "gemini": "gemini-3.1-pro-preview",
        "opencode": "loopback/second",
    }
    model = models[tool]

    await desk.consultant(tool).ask(question(model=model, effort=effort))

    request = desk.endpoint.request
    body = request.body
    settings = {
        "claude": lambda: body["output_config"]["effort"],
        "codex": lambda: body["reasoning"]["effort"],
        "copilot": lambda: body["reasoning_effort"],
        "gemini": lambda: body["generationConfig"]["thinkingConfig"]["thinkingLevel"],
        "opencode": lambda: body["reasoning_effort"],
    }
    assert (request.model, settings[tool]()) == (model.removeprefix("loopback/"), sent)


@pytest.mark.parametrize("tool", ["claude", "codex", "copilot", "gemini", "opencode"])
async def test_a_kept_session_is_continued_by_its_id(tool: str, desk: Desk) -> None:
    consultant = desk.consultant(tool)

    first = await consultant.ask(question("Remember the number 41.", keep_session=True))
    assert isinstance(first, Answer)
    second = await consultant.ask(question("Which number?", session_id=first.session_id, keep_session=True))

    assert isinstance(second, Answer)
    assert (first.continuable, second.continuable) == (True, True)
    assert second.session_id == first.session_id
    assert "Remember the number 41." in desk.endpoint.requests[1]
    assert desk.endpoint.requests[1].prompt.endswith("Which number?")


@pytest.mark.parametrize(
    ("tool", "remembered", "warnings"),
    [("claude", False, 0), ("codex", True, 2), ("copilot", False, 1), ("gemini", False, 0), ("opencode", True, 1)],
)
async def test_continuing_without_keeping_what_follows_is_done_or_its_failing_is_told(
    tool: str, desk: Desk, *, remembered: bool, warnings: int
) -> None:
    consultant = desk.consultant(tool)

    first = await consultant.ask(question("Remember the number 41.", keep_session=True))
    assert isinstance(first, Answer)
    second = await consultant.ask(question("Forget this.", session_id=first.session_id))
    third = await consultant.ask(question("Which number?", session_id=first.session_id, keep_session=True))

    assert isinstance(second, Answer)
    assert isinstance(third, Answer)
    assert len(second.warnings) == warnings
    assert "Remember the number 41." in desk.endpoint.requests[2]
    assert ("Forget this." in desk.endpoint.requests[2]) is remembered


@pytest.mark.parametrize("tool", ["claude", "codex", "copilot", "gemini", "opencode"])
async def test_a_session_that_was_not_kept_cannot_be_continued(tool: str, desk: Desk) -> None:
    consultant = desk.consultant(tool)

    first = await consultant.ask(question())
    assert isinstance(first, Answer)
    second = await consultant.ask(question(session_id=first.session_id))

    assert not first.continuable
    assert isinstance(second, Failure)
    assert second.code is FailureCode.EXIT
    assert first.session_id is not None
    assert first.session_id in second.detail
    assert len(desk.endpoint.requests) == 1
