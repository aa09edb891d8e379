"""What each model API is asked, and everything that it can answer."""

import gzip
from typing import Any

import pytest

from sparring.providers.api.http import RESPONSE_LIMIT
from sparring.schema.base import Effort
from sparring.schema.consultation import Answer, FailureCode, Question, Usage
from sparring.schema.providers import ApiProvider
from sparring.testing.dialects import CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS
from sparring.testing.model_endpoint import Hang, ModelEndpoint, Refuse, Send
from support.apis import HOSTED, LOCAL, STREAM, TOLD, built_in, environment, event, failure, own, reply_of, told_in_json
from support.desk import answered, question

PACKED = STREAM | {"content-encoding": "gzip"}
HTML = {"content-type": "text/html; charset=utf-8"}
DONE = b"data: [DONE]\n\n"


def chunk(text: str, finish_reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish_reason}
    return event({"model": "some-model", "choices": [choice]})


def answer(response: str = TOLD, *warnings: str) -> Answer:
    return Answer(tool="mine", model="some-model", response=response, duration_ms=0, warnings=warnings)


@pytest.mark.parametrize("name", [*HOSTED, *LOCAL])
async def test_an_answer_is_heard_with_its_model_and_what_it_used(name: str, endpoint: ModelEndpoint) -> None:
    spec, asked = built_in(name), question(model="some-model", effort=Effort.MEDIUM)
    usage = Usage(
        input_tokens=INPUT_TOKENS + (CACHED_TOKENS if name == "anthropic" else 0),  # which tells it beside the input
        cached_tokens=CACHED_TOKENS,
        output_tokens=OUTPUT_TOKENS,
        reasoning_tokens=None if name in {"anthropic", "google"} else 0,
    )
    heard = {"tool": name, "effort": None if name in LOCAL else Effort.MEDIUM, "usage": usage}
    assert await reply_of(spec, environment(spec, endpoint.url), asked) == answer().model_copy(update=heard)


@pytest.mark.parametrize("name", HOSTED)
async def test_a_prompt_of_one_mebibyte_arrives_as_it_is(name: str, endpoint: ModelEndpoint) -> None:
    spec = built_in(name)
    prompt = "/help -p @/etc/passwd $(id) `x` \"q\" 'q' \\ \r\n\t Phở 𝄞 \u2028 "
    prompt *= 2**20 // len(prompt.encode()) + 1
    await reply_of(spec, environment(spec, endpoint.url), question(prompt, model="some-model"))
    assert endpoint.request.prompt == prompt


def streamed(*pieces: bytes, **how: Any) -> Send:
    return Send(pieces, headers=STREAM, **how)


def choice(**fields: object) -> bytes:
    return event({"choices": [fields]})


THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
PARTS = choice(delta={"content": [THOUGHT, {"type": "text", "text": "Phở, "}]})
ALL = chunk(TOLD, "stop")
CUT = "its answer is cut off."
BYTES = chunk("Phở, ") + chunk("𝄞", "stop") + DONE
WHOLE: dict[str, tuple[Send, Answer]] = {
    "byte by byte": (streamed(*(bytes([byte]) for byte in BYTES)), answer("Phở, 𝄞")),
    "packed": (Send((gzip.compress(ALL + DONE),), headers=PACKED, whole=True), answer()),
    "without the mark of the end": (streamed(ALL), answer()),
    "nothing is waited for after the mark": (streamed(ALL, DONE, stalled=True), answer()),
    "broken after the end": (streamed(ALL, b"data: {\n\n"), answer()),
    "more after the end": (streamed(ALL, DONE + chunk(" And more.")), answer()),
    "thoughts and parts": (streamed(PARTS, chunk("𝄞", "stop")), answer("Phở, 𝄞")),
    "another choice": (streamed(choice(index=1, delta={"content": "No."}), ALL), answer()),
    "the limit of tokens": (streamed(chunk("Half of", "length"), DONE),
        answer("Half of", f"mine reached a limit of tokens (length): {CUT}")),
    "a filter": (streamed(chunk("Half of", "content_filter"), DONE),
        answer("Half of", f"mine was stopped by a filter, or refused to go on (content_filter): {CUT}")),
}  # fmt: skip


