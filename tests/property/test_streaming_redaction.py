"""A text redacted piece by piece is the text redacted as a whole, wherever the pieces are cut."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from sparring.text.redaction import Redactor, StreamRedactor

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
