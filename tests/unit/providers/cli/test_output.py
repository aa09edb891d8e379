import json
from dataclasses import replace
from typing import Any

import pytest

from sparring.providers.cli.output import parse
from sparring.providers.cli.process import FinishedProcess
from sparring.providers.failures import Asked
from sparring.schema.base import Effort, RepoAccess
from sparring.schema.consultation import DETAIL_LIMIT, Answer, Failure, FailureCode, Usage
from sparring.text.redaction import Redactor
from support.desk import answered, failed, question
from support.recordings import Recording

KNOWN_VALUE = "open sesame, and\nclose it"
HALF = '"\\ud83e"'  # of a surrogate pair, as JSON may escape it
SESSION = "01a1fb9f-c26d-72c0-a7b8-9d4de9a67beb"


def ended(stdout: str = "", *, exit_code: int | None = 0, stderr: str = "") -> FinishedProcess:
    return FinishedProcess(exit_code, stdout, stderr, timed_out=False, overflowed=False, duration_ms=12)


def recorded(name: str) -> FinishedProcess:
    return replace(Recording.read(name).finished, duration_ms=12)


def asked(tool: str = "claude", *, session_id: str | None = None, keep_session: bool = False) -> Asked:
    wanted = question(effort=Effort.LOW, session_id=session_id, keep_session=keep_session, timeout_s=30)
    return Asked(tool, wanted, Redactor([KNOWN_VALUE]))


CODEX_COUNTS = "codex counts tokens for the whole session, so those of this answer are not known."


@pytest.mark.parametrize(
    ("name", "session", "expected"),
    [
        ("claude/resume", {"session_id": "a0444993-8861-4011-9b9f-6893c1343f86", "keep_session": True},
         (True, Usage(input_tokens=1205, cached_tokens=5, output_tokens=34, reasoning_tokens=0), ())),
        ("codex/resume", {"session_id": SESSION, "keep_session": True}, (True, Usage(), (CODEX_COUNTS,))),
        ("codex/resume", {"session_id": SESSION}, (False, Usage(), (CODEX_COUNTS,))),
    ],
)  # fmt: skip
def test_a_session_goes_on_with_what_is_known_of_its_use(
    name: str, session: dict[str, Any], expected: tuple[bool, Usage, tuple[str, ...]]
) -> None:
    reply = answered(parse(name.partition("/")[0], recorded(name), asked(name.partition("/")[0], **session)))
    assert (reply.continuable, reply.usage, reply.warnings) == expected


@pytest.mark.parametrize(
    ("finished", "session_id", "code", "detail"),
    [
        (recorded("codex/ok-json"), SESSION, FailureCode.PARSE,
         f"codex did not continue session {SESSION} but began a new one."),
        (replace(recorded("codex/ok-json"), exit_code=None, timed_out=True), None, FailureCode.TIMEOUT,
         "codex gave no answer within 30 s."),
        (replace(recorded("codex/ok-json"), exit_code=-15, overflowed=True), None, FailureCode.PARSE,
         "codex printed more than 8 MiB and was ended."),
    ],
    ids=["another session", "too late", "too much"],
)  # fmt: skip
def test_an_answer_that_is_not_the_wanted_one_is_a_failure(
    finished: FinishedProcess, session_id: str | None, code: FailureCode, detail: str
) -> None:
    assert parse("codex", finished, asked("codex", session_id=session_id)) == Failure(
        tool="codex", code=code, detail=detail, duration_ms=12
    )


def claude_line(**changes: Any) -> str:
    result = {"type": "result", "subtype": "success", "is_error": False, "num_turns": 1, "terminal_reason": "completed"}
    return json.dumps(result | {"result": "Yes."} | changes, ensure_ascii=False)


def codex_lines(*events: dict[str, Any]) -> str:
    return "\n".join(json.dumps(event, ensure_ascii=False) for event in events)


STARTED = {"type": "thread.started", "thread_id": SESSION}
COMPLETED = {"type": "turn.completed", "usage": {"input_tokens": 1}}


def said(text: str) -> dict[str, Any]:
    return {"type": "item.completed", "item": {"type": "agent_message", "text": text}}


def turn_failed(message: str) -> dict[str, Any]:
    return {"type": "turn.failed", "error": {"message": message}}


