"""What outputs say that none of the recorded ones holds: those of all, of Claude Code, of Codex and of Gemini CLI."""

import json
from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace

from sparring.processes.children import FinishedProcess
from sparring.providers.cli.output import parse
from sparring.providers.receiving.causes import AskedQuestion
from sparring.schema.base import RepoAccess
from sparring.schema.consultation import DETAIL_LIMIT, Answer, Ending, Failure, FailureCode, Reply, Usage
from sparring.text.redaction import Redactor
from support.children import reply_of
from support.desk import answered, failed, question
from support.recordings import Recording
from support.texts import cases

KNOWN_VALUE = "open sesame, and\nclose it"
SESSION = "01a1fb9f-c26d-72c0-a7b8-9d4de9a67beb"

claude, codex = partial(reply_of, "claude"), partial(reply_of, "codex")
gemini = partial(reply_of, "gemini", keep_session=True)


def recorded(name: str, finished: FinishedProcess | None = None, **asked: Any) -> Reply:
    tool = name.partition("/")[0]
    return parse(tool, finished or Recording.read(name).finished, AskedQuestion(tool, question(**asked), Redactor()))


def test_a_continued_session_starts_from_its_known_usage() -> None:
    of_claude = recorded("claude/resume", session_id="a0444993-8861-4011-9b9f-6893c1343f86", keep_session=True)
    of_codex = recorded("codex/resume", session_id=SESSION, keep_session=True)
    used = Usage(input_tokens=1205, cached_tokens=5, output_tokens=34, reasoning_tokens=0)
    unknown = "codex counts tokens for the whole session, so those of this answer are not known."
    assert [(reply.continuable, reply.usage, reply.warnings) for reply in map(answered, (of_claude, of_codex))] == [
        (True, used, ()),
        (True, Usage(), (unknown,)),
    ]


def test_an_answer_that_is_not_the_wanted_one_is_a_failure() -> None:
    name, anew = "codex/ok-json", f"codex did not continue session {SESSION} but began a new one."
    ended = replace(Recording.read(name).finished, exit_code=-15, overflowed=True)
    replies = {
        anew: recorded(name, session_id=SESSION),
        "codex printed more than 8 MiB and was stopped.": recorded(name, replace(ended, stdout=ended.stdout[:120])),
    }
    for detail, reply in replies.items():
        assert reply == Failure(tool="codex", code=FailureCode.PARSE, detail=detail, duration_ms=1)
    failed = recorded("text", replace(Recording.read(name).finished, exit_code=1))
    assert isinstance(failed, Failure)  # whatever it has printed


def result(**changes: Any) -> dict[str, Any]:
    """What Claude Code prints."""
    ended = {"type": "result", "subtype": "success", "is_error": False, "num_turns": 1, "terminal_reason": "completed"}
    return ended | {"result": "Yes."} | changes


STARTED = {"type": "thread.started", "thread_id": SESSION}
COMPLETED = {"type": "turn.completed", "usage": {"input_tokens": 1}}
DEEP = '{"a":' * 100_000
FIRST_OF_DEEP = ('{"a":' * 20)[:99] + "…"
EVENTFUL = ("claude", "codex", "copilot", "gemini", "opencode")


def said(text: str) -> dict[str, Any]:
    return {"type": "item.completed", "item": {"type": "agent_message", "text": text}}


def turn_failed(message: str) -> dict[str, Any]:
    return {"type": "turn.failed", "error": {"message": message}}


TEXTS = {text: text for text in ("one\u2028two\u2029three\x85four", "“quoted” {braces} đúng 🙂", "a\nb\r\nc")}


@pytest.mark.parametrize(("text", "response"), [*TEXTS.items(), ("\ud83e", "\ufffd")])
def test_an_answer_keeps_every_character_and_half_of_one_costs_no_answer(text: str, response: str) -> None:
    message = {"type": "assistant.message", "data": {"content": text, "model": text}}
    replies = [
        claude(result(result=text, modelUsage={text: {}})),
        codex(STARTED, said(text), COMPLETED),
        reply_of("copilot", message, {"type": "result", "exitCode": 0}),
        reply_of("gemini", {"response": text}),
        reply_of("opencode", {"type": "text", "part": {"text": text}}, {"type": "step_finish", "part": {}}),
    ]
    assert [answered(reply).response for reply in replies] == [response] * 5
    assert all(reply.model_dump_json() for reply in replies)


