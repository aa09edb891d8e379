"""What a file of a model API may say."""

import pytest
from pydantic import ValidationError

from sparring.schema.base import Effort
from sparring.schema.providers import PROVIDER_SPEC, ApiProvider

TABLE = {
    "name": "mine",
    "kind": "api",
    "family": "mine",
    "title": "Mine",
    "api": "chat-completions",
    "base_url": "https://api.example/v1",
}


def spec_of(**changes: object) -> ApiProvider:
    spec = PROVIDER_SPEC.validate_python(TABLE | changes)
    assert isinstance(spec, ApiProvider)
    return spec


def test_a_file_needs_no_more_than_what_is_asked_where() -> None:
    assert spec_of().efforts == {Effort.MEDIUM: {}}


def test_an_address_has_no_slash_at_its_end() -> None:
    assert spec_of(base_url="http://127.0.0.1:8000/v1/").base_url == "http://127.0.0.1:8000/v1"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"base_url": None}, "base_url or base_url_variable must be given"),
        (
            {"base_url": None, "base_url_variable": "MINE_HOST", "base_url_form": "host"},
            "base_url must be given where the variable holds only a host",
        ),
        ({"base_url": "api.example/v1"}, "must begin with http:// or https:// and name a host"),
        ({"base_url": "file:///etc/passwd"}, "must begin with http:// or https:// and name a host"),
        ({"base_url": "https://:443"}, "must begin with http:// or https:// and name a host"),
        ({"base_url": "https://me:secret@api.example"}, "must not hold a user name or password"),
        ({"base_url": "https://api.example?"}, "must end with its path"),
        ({"base_url": "https://api.example#x"}, "must end with its path"),
        ({"base_url": "https://api.example/\n"}, "must not hold white space, or letters that are not ASCII"),
        ({"base_url": "https://api.example:99999"}, "must name a host, and no port above 65535"),
        (
            {"api": "gemini", "lists_models": True},
            "lists_models is not for gemini, whose list of models looks different",
        ),
        (
            {"headers": {"Authorization": "Bearer x"}},
            "is where a key goes; name the variable that holds it in key_variables",
        ),
        ({"headers": {"Host": "x"}}, "is set by the client itself"),
        ({"headers": {"a b": "x"}}, "String should match pattern"),
        ({"headers": {"a": "x\r\nb: y"}}, "String should match pattern"),
        ({"body": {"model": "m", "stream": False}}, "must not hold model, stream, which every question sets anew"),
        ({"efforts": {"low": {"messages": []}}}, "must not hold messages, which every question sets anew"),
        ({"models": [{"match": ["a"], "body": {"input": 1}}]}, "must not hold input, which every question sets anew"),
        ({"models": [{"match": list[str]()}]}, "should have at least 1 item"),
        ({"model": "-x"}, "String should match pattern"),
        ({"stall_s": 0}, "greater than 0"),
        ({"key": "x"}, "Extra inputs are not permitted"),
    ],
)
def test_what_a_file_must_not_say_is_refused_with_the_reason(changes: dict[str, object], why: str) -> None:
    with pytest.raises(ValidationError) as caught:
        spec_of(**changes)
    (fault,) = caught.value.errors()
    assert why in fault["msg"]


def test_the_first_rule_that_matches_a_model_applies() -> None:
    spec = spec_of(
        efforts={"low": {"a": 1}, "high": {"a": 2}},
        models=[
            {"match": ["big-*", "*:large"], "body": {"b": 1}},
            {"match": ["*-1"], "efforts": {"max": dict[str, object]()}},
        ],
    )

    assert spec.rule_for("big-1") is spec.models[0]
    assert spec.rule_for("x:large") is spec.models[0]
    assert spec.rule_for("small-1") is spec.models[1]
    assert spec.rule_for("Big-2") is None
    assert spec.rule_for(None) is None
    assert list(spec.efforts_of("big-1")) == [Effort.LOW, Effort.HIGH]
    assert list(spec.efforts_of("small-1")) == [Effort.MAX]
    assert list(spec.efforts_of(None)) == [Effort.LOW, Effort.HIGH]
