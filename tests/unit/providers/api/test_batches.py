"""The three batch interfaces over real HTTP: one suite, whichever it is."""

import json
from collections.abc import AsyncGenerator, Sequence

import pytest

from sparring.errors import OutputError
from sparring.providers.api.batches import BATCH_APIS, ApiBatches, bounded_lines
from sparring.providers.api.calls import question_call, request_body
from sparring.providers.api.connections import Connections
from sparring.providers.api.endpoints import Endpoint
from sparring.providers.api.protocol import BatchStatus
from sparring.schema.base import Effort
from sparring.schema.consultation import Answer, Failure, FailureCode, Question, Reply, Usage
from sparring.schema.providers import ApiKind, ApiProvider
from sparring.testing.dialects import CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS
from sparring.testing.model_endpoint import Behaviour, Hang, ModelEndpoint, Refuse, Request, Reset, Say
from sparring.text.redaction import Redactor
from support.apis import KEY, built_in, environment, own
from support.desk import question

KINDS = ("anthropic", "google", "openai", "chat")
MODEL = "some-model-1"


def spec_of(kind: str) -> ApiProvider:
    if kind != "chat":
        return built_in(kind)
    return own(base_url_variable="MINE_URL", key_variables=["MINE"])


def batches(kind: str, endpoint: ModelEndpoint, *, redactor: Redactor | None = None) -> ApiBatches:
    spec = spec_of(kind)
    variables = {"MINE_URL": f"{endpoint.url}/v1", "MINE": KEY} if kind == "chat" else environment(spec, endpoint.url)
    return ApiBatches(spec, variables, connections=Connections(variables), redactor=redactor or Redactor())


def asked(prompt: str, effort: Effort | None = None) -> Question:
    return question(prompt, effort=effort).model_copy(update={"model": MODEL})


async def ended(asking: ApiBatches, batch: str) -> BatchStatus:
    for _ in range(10):
        status = await asking.poll(batch)
        assert isinstance(status, BatchStatus)
        if status.is_ended:
            return status
    raise AssertionError("it never ends")


async def replies(asking: ApiBatches, prompts: Sequence[str]) -> dict[str, Reply]:
    """What is replied to each prompt, by its name: ``q0``, ``q1`` …; in the order in which it comes."""
    batch = await asking.submit([(f"q{number}", asked(prompt)) for number, prompt in enumerate(prompts)])
    assert isinstance(batch, str), batch
    status = await ended(asking, batch)
    return {name: reply async for name, reply in asking.results(status)}


def played(request: Request) -> Behaviour:
    """Whatever the prompt says."""
    match request.prompt.partition(" ")[0]:
        case "refuse":
            return Refuse(529, *_FULL[type(request.dialect).__name__])
        case "expire":
            return Hang()
        case "cancel":
            return Reset()
        case _:
            return Say(f"Heard: {request.prompt}")


_FULL = {
    "AnthropicDialect": ("overloaded_error", "Overloaded."),
    "ResponsesDialect": ("server_is_overloaded", "Overloaded."),
    "ChatDialect": ("server_is_overloaded", "Overloaded."),
    "GeminiDialect": ("UNAVAILABLE", "Overloaded."),
}


@pytest.mark.parametrize("kind", KINDS)
async def test_each_question_of_a_batch_gets_its_own_answer_though_they_come_in_another_order(kind: str) -> None:
    prompts = [f"Phở number {number}\n\x00?" for number in range(20)]
    with ModelEndpoint(played) as endpoint:
        told = await replies(batches(kind, endpoint), prompts)
    usage = Usage(input_tokens=INPUT_TOKENS, cached_tokens=CACHED_TOKENS, output_tokens=OUTPUT_TOKENS)
    answers = {name: reply for name, reply in told.items() if isinstance(reply, Answer)}
    assert {name: answer.response for name, answer in answers.items()} == {
        f"q{number}": f"Heard: {prompt}" for number, prompt in enumerate(prompts)
    }
    assert next(iter(answers)) == "q19"
    first = answers["q0"].usage
    assert first.model_copy(update={"input_tokens": usage.input_tokens, "reasoning_tokens": None}) == usage
    assert all(answer.usage.cost_usd is None for answer in answers.values())


@pytest.mark.parametrize("kind", KINDS)
async def test_a_question_goes_into_a_batch_as_it_would_go_alone_but_for_the_stream(kind: str) -> None:
    effort = Effort.MEDIUM if kind == "chat" else Effort.HIGH
    with ModelEndpoint(played) as endpoint:
        asking = batches(kind, endpoint)
        batch = await asking.submit([("q", asked("Is it so?", effort))])
        (batch,) = endpoint.batches.batches.values()
        ((_, body),) = batch.entries
    spec = spec_of(kind)
    alone = question_call(spec, Endpoint(endpoint.url), asked("Is it so?", effort), MODEL)
    streamed = {"stream": True, "stream_options": {"include_usage": True}}
    assert {**streamed, **body} == {**streamed, **json.loads(alone.content)}
    assert not body.keys() & streamed.keys()


