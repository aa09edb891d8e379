import pytest

from sparring.text.redaction import LONGEST_BLOCK, LONGEST_LINE, Redactor, StreamRedactor

RANDOM = "Zq8Lw3Rt6Yp1Kd9Hs4Vn7Xb2Mc5Jf0GuTaEo"
TOKEN = f"ghp_{RANDOM}"
BEGIN, END = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"


def fed(*pieces: str) -> tuple[list[str], dict[str, int]]:
    """What is given out for each piece and at the end, and the counts."""
    stream = StreamRedactor(Redactor())
    return [*(stream.feed(piece) for piece in pieces), stream.finish()], stream.kinds


@pytest.mark.parametrize(
    ("pieces", "given_out", "kinds"),
    [
        ((), [""], {}),
        (("a\nb",), ["a\n", "b"], {}),
        ((f"x {TOKEN[:9]}", f"{TOKEN[9:]}\ny"), ["", "x [REDACTED:github]\n", "y"], {"github": 1}),
        ((f"{TOKEN}\n", f"{TOKEN}\n", TOKEN), ["[REDACTED:github]\n"] * 2 + ["", "[REDACTED:github]"], {"github": 3}),
        (("name: token\n", f"value: {RANDOM}\n"), ["name: token\n", "value: [REDACTED:secret]\n", ""], {"secret": 1}),
        ((f"a\n{BEGIN}\n{RANDOM}\n", f"{END}\nb\n"), ["a\n", "[REDACTED:private-key]\nb\n", ""], {"private-key": 1}),
        ((f"{BEGIN}\n{RANDOM}\n",), ["", "[REDACTED:private-key]"], {"private-key": 1}),
        ((f"{BEGIN}\n{RANDOM}\n{END}\n", "a\n"), ["[REDACTED:private-key]\n", "a\n", ""], {"private-key": 1}),
    ],
)  # fmt: skip
def test_whole_lines_are_given_out_at_once_and_what_is_not_whole_waits(
    pieces: tuple[str, ...], given_out: list[str], kinds: dict[str, int]
) -> None:
    assert fed(*pieces) == (given_out, kinds)


def test_a_secret_that_reaches_back_into_what_is_given_out_is_left_as_it_was() -> None:
    # Half of the key is gone already; the other half alone looks like nothing.
    given_out, kinds = fed("data:\n  a: aHVudGVyMjI=\n", "kind: Secret\n")
    assert (given_out, kinds) == (["data:\n  a: aHVudGVyMjI=\n", "kind: Secret\n", ""], {})


def test_a_key_block_that_does_not_end_is_not_waited_for_for_ever() -> None:
    lines = [f"{RANDOM}\n"] * (LONGEST_BLOCK // len(RANDOM) + 1)
    given_out, kinds = fed(f"{BEGIN}\n", *lines)
    assert max(len(piece) for piece in given_out) < LONGEST_BLOCK
    assert any(given_out[:-1])
    assert kinds["private-key"] == 1


def test_a_line_without_end_is_given_out_in_parts_at_a_seam() -> None:
    word = "word " * (LONGEST_LINE // 5)
    given_out, kinds = fed(word, f"{TOKEN[:20]}", f"{TOKEN[20:]} end")
    assert (given_out, kinds) == (["", word, "", "[REDACTED:github] end"], {"github": 1})


def test_a_line_without_end_and_without_seam_is_given_out_all_the_same() -> None:
    word = "x" * (LONGEST_LINE + 1)
    assert fed(word, "y") == ([word, "", "y"], {})
