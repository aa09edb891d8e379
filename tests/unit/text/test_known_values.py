"""A known value is taken out whole, in every spelling that a text may give it."""

import base64
import html
import json
import quopri
import random
import shlex
import textwrap
from collections.abc import Callable, Mapping
from urllib.parse import quote

import pytest

from sparring.text.redaction import Redacted, Redactor

VALUES = (
    "Tr0ub4dor&3 <'horse'>/+é=",
    'p@ss"word\\rd%2024#long?yes',
    "correct-horse-7-battery",
    "/aB3dE5fG7hI9==",
    "9f86d081884c7d659a2feaa0c55ad015",
    "!!äpfel-und-bürnen!!",
    "eyJhbGciOiJ.zdWIi_Oi-J9==",
)

ENCODINGS: Mapping[str, Callable[[str], str]] = {
    "as it stands": str,
    "JSON": lambda value: json.dumps(value)[1:-1],
    "JSON in JSON": lambda value: json.dumps(json.dumps(value)[1:-1])[1:-1],
    "JSON, all of it": lambda value: "".join(rf"\u{ord(sign):04x}" for sign in value),
    "JSON with slashes escaped": lambda value: json.dumps(value)[1:-1].replace("/", r"\/"),
    "URL": lambda value: quote(value, safe=""),
    "URL, lower case": lambda value: "".join(
        chr(byte) if byte < 128 and chr(byte).isalnum() else f"%{byte:02x}" for byte in value.encode()
    ),
    "URL, in part": lambda value: quote(value, safe="/+=&"),
    "URL, all of it": lambda value: "".join(f"%{byte:02X}" for byte in value.encode()),
    "URL in a URL": lambda value: quote(quote(value, safe=""), safe=""),
    "HTML": html.escape,
    "HTML in HTML": lambda value: html.escape(html.escape(value)),
    "HTML by number": lambda value: "".join(f"&#{ord(sign)};" for sign in value),
    "HTML by hexadecimal number": lambda value: "".join(f"&#x{ord(sign):X};" for sign in value),
    "a shell's word": lambda value: shlex.quote(f" {value}")[2:-1],
    "a shell's word, by backslashes": lambda value: "".join(
        sign if sign.isalnum() else f"\\{sign}" for sign in value
    ),
    "hexadecimal": lambda value: value.encode().hex(),
    "HEXADECIMAL": lambda value: value.encode().hex().upper(),
    "hexadecimal by bytes": lambda value: value.encode().hex(" "),
    "a string of bytes": lambda value: "".join(rf"\x{byte:02x}" for byte in value.encode()),
    "wrapped": lambda value: "\n    ".join(textwrap.wrap(value, 6, drop_whitespace=False)),
    "wrapped and continued": lambda value: f"{value[:7]}\\\n{value[7:]}",
    "added by a diff": lambda value: f"{value[:5]}\n+{value[5:11]}\n+{value[11:]}",
    "removed by a diff": lambda value: f"{value[:5]}\r\n- {value[5:]}",
    "quoted in a letter": lambda value: f"{value[:9]}\n> > {value[9:]}",
    "with nothing visible inside": "\u200b".join,
    "coloured": lambda value: f"{value[:4]}\x1b[31m{value[4:]}",
    "base64": lambda value: base64.b64encode(value.encode()).decode(),
    "base64 of UTF-16": lambda value: base64.b64encode(value.encode("utf-16-le")).decode(),
    "a list of bytes": lambda value: ", ".join(map(str, value.encode())),
    "an array of C": lambda value: ", ".join(f"0x{byte:02x}" for byte in value.encode()),
    "octal escapes": lambda value: "".join(f"\\{byte:03o}" for byte in value.encode()),
}  # fmt: skip


WITHIN: Mapping[str, Callable[[str], str]] = {
    "base64 of a later place": lambda value: base64.b64encode(f"a:{value}\n".encode()).decode(),
    "base64 of the last place": lambda value: base64.b64encode(f"ab:cd{value}\n".encode()).decode(),
    "base64 of the first place": lambda value: base64.b64encode(f"{value}:xy".encode()).decode(),
    "base64url": lambda value: base64.urlsafe_b64encode(b"\xff" + value.encode()).decode().rstrip("="),
    "wrapped base64": lambda value: base64.encodebytes(b"Basic " * 8 + value.encode() * 2).decode(),
    "base64 in a URL": lambda value: quote(base64.b64encode(f"?{value}".encode()), safe=""),
}


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("value", VALUES)
def test_a_known_value_is_redacted_whole_in_every_spelling(value: str, encoding: str) -> None:
    spelled = ENCODINGS[encoding](value)
    redacted = Redactor(["another-value-4711", value]).redact(f"They say «{spelled}», do they?").text
    assert redacted.replace("\x1b[31m", "") == "They say «[REDACTED:known-value]», do they?"


