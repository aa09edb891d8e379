"""A question put to each model API on a loopback endpoint, and everything that can come back."""

import gzip
import json
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import anyio
import pytest

from sparring.providers.api.calls import Retries
from sparring.providers.connections import Connections
from sparring.providers.http import RESPONSE_LIMIT
from sparring.schema.base import Effort, RepoAccess
from sparring.schema.consultation import Answer, Failure, FailureCode, Question, Reply, Usage
from sparring.schema.providers import ApiProvider
from sparring.testing.dialects import CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS
from sparring.testing.model_endpoint import Behaviour, Hang, ModelEndpoint, Refuse, Reset, Say, Send
from sparring.text.redaction import Redactor
from support.apis import HOSTED, KEY, LOCAL, api, built_in, environment, own
from support.clocks import on_its_own_clock, put_forward
from support.desk import question

TOLD = "Yes: it is so."
STREAM = {"content-type": "text/event-stream"}
PACKED = STREAM | {"content-encoding": "gzip"}
HTML = {"content-type": "text/html; charset=utf-8"}
DONE = b"data: [DONE]\n\n"


@pytest.fixture
def endpoint() -> Generator[ModelEndpoint]:
    with ModelEndpoint(Say(TOLD)) as listening:
        yield listening


@pytest.fixture
def mine(endpoint: ModelEndpoint) -> ApiProvider:
    return own(base_url=f"{endpoint.url}/v1", model="some-model")


def event(table: object) -> bytes:
    return f"data: {json.dumps(table)}\n\n".encode()


def chunk(text: str, finish_reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish_reason}
    return event({"model": "some-model", "choices": [choice]})


async def reply_of(spec: ApiProvider, variables: dict[str, str], asked: Question, **how: Any) -> Reply:
    """The reply, without the time it took."""
    reply = await api(spec, variables, **how).ask(asked)
    return reply.model_copy(update={"duration_ms": 0})


def answer(response: str = TOLD, *warnings: str) -> Answer:
    return Answer(tool="mine", model="some-model", response=response, duration_ms=0, warnings=warnings)


def failure(code: FailureCode, detail: str, *, tool: str = "mine") -> Failure:
    retryable = code in {FailureCode.CONNECTION, FailureCode.EMPTY, FailureCode.OVERLOADED, FailureCode.TIMEOUT}
    return Failure(
        tool=tool, code=code, detail=detail, retryable=retryable or code is FailureCode.RATE_LIMIT, redactions=0
    )


# -- an answer


@pytest.mark.parametrize("name", [*HOSTED, *LOCAL])
async def test_an_answer_is_heard_with_its_model_and_what_it_used(name: str, endpoint: ModelEndpoint) -> None:
    spec = built_in(name)
    asked = question(model="some-model", effort=Effort.MEDIUM)

    cached_beside_input = CACHED_TOKENS if name == "anthropic" else 0
    assert await reply_of(spec, environment(spec, endpoint.url), asked) == Answer(
        tool=name,
        model="some-model",
        effort=None if name in LOCAL else Effort.MEDIUM,
        response=TOLD,
        duration_ms=0,
        usage=Usage(
            input_tokens=INPUT_TOKENS + cached_beside_input,
            cached_tokens=CACHED_TOKENS,
            output_tokens=OUTPUT_TOKENS,
            reasoning_tokens=None if name in {"anthropic", "google"} else 0,
        ),
    )


KEY_HEADERS = {
    "anthropic": {"x-api-key": KEY},
    "google": {"x-goog-api-key": KEY},
    "openai": {"authorization": f"Bearer {KEY}"},
    "openrouter": {"authorization": f"Bearer {KEY}"},
}


