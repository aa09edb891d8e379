import re

import pytest

from sparring.text.redaction import LONGEST_BLOCK, LONGEST_LINE, Redacted, Redactor, StreamRedactor, secret_values
from sparring.text.secret_shapes import may_hold_secrets
from support.texts import texts

TEXTS = texts("secrets")

RANDOM = "Zq8Lw3Rt6Yp1Kd9Hs4Vn7Xb2Mc5Jf0GuTaEo"
HEX = "9f86d081884c7d659a2feaa0c55ad015"
PRIVATE_KEY = f"-----BEGIN OPENSSH PRIVATE KEY-----\n{RANDOM}\n{RANDOM}==\n-----END OPENSSH PRIVATE KEY-----"


def filled(text: str) -> str:
    """``text`` with what is random in it put in: written out, whoever looks for secrets would take it for one."""
    text = re.sub("‹([0-9]+)›", lambda place: RANDOM[: int(place[1])], text).replace("‹9-›", RANDOM[9:])
    return text.replace("‹hex›", HEX).replace("‹key›", PRIVATE_KEY)


@pytest.mark.parametrize(("token", "kind"), TEXTS["known-shapes-are-taken-out-of-prose"])
def test_known_shapes_of_secrets_are_redacted_in_prose(token: str, kind: str) -> None:
    expected = Redacted(f"The key ([REDACTED:{kind}]), it said.", (kind,))
    assert Redactor().redact(f"The key ({filled(token)}), it said.") == expected


@pytest.mark.parametrize(("token", "kind", "part"), TEXTS["shapes-of-late-are-taken-out-bare-and-in-addresses"])
@pytest.mark.parametrize(
    "around", ["It is {}, so far.", "GET /v1/models?k={}&n=1", "https://host.org/a/{}", '"x": "{}"']
)
def test_recent_shapes_of_secrets_are_redacted_bare_and_in_addresses(
    token: str, kind: str, part: str, around: str
) -> None:
    found = Redactor().redact(around.format(filled(token)))
    assert filled(part) not in found.text
    assert kind in found.kinds


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        *TEXTS["lines-of-netrc-lose-their-password"],
        *TEXTS["only-the-secret-goes-and-what-it-belongs-to-stays"],
        *TEXTS["the-name-of-its-provider-gives-a-secret-away"],
        *TEXTS["colours-neither-hide-a-secret-nor-get-lost"],
        *((text, text) for text in TEXTS["code-prose-and-placeholders-stay"]),
        *((text, text) for text in TEXTS["a-checksum-beside-the-name-of-a-provider-stays"]),
    ],
)
def test_only_the_secret_is_redacted_and_its_context_stays(text: str, redacted: str) -> None:
    kinds = tuple(re.findall(r"\[REDACTED:([a-z0-9-]+)\]", filled(redacted)))
    assert Redactor().redact(filled(text)) == Redacted(filled(redacted), kinds)
    assert Redactor().redact(filled(redacted)) == Redacted(filled(redacted))


@pytest.mark.parametrize(
    "wrap", ["\n", "\r\n    ", "\\\n", "\n+", "\n- ", "\n> > ", "\u200b", "\u200d\ufeff", "\u2060\x1b[1m", "\U000e0041"]
)
@pytest.mark.parametrize("at", [14, 30])
def test_a_token_is_found_although_wrapped_or_with_invisible_characters(wrap: str, at: int) -> None:
    token = f"ghp_{RANDOM}"
    redacted = Redactor().redact(f"a {token[:at]}{wrap}{token[at:]} b").text
    assert redacted.replace("\x1b[1m", "") == "a [REDACTED:github] b"


