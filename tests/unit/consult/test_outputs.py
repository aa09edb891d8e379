import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.consult.outputs import Asked, parse
from sparring.consult.process import Finished
from sparring.schema.base import Effort
from sparring.schema.consultation import DETAIL_LIMIT, Answer, Failure, FailureCode, Usage
from sparring.schema.providers import OutputKind
from sparring.text.redaction import Redactor
from support.desk import question

KNOWN_VALUE = "open sesame, and\nclose it"
GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "outputs"
SESSION = "01a1fb9f-c26d-72c0-a7b8-9d4de9a67beb"


VARIANT_UNKNOWN = "opencode passes the effort on only to models that it knows levels for, and does not tell which."
UNKNOWN_MODEL = (
    "Model metadata for `gpt-5.2-codex` not found. Defaulting to fallback metadata; this can degrade performance and "
    "cause issues."
)


def ended(stdout: str = "", *, exit_code: int | None = 0, stderr: str = "") -> Finished:
    return Finished(exit_code, stdout, stderr, timed_out=False, overflowed=False, duration_ms=12)


def golden(name: str) -> Finished:
    recorded = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    return ended(recorded["stdout"], exit_code=recorded["exit_code"], stderr=recorded["stderr"])


def kind_of(name: str) -> OutputKind:
    return OutputKind(name.split("/", maxsplit=1)[0])


def asked(tool: str = "claude", *, session_id: str | None = None, keep_session: bool = False) -> Asked:
    wanted = question(effort=Effort.LOW, session_id=session_id, keep_session=keep_session, timeout_s=30)
    return Asked(tool, wanted, Redactor([KNOWN_VALUE]))


