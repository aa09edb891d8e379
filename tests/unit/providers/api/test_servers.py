"""Model servers of a user's own, recognised by what they report and not by their port."""

from collections.abc import Generator

import pytest

from sparring.providers.api.endpoints import Endpoint
from sparring.providers.api.servers import (
    KnownServers,
    ServedModel,
    Server,
    ServerKind,
    endpoint_at,
    inspect_server,
    usual_model,
)
from sparring.providers.api.windows import planned_window, window_for
from sparring.providers.available import Available, Missing, availability
from sparring.schema.apis import ApiProvider
from sparring.schema.consultation import Answer, Failure, FailureCode
from sparring.testing.model_endpoint import Hang, ModelEndpoint, Say
from sparring.testing.model_servers import PlayedModel, play
from sparring.text.tokens import tokens_about
from support.apis import TOLD, built_in, environment, own, reply_of
from support.desk import answered, question

KINDS = ("llama-server", "lm-studio", "ollama", "vllm")
MODEL = PlayedModel("qwen3:8b", window=4_096, longest=40_960, architecture="qwen3")
LONG = "Every word of this counts for one token at least. " * 500


@pytest.fixture
def endpoint() -> Generator[ModelEndpoint]:
    with ModelEndpoint(Say(TOLD)) as listening:
        yield listening


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("path", ["", "/v1"])
def test_a_server_is_recognised_by_its_paths_and_by_the_owner_that_it_names(
    kind: str, path: str, endpoint: ModelEndpoint
) -> None:
    play(endpoint, kind, MODEL, PlayedModel("other", None))
    server = inspect_server(Endpoint(endpoint.url + path), MODEL.id)
    assert server is not None
    found = server.model("qwen3:8b")
    assert (server.kind, found and found.window) == (kind, 4_096)
    if kind in {"ollama", "lm-studio"}:
        assert found == ServedModel("qwen3:8b", 4_096, 40_960, "qwen3")


def test_an_unknown_answer_is_no_known_server(endpoint: ModelEndpoint) -> None:
    here = Endpoint(f"{endpoint.url}/v1")
    assert inspect_server(here) is None
    endpoint.list_models("some-model")
    assert inspect_server(here) == Server(ServerKind.OTHER, (ServedModel("some-model"),))
    endpoint.show("/v1/models", {"data": [{"id": "m", "context_window": 8_192}, {"id": 3}, None]})
    assert inspect_server(here) == Server(ServerKind.OTHER, (ServedModel("m", 8_192), ServedModel("")))
    endpoint.show("/v1/models", {"error": {"message": "Loading model"}}, status=503)
    endpoint.show("/health", {"error": {"message": "Loading model"}}, status=503)
    assert inspect_server(here) == Server(ServerKind.LLAMA_SERVER, is_loading=True)
    with ModelEndpoint(Hang()) as gone:
        pass
    assert inspect_server(Endpoint(gone.url)) is None


def test_a_model_is_found_by_each_of_its_names() -> None:
    models = (ServedModel("llama3.2:latest"), ServedModel("/models/Qwen3-8B-Q4_K_M.gguf"), ServedModel("default"))
    server = Server(ServerKind.OTHER, models)
    found = [server.model(name) for name in ("llama3.2", "Qwen/Qwen3-8B", "default", "mistral")]
    assert found == [*models, None]


def test_a_look_is_remembered_for_a_while(endpoint: ModelEndpoint) -> None:
    play(endpoint, "vllm", MODEL)
    servers, here = KnownServers(), Endpoint(f"{endpoint.url}/v1")
    assert servers.remembered(here.base_url) is None
    assert servers.server(here) == servers.server(here) == servers.remembered(here.base_url)
    assert endpoint.pages_asked == ["/v1/models"]