def test_a_token_that_is_wrapped_over_several_lines_is_found_whole_and_of_one_a_line_each() -> None:
    text = "\n+ ".join([f"It is the key sk-ant-api03-{RANDOM}-{RANDOM}", RANDOM, RANDOM[::-1], "and", "so on"])
    assert Redactor().redact(text).text == "It is the key [REDACTED:anthropic]\n+ and\n+ so on"
    tokens = [f"ghp_{RANDOM}", f"sk-ant-api03-{RANDOM}-{RANDOM}", f"hf_{RANDOM[:34]}", f"sk-ant-api03-{RANDOM}{RANDOM}"]
    assert Redactor().redact("\n".join(tokens)).kinds == ("github", "anthropic", "hugging-face", "anthropic")


@pytest.mark.parametrize(
    "text", [f"[REDACTED:github]\n{after}" for after in ("BUILD=12345678", "Then", "and-so-on-2", "9f86d081884c7d65")]
)
def test_a_token_at_the_end_of_a_line_does_not_take_the_next_line_with_it(text: str) -> None:
    assert Redactor().redact(text.replace("[REDACTED:github]", f"ghp_{RANDOM}")).text.startswith(text[:22])


def test_secrets_uncovered_by_a_redaction_are_found_around_it() -> None:
    line = f"eyJhbGciOiJI.eyJzdWIiOiI.{RANDOM}/AKIAIOSFODNN7ABCDEFG-ghp_{RANDOM}\n"
    clean = "[REDACTED:jwt]/[REDACTED:aws]-[REDACTED:github]\n"
    filler = "nothing to see\n" * 200
    redacted = Redactor().redact(f"{line}{line}{filler}{line}{filler}")
    assert redacted == Redacted(f"{clean}{clean}{filler}{clean}{filler}", ("jwt", "aws", "github") * 3)
    glued = f"dop_v1_{'0a1b2c3d' * 8}ghp_{RANDOM}"  # the second begins in a word until the first is gone
    assert Redactor().redact(glued).text == "[REDACTED:digitalocean][REDACTED:github]"
    for before in ("x\\n", "x%3D", "x%22", "x_", "x-", "x/"):
        assert Redactor().redact(f"{before}ghp_{RANDOM}").text == f"{before}[REDACTED:github]"


def test_given_values_are_redacted_anywhere_the_longest_first() -> None:
    redactor = Redactor(["tiger-42", "short", "tiger-42-stripes", "tiger-42"])
    assert redactor.redact("xtiger-42-stripesx, tiger-42! short") == Redacted(
        "x[REDACTED:known-value]x, [REDACTED:known-value]! short", ("known-value", "known-value")
    )
    with_few_letters = Redactor(["#-#-#-a1", "#-#-#-a1-%-%"])  # they are sought as they stand alone
    assert with_few_letters.redact("#-#-#-a1-%-%").text == "[REDACTED:known-value]"


BEGIN, END = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
WRAPPED = (f"{RANDOM[at:]}{RANDOM}{RANDOM[:at]}" for at in (5, 11, 23, 7))
KEY_LINES = (BEGIN, "Proc-Type: 4,ENCRYPTED", "", *WRAPPED, "x3==", END)


@pytest.mark.parametrize(
    "mark", ["", "-", "+", "> ", "# ", " * ", "    ", "{at:4} | ", "{at}: ", "{at:6}\t", '\\n"\n"']
)
@pytest.mark.parametrize(("first", "last"), [(0, 9), (0, 6), (4, 9)])
def test_a_private_key_is_redacted_with_any_line_prefix_and_any_cut(mark: str, first: int, last: int) -> None:
    lines = "\n".join(f"{mark.format(at=at + 8)}{line}" for at, line in enumerate(KEY_LINES[first:last]))
    assert Redactor().redact(f"{lines}\n\nSo it ends.").kinds == ("private-key",)
    assert not any(line in Redactor().redact(lines).text for line in KEY_LINES[3:7])


def test_secret_values_are_those_of_secret_looking_variables() -> None:
    secret, harmless = (
        {name: filled(value) for name, value in TEXTS[table]} for table in ("secret-variables", "harmless-variables")
    )
    inside = {"hunter2hunter2", HEX, "p%40ss%2Fword", "p@ss/word", RANDOM, f"{RANDOM}=="}
    assert secret_values(secret | harmless) == tuple(sorted({*secret.values(), *inside}))


