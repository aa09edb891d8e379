"""The family of a model, by what its file states, its id says, and its server reports."""

from collections.abc import Generator

import pytest

from sparring.app.application import App
from sparring.participants.seats import NamedTool, are_related, family_of, unknown_family_notices
from sparring.schema.base import Participant
from sparring.schema.consultation import Answer
from sparring.testing.model_endpoint import ModelEndpoint, Say
from sparring.testing.model_servers import PlayedModel, play
from support.desk import question
from support.installed import app_with
from support.workbench import Workbench


@pytest.fixture
def endpoint() -> Generator[ModelEndpoint]:
    with ModelEndpoint(Say("It is so.")) as listening:
        yield listening


def add(bench: Workbench, name: str, endpoint: ModelEndpoint, *lines: str) -> None:
    table = ['kind = "api"', f'title = "{name}"', 'api = "chat-completions"', f'base_url = "{endpoint.url}/v1"', *lines]
    (bench.providers / f"{name}.toml").write_text("\n".join(table), encoding="utf-8")


def families(app: App, *seats: str) -> list[str]:
    return [family_of(tool, app.roster, model or None) for tool, _, model in (seat.partition(":") for seat in seats)]


def test_one_server_seats_models_of_several_families(bench: Workbench, endpoint: ModelEndpoint) -> None:
    bench.extra["VLLM_BASE_URL"] = f"{endpoint.url}/v1"
    app = app_with(bench)
    seats = (
        "vllm:llama-3.1-8b",
        "vllm:qwen3-8b",
        "openrouter:anthropic/claude-sonnet-5",
        "openrouter:openai/gpt-5.5",
        "claude",
        "claude:opus",
        "opencode:openai/gpt-5.5",
        "copilot",
    )
    assert families(app, *seats) == ["llama", "qwen", "claude", "gpt", "claude", "claude", "gpt", "copilot"]
    assert are_related(NamedTool("claude"), NamedTool("openrouter", "anthropic/claude-sonnet-5"), app.roster)
    assert not are_related(NamedTool("copilot"), NamedTool("copilot"), app.roster)
    unknown = "[WARN] The family of vllm:default is not known: it counts as one of its own."
    assert unknown_family_notices(
        (NamedTool("vllm", "default"), NamedTool("claude"), NamedTool("ann")), app.roster
    ) == (unknown,)


def test_a_stated_family_wins_and_a_vendor_means_its_family(bench: Workbench, endpoint: ModelEndpoint) -> None:
    add(bench, "mine", endpoint, 'family = "house"', 'model = "llama-3.1-8b"')
    add(bench, "theirs", endpoint, 'family = "anthropic"', 'model = "default"')
    assert families(app_with(bench), "mine", "mine:qwen3-8b", "theirs") == ["house", "house", "claude"]


def test_one_model_in_two_provider_files_has_one_family(bench: Workbench, endpoint: ModelEndpoint) -> None:
    add(bench, "one", endpoint, 'family = "first"', 'model = "Qwen/Qwen3-8B"')
    add(bench, "other", endpoint, 'family = "second"', 'model = "qwen3:8b"')
    add(bench, "third", endpoint, 'family = "third"', 'model = "qwen3:14b"')
    assert families(app_with(bench), "one", "other", "third") == ["first", "first", "third"]


@pytest.mark.parametrize(
    ("kind", "model", "family"),
    [
        ("ollama", PlayedModel("deepseek-r1:latest", architecture="qwen3"), "qwen"),
        ("ollama", PlayedModel("hermes3:8b", architecture="llama"), ""),
        ("lm-studio", PlayedModel("my-model", architecture="gemma3"), "gemini"),
        ("llama-server", PlayedModel("default", weights="/models/Mistral-7B-v0.3.Q4_K_M.gguf"), "mistral"),
        ("vllm", PlayedModel("default", weights="microsoft/Phi-4"), "phi"),
    ],
)
def test_a_server_resolves_the_alias_of_a_model(
    kind: str, model: PlayedModel, family: str, bench: Workbench, endpoint: ModelEndpoint
) -> None:
    play(endpoint, kind, model)
    add(bench, "mine", endpoint, "lists_models = true")
    app = app_with(bench)
    assert app.roster.family("mine", model.id) == family
    assert app.roster.family("mine") == family
    named = {"mine": family} if family else {}
    assert app.roster.families([Participant(tool="mine", model=model.id), Participant(tool="ann")]) == named


@pytest.mark.parametrize(
    ("lines", "asked", "reported", "family"),
    [
        ((), "auto", "anthropic/claude-sonnet-5", "claude"),
        ((), "qwen3-8b", "qwen3-8b-awq", ""),
        ((), "qwen3-8b", "llama-3.1-8b", "llama"),
        (('family = "house"',), "auto", "llama-3.1-8b", ""),
        (('family = "none"',), "auto", "llama-3.1-8b", ""),
    ],
    ids=["a router", "the same", "another one", "stated", "no model"],
)
async def test_the_reported_model_id_wins_over_the_requested_one(
    lines: tuple[str, ...], asked: str, reported: str, family: str, bench: Workbench, endpoint: ModelEndpoint
) -> None:
    endpoint.behaviour = Say("It is so.", model=reported)
    add(bench, "mine", endpoint, *lines)
    reply = await app_with(bench).roster.consultant("mine").ask(question(model=asked))
    assert isinstance(reply, Answer)
    assert (reply.model, reply.family) == (reported, family)
