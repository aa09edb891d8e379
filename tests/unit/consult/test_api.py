"""A question put to each model API on a loopback endpoint, and everything that can come back."""

import gzip
import json
import threading
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import anyio
import pytest

from sparring.consult.connections import Connections
from sparring.consult.http import RESPONSE_LIMIT
from sparring.consult.retries import Retries
from sparring.schema.base import Effort, RepoAccess
from sparring.schema.consultation import Answer, Failure, FailureCode, Question, Usage
from sparring.schema.providers import ApiProvider
from sparring.testing.dialects import CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS
from sparring.testing.model_endpoint import Hang, ModelEndpoint, Refuse, Request, Reset, Say, Send
from sparring.text.redaction import Redactor
from support.apis import HOSTED, KEY, LOCAL, api, built_in, environment, own
from support.desk import question

TOLD = "Yes: it is so."
STREAM = {"content-type": "text/event-stream"}
HTML = {"content-type": "text/html; charset=utf-8"}
DONE = b"data: [DONE]\n\n"


@pytest.fixture
def endpoint() -> Generator[ModelEndpoint]:
    with ModelEndpoint(Say(TOLD)) as listening:
        yield listening


@pytest.fixture
def mine(endpoint: ModelEndpoint) -> ApiProvider:
    return own(base_url=f"{endpoint.url}/v1", model="some-model")


def chunk(text: str, finish_reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish_reason}
    return f"data: {json.dumps({'model': 'some-model', 'choices': [choice]})}\n\n".encode()


def shown(reply: object) -> object:
    """``reply`` without the time it took."""
    assert isinstance(reply, Answer | Failure)
    return reply.model_copy(update={"duration_ms": 0})


def failure(code: FailureCode, detail: str, *, retryable: bool = False, tool: str = "mine") -> Failure:
    return Failure(tool=tool, code=code, detail=detail, retryable=retryable)


# -- an answer