@pytest.mark.parametrize(
    "text", ["It is {begun}{rest}{letters}, it said.", "It is www.Example.org/{begun}\n{rest}{letters} in full."]
)
def test_a_token_is_found_in_a_line_that_holds_words_alone(text: str) -> None:
    # No digit: a token of letters alone looks like a word until its beginning is known.
    redactor, token = Redactor(), {"begun": "gh", "rest": "p_", "letters": "aBcDeFgHiJkLmNoPqRsT" * 2}
    for _ in range(2):  # what was looked at once is remembered
        assert redactor.redact(text.format(**token)).kinds == ("github",)
        assert redactor.redact(text.format(**dict.fromkeys(token, "word"))).kinds == ()


def test_a_file_for_secrets_is_recognised_by_its_name() -> None:
    for table, is_made in (("made-for-secrets", True), ("not-made-for-secrets", False)):
        assert [path for row in TEXTS[table] for path in row if may_hold_secrets(path) is not is_made] == []


TOKEN = f"ghp_{RANDOM}"


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
        (("name: token\n", f"value: {RANDOM}\n"), ["name: token\n", "", "value: [REDACTED:secret]\n"], {"secret": 1}),
        ((f"a\n{BEGIN}\n{RANDOM}\n", f"{END}\nb\n"), ["a\n", "[REDACTED:private-key]\nb\n", ""], {"private-key": 1}),
        ((f"{BEGIN}\n{RANDOM}\n",), ["", "[REDACTED:private-key]\n"], {"private-key": 1}),
        ((f"{BEGIN}\n{RANDOM}\n{END}\n", "a\n"), ["[REDACTED:private-key]\n", "a\n", ""], {"private-key": 1}),
    ],
)  # fmt: skip
def test_whole_lines_are_released_at_once_and_partial_ones_wait(
    pieces: tuple[str, ...], given_out: list[str], kinds: dict[str, int]
) -> None:
    assert fed(*pieces) == (given_out, kinds)


def test_text_that_a_later_line_may_reveal_waits_within_a_bound() -> None:
    rows = "data:\n  a: aHVudGVyMjI=\n"
    given_out, kinds = fed(rows, "kind: ConfigMap\n", "---\n")
    assert (given_out, kinds) == (["", "", f"{rows}kind: ConfigMap\n---\n", ""], {})
    given_out, kinds = fed(rows, "kind: Secret\n")
    assert (given_out, kinds) == (
        ["", "data:\n  a: [REDACTED:kubernetes-secret]\nkind: Secret\n", ""],
        {"kubernetes-secret": 1},
    )
    given_out, _ = fed(*["  - words that say nothing\n"], rows, *["b: c\n"] * 5000)
    assert given_out[0]
    assert rows in "".join(given_out[:-1])
    rest = f"{RANDOM}\n" * (LONGEST_BLOCK // len(RANDOM))
    given_out, _ = fed(rest, rest, "no end\n")
    assert given_out[1]


def test_a_key_block_that_does_not_end_is_not_waited_for_for_ever() -> None:
    lines = [f"{RANDOM * 16}\n"] * (LONGEST_BLOCK // len(RANDOM * 16) + 1)
    given_out, kinds = fed(f"{BEGIN}\n", *lines)
    assert max(len(piece) for piece in given_out) < LONGEST_BLOCK
    assert any(given_out[:-1])
    assert kinds["private-key"] == 1


def test_a_line_without_end_is_given_out_in_parts_at_a_seam_if_it_has_one() -> None:
    word, one = "word " * (LONGEST_LINE // 5), "x" * (LONGEST_LINE + 1)
    assert fed(word, TOKEN[:20], f"{TOKEN[20:]} end") == (["", word, "", "[REDACTED:github] end"], {"github": 1})
    assert fed(one, "y") == ([one, "", "y"], {})