def test_of_several_usual_addresses_the_one_with_a_server_counts(endpoint: ModelEndpoint) -> None:
    with ModelEndpoint(Say(TOLD)) as other:
        addresses = {"base_url": f"{other.url}/v1", "other_base_urls": [f"{endpoint.url}/v1"]}
        where = {"server": "llama-server", "detected": True, "is_port_shared": True, "base_url_variable": "MINE"}
        spec = own(**addresses, **where, lists_models=True)
        assert endpoint_at(spec, {}, KnownServers()).base_url == f"{other.url}/v1"
        assert isinstance(availability(spec, {}, KnownServers()), Missing)
        play(other, "vllm", MODEL)
        play(endpoint, "llama-server", MODEL)
        assert availability(spec, {}, KnownServers()) == Available(f"{endpoint.url}/v1")
        assert endpoint_at(spec, {"MINE": f"{other.url}/v1"}, KnownServers()).base_url == f"{other.url}/v1"
        missing = availability(spec.model_copy(update={"other_base_urls": ()}), {}, KnownServers())
        assert missing == Missing(f"My own does not run at {other.url}/v1: vllm does.", "")


def test_an_unidentified_server_counts_unless_its_port_is_shared(endpoint: ModelEndpoint) -> None:
    endpoint.list_models("m")
    url = f"{endpoint.url}/v1"
    for fields, found in (
        ({"base_url": url}, Available(url)),
        ({"base_url": url, "is_port_shared": True}, Missing(f"My own does not run at {url}: something else does.", "")),
        ({"base_url_variable": "MINE", "is_port_shared": True}, Available(url)),
    ):
        spec = own(**fields, server="vllm", detected=True)
        assert availability(spec, {"MINE": url}, KnownServers()) == found


async def test_the_address_at_which_the_server_runs_is_asked(endpoint: ModelEndpoint) -> None:
    play(endpoint, "llama-server", MODEL)
    with ModelEndpoint(Say("Not me.")) as other:
        addresses = {"base_url": f"{other.url}/v1", "other_base_urls": [f"{endpoint.url}/v1"]}
        spec = own(**addresses, server="llama-server", lists_models=True)
        assert answered(await reply_of(spec, {}, question())).response == TOLD


# -- Context windows ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_a_window_is_planned_as_the_server_reports_it(kind: str, endpoint: ModelEndpoint) -> None:
    play(endpoint, kind, MODEL, PlayedModel("other", None, longest=8_192))
    spec = built_in(kind)
    variables = environment(spec, endpoint.url)
    of_ollama = {"qwen3:8b": 16_384, None: 16_384, "other": 16_384}
    expected = of_ollama if kind == "ollama" else {"qwen3:8b": 4_096, None: 4_096, "unheard-of": None}
    assert {model: planned_window(spec, variables, KnownServers(), model) for model in expected} == expected


def test_a_context_window_in_the_provider_file_counts_without_a_request(endpoint: ModelEndpoint) -> None:
    play(endpoint, "vllm", MODEL)
    rules = [{"match": ["small*"], "context_tokens": 512}, {"match": ["o*"], "body": {"options": {"num_ctx": 1_024}}}]
    spec = own(base_url=f"{endpoint.url}/v1", context_tokens=2_048, models=rules)
    windows = [planned_window(spec, {}, KnownServers(), model) for model in ("small-1", "large", None)]
    assert windows == [512, 2_048, 2_048]
    assert planned_window(spec.model_copy(update={"context_tokens": None}), {}, KnownServers(), "o1") == 1_024
    assert endpoint.pages_asked == []
    hosted = own(base_url="http://192.0.2.1/v1", key_variables=["MINE"])
    assert planned_window(hosted, {}, KnownServers(), "m") is None


async def test_a_prompt_that_cannot_fit_is_refused_before_it_is_sent(endpoint: ModelEndpoint) -> None:
    play(endpoint, "llama-server", MODEL)
    spec = built_in("llama-server")
    reply = await reply_of(spec, environment(spec, endpoint.url), question(LONG, model="qwen3:8b"))
    assert isinstance(reply, Failure)
    detail = (
        "llama-server: the prompt has about 6,250 tokens, and qwen3:8b reads 4,096 at once. "
        "Start llama-server with a larger -c."
    )
    assert (reply.code, reply.detail, endpoint.requests) == (FailureCode.CONTEXT_TOO_LONG, detail, [])


def reporting(tokens: object) -> Say:
    return Say(TOLD, prompt_tokens=tokens)


READ = "mine: the server has read 2,048 of about 6,250 tokens of the prompt. "
ADVICE = "Raise the context window of the server (Ollama: OLLAMA_CONTEXT_LENGTH)."