@pytest.mark.parametrize("name", [*HOSTED, "ollama"])
async def test_a_prompt_of_one_mebibyte_arrives_as_it_is(name: str, endpoint: ModelEndpoint) -> None:
    spec = built_in(name)
    prompt = "/help -p @/etc/passwd $(id) `x` \"q\" 'q' \\ \r\n\t Phở 𝄞 \u2028 "
    prompt *= 2**20 // len(prompt.encode()) + 1

    await api(spec, environment(spec, endpoint.url)).ask(question(prompt, model="some-model"))

    assert endpoint.request.prompt == prompt


@pytest.mark.parametrize("name", HOSTED)
async def test_the_key_travels_in_its_header_and_nowhere_else(name: str, endpoint: ModelEndpoint) -> None:
    spec = built_in(name)

    await api(spec, environment(spec, endpoint.url)).ask(question(model="some-model"))

    request = endpoint.request
    assert {header.lower(): value for header, value in request.headers.items() if KEY in value} == KEY_HEADERS[name]
    assert KEY not in request.path
    assert KEY not in request


BYTES = chunk("Phở, ") + chunk("𝄞", "stop") + DONE
WHOLE: dict[str, tuple[Send, Answer]] = {
    "byte by byte": (Send(tuple(bytes([byte]) for byte in BYTES), headers=STREAM), answer("Phở, 𝄞")),
    "packed": (Send((gzip.compress(chunk(TOLD, "stop") + DONE),), headers=PACKED, whole=True), answer()),
    "without the mark of the end": (Send((chunk(TOLD, "stop"),), headers=STREAM), answer()),
    "nothing is waited for after the mark": (Send((chunk(TOLD, "stop"), DONE), headers=STREAM, stalled=True), answer()),
    "broken after the end": (Send((chunk(TOLD, "stop"), b"data: {\n\n"), headers=STREAM), answer()),
    "more after the end": (Send((chunk(TOLD, "stop"), DONE + chunk(" And more.")), headers=STREAM), answer()),
    "another choice": (Send((event({"choices": [{"index": 1, "delta": {"content": "No."}}]}), chunk(TOLD, "stop")),
        headers=STREAM), answer()),
    "the limit of tokens": (Send((chunk("Half of", "length"), DONE), headers=STREAM),
        answer("Half of", "mine reached a limit of tokens (length): its answer is cut off.")),
    "a filter": (Send((chunk("Half of", "content_filter"), DONE), headers=STREAM),
        answer("Half of",
        "mine was stopped by a filter, or refused to go on (content_filter): its answer is cut off.")),
}  # fmt: skip


