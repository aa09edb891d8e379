"""How long a text is for a model, roughly."""

_CHARACTERS_PER_TOKEN = 4
"""What OpenAI and Anthropic give as a rule of thumb for English prose. Code and other languages need more tokens."""


def estimate_tokens(text: str) -> int:
    """About how many tokens ``text`` has, rounded up.

    An estimate that needs no tokenizer and no provider; never bill or enforce a hard limit by it.
    """
    return -(-len(text) // _CHARACTERS_PER_TOKEN)
