import pytest

from sparring.text.tokens import estimate_tokens


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("a", 1), ("four", 1), ("fours", 2), ("x" * 3200, 800)])
def test_four_characters_count_as_a_token_rounded_up(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens
