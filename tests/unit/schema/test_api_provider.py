"""What a file of a model API may say."""

import pytest
from pydantic import ValidationError

from sparring.schema.base import Effort
from support.apis import own
from support.texts import texts


def test_a_provider_file_needs_only_api_and_address_which_loses_its_last_slash() -> None:
    spec = own(base_url="http://127.0.0.1:8000/v1/")
    assert (spec.base_url, spec.efforts) == ("http://127.0.0.1:8000/v1", {Effort.MEDIUM: {}})


FAULTS: list[tuple[dict[str, object], str]] = [
    ({"base_url": None}, "base_url or base_url_variable must be given"),
    ({"base_url": None, "base_url_variable": "MINE_HOST", "base_url_form": "host"},
        "base_url must be given if the variable contains only a host"),
    *texts("apis")["provider-faults"],
]  # fmt: skip


@pytest.mark.parametrize(("changes", "why"), FAULTS)
def test_an_invalid_provider_file_is_refused_with_the_reason(changes: dict[str, object], why: str) -> None:
    with pytest.raises(ValidationError) as caught:
        own(**({"base_url": "https://api.example/v1"} | changes))
    (fault,) = caught.value.errors()
    assert why in fault["msg"]


def test_the_first_rule_that_matches_a_model_applies() -> None:
    first = {"match": ["big-*", "*:large"], "body": {"b": 1}}
    second = {"match": ["*-1"], "efforts": {"max": dict[str, object]()}}
    spec = own(base_url="http://127.0.0.1", efforts={"low": {"a": 1}, "high": {"a": 2}}, models=[first, second])
    rules = {"big-1": spec.models[0], "x:large": spec.models[0], "small-1": spec.models[1], "Big-2": None, None: None}
    assert {model: spec.rule_for(model) for model in rules} == rules
    efforts = {"big-1": [Effort.LOW, Effort.HIGH], "small-1": [Effort.MAX], None: [Effort.LOW, Effort.HIGH]}
    assert {model: list(spec.efforts_of(model)) for model in efforts} == efforts