ANSWERS = {
    "claude/ok-locked": Answer(
        tool="claude",
        model="claude-sonnet-5-5",
        effort=Effort.LOW,
        response="FAKE-OK",
        session_id="495f33a8-f5e1-4261-9e5c-215c1538105a",
        duration_ms=12,
        usage=Usage(
            input_tokens=11, cached_tokens=0, output_tokens=7, reasoning_tokens=0, cost_usd=0.00009199999999999999
        ),
    ),
    "codex/ok-json": Answer(
        tool="codex",
        effort=Effort.LOW,
        response="FAKE-OK n=71 model=gpt-6.1-sol chars=9",
        session_id="01a1fb9f-aaf6-74c1-b4cc-4e1fa1529fa6",
        duration_ms=12,
        usage=Usage(input_tokens=1200, cached_tokens=5, output_tokens=34, reasoning_tokens=0),
    ),
    "codex/ok-json-unknown-model": Answer(
        tool="codex",
        effort=Effort.LOW,
        response="FAKE-OK n=37 model=gpt-5.2-codex chars=9",
        session_id="01a1fb8e-5de7-7732-88f7-fe7832ea711b",
        duration_ms=12,
        usage=Usage(input_tokens=1200, cached_tokens=5, output_tokens=34, reasoning_tokens=0),
        warnings=(UNKNOWN_MODEL,),
    ),
    "codex/mcp-echo": Answer(
        tool="codex",
        effort=Effort.LOW,
        response="TOOL-SAID Wall time: 0.0037 seconds\nOutput:\nECHO hello from fake",
        session_id="01a1fb94-6c6d-7de3-b885-70404605aabf",
        duration_ms=12,
        usage=Usage(input_tokens=22, cached_tokens=0, output_tokens=14, reasoning_tokens=0),
        warnings=(UNKNOWN_MODEL,),
    ),
    "copilot/ok-json": Answer(
        tool="copilot",
        model="gpt-5.4",
        effort=Effort.LOW,
        response="FAKE-OK n=32 model=gpt-5.4 chars=77",
        session_id="588cb747-d789-4299-8d91-f06ca2f5cc5c",
        duration_ms=12,
    ),
    "copilot/ok-anthropic": Answer(
        tool="copilot",
        model="claude-sonnet-4.5",
        effort=Effort.LOW,
        response="FAKE-OK n=45 model=claude-sonnet-4.5 chars=69",
        session_id="fdb8f09a-680b-470d-acad-58fb216e62b2",
        duration_ms=12,
    ),
    "copilot/ok-responses": Answer(
        tool="copilot",
        model="gpt-5.4",
        effort=Effort.LOW,
        response="FAKE-OK n=46 model=gpt-5.4 chars=69",
        session_id="3b0abe8d-900e-415c-8a96-8a20abb1dd74",
        duration_ms=12,
    ),
    "copilot/locked-no-tools": Answer(
        tool="copilot",
        model="gpt-5.4",
        effort=Effort.LOW,
        response="FAKE-OK n=44 model=gpt-5.4 chars=69",
        session_id="8078eeab-e47d-4b30-8695-d4a790954079",
        duration_ms=12,
    ),
    "copilot/read-allowed": Answer(
        tool="copilot",
        model="gpt-5.4",
        effort=Effort.LOW,
        response="TOOL-SAID SECRET-IN-FILE\n",
        session_id="b81c121c-a655-4d75-9c8c-2c7b07127d6e",
        duration_ms=12,
    ),
    "opencode/ok-json": Answer(
        tool="opencode",
        effort=Effort.LOW,
        response="FAKE-OK n=51 model=fake-model chars=9",
        session_id="ses_e0470ced8ffe5EOC7swK7RTLqR",
        duration_ms=12,
        usage=Usage(input_tokens=1200, cached_tokens=5, output_tokens=34, reasoning_tokens=0, cost_usd=0.001263),
        warnings=(VARIANT_UNKNOWN,),
    ),
    "opencode/thinking": Answer(
        tool="opencode",
        effort=Effort.LOW,
        response="FAKE-THOUGHT-OK",
        session_id="ses_e046f60ddffev6pDiIJyNzvBDj",
        duration_ms=12,
        usage=Usage(input_tokens=100, cached_tokens=0, output_tokens=50, reasoning_tokens=20, cost_usd=0.0002),
        warnings=(VARIANT_UNKNOWN,),
    ),
    "opencode/read-allowed": Answer(
        tool="opencode",
        effort=Effort.LOW,
        response="TOOL-SAID <path>$PROJECT/notes.txt</path>\n<type>file</type>\n<content>\n1: SECRET-IN-FILE\n\n"
        "(End of file - total 1 lines)\n</content>",
        session_id="ses_e045f1468ffedqyJmaATAVny71",
        duration_ms=12,
        usage=Usage(input_tokens=22, cached_tokens=0, output_tokens=14, reasoning_tokens=0, cost_usd=0.00005),
        warnings=(VARIANT_UNKNOWN,),
    ),
    "gemini/ok-auto-model": Answer(
        tool="gemini",
        model="gemini-3.8-flash",
        effort=Effort.LOW,
        response="FAKE-OK n=28 model=gemini-3.8-flash chars=639",
        session_id="eb3f24fa-2305-4c0e-9502-c5a088b4ecd7",
        duration_ms=12,
        usage=Usage(input_tokens=2400, cached_tokens=10, output_tokens=68, reasoning_tokens=0),
    ),
    "gemini/ok-json": Answer(
        tool="gemini",
        model="gemini-2.5-pro",
        effort=Effort.LOW,
        response="FAKE-OK n=24 model=gemini-2.5-pro chars=639",
        session_id="bc01fde4-32a4-417f-90f1-d10d361a63ae",
        duration_ms=12,
        usage=Usage(input_tokens=1200, cached_tokens=5, output_tokens=34, reasoning_tokens=0),
    ),
}

