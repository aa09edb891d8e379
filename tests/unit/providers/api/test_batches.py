"""The three batch interfaces over real HTTP: one suite, whichever it is."""

import json
from collections.abc import AsyncGenerator, Generator

import pytest

from sparring.errors import OutputError
from sparring.providers.api.batches import BATCH_APIS, ApiBatches, bounded_lines
from sparring.providers.api.calls import request_body
from sparring.providers.api.connections import Connections
from sparring.providers.api.protocol import BatchStatus
from sparring.schema.apis import ApiKind, ApiProvider
from sparring.schema.base import Effort
from sparring.schema.consultation import Failure, FailureCode, Question, Reply, Usage
from sparring.testing.dialects import CACHED_TOKENS, INPUT_TOKENS, OUTPUT_TOKENS
from sparring.testing.model_endpoint import Behaviour, Hang, ModelEndpoint, Refuse, Request, Reset, Say
from sparring.text.redaction import Redactor
from support.apis import KEY, built_in, environment, own
from support.desk import answered, failed, question

KINDS = ("anthropic", "google", "openai", "chat")
MODEL = "some-model-1"


def spec_of(kind: str) -> ApiProvider:
    return own(base_url_variable="MINE_URL", key_variables=["MINE"]) if kind == "chat" else built_in(kind)


def batches(spec: ApiProvider, endpoint: ModelEndpoint) -> ApiBatches:
    mine = {"MINE_URL": f"{endpoint.url}/v1", "MINE": KEY}
    variables = mine if spec.name == "mine" else environment(spec, endpoint.url)
    return ApiBatches(spec, variables, connections=Connections(variables), redactor=Redactor())


def asked(prompt: str = "Is it so?", effort: Effort | None = None) -> Question:
    return question(prompt, effort=effort, model=MODEL)


async def ended(asking: ApiBatches, batch: str) -> BatchStatus:
    for _ in range(10):
        status = await asking.poll(batch)
        assert isinstance(status, BatchStatus)
        if status.is_ended:
            return status
    raise AssertionError("it never ends")


async def replies(asking: ApiBatches, *prompts: str) -> dict[str, Reply]:
    """What is replied to each prompt, by its name: ``q0``, ``q1`` …; in the order in which it comes."""
    batch = await asking.submit([(f"q{number}", asked(prompt)) for number, prompt in enumerate(prompts)])
    assert isinstance(batch, str), batch
    return {name: reply async for name, reply in asking.results(await ended(asking, batch))}


def played(request: Request) -> Behaviour:
    """Whatever the prompt says."""
    match request.prompt.partition(" ")[0]:
        case "refuse":
            full = {"AnthropicDialect": "overloaded_error", "GeminiDialect": "UNAVAILABLE"}
            return Refuse(529, full.get(type(request.dialect).__name__, "server_is_overloaded"), "Overloaded.")
        case "expire":
            return Hang()
        case "cancel":
            return Reset()
        case _:
            return Say(f"Heard: {request.prompt}")


@pytest.fixture
def endpoint() -> Generator[ModelEndpoint]:
    with ModelEndpoint(played) as listening:
        yield listening


@pytest.mark.parametrize("kind", KINDS)
async def test_results_of_a_batch_are_matched_to_questions_in_any_order(kind: str, endpoint: ModelEndpoint) -> None:
    prompts = ["refuse", "expire", "cancel", *(f"Phở number {number}\n\x00?" for number in range(20))]
    told = await replies(batches(spec_of(kind), endpoint), *prompts)
    assert next(iter(told)) == "q22"
    failures = [failed(told[f"q{at}"]) for at in range(3)]
    expected = [("overloaded", True), ("timeout", False), ("cancelled", False)]
    assert [(failure.code.value, failure.retryable) for failure in failures] == expected
    answers = [answered(told[f"q{at}"]) for at in range(3, 23)]
    assert [answer.response for answer in answers] == [f"Heard: {prompt}" for prompt in prompts[3:]]
    usage = Usage(input_tokens=INPUT_TOKENS, cached_tokens=CACHED_TOKENS, output_tokens=OUTPUT_TOKENS)
    counted = {"input_tokens": INPUT_TOKENS, "reasoning_tokens": None}
    assert [answer.usage.model_copy(update=counted) for answer in answers] == [usage] * 20


