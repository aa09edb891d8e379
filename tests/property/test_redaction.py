import string
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sparring.text.redaction import Redactor, StreamRedactor
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


RANDOM = "Zq8Lw3Rt6Yp1Kd9Hs4Vn7Xb2Mc5Jf0GuTaEo"
KEY = f"-----BEGIN PRIVATE KEY-----\n{RANDOM}\n{RANDOM}\n-----END PRIVATE KEY-----\n"

_lines = st.lists(
    st.sampled_from(
        [f"ghp_{RANDOM}\n", f"api_key = '{RANDOM}'\n", "nothing\n", "\n", KEY, f"\x1b[31mghp_{RANDOM}\x1b[0m\n", "end"]
    ),
    max_size=8,
).map("".join)


@given(text=_lines, cuts=st.lists(st.integers(0, 400), max_size=6))
def test_where_the_pieces_are_cut_makes_no_difference(text: str, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    stream = StreamRedactor(Redactor())
    pieces = [stream.feed(text[start:end]) for start, end in pairwise(edges)]
    whole = Redactor().redact(text)
    assert ("".join([*pieces, stream.finish()]), sum(stream.kinds.values())) == (whole.text, whole.count)
