"""Outputs of real command lines, above all of such that failed, read by the real parsers.

Those in ``endpoint`` are recorded by ``tests/e2e/test_recordings.py``, with everything that sparring adds to a call;
the others were recorded once, by hand, from calls as a user makes them, some of which take minutes to fail.
"""

import json

import pytest
from msgspec.structs import replace

from sparring.providers.cli.output import parse
from sparring.providers.receiving.causes import RETRYABLE, AskedQuestion
from sparring.schema.base import Effort
from sparring.schema.consultation import DETAIL_LIMIT, Answer, Failure, FailureCode, Reply
from sparring.text.redaction import Redactor
from support.desk import TOOLS, answered, question
from support.golden import Golden
from support.recordings import KEY, RECORDED, Recording

EVERYWHERE = {
    "401": FailureCode.AUTH,
    "403": FailureCode.PERMISSION,
    "404": FailureCode.NOT_FOUND,
    "429": FailureCode.RATE_LIMIT,
    "500": FailureCode.SERVER_ERROR,
    "cut-off": FailureCode.CONNECTION,
    "empty": FailureCode.EMPTY,
    "no-such-session": FailureCode.SESSION_NOT_FOUND,
    "too-long": FailureCode.CONTEXT_TOO_LONG,
}
"""What an endpoint did, and what it is called, whoever asked it."""

NOBODYS = "00000000-0000-4000-8000-000000000000"
GONE = frozenset({"endpoint/no-such-session", "resume-unknown"})
"""Outputs of programs that were to continue a session that is not there."""


@pytest.mark.parametrize("tool", TOOLS)
def test_every_recorded_failure_has_its_code_and_a_reason_without_secrets(tool: str, golden: Golden) -> None:
    """Which code and which sentence each gets is to be looked at when the golden file changes."""
    files = sorted((RECORDED / tool).rglob("*.json"))
    replies: dict[str, Reply] = {}
    for name in (str(file.relative_to(RECORDED / tool).with_suffix("")) for file in files):
        asked = question(effort=Effort.LOW, session_id=NOBODYS if name in GONE else None, timeout_s=45)
        replies[name] = parse(
            tool, Recording.read(f"{tool}/{name}").finished, AskedQuestion(tool, asked, Redactor([KEY]))
        )
    shown = {name: each.model_dump(mode="json", exclude_defaults=True) for name, each in replies.items()}
    golden.holds(f"replies/{tool}.json", json.dumps(shown, indent=1, ensure_ascii=False) + "\n")
    failures = {name: each for name, each in replies.items() if isinstance(each, Failure)}
    assert {name: failures[f"endpoint/{name}"].code for name in EVERYWHERE} == EVERYWHERE
    assert [name for name, each in failures.items() if each.retryable is not (each.code in RETRYABLE)] == []
    assert [name for name, each in failures.items() if not 0 < len(each.detail) <= DETAIL_LIMIT] == []
    assert KEY not in json.dumps(shown)


OVERCOME = {
    "claude/endpoint/401": "Failed to authenticate. API Error: 401 The key [REDACTED:openai] is no good",
    "codex/endpoint/429-twice": "exceeded retry limit, last status: 429 Too Many Requests",
}


@pytest.mark.parametrize(
    ("before", "after"), [("claude/endpoint/401", "claude/ok-json"), ("codex/endpoint/429-twice", "codex/ok-json")]
)
def test_an_error_that_was_overcome_in_the_same_run_is_a_notice(before: str, after: str) -> None:
    tool, said, last = before.split("/", maxsplit=1)[0], Recording.read(before).stdout, Recording.read(after)
    said = "".join(line for line in said.splitlines(keepends=True) if "turn.failed" not in line)
    finished = replace(last, stdout=said + last.stdout).finished
    plain = answered(parse(tool, last.finished, AskedQuestion(tool, question(), Redactor())))
    notice = f"{tool} reported an error and continued: {OVERCOME[before]}"
    overcome = parse(tool, finished, AskedQuestion(tool, question(), Redactor()))
    assert isinstance(overcome, Answer)
    assert overcome == plain.model_copy(update={"warnings": (notice,), "redactions": overcome.redactions})
