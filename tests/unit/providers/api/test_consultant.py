"""What each model API is asked, and everything that it can answer."""

import gzip
from typing import Any

import pytest

from sparring.providers.api.http import RESPONSE_LIMIT
from sparring.schema.base import Effort
from sparring.schema.consultation import Answer, Ending, Failure, FailureCode, Question, Usage
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


def answer(response: str = TOLD, *warnings: str, ending: Ending = Ending.COMPLETE) -> Answer:
    fields = {"response": response, "ending": ending, "warnings": warnings}
    return Answer.model_validate({"tool": "mine", "model": "some-model", "duration_ms": 0, **fields})


@pytest.mark.parametrize("name", [*HOSTED, *LOCAL])
async def test_an_answer_is_received_with_its_model_and_usage(name: str, endpoint: ModelEndpoint) -> None:
    spec, asked = built_in(name), question(model="some-model", effort=Effort.MEDIUM)
    usage = Usage(
        input_tokens=INPUT_TOKENS + (CACHED_TOKENS if name == "anthropic" else 0),  # which tells it beside the input
        cached_tokens=None if name == "ollama" else CACHED_TOKENS,
        output_tokens=OUTPUT_TOKENS,
        reasoning_tokens=None if name in {"anthropic", "google", "ollama"} else 0,
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


FUNCTION = {"index": 0, "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
CALL = choice(delta={"tool_calls": [FUNCTION]})
BURNS = event({"error": {"message": "It burns."}})
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
        answer("Half of", f"mine reached a limit of tokens (length): {CUT}", ending=Ending.CUT_OFF)),
    "a filter": (streamed(chunk("Half of", "content_filter"), DONE),
        answer("Half of", f"mine was stopped by a filter, or refused to go on (content_filter): {CUT}",
            ending=Ending.WITHHELD)),
    "a call of a tool behind some text": (streamed(chunk("Half of"), CALL, choice(finish_reason="tool_calls"), DONE),
        answer("Half of", f"mine called a tool (read_file) instead of going on: {CUT}", ending=Ending.CUT_OFF)),
    "an error that the server went on from": (streamed(chunk("Half of "), BURNS, chunk("it.", "stop"), DONE),
        answer("Half of it.", "mine reported an error and continued: It burns.")),
    "two errors before the answer": (streamed(BURNS, choice(), event({"error": "Again."}), ALL),
        answer(TOLD, "mine reported an error and continued: Again.")),
    "a connection that breaks behind the finish reason": (streamed(ALL, b"data: {\"choices\": [{\"delta"), answer()),
}  # fmt: skip


