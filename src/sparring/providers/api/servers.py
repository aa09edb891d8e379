"""Model servers on the user's machine: the program at an address, its models, and the context window of each.

A server is recognised by its paths and by the owner in its list of models, never by its port.
Only the loopback interface, and addresses that need no key, are queried. A query takes a few milliseconds where a
server answers, blocks meanwhile, and never raises: unknown values are None.
"""

import json
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from enum import StrEnum
from threading import Lock
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from msgspec import Struct, field
from msgspec.structs import replace

from sparring.providers.api.endpoints import Endpoint, endpoint_of
from sparring.providers.api.protocol import Json, count, table, tables, word
from sparring.schema.apis import ApiProvider, matches
from sparring.schema.families import model_key

if TYPE_CHECKING:
    from http.client import HTTPResponse

_WAIT_S = 1.0
"""Seconds for one query. A server on this machine answers in milliseconds; one busy with a prompt may take longer."""

_LARGEST = 4 * 1024 * 1024
"""Bytes of an answer that are read."""

_FRESH_S = 20.0
"""Seconds for which a look is not repeated: models are loaded and unloaded."""


class ServerKind(StrEnum):
    """Programs that serve models. OTHER: one that has the common list of models and reports nothing more."""

    LLAMA_SERVER = "llama-server"
    LM_STUDIO = "lm-studio"
    OLLAMA = "ollama"
    OTHER = "other"
    VLLM = "vllm"


class ServedModel(Struct, frozen=True):
    """A model as its server reports it.

    Attributes:
        window: Tokens that a prompt and its answer may have together, as memory is set apart for them.
        longest: The same by the model's training.
        architecture: Of its weights, e.g. ``qwen3``; empty where that is not reported.
        weights: The name or file of its weights, where the id may be any name.
    """

    id: str
    window: int | None = None
    longest: int | None = None
    architecture: str = ""
    weights: str = ""


class Server(Struct, frozen=True):
    """A server that answers.

    Attributes:
        is_loading: Whether it is only about to be ready.
    """

    kind: ServerKind
    models: tuple[ServedModel, ...] = ()
    is_loading: bool = False

    def model(self, name: str) -> ServedModel | None:
        """Return the model of that name, also without a tag or the path of its file; None where there is none."""
        exact = next((model for model in self.models if model.id == name), None)
        latest = exact or next((model for model in self.models if model.id == f"{name}:latest"), None)
        key = model_key(name)
        return latest or next((model for model in self.models if key and model_key(model.id) == key), None)


def inspect_server(endpoint: Endpoint, model: str = "") -> Server | None:
    """Return the server at an address, with its report of ``model``; None where none answers."""
    return _ServerInspection(endpoint).server(model)


class KnownServers:
    """Results of queries to servers, for a while. May be used by several threads."""

    def __init__(self, look: Callable[[Endpoint, str], Server | None] = inspect_server) -> None:
        self._look = look
        self._seen: dict[tuple[str, str], tuple[float, Server | None]] = {}
        self._last: dict[str, Server] = {}
        self._lock = Lock()

    def server(self, endpoint: Endpoint, model: str = "") -> Server | None:
        """The server at an address, as it was found a moment ago or is found now."""
        place = (endpoint.base_url, model)
        seen = self._recent_server(place)
        if seen is not None and time.monotonic() - seen[0] < _FRESH_S:
            return seen[1]
        server = self._look(endpoint, model)
        with self._lock:
            self._seen[place] = (time.monotonic(), server)
            if server is not None:
                self._last[endpoint.base_url] = server
        return server

    def is_known(self, endpoint: Endpoint, model: str = "") -> bool:
        """Return whether ``server`` would answer without looking, for some time to come."""
        seen = self._recent_server((endpoint.base_url, model))
        return seen is not None and time.monotonic() - seen[0] < 0.9 * _FRESH_S

    def _recent_server(self, place: tuple[str, str]) -> tuple[float, Server | None] | None:
        with self._lock:
            return self._seen.get(place)

    def remembered(self, base_url: str) -> Server | None:
        """Return the last known server of that address, of any age; sends no query."""
        with self._lock:
            return self._last.get(base_url)


