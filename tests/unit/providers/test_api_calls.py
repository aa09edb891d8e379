"""What each API is sent. The golden files hold, for models that are treated differently, the body at each effort."""

import json
from typing import Any

import pytest

from sparring.providers.api.calls import models_call, question_call
from sparring.providers.api.consultant import APIS
from sparring.providers.available import unsupported
from sparring.providers.endpoints import endpoint_of
from sparring.providers.http import HttpCall
from sparring.schema.base import Effort
from sparring.schema.providers import ApiProvider
from support.apis import KEY, LOCAL, built_in, environment, own
from support.desk import question
from support.golden import Golden

_COMMA = ",\n"
URL = "http://127.0.0.1:1"
MODELS = {
    "anthropic": (
        "claude-opus-5", "claude-sonnet-4-6", "claude-opus-4-5", "claude-sonnet-4-5-20250929", "claude-opus-4-1",
        "claude-3-5-haiku-20241022", "claude-3-haiku-20240307",
    ),
    "openai": ("gpt-5.5", "gpt-5", "gpt-4.1"),
    "google": ("gemini-3-flash", "gemini-3-pro-preview", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.0-flash"),
    "openrouter": ("vendor/model",),
    "ollama": ("qwen3:8b",),
    "lm-studio": ("qwen/qwen3-8b",),
    "vllm": ("Qwen/Qwen3-8B",),
}  # fmt: skip


def call_of(spec: ApiProvider, model: str, effort: Effort | None) -> HttpCall:
    endpoint = endpoint_of(spec, environment(spec, URL)) if spec.name in MODELS else endpoint_of(spec, {"MINE": KEY})
    return question_call(spec, APIS[spec.api], endpoint, question("Phở?", effort=effort), model)


def sent(spec: ApiProvider, model: str, effort: Effort | None) -> Any:
    """The body, or why there is none."""
    refusal = unsupported(spec, question("Phở?", effort=effort, model=model))
    return refusal or json.loads(call_of(spec, model, effort).content)


@pytest.mark.parametrize("name", MODELS)
def test_the_body_is_what_the_api_takes_for_the_model_and_effort(name: str, golden: Golden) -> None:
    spec = built_in(name)

    def shown(model: str) -> str:
        bodies = {str(effort or "none"): sent(spec, model, effort) for effort in (None, *Effort)}
        lines = (f'    "{effort}": {json.dumps(body, ensure_ascii=False)}' for effort, body in bodies.items())
        return f'  "{model}": {{\n{_COMMA.join(lines)}\n  }}'

    golden.holds(f"api/{name}.json", f"{{\n{_COMMA.join(map(shown, MODELS[name]))}\n}}\n")


@pytest.mark.parametrize(
    ("name", "model", "path"),
    [
        ("anthropic", "some-model", "/v1/messages"),
        ("openai", "some-model", "/v1/responses"),
        ("google", "some-model", "/v1beta/models/some-model:streamGenerateContent?alt=sse"),
        ("google", "models/a/../../files:x?y",
         "/v1beta/models/a%2F..%2F..%2Ffiles%3Ax%3Fy:streamGenerateContent?alt=sse"),
        ("openrouter", "some-model", "/api/v1/chat/completions"),
        *((name, "some-model", "/v1/chat/completions") for name in LOCAL),
    ],
)  # fmt: skip
def test_each_api_is_asked_at_its_own_path_whatever_the_model_is_called(name: str, model: str, path: str) -> None:
    assert call_of(built_in(name), model, None).url == URL + path


def test_headers_are_those_of_the_api_and_of_the_provider_file() -> None:
    spec = own(
        api="anthropic-messages",
        base_url="https://example.com",
        key_variables=["UNSET", "MINE"],
        key_header="Api-Key",
        headers={"Anthropic-Version": "2099-01-01", "X-Team": "blue"},
    )

    call = call_of(spec, "m", None)
    headers = dict(call.headers)

    assert KEY not in repr(call)
    assert headers.pop("user-agent").startswith("sparring/")
    assert headers == {
        "accept": "text/event-stream",
        "accept-encoding": "identity",
        "anthropic-version": "2099-01-01",
        "api-key": KEY,
        "content-type": "application/json",
        "x-team": "blue",
    }


def test_a_provider_file_adds_to_the_body_table_by_table_and_takes_fields_out() -> None:
    spec = own(
        base_url=URL,
        body={"temperature": 0, "extra": {"a": 1, "b": {"c": 2}}},
        omit=["stream_options"],
        efforts={"low": {"extra": {"b": {"d": 4}}, "temperature": 2}},
        models=[{"match": ["m*"], "body": {"extra": {"a": 3}}}],
    )

    body = json.loads(call_of(spec, "m", Effort.LOW).content)

    assert body == {
        "model": "m",
        "messages": [{"role": "user", "content": "Phở?"}],
        "stream": True,
        "temperature": 2,
        "extra": {"a": 3, "b": {"c": 2, "d": 4}},
    }


def test_the_list_of_models_is_asked_for_without_a_body() -> None:
    spec = own(base_url=f"{URL}/v1", key_variables=["MINE"])

    call = models_call(spec, APIS[spec.api], endpoint_of(spec, {"MINE": KEY}))

    assert (call.url, call.content, call.headers["authorization"]) == (f"{URL}/v1/models", b"", f"Bearer {KEY}")
