from base64 import b64encode
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
def test_redaction_is_the_same_for_any_pieces(text: str, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    stream = StreamRedactor(Redactor())
    pieces = [stream.feed(text[start:end]) for start, end in pairwise(edges)]
    whole = Redactor().redact(text)
    assert ("".join([*pieces, stream.finish()]), sum(stream.kinds.values())) == (whole.text, whole.count)


VALUES = ("correct-horse-battery-staple-42", "Zx7!qPw9\nLm3_Tk5.Rv8", "Zx7!qPw9-Lm3_Tk5.Rv8")
CODES = VALUES[2].encode()
ENCODED = b64encode(CODES).decode()
WRAPPED = (
    "key: correct-horse-ba\nttery-staple-42\n",
    "".join(f"  {at} | {VALUES[2][at : at + 5]}\n" for at in range(0, len(CODES), 5)),
    "".join(f"{at:08x}: {CODES[at : at + 8].hex(' ', 2)}  ........\n" for at in range(0, len(CODES), 8)),
    "[\n" + "".join(f"  {code},\n" for code in CODES) + "]\n",
    "Zx7!qPw9=\n-Lm3_Tk5.Rv8\n",
    "".join(f"{ENCODED[at : at + 20]}\n" for at in range(0, len(ENCODED), 20)),
    f"ghp_{RANDOM[:18]}\\\n{RANDOM[18:]}\n",
    f"ghp_{RANDOM[:18]}\n+ {RANDOM[18:]}\n",
    f"password:\n  {RANDOM}\n",
    f'{{"kty": "RSA",\n "d": "{RANDOM}",\n "e": "AQAB"}}\n',
    "data:\n  a: aHVudGVyMjI=\nkind: Secret\n",
    '{\n "data": {\n  "a": "aHVudGVyMjI="\n },\n "kind": "Secret"\n}\n',
    '{"data": {"a": "some words"}}\n',
    KEY[28:],
)
"""Secrets that only a later line shows."""

_said = st.lists(
    st.sampled_from((*VALUES, *WRAPPED, *LINES, "correct\n", "c", "Zx7!qP\n", " ", "machine a\n")), max_size=8
)


@given(text=_said.map("".join), cuts=st.lists(st.floats(0, 1), max_size=6))
def test_no_piece_releases_a_secret_that_a_later_line_reveals(text: str, cuts: list[float]) -> None:
    edges = [0, *sorted(round(cut * len(text)) for cut in cuts), len(text)]
    stream = StreamRedactor(Redactor(VALUES))
    pieces = [stream.feed(text[start:end]) for start, end in pairwise(edges)]
    assert "".join([*pieces, stream.finish()]) == Redactor(VALUES).redact(text).text


@given(st.sampled_from(WRAPPED))
def test_each_line_by_itself_is_redacted_as_the_whole_is(text: str) -> None:
    stream = StreamRedactor(Redactor(VALUES))
    pieces = [stream.feed(f"{line}\n") for line in f"a\n{text}b".split("\n")]
    assert "".join([*pieces, stream.finish()]) == Redactor(VALUES).redact(f"a\n{text}b\n").text
