"""Outputs of real command lines that failed, read by the real parsers.

Those in ``endpoint`` are recorded by ``tests/e2e/test_recordings.py``, with everything that sparring adds to a call;
the others were recorded once, by hand, from calls as a user makes them, some of which take minutes to fail.
"""

from dataclasses import replace

import pytest

from sparring.consult.failures import RETRYABLE
from sparring.consult.outputs import Asked, parse
from sparring.schema.consultation import DETAIL_LIMIT, Answer, Failure, FailureCode
from sparring.schema.providers import OutputKind
from sparring.text.redaction import Redactor
from support.desk import question
from support.recordings import KEY, RECORDED, Recording

AUTH, CONNECTION, EXIT, OVERLOADED = (
    FailureCode.AUTH, FailureCode.CONNECTION, FailureCode.EXIT, FailureCode.OVERLOADED
)  # fmt: skip

EVERYWHERE = {
    "endpoint/401": AUTH,
    "endpoint/403": FailureCode.PERMISSION,
    "endpoint/404": FailureCode.NOT_FOUND,
    "endpoint/429": FailureCode.RATE_LIMIT,
    "endpoint/500": OVERLOADED,
    "endpoint/cut-off": CONNECTION,
    "endpoint/empty": FailureCode.EMPTY,
    "endpoint/no-such-session": EXIT,
    "endpoint/too-long": FailureCode.CONTEXT_TOO_LONG,
    "empty-stdin": EXIT,
    "fail-e400": FailureCode.CONTEXT_TOO_LONG,
    "fail-e401": AUTH,
    "fail-e404": FailureCode.NOT_FOUND,
    "fail-empty": FailureCode.EMPTY,
    "fail-reset": CONNECTION,
}
DROPPED = {"endpoint/closed": CONNECTION, "endpoint/reset": CONNECTION}
CODES: dict[str, dict[str, FailureCode]] = {
    "claude": EVERYWHERE | DROPPED | {
        "endpoint/529": OVERLOADED,
        "endpoint/signed-out": AUTH,
        "fail-closedport-retries0": CONNECTION,
        "fail-e403": FailureCode.PERMISSION,
        "fail-e429": FailureCode.RATE_LIMIT,
        "fail-e500": OVERLOADED,
        "fail-e529": OVERLOADED,
        "fail-hang": EXIT,
        "fail-hang-api-timeout-5s-retries0": FailureCode.TIMEOUT,
        "fail-nokey": AUTH,
        "fail-truncate-persistent-retries0": CONNECTION,
        "max-turns": EXIT,
        "resume-unknown": EXIT,
        "session-id-in-use": EXIT,
        "sigint-while-hanging": FailureCode.CANCELLED,
        "sigterm-while-hanging": EXIT,
        "slash-help": FailureCode.PARSE,
        "unknown-flag": EXIT,
    },
    "codex": EVERYWHERE | DROPPED | {
        "endpoint/529": OVERLOADED,
        "endpoint/429-twice": FailureCode.RATE_LIMIT,
        "fail-closed-retries0": EXIT,
        "fail-e429": FailureCode.RATE_LIMIT,
        "fail-e500": OVERLOADED,
        "fail-e503": OVERLOADED,
        "fail-stall-retries0": CONNECTION,
        "fail-truncate": CONNECTION,
        "not-a-git-repo": EXIT,
        "sigint-while-hanging": EXIT,
        "sigterm-while-hanging": EXIT,
        "unknown-flag": EXIT,
    },
    "copilot": EVERYWHERE | DROPPED | {
        "endpoint/429-and-late": FailureCode.RATE_LIMIT,
        "endpoint/signed-out": AUTH,
        "bad-effort": EXIT,
        "fail-closed": CONNECTION,
        "fail-e429": FailureCode.RATE_LIMIT,
        "fail-e500": OVERLOADED,
        "fail-e503": OVERLOADED,
        "fail-hang": EXIT,
        "fail-stall": EXIT,
        "fail-truncate": CONNECTION,
        "no-login-no-provider": AUTH,
        "ok-text": FailureCode.PARSE,
        "sigterm-group": EXIT,
    },
    "gemini": EVERYWHERE | DROPPED | {
        "endpoint/cut-off-at-once": CONNECTION,
        "endpoint/late": FailureCode.TIMEOUT,
        "endpoint/signed-out": AUTH,
        "fail-e429-attempts1": FailureCode.RATE_LIMIT,
        "fail-e500-attempts2": OVERLOADED,
        "fail-e503": OVERLOADED,
        "fail-hang-attempts1": CONNECTION,
        "fail-truncate": CONNECTION,
        "max-turns": EXIT,
        "no-key": AUTH,
        "sigint-while-hanging": FailureCode.PARSE,
        "sigterm-while-hanging": FailureCode.PARSE,
        "untrusted-folder": EXIT,
    },
    "opencode": EVERYWHERE | {
        "endpoint/spent": FailureCode.QUOTA,
        "endpoint/unknown-model": EXIT,
        "ask-auto-rejected": FailureCode.EMPTY,
        "fail-closed": CONNECTION,
        "fail-e429": FailureCode.RATE_LIMIT,
        "fail-e500": OVERLOADED,
        "fail-e503": OVERLOADED,
        "fail-truncate": CONNECTION,
        "resume-unknown": EXIT,
        "sigterm-while-hanging": EXIT,
        "unknown-model": EXIT,
    },
}  # fmt: skip