def test_noise_around_the_result_does_not_matter_and_the_last_message_is_the_answer() -> None:
    noisy = ("[warning] one", {"type": "other"}, result(result="No."), result(), '{"not": json', "{}", "bye\n")
    assert claude(*noisy) == Answer(tool="claude", response="Yes.", duration_ms=12)
    events = ("noise", STARTED, said("Let me think."), {"type": "turn.started"}, said("Yes."), COMPLETED, "")
    reply = answered(codex(*events, keep_session=True))
    assert (reply.response, reply.session_id, reply.continuable) == ("Yes.", SESSION, True)


@pytest.mark.parametrize(
    ("tool", "printed", "finish", "code", "detail"),
    [
        *cases("outputs"),
        *(
            (tool, [DEEP], {}, "parse", f"{tool} ended without a result; it printed: {FIRST_OF_DEEP}")
            for tool in EVENTFUL
        ),
    ],
)
def test_an_output_without_a_proper_answer_is_a_failure(
    tool: str, printed: list[Any], finish: dict[str, Any], code: str, detail: str
) -> None:
    reply = failed(reply_of(tool, *printed, **finish))
    assert (reply.code, reply.detail) == (code, detail)


def test_unreadable_usage_does_not_cost_the_answer() -> None:
    finish = {"type": "step_finish", "part": {"tokens": {"input": -1, "output": 2}, "cost": "free"}}
    replies = [
        claude(result(usage={"input_tokens": -1}, modelUsage=["m"], total_cost_usd="free")),
        codex(STARTED, said("Yes."), COMPLETED | {"usage": {"input_tokens": -1}}),
        reply_of("gemini", {"response": "Yes.", "stats": {"models": {"m": {"tokens": {"prompt": -1}}}}}),
        reply_of("opencode", {"type": "text", "part": {"text": "Yes."}}, finish),
    ]
    assert [(reply.response, reply.usage) for reply in map(answered, replies)] == [("Yes.", Usage())] * 4


def test_an_answer_of_claude_in_several_turns_without_tools_lacks_its_beginning() -> None:
    notices = (
        "The answer of claude is cut off: a limit was reached before its end.",
        "claude took 3 turns and printed only the last one: earlier text is missing.",
    )
    replies = [claude(result(num_turns=3)), claude(result(num_turns=3), repo_access=RepoAccess.READ)]
    assert [(reply.ending, reply.warnings) for reply in map(answered, replies)] == [
        (Ending.CUT_OFF, notices),
        (Ending.COMPLETE, ()),
    ]


KEY_LINE = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ"
BAD_KEY = f"Bad key\n-----BEGIN PRIVATE KEY-----\n{KEY_LINE}\n{KEY_LINE[:-4]}"
SECRETIVE = "x " * 94 + KNOWN_VALUE
CUT = "x " * 94 + "[REDACTED:k…"
ACTING = "\x1b[31mred\x1b[0m\x07 and\n\ttabbed \x1b]0;title\x07"


@pytest.mark.parametrize(
    ("reply", "detail", "redactions"),
    [
        (codex(turn_failed(SECRETIVE), secrets=[KNOWN_VALUE]), CUT, 1),
        (codex(exit_code=1, stderr=BAD_KEY), "codex ended with exit code 1: [REDACTED:private-key]", 1),
        (codex(turn_failed("ghp_\x1b[1m" + "a1B2c3D4e5F6" * 3)), "[REDACTED:github]", 1),
        (codex(turn_failed(ACTING + "x" * DETAIL_LIMIT)), "red and tabbed " + "x" * (DETAIL_LIMIT - 16) + "…", 0),
    ],
    ids=["cut at the limit", "only the last line of a key", "coloured", "what acts on a terminal"],
)
def test_a_detail_is_one_line_and_redacted_before_it_is_shortened(reply: Reply, detail: str, redactions: int) -> None:
    code = FailureCode.EXIT if detail.startswith("codex ended") else FailureCode.UNKNOWN
    assert reply == Failure(tool="codex", code=code, detail=detail, duration_ms=12, redactions=redactions)


