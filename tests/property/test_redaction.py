from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sparring.text.redaction import Redactor, StreamRedactor
from support.secret_shapes import FRAGMENTS, shapes

_randoms = st.randoms(use_true_random=True)
_tokens = st.tuples(st.sampled_from(shapes()), _randoms).map(lambda drawn: drawn[0].secret(drawn[1]).text)
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


RANDOM = "Zq8Lw3Rt6Yp1Kd9Hs4Vn7Xb2Mc5Jf0GuTaEo"
KEY = f"-----BEGIN PRIVATE KEY-----\n{RANDOM}\n{RANDOM}\n-----END PRIVATE KEY-----\n"
PUTTY_KEY = f"Private-Lines: 2\n{RANDOM}{RANDOM[:28]}\n{RANDOM}\nPrivate-MAC: 1\n"

LINES = (f"ghp_{RANDOM}\n", f"api_key = '{RANDOM}'\n", f"\x1b[31mghp_{RANDOM}\x1b[0m\n", "nothing\n", "\n", "end")
_lines = st.lists(st.sampled_from((*LINES, KEY, PUTTY_KEY)), max_size=8).map("".join)


@given(text=_lines, cuts=st.lists(st.integers(0, 400), max_size=6))
def test_where_the_pieces_are_cut_makes_no_difference(text: str, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    stream = StreamRedactor(Redactor())
    pieces = [stream.feed(text[start:end]) for start, end in pairwise(edges)]
    whole = Redactor().redact(text)
    assert ("".join([*pieces, stream.finish()]), sum(stream.kinds.values())) == (whole.text, whole.count)


VALUES = ("correct-horse-battery-staple-42", "Zx7!qPw9\nLm3_Tk5.Rv8")
_said = st.lists(
    st.sampled_from((*VALUES, "key: correct-horse-ba\nttery-staple-42\n", "correct\n", "c", "\n", " end ", "Zx7!qP\n")),
    max_size=8,
).map("".join)


@given(text=_said, cuts=st.lists(st.integers(0, 200), max_size=6))
def test_where_the_pieces_are_cut_no_known_value_comes_through(text: str, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    stream = StreamRedactor(Redactor(VALUES))
    pieces = [stream.feed(text[start:end]) for start, end in pairwise(edges)]
    assert "".join([*pieces, stream.finish()]) == Redactor(VALUES).redact(text).text
