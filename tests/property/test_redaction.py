import string

from hypothesis import given
from hypothesis import strategies as st

from sparring.text.redaction import Redactor
from support.secret_shapes import FRAGMENTS

WORD = string.ascii_letters + string.digits
HEX = "0123456789abcdef"

TOKENS = {
    "anthropic": ("sk-ant-api03-", WORD + "_-", 95),
    "openai": ("sk-proj-1", WORD, 60),
    "google": ("AIza", WORD + "_-", 35),
    "groq": ("gsk_", WORD, 52),
    "hugging-face": ("hf_", WORD, 34),
    "xai": ("xai-", WORD, 80),
    "replicate": ("r8_", WORD, 37),
    "perplexity": ("pplx-", WORD, 48),
    "aws": ("AKIA", string.ascii_uppercase + "234567", 16),
    "github": ("ghp_", WORD, 36),
    "gitlab": ("glpat-", WORD + "_-", 20),
    "slack": ("xoxb-", string.digits + "-", 40),
    "stripe": ("sk_live_", WORD, 24),
    "npm": ("npm_", WORD, 36),
    "twilio": ("SK", HEX, 32),
    "digitalocean": ("dop_v1_", HEX, 64),
}

_tokens = st.sampled_from(sorted(TOKENS)).flatmap(
    lambda kind: st.text(TOKENS[kind][1], min_size=TOKENS[kind][2], max_size=TOKENS[kind][2]).map(
        # Generated at random, one in a million has neither a digit nor a capital; hypothesis would find it.
        lambda rest: TOKENS[kind][0] + rest[:-1] + "7"
    )
)
_texts = st.lists(st.sampled_from(FRAGMENTS) | _tokens | st.text(max_size=8), max_size=20).map("".join)


@given(
    text=_texts,
    values=st.lists(st.text("tiger[]:-REDACTED", min_size=8, max_size=12) | st.just("tiger-stripes"), max_size=3),
)
def test_redacting_again_finds_nothing(text: str, values: list[str]) -> None:
    redactor = Redactor(values)
    once = redactor.redact(text)
    again = redactor.redact(once.text)
    assert (again.text, again.count) == (once.text, 0)


@given(st.lists(st.text(string.ascii_letters + " ,.!?\n", max_size=12), max_size=30).map(" ".join))
def test_ordinary_text_is_unchanged(text: str) -> None:
    redacted = Redactor().redact(text)
    assert (redacted.text, redacted.count) == (text, 0)