FAILURES = {
    "claude/empty-stdin": FailureCode.EXIT,
    "claude/fail-closedport-retries0": FailureCode.CONNECTION,
    "claude/fail-e400": FailureCode.CONTEXT_TOO_LONG,
    "claude/fail-e401": FailureCode.AUTH,
    "claude/fail-e403": FailureCode.PERMISSION,
    "claude/fail-e404": FailureCode.NOT_FOUND,
    "claude/fail-e429": FailureCode.RATE_LIMIT,
    "claude/fail-e500": FailureCode.OVERLOADED,
    "claude/fail-e529": FailureCode.OVERLOADED,
    "claude/fail-empty": FailureCode.EMPTY,
    "claude/fail-hang": FailureCode.EXIT,
    "claude/fail-hang-api-timeout-5s-retries0": FailureCode.TIMEOUT,
    "claude/fail-nokey": FailureCode.AUTH,
    "claude/fail-reset": FailureCode.CONNECTION,
    "claude/fail-truncate-persistent-retries0": FailureCode.CONNECTION,
    "claude/max-turns": FailureCode.EXIT,
    "claude/resume-unknown": FailureCode.EXIT,
    "claude/session-id-in-use": FailureCode.EXIT,
    "claude/sigint-while-hanging": FailureCode.CANCELLED,
    "claude/sigterm-while-hanging": FailureCode.EXIT,
    "claude/slash-help": FailureCode.PARSE,
    "claude/unknown-flag": FailureCode.EXIT,
    "codex/empty-stdin": FailureCode.EXIT,
    "codex/fail-closed-retries0": FailureCode.EXIT,
    "codex/fail-e400": FailureCode.CONTEXT_TOO_LONG,
    "codex/fail-e401": FailureCode.AUTH,
    "codex/fail-e404": FailureCode.NOT_FOUND,
    "codex/fail-e429": FailureCode.RATE_LIMIT,
    "codex/fail-e500": FailureCode.OVERLOADED,
    "codex/fail-e503": FailureCode.OVERLOADED,
    "codex/fail-empty": FailureCode.EMPTY,
    "codex/fail-reset": FailureCode.CONNECTION,
    "codex/fail-stall-retries0": FailureCode.CONNECTION,
    "codex/fail-truncate": FailureCode.CONNECTION,
    "codex/not-a-git-repo": FailureCode.EXIT,
    "codex/sigint-while-hanging": FailureCode.EXIT,
    "codex/sigterm-while-hanging": FailureCode.EXIT,
    "codex/unknown-flag": FailureCode.EXIT,
    "gemini/empty-stdin": FailureCode.EXIT,
    "gemini/fail-e400": FailureCode.CONTEXT_TOO_LONG,
    "gemini/fail-e401": FailureCode.AUTH,
    "gemini/fail-e404": FailureCode.NOT_FOUND,
    "gemini/fail-e429-attempts1": FailureCode.RATE_LIMIT,
    "gemini/fail-e500-attempts2": FailureCode.OVERLOADED,
    "gemini/fail-e503": FailureCode.OVERLOADED,
    "gemini/fail-empty": FailureCode.EMPTY,
    "gemini/fail-hang-attempts1": FailureCode.CONNECTION,
    "gemini/fail-reset": FailureCode.CONNECTION,
    "gemini/fail-truncate": FailureCode.CONNECTION,
    "gemini/max-turns": FailureCode.EXIT,
    "gemini/no-key": FailureCode.AUTH,
    "gemini/sigint-while-hanging": FailureCode.PARSE,
    "gemini/sigterm-while-hanging": FailureCode.PARSE,
    "gemini/untrusted-folder": FailureCode.EXIT,
    "opencode/ask-auto-rejected": FailureCode.EMPTY,
    "opencode/empty-stdin": FailureCode.EXIT,
    "opencode/fail-closed": FailureCode.CONNECTION,
    "opencode/fail-e400": FailureCode.CONTEXT_TOO_LONG,
    "opencode/fail-e401": FailureCode.AUTH,
    "opencode/fail-e404": FailureCode.NOT_FOUND,
    "opencode/fail-e429": FailureCode.RATE_LIMIT,
    "opencode/fail-e500": FailureCode.OVERLOADED,
    "opencode/fail-e503": FailureCode.OVERLOADED,
    "opencode/fail-empty": FailureCode.EMPTY,
    "opencode/fail-reset": FailureCode.CONNECTION,
    "opencode/fail-truncate": FailureCode.CONNECTION,
    "opencode/resume-unknown": FailureCode.EXIT,
    "opencode/sigterm-while-hanging": FailureCode.EXIT,
    "opencode/unknown-model": FailureCode.EXIT,
    "copilot/bad-effort": FailureCode.EXIT,
    "copilot/empty-stdin": FailureCode.EXIT,
    "copilot/fail-closed": FailureCode.CONNECTION,
    "copilot/fail-e400": FailureCode.CONTEXT_TOO_LONG,
    "copilot/fail-e401": FailureCode.AUTH,
    "copilot/fail-e404": FailureCode.NOT_FOUND,
    "copilot/fail-e429": FailureCode.RATE_LIMIT,
    "copilot/fail-e500": FailureCode.OVERLOADED,
    "copilot/fail-e503": FailureCode.OVERLOADED,
    "copilot/fail-empty": FailureCode.EMPTY,
    "copilot/fail-hang": FailureCode.EXIT,
    "copilot/fail-reset": FailureCode.CONNECTION,
    "copilot/fail-stall": FailureCode.EXIT,
    "copilot/fail-truncate": FailureCode.CONNECTION,
    "copilot/no-login-no-provider": FailureCode.AUTH,
    "copilot/ok-text": FailureCode.PARSE,
    "copilot/sigterm-group": FailureCode.EXIT,
}
RETRYABLE = {"rate_limit", "overloaded", "timeout", "connection", "empty"}


