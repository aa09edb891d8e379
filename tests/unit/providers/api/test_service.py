"""With which key a model API is asked, how often, for how long, and over which connections."""

import anyio
import pytest

from sparring.providers.api.connections import Connections
from sparring.providers.api.reading import END_S
from sparring.schema.consultation import Failure, FailureCode, Reply
from sparring.schema.providers import ApiProvider
from sparring.testing.model_endpoint import Behaviour, Hang, ModelEndpoint, Refuse, Reset, Say, Send
from sparring.text.redaction import Redactor
from support.apis import (
    HOSTED,
    KEY,
    STREAM,
    TOLD,
    api,
    built_in,
    environment,
    event,
    failure,
    own,
    reply_of,
    told_in_json,
)
from support.clocks import on_its_own_clock, put_forward
from support.desk import answered, question

KEY_HEADERS = {
    "anthropic": {"x-api-key": KEY},
    "google": {"x-goog-api-key": KEY},
    "openai": {"authorization": f"Bearer {KEY}"},
    "openrouter": {"authorization": f"Bearer {KEY}"},
}


@pytest.mark.parametrize("name", HOSTED)
async def test_the_key_travels_in_its_header_and_nowhere_else(name: str, endpoint: ModelEndpoint) -> None:
    spec = built_in(name)
    endpoint.behaviour = Refuse(401, "authentication_error", f"Incorrect API key provided: {KEY}.")
    reply = await reply_of(spec, environment(spec, endpoint.url), question(model="m"), redactor=Redactor((KEY,)))
    request = endpoint.request
    assert {header.lower(): value for header, value in request.headers.items() if KEY in value} == KEY_HEADERS[name]
    assert (KEY in request.path, KEY in request, len(endpoint.requests)) == (False, False, 1)
    # Whoever refuses it may repeat it: it is named by its variable, and not shown.
    detail = f"{name} refused the key in {spec.key_variables[0]}: Incorrect API key provided: [REDACTED:known-value]."
    assert reply == failure(FailureCode.AUTH, detail, tool=name).model_copy(update={"redactions": 1})