@pytest.mark.parametrize(("send", "expected"), WHOLE.values(), ids=WHOLE)
async def test_a_whole_answer_is_heard_however_it_comes(
    send: Send, expected: Answer, endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    endpoint.behaviour = send
    assert await reply_of(mine, {}, question()) == expected
    assert {name.lower(): value for name, value in endpoint.request.headers.items()}["accept-encoding"] == "identity"


HALF = chunk("Half of")
BOMB = gzip.compress(bytes(RESPONSE_LIMIT + 2**20))
NO_EVENT, TOO_MUCH = "mine: it sent an event that cannot be understood", "mine: more than 8 MiB came"
NO_ANSWERS: dict[str, tuple[Send | Refuse, str, str]] = {
    "empty": (streamed(chunk(" ", "stop"), DONE), "empty", "mine: the answer is empty"),
    "cut": (streamed(chunk("", "length"), DONE), "empty",
        "mine: the limit of tokens was reached before anything was said (length)"),
    "withheld": (streamed(chunk("", "content_filter"), DONE), "permission",
        "mine: the answer was withheld (content_filter)"),
    "refused": (streamed(choice(delta={"refusal": "I will not."}, finish_reason="stop"), DONE), "permission",
        "mine: the model refused to answer: I will not."),
    "error": (streamed(HALF, event({"error": {"code": 502, "message": "Broken."}})), "server_error", "Broken."),
    "an error without words": (streamed(chunk("Half of", "error"), DONE), "connection",
        "mine: its answer broke off (error)"),
    "broken off": (streamed(HALF), "connection", "mine: its answer broke off before the end"),
    "wrong type": (streamed(HALF, event({"choices": 3})), "parse", NO_EVENT),
    "too deep": (streamed(b"data: " + b"[" * 100_000 + b"\n\n"), "parse", NO_EVENT),
    "too long": (streamed(b": " + b"." * RESPONSE_LIMIT + b"\n"), "parse", TOO_MUCH),
    "html": (Send((b"<p>Sign in.</p>",), headers=HTML), "parse",
        "mine: it answered with text/html and not with a stream of events"),
    "error with 200": (told_in_json({"error": {"code": "insufficient_quota", "message": "Pay."}}), "quota", "Pay."),
    "redirect": (Send((b"Moved.",), 307, {"location": "http://127.0.0.1:1/v1"}), "connection",
        "mine: it sent us to another address (status 307), which is not followed"),
    "no words": (Send((b"<p>No.</p>",), 400, HTML), "exit", "mine: it answered with status 400"),
    "deep error": (Send((b"[" * 100_000,), 413), "context_too_long", "mine: it answered with status 413"),
    "long error": (Send((b"x" * (RESPONSE_LIMIT + 1),), 404), "not_found", "mine: it answered with status 404"),
    "old vLLM": (told_in_json({"object": "error", "message": "Old vLLM."}, 400), "exit", "Old vLLM."),
    "text": (told_in_json({"error": "LM Studio has none."}, 404), "not_found", "LM Studio has none."),
    "brotli": (Send((b"x",), headers=STREAM | {"content-encoding": "br"}), "parse",
        "mine: the answer is packed in a way that was not asked for"),
    "not packed": (Send((b"plain",), headers=PACKED), "parse", "mine: the answer is not packed as it says"),
    "half packed": (Send((gzip.compress(chunk(TOLD) * 50)[:-20],), headers=PACKED), "connection",
        "mine: the answer broke off in the middle of its packing"),
    "bomb": (Send((BOMB[: len(BOMB) // 2], BOMB[len(BOMB) // 2 :]), headers=PACKED), "parse", TOO_MUCH),
    "quota": (Refuse(429, "insufficient_quota", "Pay."), "quota", "Pay."),
    "told": (Refuse(500, "server_error", "Broken.", {"x-should-retry": "false"}), "server_error", "Broken."),
}  # fmt: skip


@pytest.mark.parametrize(("behaviour", "code", "detail"), NO_ANSWERS.values(), ids=NO_ANSWERS)
async def test_what_is_no_answer_and_will_not_be_one_in_a_moment_is_a_failure_and_not_tried_again(
    behaviour: Send | Refuse, code: str, detail: str, endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    endpoint.behaviour = behaviour
    expected = failure(FailureCode(code), detail).model_copy(update={"retryable": False})
    assert (await reply_of(mine, {}, question()), len(endpoint.requests)) == (expected, 1)


NO_MODEL = (
    "anthropic has no model of its own. Name one with `--model`, in SPARRING_ANTHROPIC_MODEL or as `model` "
    "in a provider file of your own; /v1/models lists what there is."
)


async def test_what_an_api_cannot_do_is_said_before_anything_is_sent(endpoint: ModelEndpoint) -> None:
    anthropic, google = built_in("anthropic"), built_in("google")
    variables = environment(anthropic, endpoint.url)
    no_key = "Google Gemini API needs a key: none of GEMINI_API_KEY, GOOGLE_API_KEY is set."
    session = "anthropic keeps no sessions; it cannot continue 's-1'."
    for spec, asked, code, detail in (
        (anthropic, question(session_id="s-1", model="m"), FailureCode.UNSUPPORTED, session),
        (anthropic, question(), FailureCode.UNSUPPORTED, NO_MODEL[:200]),
        (google, question(model="m"), FailureCode.AUTH, no_key),
    ):
        assert await reply_of(spec, variables, asked) == failure(code, detail, tool=spec.name)
    assert endpoint.requests == []


async def test_a_server_of_ones_own_is_asked_for_its_first_model_that_answers_questions(
    endpoint: ModelEndpoint,
) -> None:
    spec = built_in("lm-studio")
    endpoint.list_models("text-embedding-nomic", "-not a name-", "qwen/qwen3-8b", "gemma")
    reply = answered(await reply_of(spec, environment(spec, endpoint.url), question()))
    said = "No model was named: lm-studio answers with qwen/qwen3-8b, the first that it lists."
    assert (reply.model, reply.warnings) == ("qwen/qwen3-8b", (said,))


NONE_LISTED = "mine: it lists no model that answers questions; load one first"


@pytest.mark.parametrize(
    ("listed", "asked", "code", "detail"),
    [
        (b'{"data": [{"id": "nomic-embed-text"}]}', question(), FailureCode.NOT_FOUND, NONE_LISTED),
        (None, question(), FailureCode.NOT_FOUND, "mine: its list of models cannot be had: status 404"),
        (b"[1]", question(), FailureCode.PARSE, "mine: its list of models cannot be understood"),
        (b'{"data": [{"id": "small-1"}]}', question(effort=Effort.MEDIUM), FailureCode.UNSUPPORTED,
         "mine has no effort level 'medium' for small-1; it knows: none."),
    ],
    ids=["embeddings", "no-list", "no-table", "effort-of-the-model"],
)  # fmt: skip
async def test_a_server_that_lists_no_fitting_model_is_not_asked(
    listed: bytes | None, asked: Question, code: FailureCode, detail: str, endpoint: ModelEndpoint
) -> None:
    rules = {"models": [{"match": ["small*"], "efforts": dict[str, object]()}], "skipped_models": ["*embed*"]}
    if listed is not None:
        endpoint.list_models_as(listed)
    reply = await reply_of(own(base_url=f"{endpoint.url}/v1", lists_models=True, **rules), {}, asked)
    assert (reply, endpoint.requests) == (failure(code, detail), [])


@pytest.mark.parametrize("model", ["m", None], ids=["asked", "asked for its models"])
async def test_a_closed_port_is_a_failed_connection(model: str | None) -> None:
    with ModelEndpoint(Hang()) as endpoint:
        spec = own(base_url=endpoint.url, model=model, lists_models=model is None)
    place = endpoint.url.removeprefix("http://")
    expected = failure(FailureCode.CONNECTION, f"mine: {place} cannot be reached: Connection refused")
    assert await reply_of(spec, {}, question()) == expected
