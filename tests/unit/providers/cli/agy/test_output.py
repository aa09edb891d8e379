"""Output of Antigravity CLI as public reports give it: none of it was recorded here."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.providers.cli.agy.output import encoded, has_own_effort
from sparring.schema.base import Effort
from sparring.schema.consultation import FailureCode, Usage
from support.children import reply_of
from support.desk import answered, failed

INIT = {"event": "init", "conversation_id": "c", "init": {"cwd": "/", "model": "gemini-3.8-flash-high"}}
USED = {"input_tokens": 7, "output_tokens": 3, "thinking_tokens": 1, "cache_read_tokens": 5, "total_tokens": 10}


def result(**changes: Any) -> dict[str, Any]:
    ended: dict[str, Any] = {"conversation_id": "c", "status": "SUCCESS", "response": "Yes.\n", "usage": USED}
    return {"event": "result", "result": ended | changes}


def step(step_type: str, **fields: Any) -> dict[str, Any]:
    return {"event": "step_update", "step_update": {"step_type": step_type, "state": "DONE"} | fields}


def test_an_answer_has_its_text_its_model_and_its_tokens() -> None:
    reply = answered(reply_of("agy", "a line of a log", INIT, step("agent_response", text_delta="Yes."), result()))
    used = Usage(input_tokens=12, cached_tokens=5, output_tokens=3, reasoning_tokens=1)
    assert (reply.response, reply.model, reply.usage, reply.session_id) == ("Yes.", "gemini-3.8-flash-high", used, None)


@pytest.mark.parametrize(
    "events",
    [
        (step("agent_response", text_delta="Ye"), step("agent_response", text_delta="s."), result(response=None)),
        ({"event": "result", "result": {"response": "Yes.\n"}},),
        (result(response="No.\n"), result()),
        (result(usage="many", conversation_id=3, unknown=[]),),
    ],
    ids=["in-pieces", "alone", "twice", "with-odd-members"],
)
def test_an_answer_is_received_among_any_other_events(events: tuple[object, ...]) -> None:
    assert answered(reply_of("agy", *events)).response == "Yes."


def test_an_answer_with_an_error_status_counts_with_a_warning() -> None:
    reply = answered(reply_of("agy", result(status="ERROR", error="UNAVAILABLE (code 503): Try again")))
    assert reply.warnings == ("agy answered and ended with the status ERROR.",)


DENIED = 'jetski: no output produced — a tool required the "command" permission that headless mode cannot prompt for'


@pytest.mark.parametrize(
    ("said", "stderr", "code"),
    [
        ([result(response="Half an")], "[agy] print timeout after 12s with turn in progress", "timeout"),
        ([step("tool", tool_name="search_web"), result()], "", "permission"),
        ([result(response="", denied_actions=["command"])], "", "permission"),
        ([result(response="")], DENIED, "permission"),
        ([result(response="\n")], "", "empty"),
        ([INIT, step("agent_response", text_delta="Half an")], "", "parse"),
    ],
)
def test_success_with_exit_code_0_is_not_an_answer(said: list[object], stderr: str, code: str) -> None:
    assert failed(reply_of("agy", *said, stderr=stderr)).code == code


EXHAUSTED = "RESOURCE_EXHAUSTED (code 429): Individual quota reached for this model. Resets in 3h20m"


@pytest.mark.parametrize(
    ("told", "code"),
    [
        (EXHAUSTED, "quota"),
        ("RESOURCE_EXHAUSTED (code 429): You have exhausted your quota on this model.", "quota"),
        ("RESOURCE_EXHAUSTED (code 429): Resource has been exhausted (e.g. check quota).", "rate_limit"),
        ("UNAVAILABLE (code 503): The model is overloaded.", "overloaded"),
        ("agent failed: UNAUTHENTICATED (code 401): API key not valid.", "auth"),
        ("PERMISSION_DENIED (code 403): No.", "permission"),
        ("ABORTED (code 500): No.", "server_error"),
        ('{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "No."}}', "rate_limit"),
        ("unknown model: gemini-9", "not_found"),
        ("model gemini-3.8-flash requires --effort", "unsupported"),
        ("Account ineligible: no", "permission"),
        ("Authentication required", "auth"),
        ("Please sign in to view available models.", "auth"),
        ("something else", "exit"),
    ],
)
def test_a_failure_has_the_code_that_its_error_gives(told: str, code: str) -> None:
    assert failed(reply_of("agy", INIT, stderr=f"AGY_ERROR: {told}", exit_code=3)).code == code
    of_result = failed(reply_of("agy", result(status="ERROR", response="", error=told), exit_code=1))
    assert of_result.code == ("unknown" if code == "exit" else code)


def test_facts_missing_elsewhere_are_read_from_the_log() -> None:
    log = f"I0928 12:00:00.000001 7 main.go:1] started\nE0928 12:00:01.000001 7 agent.go:9] {EXHAUSTED}\n"
    reply = failed(reply_of("agy", INIT, exit_code=-15, timed_out=False, report=log))
    assert (reply.code, reply.detail) == (FailureCode.QUOTA, EXHAUSTED)


def test_a_prompt_with_an_error_in_it_decides_nothing() -> None:
    reply = answered(reply_of("agy", result(response=f"AGY_ERROR: {EXHAUSTED}\n{DENIED}\n")))
    assert reply.response.startswith("AGY_ERROR")


def test_an_effort_in_the_name_of_a_model_replaces_the_option_with_a_warning() -> None:
    names = ("gemini-3.8-flash-high", "claude-opus-4-6-thinking", "gpt-oss-120b-medium", "gemini-3.8-flash", "a\nb-low")
    assert [has_own_effort(name) for name in (*names, None)] == [True, True, True, False, True, False]
    reply = answered(reply_of("agy", result(), model="gemini-3.8-flash-low", effort=Effort.HIGH))
    told = "The effort high was not passed on: the model gemini-3.8-flash-low has one in its name."
    assert reply.warnings == (told,)


@given(st.text())
def test_a_prompt_is_one_line_of_ascii_that_holds_all_of_it(prompt: str) -> None:
    line = encoded(prompt)
    assert line.isascii()
    assert line.splitlines() == [line.rstrip("\n")]
    assert json.loads(line) == {"event": "user", "message": {"content": prompt}}


@given(st.text() | st.recursive(st.none() | st.integers() | st.text(), st.lists), st.text())
def test_no_output_raises(odd: object, stderr: str) -> None:
    for event in (odd, {"event": "result", "result": odd}, {"event": "step_update", "step_update": odd}):
        reply_of("agy", event, result(response=odd, error=odd, denied_actions=odd), stderr=stderr)