@pytest.mark.parametrize("kind", KINDS)
async def test_a_question_in_a_batch_has_the_usual_body_without_streaming(kind: str, endpoint: ModelEndpoint) -> None:
    spec, prompt = spec_of(kind), asked(effort=Effort.MEDIUM if kind == "chat" else Effort.HIGH)
    await batches(spec, endpoint).submit([("q", prompt)])
    (batch,) = endpoint.batches.batches.values()
    ((_, body),) = batch.entries
    alone = request_body(spec, prompt, MODEL)
    streamed = {"stream": True, "stream_options": {"include_usage": True}}
    assert {**streamed, **body} == {**streamed, **alone}
    assert not body.keys() & streamed.keys()


@pytest.mark.parametrize("kind", KINDS)
async def test_a_batch_that_ended_early_or_is_lost_is_reported(kind: str, endpoint: ModelEndpoint) -> None:
    endpoint.batches.polls = 100
    asking = batches(spec_of(kind), endpoint)
    batch = await asking.submit([("q", asked())])
    assert isinstance(batch, str)
    assert await asking.poll(batch) == BatchStatus()
    (held,) = endpoint.batches.batches.values()
    held.is_cancelled, held.polls_left = True, 0
    told = [failed(reply).code async for _, reply in asking.results(await ended(asking, batch))]
    endpoint.batches.lose()
    lost = await asking.poll(batch)
    assert isinstance(lost, Failure)
    assert ([*told, lost.code], endpoint.requests) == ([FailureCode.CANCELLED, FailureCode.NOT_FOUND], [])


async def test_a_key_is_not_sent_to_an_address_from_an_answer(endpoint: ModelEndpoint) -> None:
    with ModelEndpoint(played) as elsewhere:
        endpoint.batches.results_url = f"{elsewhere.url}/v1/messages/batches/stolen/results"
        answered((await replies(batches(built_in("anthropic"), endpoint), "Is it so?"))["q0"])
        assert (elsewhere.connections, elsewhere.batches.asked) == (0, [])


def test_ids_and_files_that_could_lead_elsewhere_are_refused() -> None:
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


async def test_noise_among_results_is_ignored_and_a_repeated_name_counts_once(endpoint: ModelEndpoint) -> None:
    message = {"content": [{"type": "text", "text": "Yes."}], "model": MODEL, "stop_reason": "end_turn"}
    line = {"custom_id": "q0", "result": {"type": "succeeded", "message": message}}
    again = {"custom_id": "q0", "result": {"type": "expired"}}
    lines = [b"", b"no JSON", b"[]", b'{"custom_id": 1}', json.dumps(line).encode(), json.dumps(again).encode()]
    endpoint.batches.results_as = b"\r\n".join(lines)
    told = await replies(batches(built_in("anthropic"), endpoint), "Is it so?")
    assert [answered(reply).response for reply in told.values()] == ["Yes."]


@pytest.mark.parametrize("kind", KINDS)
def test_a_question_is_not_taken_for_smaller_than_it_is_in_a_batch(kind: str) -> None:
    spec, prompt = spec_of(kind), asked('"Phở"\\\n\x00' * 1000)
    batch, entries = BATCH_APIS[spec.api], [("q" * 64, request_body(spec, prompt, MODEL))]
    sent = batch.files(entries, "/v1/messages") or batch.create(entries, "/v1/messages", "", "")
    size = ApiBatches(spec, {}, connections=Connections({}), redactor=Redactor()).size(prompt)
    assert len(sent.content) <= size + 300  # what one upload has besides


async def _pieces(content: bytes, size: int) -> AsyncGenerator[bytes]:
    for start in range(0, len(content), size):
        yield content[start : start + size]


async def test_lines_are_the_same_in_any_pieces_and_bounded_by_the_size_of_a_batch() -> None:
    content = b"one\ntwo\r\n\n \nthree"
    for size in (1, 2, 7, 1000):
        assert [line async for line in bounded_lines(_pieces(content, size), most=9)] == [b"one", b"two", b"three"]
    for content, size in ((b"a" * 101, 10), (b"a" * 101, 1000), (b"a" * 101 + b"\nb", 1000), (b"a\n" * 5, 3)):
        with pytest.raises(OutputError):
            _ = [line async for line in bounded_lines(_pieces(content, size), most=4, longest=100)]


async def test_a_provider_without_batches_and_a_wrong_key_are_reported(endpoint: ModelEndpoint) -> None:
    for spec, code in (
        (own(base_url=f"{endpoint.url}/no"), FailureCode.NOT_FOUND),
        (built_in("openai"), FailureCode.AUTH),
    ):
        asking = ApiBatches(spec, {}, connections=Connections({}), redactor=Redactor())
        refused = await asking.submit([("q", asked())])
        assert isinstance(refused, Failure)
        assert (refused.code, refused.retryable) == (code, False)