def usual_model(spec: ApiProvider, server: Server | None) -> str | None:
    """Return the default model of a server: the first in its list that answers questions."""
    if server is None or not spec.lists_models:
        return None
    return next((model.id for model in server.models if not matches(model.id, spec.skipped_models)), None)


def endpoint_at(spec: ApiProvider, environment: Mapping[str, str], servers: KnownServers) -> Endpoint:
    """The address at which ``spec`` is asked: of several usual ones, the first at which its server runs.

    Raises:
        SettingsError: As ``endpoint_of``.
    """
    first = endpoint_of(spec, environment)
    if not spec.other_base_urls or environment.get(spec.base_url_variable or "", "").strip():
        return first
    for base_url in (spec.base_url, *spec.other_base_urls):
        place = replace(first, base_url=base_url)
        if (server := servers.server(place)) is not None and server.kind == spec.server:
            return place
    return first


class _ServerInspection(Struct):
    endpoint: Endpoint
    ends: float = field(default_factory=lambda: time.monotonic() + 3 * _WAIT_S)

    def server(self, model: str) -> Server | None:
        status, listed = self._listed()
        if status is None:
            return None
        if listed is None and self._is_loading(status):
            return Server(ServerKind.LLAMA_SERVER, is_loading=True)
        entries = tables((listed or {}).get("data"))
        if known := self._by_owner(entries) or self._by_paths(entries, model):
            return known
        windows = ("max_model_len", "context_length", "context_window", "max_context_length")
        return Server(ServerKind.OTHER, tuple(_of_list(entry, *windows) for entry in entries)) if listed else None

    def _by_owner(self, entries: list[Json]) -> Server | None:
        owners = {word(entry.get("owned_by")) for entry in entries}
        if "llamacpp" in owners:
            return Server(ServerKind.LLAMA_SERVER, self._of_llama_server(entries))
        if "vllm" in owners:
            return Server(ServerKind.VLLM, tuple(_of_list(entry, "max_model_len") for entry in entries))
        return None

    def _by_paths(self, entries: list[Json], model: str) -> Server | None:
        if (version := self._json("/api/version")) and word(version.get("version")):
            return Server(ServerKind.OLLAMA, self._of_ollama(model))
        if (models := self._of_lm_studio()) is not None:
            return Server(ServerKind.LM_STUDIO, models)
        if (props := self._json("/props")) and table(props.get("default_generation_settings")):
            return Server(ServerKind.LLAMA_SERVER, self._of_llama_server(entries))
        return None

    def _listed(self) -> tuple[int | None, Json | None]:
        """The status and the list of models, by the path of the address itself, else by the usual one."""
        path = urlsplit(self.endpoint.base_url).path.rstrip("/")
        status, body = self._get(f"{path}/models")
        if (body is None or not isinstance(body.get("data"), list)) and path != "/v1" and status is not None:
            status, body = self._get("/v1/models")
        return status, body

    def _is_loading(self, status: int) -> bool:
        return status == 503 and self._get("/health")[0] == 503

    def _of_llama_server(self, entries: list[Json]) -> tuple[ServedModel, ...]:
        props = self._json("/props") or {}
        window = count(table(props.get("default_generation_settings")).get("n_ctx")) or None
        file = word(props.get("model_path")) if len(entries) == 1 else ""
        models: list[ServedModel] = []
        for entry in entries:
            meta = table(entry.get("meta"))
            own, longest = count(meta.get("n_ctx")) or window, count(meta.get("n_ctx_train")) or None
            models.append(ServedModel(word(entry.get("id")), own, longest, weights=file))
        return tuple(models)

    def _of_ollama(self, model: str) -> tuple[ServedModel, ...]:
        loaded = {
            word(entry.get("name")): count(entry.get("context_length")) or None
            for entry in tables((self._json("/api/ps") or {}).get("models"))
        }
        models: list[ServedModel] = []
        for entry in tables((self._json("/api/tags") or {}).get("models")):
            name, details = word(entry.get("name")), table(entry.get("details"))
            longest = count(details.get("context_length")) or None
            models.append(ServedModel(name, loaded.get(name), longest, word(details.get("family"))))
        if model and (shown := self._json("/api/show", {"model": model})):
            info = table(shown.get("model_info"))
            architecture = word(info.get("general.architecture")) or word(table(shown.get("details")).get("family"))
            longest = count(info.get(f"{architecture}.context_length")) or None
            window = loaded.get(model) or loaded.get(f"{model}:latest")
            names = {model, f"{model}:latest"}
            rest = [each for each in models if each.id not in names]
            return (ServedModel(model, window, longest, architecture), *rest)
        return tuple(models)

    def _of_lm_studio(self) -> tuple[ServedModel, ...] | None:
        new = self._json("/api/v1/models")
        if new is not None and any("key" in entry for entry in tables(new.get("models"))):
            return tuple(_of_lm_studio(each) for each in tables(new.get("models")) if each.get("type") != "embedding")
        old = self._json("/api/v0/models")
        if old is not None and any("state" in entry for entry in tables(old.get("data"))):
            return tuple(
                ServedModel(
                    word(entry.get("id")),
                    count(entry.get("loaded_context_length")) or None,
                    count(entry.get("max_context_length")) or None,
                    word(entry.get("arch")),
                )
                for entry in tables(old.get("data"))
                if entry.get("type") != "embeddings"
            )
        return None

    def _json(self, path: str, content: Json | None = None) -> Json | None:
        return self._get(path, content)[1]

    def _get(self, path: str, content: Json | None = None) -> tuple[int | None, Json | None]:
        """The status of an answer and the object in it; a None for what there is not."""
        left_s = min(_WAIT_S, self.ends - time.monotonic())
        if left_s <= 0:
            return None, None
        from http.client import HTTPConnection, HTTPException, HTTPSConnection  # noqa: PLC0415 -- most runs ask no server

        parts = urlsplit(self.endpoint.base_url)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        headers = {"accept": "application/json"}
        if self.endpoint.key is not None:
            headers["authorization"] = f"Bearer {self.endpoint.key.value}"
        body = None if content is None else json.dumps(content)
        try:
            with closing(kind(self.endpoint.host, self.endpoint.port, timeout=left_s)) as connection:
                connection.request("POST" if body else "GET", path, body=body, headers=headers)
                response = connection.getresponse()
                status, text = response.status, self._content(response)
        except (OSError, HTTPException):
            return None, None
        with suppress(ValueError, RecursionError):
            parsed: object = json.loads(text)
            if status == 200 and isinstance(parsed, dict):
                return status, table(cast("object", parsed))
        return status, None

    def _content(self, response: "HTTPResponse") -> bytes:
        """The body, as far as it comes in time and is no larger than it may be."""
        pieces, size = list[bytes](), 0
        while size < _LARGEST and time.monotonic() < self.ends and (piece := response.read1(65_536)):
            pieces.append(piece)
            size += len(piece)
        return b"".join(pieces)


def _of_list(entry: Json, *windows: str) -> ServedModel:
    sizes = (count(entry.get(name)) for name in windows)
    window = next((size for size in sizes if size), None)
    return ServedModel(word(entry.get("id")), window, weights=word(entry.get("root")))


def _of_lm_studio(entry: Json) -> ServedModel:
    windows = (count(table(each.get("config")).get("context_length")) for each in tables(entry.get("loaded_instances")))
    sizes = [size for size in windows if size]
    longest = count(entry.get("max_context_length")) or None
    return ServedModel(word(entry.get("key")), min(sizes, default=None), longest, word(entry.get("architecture")))
