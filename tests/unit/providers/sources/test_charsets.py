"""How the bytes of a page become characters."""

import codecs

import pytest

from sparring.providers.sources.hypertext import decode

WORDS = "Größe naïve œuvre"
RUSSIAN = "Прилив записан с 1904 года"


@pytest.mark.parametrize(
    ("body", "said", "expected"),
    [
        (WORDS.encode(), "", WORDS),
        (WORDS.encode(), "utf-8", WORDS),
        (WORDS.encode("cp1252"), "ISO-8859-1", WORDS),
        (WORDS.encode("cp1252"), "windows-1252", WORDS),
        (RUSSIAN.encode("koi8-r"), "KOI8-R", RUSSIAN),
        (RUSSIAN.encode("cp1251"), "windows-1251", RUSSIAN),
        ("潮位計".encode("cp932"), "Shift_JIS", "潮位計"),
        ("潮位計".encode("iso2022_jp"), "ISO-2022-JP", "潮位計"),
        ("潮位计".encode("gb18030"), "gb2312", "潮位计"),
        (WORDS.encode("utf-16-le"), "utf-16", WORDS),
        # What is wrong about itself.
        (RUSSIAN.encode(), "iso-8859-1", RUSSIAN),
        (codecs.BOM_UTF8 + WORDS.encode(), "koi8-r", WORDS),
        (codecs.BOM_UTF16_LE + WORDS.encode("utf-16-le"), "utf-8", WORDS),
        (codecs.BOM_UTF16_BE + WORDS.encode("utf-16-be"), "", WORDS),
        (b"abc\xff", "utf-8", "abc\ufffd"),
        (b"abc\xff", "", "abc\ufffd"),
        # What is no character set that pages have.
        (b"616263\xff", "hex", "616263\ufffd"),
        (b"abc\xff", "punycode", "abc\ufffd"),
        (b"abc\xff", "no-such-thing", "abc\ufffd"),
        (b"abc\xff", "../utf-8", "abc\ufffd"),
        (b"abc\xff", "x" * 100, "abc\ufffd"),
        (b"", "utf-8", ""),
    ],
)
def test_a_page_is_read_in_its_character_set(body: bytes, said: str, expected: str) -> None:
    assert decode(body, said, is_markup=False) == expected


@pytest.mark.parametrize(
    "own",
    [
        '<meta charset="koi8-r">',
        "<META name=x><meta CHARSET = koi8-r />",
        '<meta http-equiv="Content-Type" content="text/html; charset=KOI8-R">',
        '<?xml version="1.0" encoding="koi8-r"?>',
    ],
)
def test_markup_may_name_its_own(own: str) -> None:
    body = (own + RUSSIAN).encode("koi8-r")

    assert decode(body, "", is_markup=True) == own + RUSSIAN
    assert decode(body, "", is_markup=False) != own + RUSSIAN
    assert decode(body, "cp1251", is_markup=True) != own + RUSSIAN


def test_markup_that_could_be_read_is_not_utf_16_whatever_it_says() -> None:
    body = b'<meta charset="utf-16">abc\xff'

    assert decode(body, "", is_markup=True) == '<meta charset="utf-16">abc\ufffd'
