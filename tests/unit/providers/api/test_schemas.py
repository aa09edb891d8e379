"""Schemas of answers: how each API is sent one, and what follows where it is not taken."""

import json
from typing import Any

import pytest

from sparring.providers.api import schemas
from sparring.providers.api.calls import request_body
from sparring.providers.api.protocol import find_reported_fault
from sparring.providers.api.schemas import SchemaRefusals
from sparring.providers.receiving.causes import cause_in
from sparring.schema.apis import ApiProvider
from sparring.schema.base import Effort
from sparring.schema.consultation import Failure, Question
from sparring.schema.forms import RequestedForm
from sparring.testing.model_endpoint import Behaviour, ModelEndpoint, Request, Say, Send
from sparring.testing.model_servers import Refusal, refusals
from support.apis import HOSTED, LOCAL, STREAM, TOLD, api, built_in, event, own, reply_of, told_in_json
from support.desk import answered, question
from support.golden import Golden

LISTED: dict[str, Any] = {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 30}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "reasons": LISTED,
        "line": {"type": "integer", "minimum": 1, "maximum": 9},
        "label": {"type": "string", "enum": ["A", "B"]},
    },
    "required": ["reasons", "line", "label"],
    "additionalProperties": False,
}
FORM = RequestedForm(name="sparring_test", json_schema=SCHEMA)
REPLY = '{"reasons": ["a", "b"], "line": 1, "label": "A"}'


def asked(**fields: Any) -> Question:
    return question(**fields).model_copy(update={"form": FORM})


def test_each_provider_gets_the_schema_in_its_field_without_unsupported_bounds(golden: Golden) -> None:
    def sent(name: str) -> Any:
        spec = built_in(name)
        with_form = request_body(spec, asked(effort=Effort.MEDIUM), "m", form=FORM)
        without = request_body(spec, asked(effort=Effort.MEDIUM), "m")
        return {field: value for field, value in with_form.items() if without.get(field) != value}

    found = {name: sent(name) for name in sorted((*HOSTED, *LOCAL))}
    golden.holds("api/schemas.json", json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def test_a_schema_keeps_other_content_of_its_field() -> None:
    body = request_body(built_in("anthropic"), asked(effort=Effort.LOW), "claude-opus-5", form=FORM)
    assert body["output_config"].keys() == {"effort", "format"}
    spec = own(api="openai-responses", base_url="http://127.0.0.1:1/v1", body={"text": {"verbosity": "low"}})
    assert request_body(spec, asked(), "m", form=FORM)["text"].keys() == {"verbosity", "format"}


REFUSALS = [pytest.param(each, id=each.source) for each in refusals()]


@pytest.mark.parametrize("refusal", REFUSALS)
async def test_only_a_request_refused_for_its_schema_is_repeated_without_it(
    refusal: Refusal, endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    def behave(request: Request) -> Behaviour:
        return refusal.send if "response_format" in request.body else Say(TOLD)

    endpoint.behaviour = behave
    reply = await reply_of(mine, {}, asked(timeout_s=2))
    if refusal.is_about_schema:
        warning = answered(reply).warnings[0]
        assert warning.startswith("mine does not take the schema of an answer (sparring_test): ")
        assert ["response_format" in request.body for request in endpoint.requests] == [True, False]
    else:
        assert isinstance(reply, Failure)
        assert all("response_format" in request.body for request in endpoint.requests)


def test_a_bare_invalid_argument_is_about_the_schema_only_for_gemini() -> None:
    bare = '{"error": {"code": 400, "message": "Request contains an invalid argument.", "status": "INVALID_ARGUMENT"}}'
    fault = find_reported_fault(cause_in(bare), 400)
    assert [schemas.is_refused(fault, built_in(name)) for name in ("google", "openai")] == [True, False]


def test_a_status_that_no_schema_causes_is_not_about_one() -> None:
    fault = find_reported_fault(cause_in('{"error": "response_format"}'), 429)
    assert not schemas.is_refused(fault, built_in("vllm"))


REFUSED = told_in_json({"error": {"message": "Invalid schema for response_format", "param": "response_format"}}, 400)


async def test_a_refused_schema_is_remembered_by_provider_and_form_and_reported_once(endpoint: ModelEndpoint) -> None:
    refusals = SchemaRefusals()
    other = FORM.model_copy(update={"name": "sparring_other"})
    spec = own(base_url=f"{endpoint.url}/v1", model="m")
    endpoint.first = [REFUSED]
    asking = api(spec, {}, refusals=refusals)
    replies = [answered(await asking.ask(asked())) for _ in range(2)]
    replies.append(answered(await asking.ask(asked().model_copy(update={"form": other}))))
    assert [len(reply.warnings) for reply in replies] == [1, 0, 0]
    assert ["response_format" in request.body for request in endpoint.requests] == [True, False, False, True]
    assert refusals.of("mine") == ("sparring_test",)
    assert refusals.of("yours") == ()


@pytest.mark.parametrize(
    "fields",
    [
        {"structured": "none"},
        {"models": [{"match": ["m*"], "structured": "none"}]},
        {"omit": ["response_format"]},
    ],
    ids=["provider", "model", "omitted"],
)
async def test_a_provider_file_can_switch_schemas_off(fields: dict[str, Any], endpoint: ModelEndpoint) -> None:
    spec = own(base_url=f"{endpoint.url}/v1", model="m", **fields)
    assert answered(await reply_of(spec, {}, asked())).response == TOLD
    assert "response_format" not in endpoint.request.body


def choice(**fields: object) -> bytes:
    return event({"choices": [fields]})


DONE = b"data: [DONE]\n\n"


async def test_an_empty_answer_to_a_schema_is_requested_once_without_it(
    endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    endpoint.first = [Send((choice(delta={"content": ""}, finish_reason="stop"), DONE), headers=STREAM)]
    reply = answered(await reply_of(mine, {}, asked()))
    said = "mine does not take the schema of an answer (sparring_test): the answer was empty. It was asked without one."
    assert (reply.response, reply.warnings) == (TOLD, (said,))


async def test_an_answer_that_is_all_in_the_thought_is_one_where_a_schema_was_sent(
    endpoint: ModelEndpoint, mine: ApiProvider
) -> None:
    thinking = Send(
        (choice(delta={"reasoning_content": REPLY[:9]}), choice(delta={"reasoning_content": REPLY[9:]}),
         choice(delta={}, finish_reason="length"), DONE), headers=STREAM
    )  # fmt: skip
    endpoint.behaviour = thinking
    assert answered(await reply_of(mine, {}, asked())).response == REPLY
    assert isinstance(await reply_of(mine, {}, question()), Failure)


async def test_an_answer_that_a_server_refuses_to_pass_on_is_one(endpoint: ModelEndpoint, mine: ApiProvider) -> None:
    error = {"message": "Failed to validate JSON", "code": "json_validate_failed", "failed_generation": REPLY[:-1]}
    endpoint.behaviour = told_in_json({"error": error}, 400)
    reply = answered(await reply_of(mine, {}, asked()))
    assert (reply.response, len(endpoint.requests)) == (REPLY[:-1], 1)


async def test_an_answer_counts_even_if_it_violates_the_schema(endpoint: ModelEndpoint, mine: ApiProvider) -> None:
    reply = answered(await reply_of(mine, {}, asked()))
    assert (reply.response, reply.warnings) == (TOLD, ())
    assert endpoint.request.body["response_format"]["json_schema"]["name"] == "sparring_test"
