"""Model servers of a user's own, played by a ``ModelEndpoint``: what each reports of itself, and how each refuses.

``play`` gives an endpoint the pages by which a server is recognised. ``refusals`` are the bodies with which servers and
vendors refuse a request.
"""

import tomllib
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from sparring.testing.dialects import Json
from sparring.testing.model_endpoint import ModelEndpoint, Send


class PlayedModel(Struct, frozen=True):
    """A model that a server has.

    Attributes:
        window: Tokens that are set apart for a prompt and its answer; None where it is not loaded.
        longest: The same as it was trained for.
    """

    id: str
    window: int | None = 4_096
    longest: int = 32_768
    architecture: str = "llama"
    weights: str = ""


def play(endpoint: ModelEndpoint, kind: str, *models: PlayedModel) -> None:
    """Let ``endpoint`` be a server of that kind: ``ollama``, ``llama-server``, ``lm-studio`` or ``vllm``."""
    {"ollama": _ollama, "llama-server": _llama_server, "lm-studio": _lm_studio, "vllm": _vllm}[kind](endpoint, models)


def _list(owner: str, entries: Sequence[Json]) -> Json:
    return {"object": "list", "data": [{"object": "model", "owned_by": owner, **entry} for entry in entries]}


def _ollama(endpoint: ModelEndpoint, models: Sequence[PlayedModel]) -> None:
    endpoint.show("/v1/models", _list("library", [{"id": model.id} for model in models]))
    endpoint.show("/api/version", {"version": "0.31.2"})
    tags = [{"name": each.id, "model": each.id, "details": {"family": each.architecture}} for each in models]
    endpoint.show("/api/tags", {"models": tags})
    loaded = [{"name": each.id, "context_length": each.window} for each in models if each.window]
    endpoint.show("/api/ps", {"models": loaded})
    for each in models[:1]:  # the page cannot see which one it is asked about
        info = {"general.architecture": each.architecture, f"{each.architecture}.context_length": each.longest}
        shown = {"details": {"family": each.architecture}, "model_info": info, "capabilities": ["completion"]}
        endpoint.show("/api/show", shown)


def _llama_server(endpoint: ModelEndpoint, models: Sequence[PlayedModel]) -> None:
    entries = [{"id": each.id, "meta": {"n_ctx_train": each.longest, "n_params": 8_000_000_000}} for each in models]
    endpoint.show("/v1/models", _list("llamacpp", entries))
    endpoint.show("/health", {"status": "ok"})
    window = next((each.window for each in models), None)
    path = next((each.weights for each in models), "")
    settings: Json = {"n_ctx": window, "params": {}}
    endpoint.show("/props", {"default_generation_settings": settings, "total_slots": 1, "model_path": path})


def _lm_studio(endpoint: ModelEndpoint, models: Sequence[PlayedModel]) -> None:
    endpoint.show("/v1/models", _list("organization_owner", [{"id": each.id} for each in models]))
    listed = [
        {
            "type": "llm",
            "key": each.id,
            "architecture": each.architecture,
            "max_context_length": each.longest,
            "loaded_instances": [{"id": each.id, "config": {"context_length": each.window}}] if each.window else [],
        }
        for each in models
    ]
    embedding: Json = {
        "type": "embedding",
        "key": "text-embedding-nomic",
        "loaded_instances": [],
        "max_context_length": 2048,
    }
    endpoint.show("/api/v1/models", {"models": [*listed, embedding]})


def _vllm(endpoint: ModelEndpoint, models: Sequence[PlayedModel]) -> None:
    entries = [{"id": each.id, "root": each.weights or each.id, "max_model_len": each.window} for each in models]
    endpoint.show("/v1/models", _list("vllm", entries))


class Refusal(Struct, frozen=True):
    """A response with which a server refuses a request.

    Attributes:
        source: Its vendor or server, and its kind.
        status: Its HTTP status; 200 for an event in a stream.
        body: Its text.
        code: The failure code for it.
        is_about_schema: Whether the schema of the answer is refused, so that the same may be asked without.
    """

    source: str
    status: int
    body: str
    code: str
    is_about_schema: bool = False

    @property
    def send(self) -> Send:
        """The response, for an endpoint."""
        if self.status == 200:
            return Send((f"data: {self.body}\n\n".encode(),), headers={"content-type": "text/event-stream"})
        return Send((self.body.encode(),), self.status, {"content-type": "application/json"}, whole=True)


def refusals() -> tuple[Refusal, ...]:
    """The refusals of vendors and servers, as their sources or users show them (November 2026)."""
    table = tomllib.loads(Path(__file__).with_name("refusals.toml").read_text(encoding="utf-8"))
    return tuple(Refusal(**each) for each in table["refusal"])