TEXTS = {text: text for text in ("one\u2028two\u2029three\x85four", "“quoted” {braces}", "đúng 🙂", "a\nb\r\nc")}


@pytest.mark.parametrize(("text", "response"), [*TEXTS.items(), ("HALF", "\ufffd")])
def test_an_answer_keeps_every_character_and_half_of_one_costs_no_answer(text: str, response: str) -> None:
    lines = {
        "claude": claude_line(result=text, modelUsage={text: {}}),
        "codex": codex_lines(STARTED, said(text), COMPLETED),
        "copilot": codex_lines(
            {"type": "assistant.message", "data": {"content": text, "model": text}}, {"type": "result", "exitCode": 0}
        ),
        "gemini": json.dumps({"response": text}, ensure_ascii=False),
        "opencode": codex_lines({"type": "text", "part": {"text": text}}, {"type": "step_finish", "part": {}}),
    }
    for kind, line in lines.items():
        reply = answered(parse(kind, ended(line.replace('"HALF"', HALF)), asked(kind)))
        assert reply.response == response
        assert reply.model_dump_json()


def test_noise_around_the_result_does_not_matter_and_the_last_message_is_the_answer() -> None:
    noisy = f'[warning] one\n{{"type": "other"}}\n{claude_line()}\n{{"not": json\n{{}}\nbye\n'
    assert parse("claude", ended(noisy), asked()) == Answer(
        tool="claude", effort=Effort.LOW, response="Yes.", duration_ms=12
    )
    events = codex_lines(STARTED, said("Let me think."), {"type": "turn.started"}, said("Yes."), COMPLETED)
    reply = answered(parse("codex", ended(f"noise\n{events}\n"), asked("codex", keep_session=True)))
    assert (reply.response, reply.session_id, reply.continuable) == ("Yes.", SESSION, True)


@pytest.mark.parametrize(
    ("kind", "finished", "code"),
    [
        ("claude", ended(claude_line(is_error="perhaps")), FailureCode.PARSE),
        ("claude", ended(claude_line(session_id="--help")), FailureCode.PARSE),
        ("claude", ended('{"a":' * 100_000), FailureCode.PARSE),
        ("claude", ended(claude_line(), exit_code=1), FailureCode.EXIT),
        ("claude", ended(claude_line(result=" \n")), FailureCode.EMPTY),
        ("claude", ended(claude_line(result=None)), FailureCode.EMPTY),
        ("claude", ended(claude_line(is_error=True, api_error_status=418)), FailureCode.EXIT),
        ("claude", ended(claude_line(is_error=True, api_error_status=402)), FailureCode.QUOTA),
        ("claude", ended(claude_line(is_error=True, api_error_type="billing_error", api_error_status=400)),
         FailureCode.QUOTA),
        ("claude", ended(claude_line(is_error=True, stop_reason="refusal")), FailureCode.PERMISSION),
        ("codex", ended(codex_lines(turn_failed("stream disconnected before completion: Incomplete response returned, "
         "reason: content_filter"))), FailureCode.PERMISSION),
        ("codex", ended(codex_lines(STARTED, said("Half"))), FailureCode.PARSE),
        ("codex", ended(codex_lines(STARTED, COMPLETED)), FailureCode.EMPTY),
        ("codex", ended(codex_lines(STARTED, said("Yes."), COMPLETED), exit_code=1), FailureCode.EXIT),
        ("codex", ended('{"a":' * 100_000), FailureCode.PARSE),
        ("copilot", ended('{"a":' * 100_000), FailureCode.PARSE),
        ("codex", ended(codex_lines({"type": "turn.failed"})), FailureCode.EXIT),
    ],
)  # fmt: skip
def test_an_output_without_a_proper_answer_is_a_failure(
    kind: str, finished: FinishedProcess, code: FailureCode
) -> None:
    reply = failed(parse(kind, finished, asked(kind)))
    assert (reply.code, reply.detail != "") == (code, True)


