import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.schema.families import canonical, family_of_model, model_key
from support.texts import texts

_PAIRS = "one-model-behind-two-names"
_TABLES = texts("families")
_MODELS = [
    pytest.param(*row, id=f"{row[0]} {row[1]}") for name, rows in _TABLES.items() if name != _PAIRS for row in rows
]


@pytest.mark.parametrize(("model", "architecture", "family"), _MODELS)
def test_a_family_is_that_of_the_base_weights(model: str, architecture: str, family: str) -> None:
    assert family_of_model(model, architecture=architecture) == family


@pytest.mark.parametrize(("one", "other", "are_same"), _TABLES[_PAIRS])
def test_ids_of_one_model_have_one_key(one: str, other: str, are_same: bool) -> None:  # noqa: FBT001 -- a column
    assert (model_key(one) == model_key(other) != "") is are_same


def test_a_vendor_in_a_provider_file_means_its_family() -> None:
    assert [canonical(name) for name in ("anthropic", "openai", "google", "work")] == [
        "claude",
        "gpt",
        "gemini",
        "work",
    ]


@given(st.text(max_size=300), st.text(max_size=40))
def test_no_id_is_too_strange(model: str, architecture: str) -> None:
    family = family_of_model(model, architecture=architecture)
    assert family == family.lower()