@pytest.mark.parametrize("kind", KINDS)
async def test_what_was_not_answered_is_a_failure_that_says_why(kind: str) -> None:
    with ModelEndpoint(played) as endpoint:
        told = await replies(batches(kind, endpoint), ["say", "refuse", "expire", "cancel"])
    found = {name: (reply.code, reply.retryable) for name, reply in told.items() if isinstance(reply, Failure)}
    assert found == {
        "q1": (FailureCode.OVERLOADED, True),
        "q2": (FailureCode.TIMEOUT, False),
        "q3": (FailureCode.CANCELLED, False),
    }
    assert isinstance(told["q0"], Answer)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_batch_that_is_ended_early_or_lost_says_so(kind: str) -> None:
    with ModelEndpoint(played) as endpoint:
        endpoint.batches.polls = 100
        asking = batches(kind, endpoint)
        batch = await asking.submit([("q", asked("Is it so?"))])
        assert isinstance(batch, str)
        assert await asking.poll(batch) == BatchStatus()
        (held,) = endpoint.batches.batches.values()
        held.is_cancelled, held.polls_left = True, 0
        status = await ended(asking, batch)
        told = [reply async for _, reply in asking.results(status)]
        assert [reply.code for reply in told if isinstance(reply, Failure)] == [FailureCode.CANCELLED]
        endpoint.batches.lose()
        lost = await asking.poll(batch)
    assert isinstance(lost, Failure)
    assert lost.code is FailureCode.NOT_FOUND
    assert endpoint.requests == []


async def test_a_key_goes_to_nobody_whom_an_answer_names() -> None:
    with ModelEndpoint(played) as endpoint, ModelEndpoint(played) as elsewhere:
        endpoint.batches.results_url = f"{elsewhere.url}/v1/messages/batches/stolen/results"
        told = await replies(batches("anthropic", endpoint), ["Is it so?"])
        assert isinstance(told["q0"], Answer)
        assert (elsewhere.connections, elsewhere.batches.asked) == (0, [])


def test_an_id_or_a_file_that_could_lead_elsewhere_is_none() -> None:
    for kind, told in (
        ("anthropic", {"id": "../../evil", "processing_status": "ended"}),
        ("openai", {"id": "a/b"}),
        ("google", {"name": "batches/../models"}),
        ("google", {"name": "operations/1"}),
    ):
        with pytest.raises(ValueError, match="pattern"):
            BATCH_APIS[spec_of(kind).api].created(told)
    with pytest.raises(ValueError, match="pattern"):
        BATCH_APIS[ApiKind.OPENAI_RESPONSES].status("b", {"status": "completed", "output_file_id": "x/../../models"})


async def test_noise_among_the_results_is_left_out_and_a_name_counts_once() -> None:
    message = {"content": [{"type": "text", "text": "Yes."}], "model": MODEL, "stop_reason": "end_turn"}
    line = {"custom_id": "q0", "result": {"type": "succeeded", "message": message}}
    again = {"custom_id": "q0", "result": {"type": "expired"}}
    lines = [b"", b"no JSON", b"[]", b'{"custom_id": 1}', json.dumps(line).encode(), json.dumps(again).encode()]
    with ModelEndpoint(played) as endpoint:
        endpoint.batches.results_as = b"\r\n".join(lines)
        told = await replies(batches("anthropic", endpoint), ["Is it so?"])
    assert [type(reply) for reply in told.values()] == [Answer]


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_is_not_taken_for_smaller_than_it_is_in_a_batch(kind: str) -> None:
    spec, prompt = spec_of(kind), asked('"Phở"\\\n\x00' * 1000)
    batch, entries = BATCH_APIS[spec.api], [("q" * 64, request_body(spec, prompt, MODEL))]
    sent = batch.files(entries, "/v1/messages") or batch.create(entries, "/v1/messages", "")
    size = ApiBatches(spec, {}, connections=Connections({}), redactor=Redactor()).size(prompt)
    assert len(sent.content) <= size + 300  # what one upload has besides


async def _pieces(content: bytes, size: int) -> AsyncGenerator[bytes]:
    for start in range(0, len(content), size):
        yield content[start : start + size]


async def test_lines_are_the_same_however_they_are_cut_and_no_more_than_the_results_of_a_batch_can_be() -> None:
    content = b"one\ntwo\r\n\n \nthree"
    for size in (1, 2, 7, 1000):
        assert [line async for line in bounded_lines(_pieces(content, size), most=9)] == [b"one", b"two", b"three"]
    for content, size in ((b"a" * 101, 10), (b"a" * 101, 1000), (b"a" * 101 + b"\nb", 1000), (b"a\n" * 5, 3)):
        with pytest.raises(OutputError):
            _ = [line async for line in bounded_lines(_pieces(content, size), most=4, longest=100)]


async def test_a_provider_without_batches_and_a_wrong_key_are_told() -> None:
    with ModelEndpoint(played) as endpoint:
        spec = own(base_url=f"{endpoint.url}/nowhere")
        asking = ApiBatches(spec, {}, connections=Connections({}), redactor=Redactor())
        refused = await asking.submit([("q", asked("Is it so?"))])
    assert isinstance(refused, Failure)
    assert (refused.code, refused.retryable) == (FailureCode.NOT_FOUND, False)
    keyless = ApiBatches(built_in("anthropic"), {}, connections=Connections({}), redactor=Redactor())
    refused = await keyless.submit([("q", asked("Is it so?"))])
    assert isinstance(refused, Failure)
    assert refused.code is FailureCode.AUTH
