"""Models that have signed a commit, and people who only have the name of one."""

import pytest

from sparring.text.trailers import authors_in
from support.texts import texts

TEXTS = texts("trailers")


@pytest.mark.parametrize(("message", "authors"), TEXTS["who-has-signed"])
def test_a_model_that_signs_is_an_author_with_its_family_and_model(message: str, authors: list[list[str]]) -> None:
    assert [[each.family, each.model] for each in authors_in(message)] == authors