def failure(name: str, *, session_id: str | None = None, model: str | None = None) -> Failure:
    """What the recording of that name becomes."""
    tool = name.split("/", maxsplit=1)[0]
    asked = Asked(tool, question(session_id=session_id, model=model, timeout_s=45), Redactor([KEY]))
    reply = parse(OutputKind(tool), Recording.read(name).finished, asked)
    assert isinstance(reply, Failure), reply
    return reply


@pytest.mark.parametrize("tool", CODES)
def test_every_recorded_failure_has_its_code_and_a_reason_without_secrets(tool: str) -> None:
    found = {name: failure(f"{tool}/{name}") for name in CODES[tool]}

    assert {name: reply.code for name, reply in found.items()} == CODES[tool]
    assert [name for name, reply in found.items() if reply.retryable is not (reply.code in RETRYABLE)] == []
    assert [name for name, reply in found.items() if not 0 < len(reply.detail) <= DETAIL_LIMIT] == []
    told = {name: (KEY in reply.detail, "[REDACTED" in reply.detail, reply.redactions) for name, reply in found.items()}
    assert {name: each for name, each in told.items() if each not in {(False, False, 0), (False, True, 1)}} == {}
    assert [(each.tool, each.duration_ms) for each in found.values()] == [(tool, 1)] * len(found)


UNKNOWN = "Unexpected server error. Check server logs for details."
NOBODYS = "00000000-0000-4000-8000-000000000000"


@pytest.mark.parametrize(
    ("name", "asked", "detail"),
    [
        (
            "copilot/endpoint/429-and-late",
            {},
            "copilot gave no answer within 45 s; its last try failed with status 429.",
        ),
        ("gemini/endpoint/no-such-session", {"session_id": NOBODYS}, f"gemini has no session {NOBODYS}."),
        (
            "gemini/endpoint/signed-out",
            {},
            "gemini is not signed in: run `gemini` once, or set GEMINI_API_KEY.",
        ),
        ("opencode/endpoint/cut-off", {}, "opencode was given an answer that broke off."),
        (
            "opencode/endpoint/no-such-session",
            {"session_id": "ses_00000000000000000000000000"},
            "opencode has no session ses_00000000000000000000000000.",
        ),
        (
            "opencode/endpoint/unknown-model",
            {"model": "a/b"},
            f"opencode failed before it asked a/b; does `opencode models` list it? {UNKNOWN}",
        ),
        ("claude/max-turns", {}, "Reached maximum number of turns (3)"),
        ("claude/sigterm-while-hanging", {}, "claude ended with exit code 143."),
        ("codex/sigterm-while-hanging", {}, "codex was ended by signal 15."),
    ],
)
def test_what_a_tool_does_not_say_itself_is_said_for_it(name: str, asked: dict[str, str], detail: str) -> None:
    assert failure(name, **asked).detail == detail


@pytest.mark.parametrize(
    ("failed", "answered"), [("claude/endpoint/401", "claude/ok-json"), ("codex/endpoint/429-twice", "codex/ok-json")]
)
def test_what_was_overcome_in_the_same_run_is_no_failure(failed: str, answered: str) -> None:
    tool, before, after = failed.split("/", maxsplit=1)[0], Recording.read(failed).stdout, Recording.read(answered)
    before = "".join(line for line in before.splitlines(keepends=True) if "turn.failed" not in line)
    finished = replace(after, stdout=before + after.stdout).finished

    reply = parse(OutputKind(tool), finished, Asked(tool, question(), Redactor()))

    assert isinstance(reply, Answer), reply
    assert reply == parse(OutputKind(tool), after.finished, Asked(tool, question(), Redactor()))


def test_every_recording_of_a_failing_endpoint_is_read() -> None:
    recorded = {str(file.relative_to(RECORDED).with_suffix("")) for file in RECORDED.glob("*/endpoint/*.json")}

    assert recorded == {f"{tool}/{name}" for tool in CODES for name in CODES[tool] if name.startswith("endpoint/")}