@pytest.mark.parametrize("encoding", WITHIN)
@pytest.mark.parametrize("value", VALUES)
def test_a_known_value_is_redacted_in_encoded_text_around_it(value: str, encoding: str) -> None:
    spelled = WITHIN[encoding](value)
    redacted = Redactor(["another-value-4711", value]).redact(f"They say «{spelled}», do they?")
    encoded = {base64.b64encode(before + value.encode()).decode()[4:-4] for before in (b"", b"-", b"--")}
    parts = {part[start : start + 8] for part in encoded for start in range(len(part) - 7)}
    left = redacted.text.replace("\n", "").replace("%2B", "+").replace("%2F", "/").replace("-", "+").replace("_", "/")
    assert [part for part in parts if part in left] == []
    assert set(redacted.kinds) == {"known-value"}


def dumped(value: str, line: Callable[[int, bytes], str]) -> str:
    data = f"a={value}\n".encode()
    return "\n".join(line(start, data[start : start + 16]) for start in range(0, len(data), 16))


FORMS: Mapping[str, Callable[[str], str]] = {
    "numbered lines": lambda value: f"1 | {value[:5]}\n2 | {value[5:9]}\n3 | {value[9:]}",
    "lines as cat -n has them": lambda value: f"     9\t{value[:6]}\n    10\t{value[6:]}",
    "quoted-printable": lambda value: quopri.encodestring(f"{value[:8]}\n".encode()).decode()[:-1] + "=\n" + value[8:],
    "xxd": lambda value: dumped(
        value, lambda start, data: f"{start:08x}: {data.hex(' ', -2):<39}  {data.decode('ascii', 'replace')}"
    ),
    "hexdump": lambda value: dumped(
        value, lambda start, data: f"{start:08x}  {data.hex(' '):<48} |{data.decode('ascii', 'replace')}|"
    ),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("value", ["Zx7!qPw9-Lm3_Tk5.Rv8", "correct-horse-7-battery-staple"])
def test_a_known_value_is_redacted_in_numbered_lines_and_dumps(value: str, form: str) -> None:
    found = Redactor([value]).redact(f"before\n{FORMS[form](value)}\nbehind")
    assert set(found.kinds) == {"known-value"}
    assert [part for part in (value[:5], value[6:11], value[-5:]) if part in found.text] == []
    assert found.text.startswith("before\n")
    assert found.text.endswith("behind")


@pytest.mark.parametrize(
    "text", ["correct horse battery 7", "correct=horse=7=battery", "orrect-horse-7-battery", "Correct-Horse-7-Battery"]
)
def test_what_only_resembles_a_known_value_stays(text: str) -> None:
    assert Redactor(["correct-horse-7-battery"]).redact(text) == Redacted(text)


def test_consecutive_spellings_are_redacted_in_a_long_text() -> None:
    value = "correct-horse/7/battery"
    lines = [f"a line of a log without anything in it, the {number}th\n" for number in range(2000)]
    source = random.Random(3)  # noqa: S311 -- the same places every time
    places = sorted(source.sample(range(2000), 40))
    spelled = [*ENCODINGS.values()]
    for number, place in enumerate(places):
        lines[place] = f"«{spelled[number % len(spelled)](value)}»\n"
    expected = "".join("«[REDACTED:known-value]»\n" if at in places else line for at, line in enumerate(lines))
    once = Redactor([value]).redact("".join(lines))
    assert once.text.replace("\x1b[31m", "") == expected
    assert Redactor([value]).redact(once.text) == Redacted(once.text)


def test_a_marker_is_never_taken_for_a_value() -> None:
    redactor = Redactor(["REDACTED:known-value", "known/value", "battery-4711"])
    once = redactor.redact("battery%2D4711 and [REDACTED:secret]known-\nvalue")
    assert once == Redacted("[REDACTED:known-value] and [REDACTED:secret]known-\nvalue", ("known-value",))
    assert redactor.redact(once.text) == Redacted(once.text)
