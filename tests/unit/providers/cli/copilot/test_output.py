"""What Copilot's events say, where the recorded outputs do not show it."""

import json
from functools import partial
from typing import Any

from sparring.schema.base import Effort
from sparring.schema.consultation import Answer, Ending, Usage
from support.children import reply_of
from support.desk import answered, failed

SESSION = "5b457fc8-2b21-46c9-92e6-08596458a8e7"

read = partial(reply_of, "copilot")


def said(content: str) -> dict[str, Any]:
    return {"type": "assistant.message", "data": {"model": "m-1", "content": content, "toolRequests": []}}


def result(exit_code: int = 0, session_id: str = SESSION) -> dict[str, Any]:
    return {"type": "result", "sessionId": session_id, "exitCode": exit_code}


ERROR = {"type": "session.error", "data": {"errorType": "query", "message": "It failed."}}
CALLED = {"type": "model.call_start", "data": {"turnId": "0"}}
# Fields of the same names, filled otherwise, in an event that is not read.
NOISE = {"type": "tool.execution_complete", "data": {"content": [{"text": 1}], "model": 3}, "sessionId": "--x"}


def report(**models: dict[str, int]) -> str:
    return json.dumps({"modelMetrics": {name: {"usage": usage} for name, usage in models.items()}})


def test_the_last_message_with_words_in_it_is_the_answer() -> None:
    one = {"inputTokens": 10, "outputTokens": 3, "cacheReadTokens": 2, "reasoningTokens": 1}
    used = report(one=one, two={"inputTokens": 5, "outputTokens": 1})
    events = (NOISE, ERROR, said("Let me look."), said("Yes, đúng \u2028."), said(" "), result())
    assert read(*events, report=used, keep_session=True, effort=Effort.MAX) == Answer(
        tool="copilot",
        model="m-1",
        effort=Effort.MAX,
        response="Yes, đúng \u2028.",
        session_id=SESSION,
        continuable=True,
        duration_ms=12,
        usage=Usage(input_tokens=15, cached_tokens=2, output_tokens=4, reasoning_tokens=1),
        warnings=("copilot reported an error and continued: It failed.",),
    )


def delta(text: str) -> dict[str, Any]:
    return {"type": "assistant.message_delta", "data": {"messageId": "1", "deltaContent": text}}


REFUSED = {"type": "model.call_failure", "data": {"failureKind": "api", "statusCode": 503}}
END = {"type": "assistant.turn_end", "data": {"turnId": "0"}}


def test_text_before_the_token_limit_belongs_to_the_answer() -> None:
    whole = (CALLED, delta("Let me look."), said("Let me look."), END)
    failing = (CALLED, delta("Ye"), REFUSED)
    cut = (CALLED, delta("Yes, đúng \ud83d"), delta("\ude00, "), END)
    last = (CALLED, delta("and more."), said("and more."), END, result())
    reply = answered(read(*whole, *failing, *cut, *cut, *last))
    assert reply.response == "Yes, đúng 😀, Yes, đúng 😀, and more."
    assert reply.ending is Ending.CUT_OFF  # nobody knows whether the pieces fit
    notices = ("is cut off: a limit was reached before its end.", "and continued: a request failed with status 503")
    assert [warning.endswith(notice) for warning, notice in zip(reply.warnings, notices, strict=True)] == [True, True]


def test_an_empty_report_leaves_the_usage_unknown() -> None:
    reports = ("", "[]", '{"modelMetrics": 3}', report(), '{"a":' * 100_000)
    replies = [answered(read(said("Yes."), result(), report=written)) for written in reports]
    assert [reply.usage for reply in replies] == [Usage()] * 5


def test_a_continued_session_is_the_wanted_one_and_its_use_is_not_known() -> None:
    reply = answered(read(said("Yes."), result(), report=report(one={"inputTokens": 10}), session_id=SESSION))
    told = "copilot counts tokens for the whole session, so those of this answer are not known."
    assert (reply.usage, reply.continuable, reply.warnings) == (Usage(), False, (told,))
    anew = failed(read(said("Yes."), result(session_id="another"), session_id=SESSION))
    assert anew.detail == f"copilot did not continue session {SESSION} but began a new one."
