"""What Gemini CLI prints that none of the recorded outputs holds."""

import json
from functools import partial
from typing import Any

from sparring.schema.consultation import Answer, Usage
from support.children import reply_of

SESSION = "0a1b2c3d-0000-4000-8000-00000000000a"


read = partial(reply_of, "gemini", keep_session=True)


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