@pytest.mark.parametrize(("send", "expected"), WHOLE.values(), ids=WHOLE)
async def test_a_whole_answer_is_received_in_any_encoding_and_framing(
    send: Send, expected: Answer, endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    endpoint.behaviour = send
    assert await reply_of(mine, {}, question()) == expected
    assert {name.lower(): value for name, value in endpoint.request.headers.items()}["accept-encoding"] == "identity"


WINDOW = "Raise the context window of the server (Ollama: OLLAMA_CONTEXT_LENGTH)."
HALF = chunk("Half of")
BOMB = gzip.compress(bytes(RESPONSE_LIMIT + 2**20))
TORN, TOO_MUCH = "mine: it sent an event that is not whole", "mine: more than 8 MiB came"
NO_ANSWERS: dict[str, tuple[Send | Refuse, str, str]] = {
    "empty": (streamed(chunk(" ", "stop"), DONE), "empty", "mine: the answer is empty"),
    "cut": (streamed(chunk("", "length"), DONE), "cut_off",
        "mine: the limit of tokens was reached before an answer began (length)"),
    "withheld": (streamed(chunk("", "content_filter"), DONE), "refused",
        "mine: the answer was withheld (content_filter)"),
    "a call of a tool": (streamed(CALL, choice(finish_reason="tool_calls"), DONE), "empty",
        "mine: the model called a tool (read_file) instead of answering"),
    "a call of a tool without a name": (streamed(choice(finish_reason="tool_calls"), DONE), "empty",
        "mine: the model called a tool instead of answering"),
    "a thought alone": (streamed(choice(delta={"reasoning_content": "Hm."}, finish_reason="stop"), DONE), "empty",
        "mine: the model wrote down a thought and gave no answer"),
    "an error behind the answer": (streamed(ALL, BURNS, DONE), "unknown", "It burns."),
    "an error behind the finish reason in one event": (
        streamed(event({"choices": [{"delta": {"content": "x"}, "finish_reason": "stop"}], "error": "It burns."})),
        "unknown", "It burns."),
    "refused": (streamed(choice(delta={"refusal": "I will not."}, finish_reason="stop"), DONE), "refused",
        "mine: the model refused to answer: I will not."),
    "error": (streamed(HALF, event({"error": {"code": 502, "message": "Broken."}})), "server_error", "Broken."),
    "an error without words": (streamed(chunk("Half of", "error"), DONE), "connection",
        "mine: its answer was interrupted (error)"),
    "broken off": (streamed(HALF), "connection", "mine: its answer was interrupted before the end"),
    "a text of another type": (streamed(HALF, choice(delta={"content": 3}), DONE), "parse",
        "mine: it sent a text that cannot be parsed: “3”"),
    "torn in the middle": (streamed(HALF, b'data: {"choices": [{"delta": {"cont\n\n', ALL, DONE), "parse",
        f"{TORN}: “{{\"choices\": [{{\"delta\": {{\"cont”"),
    "too deep": (streamed(b"data: " + b"[" * 100_000 + b"\n\n"), "parse", f"{TORN}: “{'[' * 99}…”"),
    "too long": (streamed(b": " + b"." * RESPONSE_LIMIT + b"\n"), "parse", TOO_MUCH),
    "html": (Send((b"<p>Sign in.</p>",), headers=HTML), "parse",
        "mine: it sent no answer but text/html: “<p>Sign in.</p>”"),
    "a page with a title": (Send((b"<html><head><title>Sign\nin</title>" + b"<p>\n" * 50,), headers=HTML), "parse",
        "mine: it sent no answer but text/html: “Sign in”"),
    "text": (streamed(b"Sorry, no model.\n"), "parse",
        "mine: it sent no answer but text/event-stream: “Sorry, no model.”"),
    "another document": (told_in_json({"models": []}), "parse", "mine: it sent no answer: “{\"models\": []}”"),
    "a remark": (streamed(event({"detail": "The moon is in the way."}), DONE), "unknown", "The moon is in the way."),
    "error with 200": (told_in_json({"error": {"code": "insufficient_quota", "message": "Pay."}}), "quota", "Pay."),
    "redirect": (Send((b"Moved.",), 307, {"location": "http://127.0.0.1:1/v1"}), "connection",
        "mine: it sent us to another address (status 307), which is not followed"),
    "no words": (Send((), 400), "bad_request", "mine: it answered with status 400"),
    "a page": (Send((b"<p>No.</p>",), 400, HTML), "bad_request", "mine: it answered with status 400: “<p>No.</p>”"),
    "deep error": (Send((b"[" * 100_000,), 413), "context_too_long",
        f"mine: it answered with status 413: “{'[' * 90}…. {WINDOW}"),
    "long error": (Send((b"x" * (RESPONSE_LIMIT + 1),), 404), "not_found",
        "mine: it answered with status 404. Check the address in base_url."),
    "old vLLM": (told_in_json({"object": "error", "message": "Old vLLM."}, 400), "bad_request", "Old vLLM."),
    "error in text": (told_in_json({"error": "LM Studio has none."}, 404), "not_found", "LM Studio has none."),
    "brotli": (Send((b"x",), headers=STREAM | {"content-encoding": "br"}), "parse",
        "mine: the answer's compression was not requested"),
    "not packed": (Send((b"plain",), headers=PACKED), "parse",
        "mine: the answer's compression does not match its header"),
    "half packed": (Send((gzip.compress(chunk(TOLD) * 50)[:-20],), headers=PACKED), "connection",
        "mine: the compressed answer is incomplete"),
    "bomb": (Send((BOMB[: len(BOMB) // 2], BOMB[len(BOMB) // 2 :]), headers=PACKED), "parse", TOO_MUCH),
    "quota": (Refuse(429, "insufficient_quota", "Pay."), "quota", "Pay."),
    "told": (Refuse(500, "server_error", "Broken.", {"x-should-retry": "false"}), "server_error", "Broken."),
}  # fmt: skip


@pytest.mark.parametrize(("behaviour", "code", "detail"), NO_ANSWERS.values(), ids=NO_ANSWERS)
async def test_a_permanent_error_is_a_failure_without_a_retry(
    behaviour: Send | Refuse, code: str, detail: str, endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    endpoint.behaviour = behaviour
    expected = failure(FailureCode(code), detail).model_copy(update={"retryable": False})
    assert (await reply_of(mine, {}, question()), len(endpoint.requests)) == (expected, 1)


UNKNOWN_FIELD = {"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}
OMIT = 'To leave it out, put `omit = ["stream_options"]` into mine.toml.'
LEVEL = "The level of effort adds it: leave --effort out, or change [efforts] in mine.toml."
REFUSALS: dict[str, tuple[Send, str, str]] = {
    "by place": (told_in_json({"detail": [UNKNOWN_FIELD]}, 422), "/v1",
        f"stream_options: Extra inputs are not permitted. {OMIT}"),
    "by parameter": (told_in_json({"error": {"message": "Unknown parameter.", "param": "stream_options"}}, 400), "/v1",
        f"Unknown parameter. {OMIT}"),
    "by a sentence": (told_in_json({"error": "json: unknown field \"stream_options\""}, 400), "/v1",
        f'json: unknown field "stream_options". {OMIT}'),
    "a long one": (told_in_json({"error": f"stream_options is not known; {'x ' * 300}"}, 400), "/v1",
        f"stream_options is not known; {'x ' * 51}x…. {OMIT}"),
    "a level": (told_in_json({"error": "`think` is not supported"}, 400), "/v1", f"`think` is not supported. {LEVEL}"),
    "a field that is needed": (told_in_json({"error": {"message": "Too many.", "param": "messages"}}, 400), "/v1",
        "Too many."),
    "no page without /v1": (Send(), "", "no such page. The address in base_url may have to end with /v1."),
    "no page": (told_in_json({"detail": "Not Found"}, 404), "/v1", "Not Found. Check the address in base_url."),
    "text of no page": (Send((b"404 page not found",), 404), "/v1",
        "404 page not found. Check the address in base_url."),
    "no model": (told_in_json({"error": "model 'm' not found"}, 404), "/v1", "model 'm' not found"),
}  # fmt: skip


@pytest.mark.parametrize(("send", "path", "detail"), REFUSALS.values(), ids=REFUSALS)
async def test_a_refusal_comes_with_a_known_remedy(send: Send, path: str, detail: str, endpoint: ModelEndpoint) -> None:
    endpoint.behaviour = send
    spec = own(base_url=endpoint.url + path, model="m", efforts={"low": {"think": True}})
    reply = await reply_of(spec, {}, question(effort=Effort.LOW))
    assert isinstance(reply, Failure)
    assert reply.detail == detail


NO_MODEL = (
    "anthropic has no model of its own. Name one with `--model`, in SPARRING_ANTHROPIC_MODEL or as `model` "
    "in a provider file of your own; /v1/models lists what there is."
)


async def test_a_question_that_an_api_cannot_answer_is_refused_before_sending(endpoint: ModelEndpoint) -> None:
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


async def test_an_own_server_uses_its_first_model_that_answers_questions(
    endpoint: ModelEndpoint,
) -> None:
    spec = built_in("lm-studio")
    endpoint.list_models("text-embedding-nomic", "-not a name-", "qwen/qwen3-8b", "gemma")
    reply = answered(await reply_of(spec, environment(spec, endpoint.url), question()))
    said = "No model was named: lm-studio answers with qwen/qwen3-8b, the first that it lists."
    assert (reply.model, reply.warnings) == ("qwen/qwen3-8b", (said,))


NO_LIST = "mine: its list of models is not available: no such page. Check the address in base_url."
NONE_LISTED = "mine: it lists no model that answers questions; load one first"


@pytest.mark.parametrize(
    ("listed", "asked", "code", "detail"),
    [
        (b'{"data": [{"id": "nomic-embed-text"}]}', question(), FailureCode.NOT_FOUND, NONE_LISTED),
        (None, question(), FailureCode.NOT_FOUND, NO_LIST),
        (b"[1]", question(), FailureCode.PARSE, "mine: its list of models cannot be parsed"),
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
    reply = await reply_of(spec, {}, question(timeout_s=0.5))
    assert reply == expected.model_copy(update={"is_starting": True})