def test_every_recorded_output_has_its_place_in_these_tables() -> None:
    recorded = {str(file.relative_to(GOLDEN).with_suffix("")) for file in GOLDEN.glob("*/*.json")}

    assert recorded == {*ANSWERS, *FAILURES, "claude/ok-json", "claude/resume", "codex/resume"}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_recorded_answer_is_read_whole(name: str) -> None:
    assert parse(kind_of(name), golden(name), asked(kind_of(name))) == ANSWERS[name]


@pytest.mark.parametrize("name", FAILURES)
def test_a_recorded_failure_has_its_code_and_a_sentence(name: str) -> None:
    reply = parse(kind_of(name), golden(name), asked(kind_of(name)))

    assert isinstance(reply, Failure)
    assert (reply.tool, reply.code, reply.retryable) == (
        kind_of(name),
        FAILURES[name],
        FAILURES[name].value in RETRYABLE,
    )
    assert 0 < len(reply.detail) <= DETAIL_LIMIT


@pytest.mark.parametrize(
    ("name", "detail"),
    [
        ("claude/resume-unknown", "claude ended with exit code 1: No conversation found with session ID: 20171cc3-"),
        ("claude/unknown-flag", "claude ended with exit code 1: error: unknown option '--no-such-flag'"),
        ("claude/max-turns", "Reached maximum number of turns (3)"),
        ("claude/sigterm-while-hanging", "claude ended with exit code 143."),
        ("codex/sigterm-while-hanging", "codex was ended by signal 15."),
        ("codex/unknown-flag", "codex ended with exit code 2: error: unexpected argument '--nosuch' found"),
        (
            "copilot/bad-effort",
            "copilot ended with exit code 1: error: invalid value 'bogus' for '--reasoning-effort <level>'",
        ),
        ("copilot/no-login-no-provider", "Error: No authentication information found."),
        ("copilot/sigterm-group", "copilot was ended by signal 15."),
        ("codex/fail-e401", "unexpected status 401 Unauthorized: Incorrect API key provided: sk-dummy., url: "),
    ],
)
def test_the_most_telling_line_becomes_the_detail(name: str, detail: str) -> None:
    reply = parse(kind_of(name), golden(name), asked(kind_of(name)))

    assert isinstance(reply, Failure)
    assert reply.detail.startswith(detail)


def test_a_kept_session_can_be_continued() -> None:
    reply = parse(OutputKind.CLAUDE, golden("claude/ok-json"), asked(keep_session=True))

    assert isinstance(reply, Answer)
    assert reply.continuable