def test_a_warning_is_redacted_before_it_is_cut() -> None:
    warning = {"type": "item.completed", "item": {"type": "error", "message": SECRETIVE}}
    reply = answered(codex(STARTED, warning, said("Yes."), COMPLETED, secrets=[KNOWN_VALUE]))
    assert (reply.warnings, reply.redactions) == ((CUT,), 1)


def test_a_models_name_is_one_short_line() -> None:
    names = {"": None, "\x1b[31mm\x00-1\n\u202e": "m-1", "m" * 300: "m" * (DETAIL_LIMIT - 1) + "…"}
    replies = [claude(result(modelUsage={name: {"outputTokens": 1}})) for name in names]
    assert [answered(reply).model for reply in replies] == [*names.values()]


def model_of_gemini(*, role: str = "main", **tokens: int) -> dict[str, Any]:
    return {"tokens": tokens, "roles": {role: {}}}


def test_the_last_object_is_the_answer_of_gemini() -> None:
    models = {
        "small": model_of_gemini(role="utility_router", prompt=100, candidates=90, thoughts=0, cached=1),
        "large": model_of_gemini(prompt=10, candidates=5, thoughts=3, cached=2),
    }
    result = {"session_id": SESSION, "response": 'đúng 🙂\u2028"}\n{', "stats": {"models": models}}

    assert gemini("{noise\n{}\n" + json.dumps(result, indent=2)) == Answer(
        tool="gemini",
        model="large",
        response='đúng 🙂\u2028"}\n{',
        session_id=SESSION,
        continuable=True,
        duration_ms=12,
        usage=Usage(input_tokens=110, cached_tokens=3, output_tokens=98, reasoning_tokens=3),
    )


def test_missing_facts_of_gemini_stay_unknown_and_warnings_are_redacted() -> None:
    plain = Answer(tool="gemini", response="Yes.", duration_ms=12)
    assert gemini({"response": "Yes."}) == plain
    warned = {"response": "Yes.", "warnings": ["Loop detected, stopping\nexecution", "hidden open-sesame"]}
    warnings = ("Loop detected, stopping execution", "hidden [REDACTED:known-value]")
    assert gemini(warned, secrets=("open-sesame",)) == plain.model_copy(update={"redactions": 1, "warnings": warnings})


NOT_SERVED = (
    "This client is no longer supported for Gemini Code Assist for individuals. To continue using Gemini, please "
    "migrate to the Antigravity suite of products: https://antigravity.google"
)


@pytest.mark.parametrize(
    ("stderr", "printed"),
    [
        (
            f"a warning\nError authenticating: IneligibleTierError: {NOT_SERVED}\n    at throwIneligible (chunk.js:1)",
            [],
        ),
        (f"IneligibleTierError: UNSUPPORTED_CLIENT — {NOT_SERVED}", []),
        (f"Failed to sign in. Message: {NOT_SERVED}", []),
        ("", [{"session_id": "s", "error": {"type": "IneligibleTierError", "message": "x", "code": 1}}]),
        ("", [{"session_id": "s", "error": {"type": "Error", "message": NOT_SERVED}}]),
    ],
)
def test_an_account_that_google_no_longer_serves_gets_advice(stderr: str, printed: list[object]) -> None:
    reply = failed(gemini(*printed, stderr=stderr, exit_code=1))
    assert reply.code == FailureCode.PERMISSION
    assert reply.detail == (
        "Google serves Gemini CLI no longer to this account (free, Pro or Ultra): "
        "set GEMINI_API_KEY, or use Antigravity CLI (`agy`) or the API (`google`)."
    )
