"""What OpenCode's events say, where the recorded outputs do not show it."""

from functools import partial
from typing import Any

import pytest

from sparring.providers.cli.output import ProgramStage, output_of
from sparring.schema.consultation import Answer, Usage
from support.children import reply_of

SESSION = "ses_e0470ced8ffe5EOC7swK7RTLqR"
PUT = "timestamp=2026-11-23T05:55:05.699Z level=INFO run=5f6042de message=stream providerID=loopback small=false\n"
STARTED: dict[str, Any] = {"type": "step_start", "sessionID": SESSION, "part": {"type": "step-start"}}

read = partial(reply_of, "opencode")


FILTERED = {"type": "error", "error": {"name": "ContentFilterError", "data": {"message": "It was blocked."}}}


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "sessionID": SESSION, "part": {"type": "text", "text": text}}


def done(reason: str = "stop", **changes: Any) -> dict[str, Any]:
    tokens = {"input": 10, "output": 4, "reasoning": 3, "cache": {"read": 2, "write": 1}}
    part = {"reason": reason, "tokens": tokens, "cost": 0} | changes
    return {"type": "step_finish", "sessionID": SESSION, "part": part}


USED: dict[str, Any] = {"input_tokens": 13, "cached_tokens": 2, "output_tokens": 7, "reasoning_tokens": 3}
"""What ``done`` tells of."""


def answer(**fields: Any) -> Answer:
    return Answer.model_validate({"tool": "opencode", "session_id": SESSION, "duration_ms": 12, **fields})


def test_the_last_step_is_the_answer_and_all_steps_were_used() -> None:
    first, second = (STARTED, said("Let me look."), done("tool-calls")), (STARTED, said("Yes."), said("Surely."))
    used = Usage(**{name: 2 * tokens for name, tokens in USED.items()})
    assert read("noise", *first, *second, done()) == answer(response="Yes.\n\nSurely.", usage=used)


@pytest.mark.parametrize(
    ("events", "asked", "expected"),
    [
        # A price that is not known is not free.
        ((STARTED, said("Yes."), done(cost=0.25)), {}, {"usage": Usage(**USED, cost_usd=0.25)}),
        ((STARTED, said("Yes."), done(tokens=None)), {}, {"usage": Usage()}),
        ((STARTED, said("Yes."), done(cost=-1)), {}, {}),
        ((said("Yes."), done()), {}, {}),  # texts without a step are an answer as well
        ((STARTED, said("Yes."), done("length")), {"session_id": SESSION},
         {"ending": "cut_off",
          "warnings": ("The answer of opencode is cut off: a limit was reached before its end.",)}),
        ((STARTED, said("Ye"), done("content-filter"), FILTERED), {},
         {"response": "Ye", "ending": "withheld",
          "warnings": ("The answer of opencode is not whole: it was stopped by a filter.",)}),
        ((FILTERED, STARTED, said("Yes."), done()), {},
         {"warnings": ("opencode reported an error and continued: It was blocked.",)}),
        ((STARTED, said("Yes."), done()), {"keep_session": True}, {"continuable": True}),
    ],
)  # fmt: skip
def test_all_known_facts_of_an_answer_are_returned(
    events: tuple[dict[str, Any], ...], asked: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert read(*events, **asked) == answer(**{"response": "Yes.", "usage": Usage(**USED), **expected})


def logged(told: str) -> str:
    """A line of its log, as it came (1.18.33)."""
    where = "providerID=loopback modelID=first session.id=ses_df9aed5e7ffe6AitDGYSlRGuAp small=false agent=sparring"
    failed = f'message="stream error" {where} mode=primary error.error="AI_APICallError: {told}"'
    return f"timestamp=2026-11-23T02:51:54.599Z level=ERROR run=e9e03793 {failed}\n"


def test_the_log_of_opencode_shows_requests_and_failures() -> None:
    requests = output_of("opencode").requests
    lines = (PUT, logged("boom"), PUT.replace("=stream", "=init"), "message=stream ", logged("boom")[1:])
    assert requests is not None
    assert requests.put is not None
    assert [bool(requests.put.match(line)) for line in lines] == [True, False, False, False, False]
    assert [bool(requests.failed.match(line)) for line in lines] == [False, True, False, False, False]


def test_its_log_names_the_model_that_it_asked() -> None:
    where = "providerID=loopback modelID=first session.id=ses_1 small=false agent=sparring mode=primary"
    log = f"{PUT.partition('=stream ')[0]}=stream {where}\n"
    small = log.replace("small=false", "small=true").replace("first", "tiny")
    assert read(STARTED, said("Yes."), done(), stderr=log + small) == answer(
        response="Yes.", usage=Usage(**USED), model="loopback/first"
    )


def test_steps_of_opencode_show_its_progress() -> None:
    progress = output_of("opencode").progress
    assert progress is not None
    over, goes_on, hopeless = ProgramStage.OVER, ProgramStage.CONTINUES, ProgramStage.HOPELESS
    events = (done("unknown"), done("stop"), done("length"), done("tool-calls"), STARTED, said("Yes."), {"type": "x"})
    assert [progress(event) for event in events] == [hopeless, over, over, goes_on, goes_on, None, None]