def test_claude_tells_the_tokens_of_a_continued_answer_but_the_cost_of_the_session() -> None:
    name = "a0444993-8861-4011-9b9f-6893c1343f86"

    reply = parse(OutputKind.CLAUDE, golden("claude/resume"), asked(session_id=name))

    assert isinstance(reply, Answer)
    assert reply.usage == Usage(input_tokens=1205, cached_tokens=5, output_tokens=34, reasoning_tokens=0)


def test_codex_tells_only_the_tokens_of_a_whole_continued_session() -> None:
    reply = parse(OutputKind.CODEX, golden("codex/resume"), asked("codex", session_id=SESSION, keep_session=True))

    assert isinstance(reply, Answer)
    assert reply.usage == Usage()
    assert reply.warnings == ("codex counts tokens for the whole session, so those of this answer are not known.",)


def test_codex_cannot_continue_a_session_without_adding_to_it() -> None:
    reply = parse(OutputKind.CODEX, golden("codex/resume"), asked("codex", session_id=SESSION))

    assert isinstance(reply, Answer)
    assert reply.warnings[1:] == ("codex adds to a session that it continues, whether that was wanted or not.",)


def test_a_new_session_in_place_of_the_wanted_one_is_a_failure() -> None:
    reply = parse(OutputKind.CODEX, golden("codex/ok-json"), asked("codex", session_id=SESSION))

    assert reply == Failure(
        tool="codex",
        code=FailureCode.PARSE,
        detail=f"codex did not continue session {SESSION} but began a new one.",
        duration_ms=12,
    )


def test_a_timeout_is_told_whatever_was_printed() -> None:
    finished = Finished(None, golden("claude/ok-locked").stdout, "", timed_out=True, overflowed=False, duration_ms=12)

    assert parse(OutputKind.CLAUDE, finished, asked()) == Failure(
        tool="claude",
        code=FailureCode.TIMEOUT,
        detail="claude gave no answer within 30 s.",
        retryable=True,
        duration_ms=12,
    )


def test_too_much_output_is_told_and_not_read() -> None:
    finished = Finished(-15, golden("codex/ok-json").stdout, "", timed_out=False, overflowed=True, duration_ms=12)

    assert parse(OutputKind.CODEX, finished, asked("codex")) == Failure(
        tool="codex", code=FailureCode.PARSE, detail="codex printed more than 8 MiB and was ended.", duration_ms=12
    )


def claude_line(**changes: Any) -> str:
    result: dict[str, Any] = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "num_turns": 1,
        "result": "Yes.",
        "terminal_reason": "completed",
    }
    return json.dumps(result | changes, ensure_ascii=False)


def codex_lines(*events: dict[str, Any]) -> str:
    return "\n".join(json.dumps(event, ensure_ascii=False) for event in events)


STARTED = {"type": "thread.started", "thread_id": SESSION}
COMPLETED = {"type": "turn.completed", "usage": {"input_tokens": 1}}


def said(text: str) -> dict[str, Any]:
    return {"type": "item.completed", "item": {"type": "agent_message", "text": text}}


def turn_failed(message: str) -> dict[str, Any]:
    return {"type": "turn.failed", "error": {"message": message}}


@pytest.mark.parametrize("text", ["one\u2028two\u2029three\x85four", "“quoted” {braces}", "đúng 🙂", "a\nb\r\nc"])
def test_an_answer_keeps_every_character(text: str) -> None:
    replies = [
        parse(OutputKind.CLAUDE, ended(claude_line(result=text)), asked()),
        parse(OutputKind.CODEX, ended(codex_lines(STARTED, said(text), COMPLETED)), asked("codex")),
    ]

    assert [reply.response for reply in replies if isinstance(reply, Answer)] == [text, text]


def test_noise_around_the_result_does_not_matter() -> None:
    noisy = f'[warning] one\n{{"type": "other"}}\n{claude_line()}\n{{"not": json\n{{}}\nbye\n'

    reply = parse(OutputKind.CLAUDE, ended(noisy), asked())

    assert isinstance(reply, Answer)
    assert (reply.response, reply.model, reply.session_id, reply.usage) == ("Yes.", None, None, Usage())