@pytest.mark.parametrize("kind", ["anthropic-messages", "chat-completions", "gemini", "ollama", "openai-responses"])
async def test_a_prompt_that_the_server_has_cut_off_is_no_question_that_was_answered(
    kind: str, endpoint: ModelEndpoint
) -> None:
    path = "/v1" if kind in {"chat-completions", "openai-responses"} else ""
    spec = own(api=kind, base_url=endpoint.url + path, model="m")
    if kind == "ollama":
        spec = spec.model_copy(update={"context_tokens": 7_000})
    endpoint.behaviour = reporting(2_048)
    reply = await reply_of(spec, {}, question(LONG))
    assert isinstance(reply, Failure)
    read = READ.replace("2,048", "2,053") if kind == "anthropic-messages" else READ  # which counts the cache beside it
    assert (reply.code, reply.detail, reply.retryable) == (FailureCode.CONTEXT_TOO_LONG, read + ADVICE, False)


@pytest.mark.parametrize("tokens", [None, 0, 12, 4_500, 5_800, 7_000, "2048", -3, 2048.5, True])
async def test_another_tokenizer_or_an_invalid_count_is_no_truncation(
    tokens: object, endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    endpoint.behaviour = reporting(tokens)
    assert answered(await reply_of(mine, {}, question(LONG))).response == TOLD


async def test_cached_tokens_are_not_counted_again_where_there_is_room(endpoint: ModelEndpoint) -> None:
    spec = own(base_url=f"{endpoint.url}/v1", model="m", context_tokens=32_768)
    endpoint.behaviour = reporting(300)
    assert answered(await reply_of(spec, {}, question(LONG))).response == TOLD


async def test_a_window_that_is_full_to_its_brim_has_cut_something_off(endpoint: ModelEndpoint) -> None:
    spec = own(base_url=f"{endpoint.url}/v1", model="m", context_tokens=6_000)
    endpoint.behaviour = reporting(5_950)
    reply = await reply_of(spec, {}, question(LONG))
    assert isinstance(reply, Failure)
    assert reply.code is FailureCode.CONTEXT_TOO_LONG


@pytest.mark.parametrize(
    ("loaded", "longest", "stated", "requested"),
    [
        (None, 40_960, None, 16_384),
        (4_096, 40_960, None, 16_384),
        (32_768, 40_960, None, 32_768),
        (None, 8_000, None, 8_000),
        (4_096, 40_960, 10_000, 10_000),
    ],
    ids=["not loaded", "loaded with less", "loaded with more", "trained for less", "stated"],
)
async def test_ollama_gets_a_context_window_for_prompt_and_answer(
    loaded: int | None, longest: int, stated: int | None, requested: int, endpoint: ModelEndpoint
) -> None:
    play(endpoint, "ollama", PlayedModel("m", loaded, longest, "qwen3"))
    spec = built_in("ollama").model_copy(update={"context_tokens": stated})
    reply = await reply_of(spec, environment(spec, endpoint.url), question(LONG, model="m"))
    assert isinstance(reply, Answer)
    assert endpoint.request.body["options"] == {"num_ctx": requested}
    assert endpoint.request.body["truncate"] is False


def test_a_window_of_ollama_that_is_too_small_for_a_little_is_not_made_smaller(endpoint: ModelEndpoint) -> None:
    play(endpoint, "ollama", PlayedModel("m", None, 131_072))
    spec = built_in("ollama")
    sizes = [
        window_for(spec, Endpoint(endpoint.url), KnownServers(), "m", "word " * words).requested
        for words in (1, 3_000, 10_000, 90_000)
    ]
    assert sizes == [4_096, 8_192, 16_384, 131_072]
    assert tokens_about("word " * 90_000) > 100_000


# -- Who is asked ------------------------------------------------------------------------------------------------------


def test_the_first_model_of_a_list_that_answers_questions_is_the_usual_one(endpoint: ModelEndpoint) -> None:
    play(endpoint, "lm-studio", PlayedModel("text-embed-x"), MODEL)
    spec = built_in("lm-studio")
    assert usual_model(spec, inspect_server(Endpoint(f"{endpoint.url}/v1"))) == "qwen3:8b"
    assert usual_model(built_in("openrouter"), inspect_server(Endpoint(endpoint.url))) is None
    assert usual_model(spec, None) is None