def test_what_cannot_be_understood_of_its_use_costs_no_answer() -> None:
    finish = {"type": "step_finish", "part": {"tokens": {"input": -1, "output": 2}, "cost": "free"}}
    outputs = {
        "claude": claude_line(usage={"input_tokens": -1}, modelUsage=["m"], total_cost_usd="free"),
        "codex": codex_lines(STARTED, said("Yes."), COMPLETED | {"usage": {"input_tokens": -1}}),
        "gemini": json.dumps({"response": "Yes.", "stats": {"models": {"m": {"tokens": {"prompt": -1}}}}}),
        "opencode": codex_lines({"type": "text", "part": {"text": "Yes."}}, finish),
    }
    replies = [answered(parse(kind, ended(output), asked(kind))) for kind, output in outputs.items()]
    assert [(reply.response, reply.usage) for reply in replies] == [("Yes.", Usage())] * 4


def test_an_answer_of_claude_in_several_turns_without_tools_may_lack_its_beginning() -> None:
    told = "claude took 3 turns: if the model's limit of tokens ended one, what it said there is missing."
    reading = replace(asked(), question=question(repo_access=RepoAccess.READ))
    replies = [parse("claude", ended(claude_line(num_turns=3)), each) for each in (asked(), reading)]
    assert [answered(reply).warnings for reply in replies] == [(told,), ()]


def test_words_in_an_error_do_not_decide_its_code() -> None:
    tempting = "Tool said: unexpected status 401 Unauthorized, rate limit, Not logged in, Quota exceeded"
    codes = [
        parse("codex", ended(codex_lines(turn_failed(tempting)), exit_code=1), asked("codex")),
        parse("claude", ended(claude_line(is_error=True, result=tempting)), asked()),
        parse("claude", ended(exit_code=1, stderr=tempting), asked()),
    ]
    assert [reply.code for reply in codes if isinstance(reply, Failure)] == [FailureCode.EXIT] * 3


def test_a_detail_is_one_line_without_anything_that_acts_on_a_terminal() -> None:
    message = "\x1b[31mred\x1b[0m\x07 and\n\ttabbed \x1b]0;title\x07" + "long " * 100
    reply = failed(parse("codex", ended(codex_lines(turn_failed(message)), exit_code=1), asked("codex")))
    assert reply.detail.startswith("red and tabbed long long")
    assert reply.detail.endswith("…")
    assert len(reply.detail) <= DETAIL_LIMIT


KEY_LINE = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ"
KEY = f"-----BEGIN PRIVATE KEY-----\n{KEY_LINE}\n{KEY_LINE}\n-----END PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("finished", "detail", "redactions"),
    [
        pytest.param(ended(codex_lines(turn_failed("x " * 94 + KNOWN_VALUE))), "x " * 94 + "[REDACTED:k…", 1,
            id="cut at the limit"),
        pytest.param(ended(codex_lines(turn_failed(KNOWN_VALUE))), "[REDACTED:known-value]", 1,
            id="folded into one line"),
        pytest.param(ended(exit_code=1, stderr=f"Bad key\n{KEY[:-30]}"),
            "codex ended with exit code 1: [REDACTED:private-key]", 1, id="only its last line"),
        pytest.param(ended(codex_lines(turn_failed("ghp_\x1b[1m" + "a1B2c3D4e5F6" * 3))), "[REDACTED:github]", 1,
            id="coloured"),
    ],
)  # fmt: skip
def test_a_secret_is_taken_out_before_it_becomes_unrecognisable(
    finished: FinishedProcess, detail: str, redactions: int
) -> None:
    reply = parse("codex", finished, asked("codex"))
    assert reply == Failure(tool="codex", code=FailureCode.EXIT, detail=detail, duration_ms=12, redactions=redactions)


def test_a_secret_is_taken_out_of_a_warning_before_it_is_cut() -> None:
    warning = {"type": "item.completed", "item": {"type": "error", "message": "x " * 94 + KNOWN_VALUE}}
    reply = answered(parse("codex", ended(codex_lines(STARTED, warning, said("Yes."), COMPLETED)), asked("codex")))
    assert (reply.warnings, reply.redactions) == (("x " * 94 + "[REDACTED:k…",), 1)


@pytest.mark.parametrize(
    ("name", "model"), [("", None), ("\x1b[31mm\x00-1\n\u202e", "m-1"), ("m" * 300, "m" * (DETAIL_LIMIT - 1) + "…")]
)
def test_a_models_name_is_one_short_line(name: str, model: str | None) -> None:
    reply = answered(parse("claude", ended(claude_line(modelUsage={name: {"outputTokens": 1}})), asked()))
    assert reply.model == model
