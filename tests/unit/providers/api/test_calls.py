"""What each API is sent. The golden files hold, for models that are treated differently, the body at each effort."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from sparring.providers.api.calls import models_call, question_call, request_body
from sparring.providers.api.endpoints import endpoint_of
from sparring.providers.api.http import HttpCall
from sparring.providers.api.waits import announced_wait_s, may_retry
from sparring.providers.available import unsupported
from sparring.providers.wrappers import Retries
from sparring.schema.base import Effort
from sparring.schema.providers import ApiProvider
from support.apis import KEY, built_in, environment, own
from support.desk import question
from support.golden import Golden
from support.texts import texts

_COMMA = ",\n"
URL = "http://127.0.0.1:1"
MODELS: dict[str, list[str]] = dict(texts("apis")["models-that-are-treated-differently"])


def call_of(spec: ApiProvider, model: str, effort: Effort | None) -> HttpCall:
    endpoint = endpoint_of(spec, environment(spec, URL)) if spec.name in MODELS else endpoint_of(spec, {"MINE": KEY})
    return question_call(spec, endpoint, request_body(spec, question("Phở?", effort=effort), model), model)


def sent(spec: ApiProvider, model: str, effort: Effort | None) -> Any:
    """The body, or why there is none."""
    refusal = unsupported(spec, question("Phở?", effort=effort, model=model), {})
    return refusal or json.loads(call_of(spec, model, effort).content)


@pytest.mark.parametrize("name", MODELS)
def test_the_body_of_a_request_fits_api_model_and_effort(name: str, golden: Golden) -> None:
    def shown(model: str) -> str:
        bodies = ((str(effort or "none"), sent(built_in(name), model, effort)) for effort in (None, *Effort))
        lines = (f'    "{effort}": {json.dumps(body, ensure_ascii=False)}' for effort, body in bodies)
        return f'  "{model}": {{\n{_COMMA.join(lines)}\n  }}'

    golden.holds(f"api/{name}.json", f"{{\n{_COMMA.join(map(shown, MODELS[name]))}\n}}\n")


def test_no_name_of_a_model_leads_to_another_path() -> None:
    for model, name in (("some-model", "some-model"), ("models/a/../../files:x?y", "a%2F..%2F..%2Ffiles%3Ax%3Fy")):
        url = call_of(built_in("google"), model, None).url
        assert url == f"{URL}/v1beta/models/{name}:streamGenerateContent?alt=sse"


def test_headers_are_those_of_the_api_and_of_the_provider_file() -> None:
    said = {"Anthropic-Version": "2099-01-01", "X-Team": "blue"}
    keys = {"key_variables": ["UNSET", "MINE"], "key_header": "Api-Key"}
    call = call_of(own(api="anthropic-messages", base_url=URL, headers=said, **keys), "m", None)
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
    usual = {"model": "m", "messages": [{"role": "user", "content": "Phở?"}], "stream": True}
    added = {"temperature": 2, "extra": {"a": 3, "b": {"c": 2, "d": 4}}}
    assert sent(spec, "m", Effort.LOW) == usual | added


def test_the_stable_part_of_a_prompt_is_marked_for_the_cache_of_anthropic() -> None:
    def content(name: str, stable: int) -> Any:
        spec, asked = built_in(name), question("Rules. Task?").model_copy(update={"stable": stable})
        return request_body(spec, asked, "m")["messages"][0]["content"]

    assert content("anthropic", 7) == [
        {"type": "text", "text": "Rules. ", "cache_control": {"type": "ephemeral"}},
        {"type": "text", "text": "Task?"},
    ]
    assert {content("anthropic", 0), content("anthropic", 12), content("openrouter", 7)} == {"Rules. Task?"}


def test_the_list_of_models_is_requested_without_a_body() -> None:
    spec = own(base_url=f"{URL}/v1", key_variables=["MINE"])
    call = models_call(spec, endpoint_of(spec, {"MINE": KEY}))
    assert (call.url, call.content, call.headers["authorization"]) == (f"{URL}/v1/models", b"", f"Bearer {KEY}")


def test_a_wait_is_random_below_a_doubling_bound_plus_the_announced_time() -> None:
    longest = Retries(tries=4, first_s=1, draw=lambda: 1.0)
    assert [longest.wait_s(tried) for tried in range(1, 5)] == [1, 2, 4, None]
    assert Retries(first_s=1, draw=lambda: 0.25).wait_s(2, 30) == 30.5


NOON = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)


def test_an_announced_wait_is_read_in_every_known_notation() -> None:
    waits = texts("apis")["waits"]
    assert [[headers, announced_wait_s(headers, NOON)] for headers, _ in waits] == waits


def test_the_status_decides_on_a_retry_unless_the_server_states_it() -> None:
    worth, vain = (408, 409, 429, 500, 502, 503, 504, 529), (200, 307, 400, 401, 402, 403, 404, 413, 422)
    assert [status for status in (*worth, *vain) if may_retry(status, {})] == [*worth]
    told = [(429, "false"), (400, "true"), (429, "perhaps"), (400, "perhaps")]
    known = [may_retry(status, {"x-should-retry": said}) for status, said in told]
    assert known == [False, True, True, False]