def test_the_last_message_is_the_answer() -> None:
    events = codex_lines(STARTED, said("Let me think."), {"type": "turn.started"}, said("Yes."), COMPLETED)

    reply = parse(OutputKind.CODEX, ended(f"noise\n{events}\n"), asked("codex", keep_session=True))

    assert isinstance(reply, Answer)
    assert (reply.response, reply.session_id, reply.continuable) == ("Yes.", SESSION, True)


@pytest.mark.parametrize(
    ("kind", "finished", "code"),
    [
        (OutputKind.CLAUDE, ended(claude_line(is_error="perhaps")), FailureCode.PARSE),
        (OutputKind.CLAUDE, ended(claude_line(session_id="--help")), FailureCode.PARSE),
        (OutputKind.CLAUDE, ended(""), FailureCode.PARSE),
        (OutputKind.CLAUDE, ended('{"a":' * 100_000), FailureCode.PARSE),
        (OutputKind.CLAUDE, ended(claude_line(), exit_code=1), FailureCode.EXIT),
        (OutputKind.CLAUDE, ended(claude_line(result=" \n")), FailureCode.EMPTY),
        (OutputKind.CLAUDE, ended(claude_line(result=None)), FailureCode.EMPTY),
        (OutputKind.CLAUDE, ended(claude_line(is_error=True, api_error_status=418)), FailureCode.EXIT),
        (OutputKind.CLAUDE, ended(claude_line(is_error=True, api_error_status=402)), FailureCode.QUOTA),
        (
            OutputKind.CLAUDE,
            ended(claude_line(is_error=True, api_error_type="billing_error", api_error_status=400)),
            FailureCode.QUOTA,
        ),
        (OutputKind.CODEX, ended(""), FailureCode.PARSE),
        (OutputKind.CODEX, ended(codex_lines(STARTED, said("Half"))), FailureCode.PARSE),
        (OutputKind.CODEX, ended(codex_lines(STARTED, COMPLETED)), FailureCode.EMPTY),
        (OutputKind.CODEX, ended(codex_lines(STARTED, said("Yes."), COMPLETED), exit_code=1), FailureCode.EXIT),
        (OutputKind.CODEX, ended('{"type": "item.comp'), FailureCode.PARSE),
        (OutputKind.CODEX, ended('{"a":' * 100_000), FailureCode.PARSE),
        (OutputKind.CODEX, ended(codex_lines({"type": "turn.failed"})), FailureCode.EXIT),
    ],
)
def test_an_output_without_a_proper_answer_is_a_failure(
    kind: OutputKind, finished: Finished, code: FailureCode
) -> None:
    reply = parse(kind, finished, asked(kind))

    assert isinstance(reply, Failure)
    assert (reply.code, reply.detail != "") == (code, True)


def test_words_in_an_error_do_not_decide_its_code() -> None:
    tempting = "Tool said: unexpected status 401 Unauthorized, rate limit, Not logged in, Quota exceeded"

    codes = [
        parse(OutputKind.CODEX, ended(codex_lines(turn_failed(tempting)), exit_code=1), asked("codex")),
        parse(OutputKind.CLAUDE, ended(claude_line(is_error=True, result=tempting)), asked()),
        parse(OutputKind.CLAUDE, ended(exit_code=1, stderr=tempting), asked()),
    ]

    assert [reply.code for reply in codes if isinstance(reply, Failure)] == [FailureCode.EXIT] * 3


def test_a_detail_is_one_line_without_anything_that_acts_on_a_terminal() -> None:
    message = "\x1b[31mred\x1b[0m\x07 and\n\ttabbed \x1b]0;title\x07" + "long " * 100

    reply = parse(OutputKind.CODEX, ended(codex_lines(turn_failed(message)), exit_code=1), asked("codex"))

    assert isinstance(reply, Failure)
    assert reply.detail.startswith("red and tabbed long long")
    assert reply.detail.endswith("…")
    assert len(reply.detail) <= DETAIL_LIMIT