async def test_a_server_that_requires_a_key_is_reported_with_the_place_for_it(
    endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    endpoint.behaviour = Refuse(401, "Unauthorized", "No.")
    vllm, detail = built_in("vllm"), "vllm asks for a key, to be set in VLLM_API_KEY: No."
    told = [await reply_of(spec, environment(vllm, endpoint.url), question(model="m")) for spec in (vllm, mine)]
    assert told == [failure(FailureCode.AUTH, detail, tool="vllm"), failure(FailureCode.AUTH, "No.")]


async def test_a_key_is_not_sent_unencrypted_to_another_machine() -> None:
    variables = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://192.0.2.1/v1"}
    detail = "The key in OPENAI_API_KEY would be sent to 192.0.2.1 unencrypted. Give the address with https://."
    reply = await reply_of(built_in("openai"), variables, question(model="m"))
    assert reply == failure(FailureCode.UNSUPPORTED, detail, tool="openai")


@pytest.mark.parametrize(
    "obstacle",
    [
        Refuse(429, "rate_limit_exceeded", "Slow down.", {"retry-after": "0"}),
        Refuse(418, "x", "y", {"x-should-retry": "true"}),
        Reset(),
        Send(headers=STREAM),
        Send((event({"error": {"code": 429, "message": "Slow down."}}),), headers=STREAM),
    ],
    ids=["429", "told", "reset", "nothing", "error-before-any-text"],
)
async def test_a_temporary_failure_is_retried(obstacle: Behaviour, endpoint: ModelEndpoint, mine: ApiProvider) -> None:
    endpoint.first = [obstacle, obstacle]
    reply = answered(await reply_of(mine, {}, question()))
    assert (reply.response, len(endpoint.requests)) == (TOLD, 3)


async def test_a_wait_that_ends_too_late_is_not_begun(endpoint: ModelEndpoint) -> None:
    slow = {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Slow.", "details": [{"retryDelay": "3600s"}]}
    for kind, path, behaviour in (
        ("chat-completions", "/v1", Refuse(429, "rate_limit_exceeded", "Slow.", {"retry-after": "3600"})),
        ("gemini", "", told_in_json({"error": slow}, 429)),
    ):
        endpoint.behaviour = behaviour
        reply = await reply_of(own(base_url=endpoint.url + path, model="m", api=kind), {}, question(timeout_s=5))
        assert reply == failure(FailureCode.RATE_LIMIT, "mine asks to wait 3600 s: Slow.")
    assert len(endpoint.requests) == 2


LOADING = told_in_json({"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}, 503)


def test_a_server_that_loads_a_model_or_is_not_there_yet_is_waited_for_within_the_given_time() -> None:
    replies: list[Reply] = []

    async def ask() -> None:
        with ModelEndpoint(Hang()) as gone:
            closed = own(base_url=f"{gone.url}/v1", model="m")
        with ModelEndpoint(Say(TOLD)) as endpoint:
            endpoint.first = [LOADING] * 5
            specs = [own(base_url=f"{endpoint.url}/v1", model="m"), closed]

            async def wait_for_reply(spec: ApiProvider) -> None:
                replies.append(await api(spec, {}).ask(question(timeout_s=600)))

            async with anyio.create_task_group() as tasks:
                for spec in specs:
                    tasks.start_soon(wait_for_reply, spec)
                while len(replies) < 2:
                    put_forward(10)
                    await anyio.sleep(0.01)
            assert len(endpoint.requests) == 6

    on_its_own_clock(ask)
    first, second = replies
    assert answered(first).response == TOLD
    assert isinstance(second, Failure)
    assert (second.code, second.duration_ms > 500_000) == (FailureCode.CONNECTION, True)


NEVER_S = 10**9
HALF = Say("Half of an answer", pieces=2, stalled=True)


@pytest.mark.parametrize(
    ("behaviour", "limits", "detail"),
    [
        (Hang(), {"first_byte_s": 300}, "mine: no answer began within 300 s"),
        (HALF, {"stall_s": 300}, "mine: nothing more came for 300 s"),
        (HALF, {}, "mine gave no answer within 3600 s."),
    ],
    ids=["no first byte", "a stall", "the deadline"],
)
def test_a_stalled_answer_fails_and_closes_its_connection(
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


def test_a_connection_that_stays_open_behind_the_finish_reason_is_not_waited_for() -> None:
    replies: list[Reply] = []

    async def ask() -> None:
        with ModelEndpoint(Say(TOLD, pieces=4, stalled=True)) as endpoint:
            spec = own(base_url=f"{endpoint.url}/v1", model="m", first_byte_s=NEVER_S, stall_s=NEVER_S)

            async def wait_for_reply() -> None:
                replies.append(await reply_of(spec, {}, question(timeout_s=NEVER_S)))

            async with anyio.create_task_group() as tasks:
                tasks.start_soon(wait_for_reply)
                await anyio.to_thread.run_sync(endpoint.wait_for, 1)
                while not replies:
                    put_forward(END_S)
                    await anyio.sleep(0.01)

    on_its_own_clock(ask)
    assert [answered(reply).response for reply in replies] == [TOLD]


async def test_a_cancelled_call_closes_its_connection(endpoint: ModelEndpoint, mine: ApiProvider) -> None:
    endpoint.behaviour = Hang()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(reply_of, mine, dict[str, str](), question())
        await anyio.to_thread.run_sync(endpoint.wait_for, 1)
        tasks.cancel_scope.cancel()
    endpoint.wait_until_left()


async def test_within_a_run_connections_are_used_again() -> None:
    with ModelEndpoint(Say(TOLD), keeps_alive=True) as endpoint:
        endpoint.first = [Refuse(429, "rate_limit_exceeded", "Slow down.")]
        spec, connections = own(base_url=f"{endpoint.url}/v1", model="m"), Connections({})
        async with connections.acquired():
            for _ in range(3):
                assert answered(await reply_of(spec, {}, question(), connections=connections)).response == TOLD
    assert (len(endpoint.requests), endpoint.connections) == (4, 1)