@pytest.mark.parametrize("name", [*HOSTED, *LOCAL])
async def test_an_answer_is_heard_with_its_model_and_what_it_used(name: str, endpoint: ModelEndpoint) -> None:
    spec = built_in(name)

    reply = await api(spec, environment(spec, endpoint.url)).ask(question(model="some-model", effort=Effort.MEDIUM))

    cached_beside_input = CACHED_TOKENS if name == "anthropic" else 0
    assert shown(reply) == Answer(
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
    holding = {header.lower(): value for header, value in request.headers.items() if KEY in value}
    assert (
        holding
        == {
            "anthropic": {"x-api-key": KEY},
            "google": {"x-goog-api-key": KEY},
            "openai": {"authorization": f"Bearer {KEY}"},
            "openrouter": {"authorization": f"Bearer {KEY}"},
        }[name]
    )
    assert KEY not in request.path
    assert KEY not in request


async def test_a_provider_file_may_name_the_header_for_the_key_and_further_ones(endpoint: ModelEndpoint) -> None:
    spec = own(
        base_url=f"{endpoint.url}/v1",
        model="some-model",
        key_variables=["UNSET", "MINE"],
        key_header="Api-Key",
        headers={"X-Team": "blue"},
    )

    await api(spec, {"MINE": f" {KEY}\n"}).ask(question())

    sent = {name.lower(): value for name, value in endpoint.request.headers.items()}
    assert (sent["api-key"], sent["x-team"], "authorization" in sent) == (KEY, "blue", False)


async def test_an_answer_that_comes_byte_by_byte_is_the_same(endpoint: ModelEndpoint, mine: ApiProvider) -> None:
    said = chunk("Phở, ") + chunk("𝄞", "stop") + DONE
    endpoint.behaviour = Send(tuple(said[place : place + 1] for place in range(len(said))), headers=STREAM)

    reply = await api(mine, {}).ask(question())

    assert isinstance(reply, Answer)
    assert reply.response == "Phở, 𝄞"


async def test_a_packed_answer_is_unpacked_although_it_was_not_asked_for(
    endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    packed = gzip.compress(chunk(TOLD, "stop") + DONE)
    endpoint.behaviour = Send((packed,), headers=STREAM | {"content-encoding": "gzip"}, whole=True)

    reply = await api(mine, {}).ask(question())

    assert isinstance(reply, Answer)
    assert reply.response == TOLD
    assert {name.lower(): value for name, value in endpoint.request.headers.items()}["accept-encoding"] == "identity"


async def test_an_answer_is_whole_when_only_the_mark_of_the_end_is_missing(
    endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    endpoint.behaviour = Send((chunk(TOLD, "stop"),), headers=STREAM)

    reply = await api(mine, {}).ask(question())

    assert isinstance(reply, Answer)
    assert reply.response == TOLD


async def test_nothing_is_waited_for_after_the_mark_of_the_end(endpoint: ModelEndpoint, mine: ApiProvider) -> None:
    endpoint.behaviour = Send((chunk(TOLD, "stop"), DONE), headers=STREAM, stalled=True)

    reply = await api(mine, {}).ask(question())

    assert isinstance(reply, Answer)
    endpoint.wait_until_left()


@pytest.mark.parametrize("more", [b"data: {\n\n", DONE + chunk(" And more.")], ids=["broken", "after the end"])
async def test_what_comes_after_a_whole_answer_cannot_spoil_it(
    more: bytes, endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    endpoint.behaviour = Send((chunk(TOLD, "stop"), more), headers=STREAM)

    reply = await api(mine, {}).ask(question())

    assert isinstance(reply, Answer)
    assert reply.response == TOLD


async def test_an_answer_that_reached_the_limit_of_tokens_has_a_warning(
    endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    endpoint.behaviour = Send((chunk("Half of", "length"), DONE), headers=STREAM)

    reply = await api(mine, {}).ask(question())

    assert isinstance(reply, Answer)
    assert (reply.response, reply.warnings) == (
        "Half of",
        ("mine reached a limit of tokens (length): its answer is cut off.",),
    )


async def test_an_answer_that_a_filter_ended_has_a_warning(endpoint: ModelEndpoint, mine: ApiProvider) -> None:
    endpoint.behaviour = Send((chunk("Half of", "content_filter"), DONE), headers=STREAM)

    reply = await api(mine, {}).ask(question())

    assert isinstance(reply, Answer)
    assert reply.warnings == (
        "mine was stopped by a filter, or refused to go on (content_filter): its answer is cut off.",
    )


# -- no answer


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ((chunk(" ", "stop"), DONE), failure(FailureCode.EMPTY, "mine: the answer is empty", retryable=True)),
        (
            (chunk("", "length"), DONE),
            failure(
                FailureCode.EMPTY,
                "mine: the limit of tokens was reached before anything was said (length)",
                retryable=True,
            ),
        ),
        (
            (chunk("", "content_filter"), DONE),
            failure(FailureCode.PERMISSION, "mine: the answer was withheld (content_filter)"),
        ),
        (
            (b'data: {"choices": [{"delta": {"refusal": "I will not."}, "finish_reason": "stop"}]}\n\n', DONE),
            failure(FailureCode.PERMISSION, "mine: the model refused to answer: I will not."),
        ),
        (
            (chunk("Half of"), b'data: {"error": {"code": 502, "message": "Provider returned error"}}\n\n'),
            failure(FailureCode.OVERLOADED, "Provider returned error", retryable=True),
        ),
        (
            (chunk("Half of"),),
            failure(FailureCode.CONNECTION, "mine: its answer broke off before the end", retryable=True),
        ),
        (
            (chunk("Half of"), b'data: {"choices": 3}\n\n'),
            failure(FailureCode.PARSE, "mine: it sent an event that cannot be understood"),
        ),
        (
            (b"data: " + b"[" * 100_000 + b"\n\n",),
            failure(FailureCode.PARSE, "mine: it sent an event that cannot be understood"),
        ),
        (
            (b": " + b"." * RESPONSE_LIMIT + b"\n",),
            failure(FailureCode.PARSE, "mine: more than 8 MiB came"),
        ),
    ],
    ids=["empty", "cut", "withheld", "refused", "error", "broken-off", "wrong-type", "too-deep", "too-long"],
)
async def test_a_stream_without_a_whole_answer_is_a_failure(
    said: tuple[bytes, ...], expected: Failure, endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    endpoint.behaviour = Send(said, headers=STREAM)

    assert shown(await api(mine, {}).ask(question())) == expected
    assert len(endpoint.requests) == 1


async def test_a_few_packed_bytes_cannot_become_a_mountain(endpoint: ModelEndpoint, mine: ApiProvider) -> None:
    bomb = gzip.compress(bytes(64 * 2**20))
    endpoint.behaviour = Send((bomb,), headers=STREAM | {"content-encoding": "gzip"}, whole=True)

    reply = await api(mine, {}).ask(question())

    assert shown(reply) == failure(FailureCode.PARSE, "mine: more than 8 MiB came")


@pytest.mark.parametrize(
    ("send", "code", "detail"),
    [
        (
            Send((b"<p>Sign in.</p>",), headers=HTML),
            FailureCode.PARSE,
            "mine: it answered with text/html and not with a stream of events",
        ),
        (
            Send(
                (b'{"error": {"code": "insufficient_quota", "message": "Pay."}}',),
                headers={"content-type": "application/json"},
            ),
            FailureCode.QUOTA,
            "Pay.",
        ),
        (
            Send((b"Moved.",), 307, {"location": "http://127.0.0.1:1/v1"}),
            FailureCode.CONNECTION,
            "mine: it sent us to another address (status 307), which is not followed",
        ),
        (Send((b"<p>No.</p>",), 400, HTML), FailureCode.EXIT, "mine: it answered with status 400"),
        (Send((b"[" * 100_000,), 413), FailureCode.CONTEXT_TOO_LONG, "mine: it answered with status 413"),
        (Send((b"[1]",), 404), FailureCode.NOT_FOUND, "mine: it answered with status 404"),
        (Send((b"x" * (RESPONSE_LIMIT + 1),), 404), FailureCode.NOT_FOUND, "mine: it answered with status 404"),
        (Send((b'{"object": "error", "message": "Old vLLM."}',), 400), FailureCode.EXIT, "Old vLLM."),
        (Send((b'{"error": "LM Studio has none."}',), 404), FailureCode.NOT_FOUND, "LM Studio has none."),
        (
            Send((b"x",), headers=STREAM | {"content-encoding": "br"}),
            FailureCode.PARSE,
            "mine: the answer is packed in a way that was not asked for",
        ),
        (
            Send((b"plain",), headers=STREAM | {"content-encoding": "gzip"}),
            FailureCode.PARSE,
            "mine: the answer is not packed as it says",
        ),
    ],
    ids=[
        "html",
        "error-with-200",
        "redirect",
        "400",
        "deep",
        "no-table",
        "long",
        "old-vllm",
        "text",
        "brotli",
        "not-packed",
    ],
)
async def test_an_answer_that_is_no_stream_is_a_failure(
    send: Send, code: FailureCode, detail: str, endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    endpoint.behaviour = send

    reply = await api(mine, {}).ask(question())

    assert shown(reply) == failure(code, detail, retryable=code is FailureCode.CONNECTION)
    assert len(endpoint.requests) == 1


async def test_a_packed_answer_that_breaks_off_is_a_broken_connection(
    endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    packed = gzip.compress(chunk(TOLD) * 50)
    endpoint.behaviour = Send((packed[:-20],), headers=STREAM | {"content-encoding": "gzip"})

    reply = await api(mine, {}).ask(question())

    assert shown(reply) == failure(
        FailureCode.CONNECTION, "mine: the answer broke off in the middle of its packing", retryable=True
    )


# -- keys and addresses


@pytest.mark.parametrize("name", HOSTED)
async def test_a_refused_key_is_named_by_its_variable_and_never_shown(name: str, endpoint: ModelEndpoint) -> None:
    spec = built_in(name)
    endpoint.behaviour = Refuse(401, "authentication_error", f"Incorrect API key provided: {KEY}.")

    reply = await api(spec, environment(spec, endpoint.url), redactor=Redactor((KEY,))).ask(question(model="m"))

    detail = f"{name} refused the key in {spec.key_variables[0]}: Incorrect API key provided: [REDACTED:known-value]."
    assert isinstance(reply, Failure)
    assert (reply.code, reply.detail, reply.redactions) == (FailureCode.AUTH, detail, 1)
    assert len(endpoint.requests) == 1


async def test_a_server_that_wants_a_key_after_all_says_where_to_put_it(endpoint: ModelEndpoint) -> None:
    spec = built_in("vllm")
    endpoint.behaviour = Refuse(401, "Unauthorized", "Unauthorized")

    reply = await api(spec, environment(spec, endpoint.url)).ask(question(model="m"))

    expected = "vllm asks for a key, to be set in VLLM_API_KEY: Unauthorized"
    assert shown(reply) == failure(FailureCode.AUTH, expected, tool="vllm")


async def test_a_server_for_which_no_key_is_known_says_only_that_it_refuses(
    endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    endpoint.behaviour = Refuse(401, "Unauthorized", "Unauthorized")

    assert shown(await api(mine, {}).ask(question())) == failure(FailureCode.AUTH, "Unauthorized")


async def test_nothing_is_sent_without_a_key_that_is_needed(endpoint: ModelEndpoint) -> None:
    spec = built_in("google")

    reply = await api(spec, {"GOOGLE_GEMINI_BASE_URL": endpoint.url}).ask(question(model="m"))

    detail = "Google Gemini API needs a key: none of GEMINI_API_KEY, GOOGLE_API_KEY is set."
    assert shown(reply) == failure(FailureCode.AUTH, detail, tool="google")
    assert endpoint.requests == []


async def test_a_key_is_not_sent_unencrypted_to_another_machine() -> None:
    spec = built_in("openai")

    reply = await api(spec, {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://192.0.2.1/v1"}).ask(question(model="m"))

    detail = "The key in OPENAI_API_KEY would be sent to 192.0.2.1 unencrypted. Give the address with https://."
    assert shown(reply) == failure(FailureCode.UNSUPPORTED, detail, tool="openai")


# -- what cannot be asked


@pytest.mark.parametrize(
    ("name", "asked", "detail"),
    [
        (
            "anthropic",
            question(session_id="s-1", model="m"),
            "anthropic keeps no sessions; it cannot continue 's-1'.",
        ),
        (
            "anthropic",
            question(model="m").model_copy(update={"repo_access": RepoAccess.READ}),
            "anthropic is a model without tools: it cannot read the repository. Give it what matters as context.",
        ),
        (
            "anthropic",
            question(),
            (
                "anthropic has no model of its own. Name one with `--model`, in SPARRING_ANTHROPIC_MODEL or as `model` "
                "in a provider file of your own; /v1/models lists what there is."
            ),
        ),
        (
            "openai",
            question(model="gpt-4.1", effort=Effort.HIGH),
            "openai has no effort level 'high' for gpt-4.1; it knows: medium.",
        ),
        ("ollama", question(effort=Effort.MAX), "ollama has no effort level 'max'; it knows: low, medium, high."),
    ],
    ids=["session", "repository", "no-model", "effort-of-model", "effort"],
)
async def test_what_an_api_cannot_do_is_said_before_anything_is_sent(
    name: str, asked: Question, detail: str, endpoint: ModelEndpoint
) -> None:
    spec = built_in(name)

    reply = await api(spec, environment(spec, endpoint.url)).ask(asked)

    assert shown(reply) == failure(FailureCode.UNSUPPORTED, detail[:200], tool=name)
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


@pytest.mark.parametrize("models", [(), ("nomic-embed-text",)], ids=["none", "embeddings"])
async def test_a_server_without_a_model_is_said_to_have_none(models: tuple[str, ...], endpoint: ModelEndpoint) -> None:
    spec = built_in("ollama")
    endpoint.list_models(*models)

    reply = await api(spec, environment(spec, endpoint.url)).ask(question())

    detail = "ollama: it lists no model that answers questions; load one first"
    assert shown(reply) == failure(FailureCode.NOT_FOUND, detail, tool="ollama")
    assert endpoint.requests == []


async def test_a_server_that_lists_no_models_is_not_asked(endpoint: ModelEndpoint) -> None:
    spec = built_in("ollama")

    reply = await api(spec, environment(spec, endpoint.url)).ask(question())

    detail = "ollama: its list of models cannot be had: status 404"
    assert shown(reply) == failure(FailureCode.NOT_FOUND, detail, tool="ollama")


async def test_a_list_of_models_that_is_none_is_a_failure(endpoint: ModelEndpoint) -> None:
    spec = own(base_url=f"{endpoint.url}/v1", lists_models=True)
    endpoint.list_models_as(b"[1]")

    reply = await api(spec, {}).ask(question())

    assert shown(reply) == failure(FailureCode.PARSE, "mine: its list of models cannot be understood")


async def test_a_server_of_ones_own_that_is_not_there_is_a_failed_connection() -> None:
    with ModelEndpoint(Hang()) as endpoint:
        spec = own(base_url=endpoint.url, lists_models=True)

    reply = await api(spec, {}).ask(question())

    assert isinstance(reply, Failure)
    assert (reply.code, reply.retryable) == (FailureCode.CONNECTION, True)


async def test_the_effort_is_checked_again_when_the_model_is_known(endpoint: ModelEndpoint) -> None:
    models = [{"match": ["small*"], "efforts": dict[str, object]()}]
    spec = own(base_url=f"{endpoint.url}/v1", lists_models=True, models=models)
    endpoint.list_models("small-1")

    reply = await api(spec, {}).ask(question(effort=Effort.MEDIUM))

    detail = "mine has no effort level 'medium' for small-1; it knows: none."
    assert shown(reply) == failure(FailureCode.UNSUPPORTED, detail)
    assert endpoint.requests == []


# -- tries


@pytest.mark.parametrize(
    "obstacle",
    [
        Refuse(408, "timeout", "Too slow."),
        Refuse(409, "conflict", "Busy."),
        Refuse(429, "rate_limit_exceeded", "Slow down.", {"retry-after": "0"}),
        Refuse(500, "server_error", "Oh."),
        Refuse(529, "overloaded_error", "Full.", {"retry-after-ms": "1"}),
        Refuse(503, "x", "y", {"retry-after": format_datetime(datetime.now(UTC) - timedelta(hours=1))}),
        Refuse(418, "x", "y", {"x-should-retry": "true"}),
        Reset(),
        Send(headers=STREAM),
        Send((b'data: {"error": {"code": 429, "message": "Slow down."}}\n\n',), headers=STREAM),
    ],
    ids=["408", "409", "429", "500", "529", "503", "told", "reset", "nothing", "error-before-any-text"],
)
async def test_what_may_be_gone_in_a_moment_is_tried_again(
    obstacle: Refuse | Reset | Send, endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    endpoint.first = [obstacle, obstacle]

    reply = await api(mine, {}).ask(question())

    assert isinstance(reply, Answer)
    assert reply.response == TOLD
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize(
    ("refusal", "code"),
    [
        (Refuse(400, "invalid_request_error", "No."), FailureCode.EXIT),
        (Refuse(400, "context_length_exceeded", "Too long."), FailureCode.CONTEXT_TOO_LONG),
        (Refuse(402, "x", "Pay."), FailureCode.QUOTA),
        (Refuse(403, "x", "Not you."), FailureCode.PERMISSION),
        (Refuse(404, "model_not_found", "None."), FailureCode.NOT_FOUND),
        (Refuse(413, "x", "Too large."), FailureCode.CONTEXT_TOO_LONG),
        (Refuse(429, "insufficient_quota", "Pay."), FailureCode.QUOTA),
    ],
    ids=lambda value: value.kind if isinstance(value, Refuse) else None,
)
async def test_what_will_not_be_gone_in_a_moment_is_not_tried_again(
    refusal: Refuse, code: FailureCode, endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    endpoint.behaviour = refusal

    assert shown(await api(mine, {}).ask(question())) == failure(code, refusal.message)
    assert len(endpoint.requests) == 1


async def test_a_server_may_say_that_another_try_is_of_no_use(endpoint: ModelEndpoint, mine: ApiProvider) -> None:
    endpoint.behaviour = Refuse(500, "server_error", "Broken.", {"x-should-retry": "false"})

    reply = await api(mine, {}).ask(question())

    assert shown(reply) == failure(FailureCode.OVERLOADED, "Broken.", retryable=True)
    assert len(endpoint.requests) == 1


async def test_after_the_last_try_the_failure_is_told(endpoint: ModelEndpoint, mine: ApiProvider) -> None:
    endpoint.behaviour = Refuse(529, "overloaded_error", "Overloaded.")

    reply = await api(mine, {}, retries=Retries(tries=3, draw=lambda: 0.0)).ask(question())

    assert shown(reply) == failure(FailureCode.OVERLOADED, "Overloaded.", retryable=True)
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize("told", ["3600", format_datetime(datetime.now(UTC) + timedelta(days=1))], ids=["s", "date"])
async def test_a_wait_that_ends_too_late_is_not_begun(told: str, endpoint: ModelEndpoint, mine: ApiProvider) -> None:
    endpoint.behaviour = Refuse(429, "rate_limit_exceeded", "Slow down.", {"retry-after": told})

    reply = await api(mine, {}).ask(question(timeout_s=1800))

    assert isinstance(reply, Failure)
    assert (reply.code, reply.retryable) == (FailureCode.RATE_LIMIT, True)
    assert reply.detail.startswith("mine asks to wait ")
    assert len(endpoint.requests) == 1


async def test_a_wait_that_google_asks_for_in_its_answer_counts_as_well(endpoint: ModelEndpoint) -> None:
    spec = built_in("google")
    body = {
        "error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Slow.", "details": [{"retryDelay": "3600s"}]}
    }
    endpoint.behaviour = Send((json.dumps(body).encode(),), 429, {"content-type": "application/json"})

    reply = await api(spec, environment(spec, endpoint.url)).ask(question(model="m", timeout_s=1800))

    detail = "google asks to wait 3600 s: Slow."
    assert shown(reply) == failure(FailureCode.RATE_LIMIT, detail, retryable=True, tool="google")
    assert len(endpoint.requests) == 1


async def test_a_closed_port_is_a_failed_connection() -> None:
    with ModelEndpoint(Hang()) as endpoint:
        spec = own(base_url=endpoint.url, model="m")

    reply = await api(spec, {}).ask(question())

    place = endpoint.url.removeprefix("http://")
    detail = f"mine: {place} cannot be reached: Connection refused"
    assert shown(reply) == failure(FailureCode.CONNECTION, detail, retryable=True)


# -- time


async def test_who_does_not_begin_to_answer_has_failed(endpoint: ModelEndpoint) -> None:
    spec = own(base_url=f"{endpoint.url}/v1", model="m", first_byte_s=0.2)
    endpoint.behaviour = Hang()

    reply = await api(spec, {}).ask(question())

    assert shown(reply) == failure(FailureCode.TIMEOUT, "mine: no answer began within 0.2 s", retryable=True)
    endpoint.wait_until_left()


async def test_who_stops_in_the_middle_of_an_answer_has_failed(endpoint: ModelEndpoint) -> None:
    spec = own(base_url=f"{endpoint.url}/v1", model="m", stall_s=0.2)
    endpoint.behaviour = Say("Half of an answer", pieces=2, stalled=True)

    reply = await api(spec, {}).ask(question())

    assert shown(reply) == failure(FailureCode.TIMEOUT, "mine: nothing more came for 0.2 s", retryable=True)
    assert len(endpoint.requests) == 1
    endpoint.wait_until_left()


@pytest.mark.parametrize("behaviour", [Hang(), Say("Half", pieces=2, stalled=True)], ids=["hang", "stall"])
async def test_the_deadline_holds_whatever_a_provider_file_says(
    behaviour: Hang | Say, endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    endpoint.behaviour = behaviour

    reply = await api(mine, {}).ask(question(timeout_s=0.3))

    assert shown(reply) == failure(FailureCode.TIMEOUT, "mine gave no answer within 0.3 s.", retryable=True)
    endpoint.wait_until_left()


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
        spec = own(base_url=f"{endpoint.url}/v1", model="m")
        connections = Connections({})
        async with connections.held():
            replies = [await api(spec, {}, connections=connections).ask(question()) for _ in range(3)]

    assert [type(reply) for reply in replies] == [Answer] * 3
    assert (len(endpoint.requests), endpoint.connections) == (3, 1)


async def test_a_refusal_leaves_the_connection_usable() -> None:
    with ModelEndpoint(Say(TOLD), keeps_alive=True) as endpoint:
        endpoint.first = [Refuse(429, "rate_limit_exceeded", "Slow down.")]
        reply = await api(own(base_url=f"{endpoint.url}/v1", model="m"), {}).ask(question())

    assert isinstance(reply, Answer)
    assert (len(endpoint.requests), endpoint.connections) == (2, 1)


async def test_questions_at_the_same_time_have_a_connection_each() -> None:
    everybody = threading.Barrier(8)

    def together(_: Request) -> Say:
        everybody.wait(timeout=60)  # nobody is answered before all have asked
        return Say(TOLD)

    with ModelEndpoint(together, keeps_alive=True) as endpoint:
        spec = own(base_url=f"{endpoint.url}/v1", model="m")
        connections = Connections({})
        replies: list[object] = []

        async def ask() -> None:
            replies.append(await api(spec, {}, connections=connections).ask(question()))

        async with connections.held(), anyio.create_task_group() as tasks:
            for _ in range(8):
                tasks.start_soon(ask)

    assert [type(reply) for reply in replies] == [Answer] * 8
    assert endpoint.connections == 8