KEY_LINE = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ"
KEY = f"-----BEGIN PRIVATE KEY-----\n{KEY_LINE}\n{KEY_LINE}\n-----END PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("finished", "detail", "redactions"),
    [
        pytest.param(
            ended(codex_lines(turn_failed("x " * 94 + KNOWN_VALUE))),
            "x " * 94 + "[REDACTED:k…",
            1,
            id="cut at the limit",
        ),
        pytest.param(
            ended(codex_lines(turn_failed(KNOWN_VALUE))), "[REDACTED:known-value]", 1, id="folded into one line"
        ),
        pytest.param(
            ended(exit_code=1, stderr=f"Bad key\n{KEY[:-30]}"),
            "codex ended with exit code 1: [REDACTED:private-key]",
            1,
            id="only its last line",
        ),
        pytest.param(
            ended(codex_lines(turn_failed("ghp_\x1b[1m" + "a1B2c3D4e5F6" * 3))), "[REDACTED:github]", 1, id="coloured"
        ),
    ],
)
def test_a_secret_is_taken_out_before_it_becomes_unrecognisable(
    finished: Finished, detail: str, redactions: int
) -> None:
    reply = parse(OutputKind.CODEX, finished, asked("codex"))

    assert reply == Failure(tool="codex", code=FailureCode.EXIT, detail=detail, duration_ms=12, redactions=redactions)


def test_a_secret_is_taken_out_of_a_warning_before_it_is_cut() -> None:
    warning = {"type": "item.completed", "item": {"type": "error", "message": "x " * 94 + KNOWN_VALUE}}

    reply = parse(OutputKind.CODEX, ended(codex_lines(STARTED, warning, said("Yes."), COMPLETED)), asked("codex"))

    assert isinstance(reply, Answer)
    assert (reply.warnings, reply.redactions) == (("x " * 94 + "[REDACTED:k…",), 1)


HALF = '"\\ud83e"'  # of a surrogate pair, as JSON may escape it


def test_half_a_character_does_not_cost_the_answer() -> None:
    lines = {
        OutputKind.CLAUDE: claude_line(result="HALF", modelUsage={"HALF": {}}),
        OutputKind.CODEX: codex_lines(STARTED, said("HALF"), COMPLETED),
    }

    replies = [parse(kind, ended(text.replace('"HALF"', HALF)), asked(kind)) for kind, text in lines.items()]

    assert [reply.response for reply in replies if isinstance(reply, Answer)] == ["\ufffd", "\ufffd"]
    assert all(reply.model_dump_json() for reply in replies)


@pytest.mark.parametrize(
    ("name", "model"),
    [("", None), ("\x1b[31mm\x00-1\n\u202e", "m-1"), ("m" * 300, "m" * (DETAIL_LIMIT - 1) + "…")],
)
def test_a_models_name_is_one_short_line(name: str, model: str | None) -> None:
    reply = parse(OutputKind.CLAUDE, ended(claude_line(modelUsage={name: {"outputTokens": 1}})), asked())

    assert isinstance(reply, Answer)
    assert reply.model == model


TEXT = st.text(st.characters(), max_size=20) | st.sampled_from(["\ud83e", "\x00"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
KNOWN_KEYS = st.sampled_from(
    ["type", "item", "usage", "error", "thread_id", "subtype", "is_error", "result", "modelUsage", "session_id"]
)
KNOWN_VALUES = st.sampled_from(
    ["result", "success", "item.completed", "turn.completed", "turn.failed", "Yes.", 0, True]
)
EVENTS = st.dictionaries(KNOWN_KEYS, KNOWN_VALUES | JSON, max_size=8).map(json.dumps)


@given(
    kind=st.sampled_from(OutputKind),
    lines=st.lists(EVENTS | st.text(max_size=40), max_size=6),
    exit_code=st.sampled_from([0, 1, -9]),
)
def test_no_output_whatever_raises(kind: OutputKind, lines: list[str], exit_code: int) -> None:
    reply = parse(kind, ended("\n".join(lines), exit_code=exit_code, stderr="\n".join(lines)), asked(kind))

    assert type(reply).model_validate_json(reply.model_dump_json()) == reply
