"""Estimated tokens of a text."""

import pytest

from sparring.text.tokens import tokens_about, tokens_at_least


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("", 0),
        ("abcd" * 10, 10),
        ("é" * 16, 10),
        ("abcd" * 10 + "é" * 16, 20),
        ("\ud800" * 16, 10),  # half of a pair is a character like any other
    ],
)
def test_four_ascii_characters_or_somewhat_fewer_others_are_about_a_token(text: str, about: int) -> None:
    assert tokens_about(text) == about
    assert tokens_at_least(text) <= about
