"""What comes back from the real tools, and what of the question reaches the model."""

import pytest

from sparring.schema.base import Effort
from sparring.schema.consultation import Answer, Failure, FailureCode, Usage
from support.desk import Desk, question

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize(
    ("tool", "model", "reasoning", "cost_usd"),
    [("claude", "claude-sonnet-4-5", 0, 0.0041115), ("codex", "gpt-5.5", 0, None)],
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
    ],
)
async def test_model_and_effort_reach_the_model(tool: str, effort: Effort, sent: str, desk: Desk) -> None:
    model = {"claude": "claude-opus-5-5", "codex": "gpt-5.5"}[tool]

    await desk.consultant(tool).ask(question(model=model, effort=effort))

    body = desk.endpoint.request.body
    setting = body["output_config" if tool == "claude" else "reasoning"]
    assert (body["model"], setting["effort"]) == (model, sent)


@pytest.mark.parametrize("tool", ["claude", "codex"])
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


@pytest.mark.parametrize(("tool", "remembered", "warnings"), [("claude", False, 0), ("codex", True, 2)])
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


@pytest.mark.parametrize("tool", ["claude", "codex"])
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
