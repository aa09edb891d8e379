"""What Gemini CLI prints that none of the recorded outputs holds."""

import json
from functools import partial
from typing import Any

import pytest

from sparring.schema.consultation import Answer, FailureCode, Reply, Usage
from support.children import reply_of
from support.desk import failed

SESSION = "0a1b2c3d-0000-4000-8000-00000000000a"


read = partial(reply_of, "gemini", keep_session=True)


def told(message: object, code: object = 1, *, kind: str = "Error") -> str:
    said = message if isinstance(message, str) else json.dumps(message)
    return json.dumps({"session_id": SESSION, "error": {"type": kind, "message": said, "code": code}}, indent=2)


def api(code: int = 400, status: str = "", message: str = "No.", **details: str) -> dict[str, Any]:
    return {"error": {"code": code, "status": status, "message": message, "details": [details]}}


def model(*, role: str = "main", **tokens: int) -> dict[str, Any]:
    return {"tokens": tokens, "roles": {role: {}}}


def test_the_answer_is_what_the_last_object_says() -> None:
    models = {
        "small": model(role="utility_router", prompt=100, candidates=90, thoughts=0, cached=1),
        "large": model(prompt=10, candidates=5, thoughts=3, cached=2),
    }
    result = {"session_id": SESSION, "response": 'đúng 🙂\u2028"}\n{', "stats": {"models": models}}

    assert read("{noise\n{}\n" + json.dumps(result, indent=2)) == Answer(
        tool="gemini",
        model="large",
        response='đúng 🙂\u2028"}\n{',
        session_id=SESSION,
        continuable=True,
        duration_ms=12,
        usage=Usage(input_tokens=110, cached_tokens=3, output_tokens=98, reasoning_tokens=3),
    )


def test_what_is_not_told_is_not_known_and_a_warning_is_passed_on_without_secrets() -> None:
    plain = Answer(tool="gemini", response="Yes.", duration_ms=12)
    assert read({"response": "Yes."}) == plain
    warned = {"response": "Yes.", "warnings": ["Loop detected, stopping\nexecution", "hidden open-sesame"]}
    warnings = ("Loop detected, stopping execution", "hidden [REDACTED:known-value]")
    assert read(warned, secrets=("open-sesame",)) == plain.model_copy(update={"redactions": 1, "warnings": warnings})


OF_A_PROMPT = "Not signed in: fetch failed, terminated\n{\n  ModelNotFoundError 401 unauthorized auth"
REPORTED = "Error when talking to Gemini API Full report available at: /a b/gemini-client-error-x.json "


@pytest.mark.parametrize(
    ("stderr", "code"),
    [
        (told(api(403, reason="API_KEY_SERVICE_BLOCKED")), FailureCode.PERMISSION),
        (told(api(400, reason="API_KEY_INVALID"), 400), FailureCode.AUTH),
        (told(api(400), 400), FailureCode.EXIT),
        (told(api(message="The input token count is too high"), 400), FailureCode.CONTEXT_TOO_LONG),
        (told("The input token count is too high"), FailureCode.EXIT),
        (f"{REPORTED}ModelNotFoundError: nothing\n{told('nothing')}", FailureCode.NOT_FOUND),
        (f"{REPORTED}TerminalQuotaError: no more\n{told('no more', 429)}", FailureCode.QUOTA),
        (f"{REPORTED}TerminalQuotaError: no more\n{told('no more', 503)}", FailureCode.OVERLOADED),
        (f"{REPORTED}_ApiError: {told('ModelNotFoundError')}\n{told('wait', 429)}", FailureCode.RATE_LIMIT),
        (told("fetch failed", "ECONNREFUSED"), FailureCode.CONNECTION),
        (told("terminated by the user, it says"), FailureCode.EXIT),
        (told("Manual authorization is required", 41, kind="FatalAuthenticationError"), FailureCode.AUTH),
        (f"{told('first', 401)}\n{told('second', 503)}\n", FailureCode.OVERLOADED),
        (f"{OF_A_PROMPT}\n{told(OF_A_PROMPT)}", FailureCode.EXIT),
    ],
)
def test_a_failure_is_told_by_the_last_thing_on_standard_error(stderr: str, code: FailureCode) -> None:
    assert failed(read(stderr=f"Warning: something\n{stderr}", exit_code=1)).code is code


SIGN_IN = "Error authenticating: Manual authorization is required"
UNCLEAR = "gemini printed what cannot be understood."


@pytest.mark.parametrize(
    ("reply", "code", "detail"),
    [
        *((read({"response": "", "error": {"type": "INVALID_STREAM", "message": message}}), code, message) for
            message, code in {"The model response was blocked due to safety settings.": FailureCode.PERMISSION,
            "Model stream ended with malformed function call.": FailureCode.PARSE}.items()),
        (read({"response": " \n"}), FailureCode.EMPTY, "gemini gave an empty answer."),
        (read({"session_id": SESSION}), FailureCode.EMPTY, "gemini gave an empty answer."),
        (read({"response": "Yes."}, exit_code=1), FailureCode.EXIT, "gemini ended with exit code 1."),
        (read({"response": "Yes.", "session_id": "--help"}), FailureCode.PARSE, UNCLEAR),
        (read('{"response": "Ye'), FailureCode.PARSE, "gemini ended without a result."),
        (read('{"a":' * 100_000), FailureCode.PARSE, "gemini ended without a result."),
        (read({"response": "Yes.", "session_id": SESSION}, session_id="another"), FailureCode.PARSE,
         "gemini did not continue session another but began a new one."),
        (read(stderr=f"{SIGN_IN}\n}}\n", exit_code=41), FailureCode.AUTH, f"gemini ended with exit code 41: {SIGN_IN}"),
        (read(stderr="Error resuming session: Invalid", exit_code=42), FailureCode.EXIT,
         "gemini ended with exit code 42: Error resuming session: Invalid"),
    ],
)  # fmt: skip
def test_an_output_without_a_proper_answer_is_a_failure(reply: Reply, code: FailureCode, detail: str) -> None:
    assert (failed(reply).code, failed(reply).detail) == (code, detail)