@pytest.mark.parametrize(("send", "expected"), WHOLE.values(), ids=WHOLE)
async def test_a_whole_answer_is_heard_however_it_comes(
    send: Send, expected: Answer, endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    endpoint.behaviour = send

    assert await reply_of(mine, {}, question()) == expected
    assert {name.lower(): value for name, value in endpoint.request.headers.items()}["accept-encoding"] == "identity"


# -- no answer


def streamed(*pieces: bytes) -> Send:
    return Send(pieces, headers=STREAM)


def told_in_json(table: object, status: int = 200) -> Send:
    return Send((json.dumps(table).encode(),), status, {"content-type": "application/json"})


BOMB = gzip.compress(bytes(64 * 2**20))
REFUSAL = {"choices": [{"delta": {"refusal": "I will not."}, "finish_reason": "stop"}]}
NOT_UNDERSTOOD = (FailureCode.PARSE, "mine: it sent an event that cannot be understood")
NO_ANSWERS: dict[str, tuple[Send | Refuse, FailureCode, str]] = {
    "empty": (streamed(chunk(" ", "stop"), DONE), FailureCode.EMPTY, "mine: the answer is empty"),
    "cut": (streamed(chunk("", "length"), DONE), FailureCode.EMPTY,
        "mine: the limit of tokens was reached before anything was said (length)"),
    "withheld": (streamed(chunk("", "content_filter"), DONE), FailureCode.PERMISSION,
        "mine: the answer was withheld (content_filter)"),
    "refused": (streamed(event(REFUSAL), DONE), FailureCode.PERMISSION,
        "mine: the model refused to answer: I will not."),
    "error": (streamed(chunk("Half of"), event({"error": {"code": 502, "message": "Provider returned error"}})),
        FailureCode.OVERLOADED, "Provider returned error"),
    "broken off": (streamed(chunk("Half of")), FailureCode.CONNECTION, "mine: its answer broke off before the end"),
    "wrong type": (streamed(chunk("Half of"), event({"choices": 3})), *NOT_UNDERSTOOD),
    "too deep": (streamed(b"data: " + b"[" * 100_000 + b"\n\n"), *NOT_UNDERSTOOD),
    "too long": (streamed(b": " + b"." * RESPONSE_LIMIT + b"\n"), FailureCode.PARSE, "mine: more than 8 MiB came"),
    "html": (Send((b"<p>Sign in.</p>",), headers=HTML), FailureCode.PARSE,
        "mine: it answered with text/html and not with a stream of events"),
    "error with 200": (told_in_json({"error": {"code": "insufficient_quota", "message": "Pay."}}), FailureCode.QUOTA,
        "Pay."),
    "redirect": (Send((b"Moved.",), 307, {"location": "http://127.0.0.1:1/v1"}), FailureCode.CONNECTION,
        "mine: it sent us to another address (status 307), which is not followed"),
    "no words": (Send((b"<p>No.</p>",), 400, HTML), FailureCode.EXIT, "mine: it answered with status 400"),
    "deep error": (Send((b"[" * 100_000,), 413), FailureCode.CONTEXT_TOO_LONG, "mine: it answered with status 413"),
    "long error": (Send((b"x" * (RESPONSE_LIMIT + 1),), 404), FailureCode.NOT_FOUND,
        "mine: it answered with status 404"),
    "old vLLM": (told_in_json({"object": "error", "message": "Old vLLM."}, 400), FailureCode.EXIT, "Old vLLM."),
    "text": (told_in_json({"error": "LM Studio has none."}, 404), FailureCode.NOT_FOUND, "LM Studio has none."),
    "brotli": (Send((b"x",), headers=STREAM | {"content-encoding": "br"}), FailureCode.PARSE,
        "mine: the answer is packed in a way that was not asked for"),
    "not packed": (Send((b"plain",), headers=PACKED), FailureCode.PARSE, "mine: the answer is not packed as it says"),
    "half packed": (Send((gzip.compress(chunk(TOLD) * 50)[:-20],), headers=PACKED), FailureCode.CONNECTION,
        "mine: the answer broke off in the middle of its packing"),
    "bomb": (Send((BOMB[: len(BOMB) // 2], BOMB[len(BOMB) // 2 :]), headers=PACKED), FailureCode.PARSE,
        "mine: more than 8 MiB came"),
    "403": (Refuse(403, "x", "Not you."), FailureCode.PERMISSION, "Not you."),
    "quota": (Refuse(429, "insufficient_quota", "Pay."), FailureCode.QUOTA, "Pay."),
    "told": (Refuse(500, "server_error", "Broken.", {"x-should-retry": "false"}), FailureCode.OVERLOADED, "Broken."),
}  # fmt: skip


@pytest.mark.parametrize(("behaviour", "code", "detail"), NO_ANSWERS.values(), ids=NO_ANSWERS)
async def test_what_is_no_answer_and_will_not_be_one_in_a_moment_is_a_failure_and_not_tried_again(
    behaviour: Send | Refuse, code: FailureCode, detail: str, endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    endpoint.behaviour = behaviour

    assert await reply_of(mine, {}, question()) == failure(code, detail)
    assert len(endpoint.requests) == 1


# -- keys and addresses


@pytest.mark.parametrize("name", HOSTED)
async def test_a_refused_key_is_named_by_its_variable_and_never_shown(name: str, endpoint: ModelEndpoint) -> None:
    spec = built_in(name)
    endpoint.behaviour = Refuse(401, "authentication_error", f"Incorrect API key provided: {KEY}.")

    reply = await reply_of(spec, environment(spec, endpoint.url), question(model="m"), redactor=Redactor((KEY,)))

    detail = f"{name} refused the key in {spec.key_variables[0]}: Incorrect API key provided: [REDACTED:known-value]."
    assert reply == failure(FailureCode.AUTH, detail, tool=name).model_copy(update={"redactions": 1})
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    ("name", "detail"), [("vllm", "vllm asks for a key, to be set in VLLM_API_KEY: No."), ("mine", "No.")]
)
async def test_a_server_that_wants_a_key_after_all_says_where_to_put_it_if_that_is_known(
    name: str, detail: str, endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    spec = mine if name == "mine" else built_in(name)
    endpoint.behaviour = Refuse(401, "Unauthorized", "No.")

    variables = {} if spec is mine else environment(spec, endpoint.url)
    assert await reply_of(spec, variables, question(model="m")) == failure(FailureCode.AUTH, detail, tool=name)


async def test_a_key_is_not_sent_unencrypted_to_another_machine() -> None:
    variables = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://192.0.2.1/v1"}

    detail = "The key in OPENAI_API_KEY would be sent to 192.0.2.1 unencrypted. Give the address with https://."
    assert await reply_of(built_in("openai"), variables, question(model="m")) == failure(
        FailureCode.UNSUPPORTED, detail, tool="openai"
    )


# -- what cannot be asked


NO_MODEL = (
    "anthropic has no model of its own. Name one with `--model`, in SPARRING_ANTHROPIC_MODEL or as `model` "
    "in a provider file of your own; /v1/models lists what there is."
)


@pytest.mark.parametrize(
    ("name", "asked", "detail"),
    [
        ("anthropic", question(session_id="s-1", model="m"), "anthropic keeps no sessions; it cannot continue 's-1'."),
        ("anthropic", question(model="m", repo_access=RepoAccess.READ),
         "anthropic is a model without tools: it cannot read the repository. Give it what matters as context."),
        ("anthropic", question(), NO_MODEL),
        ("openai", question(model="gpt-4.1", effort=Effort.HIGH),
         "openai has no effort level 'high' for gpt-4.1; it knows: medium."),
        ("ollama", question(effort=Effort.MAX), "ollama has no effort level 'max'; it knows: low, medium, high."),
        ("google", question(model="m"),
         "Google Gemini API needs a key: none of GEMINI_API_KEY, GOOGLE_API_KEY is set."),
    ],
    ids=["session", "repository", "no-model", "effort-of-model", "effort", "no-key"],
)  # fmt: skip
async def test_what_an_api_cannot_do_is_said_before_anything_is_sent(
    name: str, asked: Question, detail: str, endpoint: ModelEndpoint
) -> None:
    spec = built_in(name)
    variables = {key: text for key, text in environment(spec, endpoint.url).items() if "needs a key" not in detail}
    code = FailureCode.UNSUPPORTED if variables else FailureCode.AUTH

    assert await reply_of(spec, variables, asked) == failure(code, detail[:200], tool=name)
    assert endpoint.requests == []


# -- models


async def test_the_model_may_be_named_by_the_environment(endpoint: ModelEndpoint) -> None:
    spec = built_in("openai")
    variables = environment(spec, endpoint.url) | {"SPARRING_OPENAI_MODEL": " gpt-x "}

    await api(spec, variables).ask(question())

    assert endpoint.request.body["model"] == "gpt-x"


async def test_a_server_of_ones_own_is_asked_for_its_first_model_that_answers_questions(
    endpoint: ModelEndpoint,
) -> None:
    spec = built_in("lm-studio")
    endpoint.list_models("text-embedding-nomic", "-not a name-", "qwen/qwen3-8b", "gemma")

    reply = await api(spec, environment(spec, endpoint.url)).ask(question())

    assert isinstance(reply, Answer)
    assert (reply.model, reply.warnings) == (
        "qwen/qwen3-8b",
        ("No model was named: lm-studio answers with qwen/qwen3-8b, the first that it lists.",),
    )


NONE_LISTED = (FailureCode.NOT_FOUND, "mine: it lists no model that answers questions; load one first")


@pytest.mark.parametrize(
    ("listed", "asked", "code", "detail"),
    [
        (b'{"data": []}', question(), *NONE_LISTED),
        (b'{"data": [{"id": "nomic-embed-text"}]}', question(), *NONE_LISTED),
        (None, question(), FailureCode.NOT_FOUND, "mine: its list of models cannot be had: status 404"),
        (b"[1]", question(), FailureCode.PARSE, "mine: its list of models cannot be understood"),
        (b'{"data": [{"id": "small-1"}]}', question(effort=Effort.MEDIUM), FailureCode.UNSUPPORTED,
         "mine has no effort level 'medium' for small-1; it knows: none."),
    ],
    ids=["none", "embeddings", "no-list", "no-table", "effort-of-the-model"],
)  # fmt: skip
async def test_a_server_that_lists_no_fitting_model_is_not_asked(
    listed: bytes | None, asked: Question, code: FailureCode, detail: str, endpoint: ModelEndpoint
) -> None:
    rules = {"models": [{"match": ["small*"], "efforts": dict[str, object]()}], "skipped_models": ["*embed*"]}
    spec = own(base_url=f"{endpoint.url}/v1", lists_models=True, **rules)
    if listed is not None:
        endpoint.list_models_as(listed)

    assert await reply_of(spec, {}, asked) == failure(code, detail)
    assert endpoint.requests == []


@pytest.mark.parametrize("model", ["m", None], ids=["asked", "asked for its models"])
async def test_a_closed_port_is_a_failed_connection(model: str | None) -> None:
    with ModelEndpoint(Hang()) as endpoint:
        spec = own(base_url=endpoint.url, model=model, lists_models=model is None)

    place = endpoint.url.removeprefix("http://")
    expected = failure(FailureCode.CONNECTION, f"mine: {place} cannot be reached: Connection refused")
    assert await reply_of(spec, {}, question()) == expected


# -- tries


@pytest.mark.parametrize(
    "obstacle",
    [
        Refuse(408, "timeout", "Too slow."),
        Refuse(429, "rate_limit_exceeded", "Slow down.", {"retry-after": "0"}),
        Refuse(529, "overloaded_error", "Full.", {"retry-after-ms": "1"}),
        Refuse(503, "x", "y", {"retry-after": format_datetime(datetime.now(UTC) - timedelta(hours=1))}),
        Refuse(418, "x", "y", {"x-should-retry": "true"}),
        Reset(),
        Send(headers=STREAM),
        Send((event({"error": {"code": 429, "message": "Slow down."}}),), headers=STREAM),
    ],
    ids=["408", "429", "529", "503", "told", "reset", "nothing", "error-before-any-text"],
)
async def test_what_may_be_gone_in_a_moment_is_tried_again(
    obstacle: Refuse | Reset | Send, endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    endpoint.first = [obstacle, obstacle]

    reply = await api(mine, {}).ask(question())

    assert isinstance(reply, Answer)
    assert (reply.response, len(endpoint.requests)) == (TOLD, 3)


async def test_after_the_last_try_the_failure_is_told(endpoint: ModelEndpoint, mine: ApiProvider) -> None:
    endpoint.behaviour = Refuse(529, "overloaded_error", "Overloaded.")

    reply = await reply_of(mine, {}, question(), retries=Retries(tries=3, draw=lambda: 0.0))

    assert reply == failure(FailureCode.OVERLOADED, "Overloaded.")
    assert len(endpoint.requests) == 3


SLOW = {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Slow.", "details": [{"retryDelay": "3600s"}]}
TOMORROW = format_datetime(datetime.now(UTC) + timedelta(days=1))


@pytest.mark.parametrize(
    ("api_kind", "behaviour"),
    [
        ("chat-completions", Refuse(429, "rate_limit_exceeded", "Slow.", {"retry-after": "3600"})),
        ("chat-completions", Refuse(429, "rate_limit_exceeded", "Slow.", {"retry-after": TOMORROW})),
        ("gemini", told_in_json({"error": SLOW}, 429)),
    ],
    ids=["in seconds", "as a date", "in Google's answer"],
)
async def test_a_wait_that_ends_too_late_is_not_begun(
    api_kind: str, behaviour: Behaviour, endpoint: ModelEndpoint
) -> None:
    endpoint.behaviour = behaviour
    base = endpoint.url if api_kind == "gemini" else f"{endpoint.url}/v1"

    reply = await reply_of(own(base_url=base, model="m", api=api_kind), {}, question(timeout_s=5))

    assert isinstance(reply, Failure)
    assert (reply.code, reply.retryable) == (FailureCode.RATE_LIMIT, True)
    assert reply.detail == "mine asks to wait 3600 s: Slow." or TOMORROW in str(behaviour)
    assert len(endpoint.requests) == 1


# -- time


NEVER_S = 10**9
HALF = Say("Half of an answer", pieces=2, stalled=True)


@pytest.mark.parametrize(
    ("behaviour", "limits", "detail"),
    [
        (Hang(), {"first_byte_s": 300}, "mine: no answer began within 300 s"),
        (HALF, {"stall_s": 300}, "mine: nothing more came for 300 s"),
        (Hang(), {}, "mine gave no answer within 3600 s."),
        (HALF, {}, "mine gave no answer within 3600 s."),
    ],
    ids=["no first byte", "a stall", "the deadline before", "the deadline in the middle"],
)
def test_who_does_not_go_on_in_time_has_failed_and_the_connection_is_closed(
    behaviour: Behaviour, limits: dict[str, int], detail: str
) -> None:
    replies: list[Reply] = []

    async def ask() -> None:
        with ModelEndpoint(behaviour) as endpoint:
            never = {"first_byte_s": NEVER_S, "stall_s": NEVER_S}
            spec = own(base_url=f"{endpoint.url}/v1", model="m", **(never | limits))

            async def wait_for_reply() -> None:
                replies.append(await reply_of(spec, {}, question(timeout_s=NEVER_S if limits else 3600)))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(wait_for_reply)
                await anyio.to_thread.run_sync(endpoint.wait_for, 1)
                while not replies:  # what was said may still have to be heard
                    put_forward(300 if limits else 3600)
                    await anyio.sleep(0.01)
            await anyio.to_thread.run_sync(endpoint.wait_until_left)

    on_its_own_clock(ask)
    assert replies == [failure(FailureCode.TIMEOUT, detail)]


async def test_whoever_is_cancelled_closes_the_connection(endpoint: ModelEndpoint, mine: ApiProvider) -> None:
    endpoint.behaviour = Hang()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(api(mine, {}).ask, question())
        await anyio.to_thread.run_sync(endpoint.wait_for, 1)
        tasks.cancel_scope.cancel()

    endpoint.wait_until_left()


# -- connections


async def test_within_a_run_connections_are_used_again() -> None:
    with ModelEndpoint(Say(TOLD), keeps_alive=True) as endpoint:
        endpoint.first = [Refuse(429, "rate_limit_exceeded", "Slow down.")]
        spec = own(base_url=f"{endpoint.url}/v1", model="m")
        connections = Connections({})
        async with connections.held():
            replies = [await api(spec, {}, connections=connections).ask(question()) for _ in range(3)]

    assert [type(reply) for reply in replies] == [Answer] * 3
    assert (len(endpoint.requests), endpoint.connections) == (4, 1)
