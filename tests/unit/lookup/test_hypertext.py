"""What a reader sees of an HTML page."""

import codecs
import sys

from sparring.lookup.hypertext import decode, read_hypertext
from support.texts import texts

RUSSIAN = "Прилив записан с 1904 года"


def test_text_of_a_page_is_as_a_browser_shows_it() -> None:
    for shown in texts("hypertext").values():
        assert [[page, read_hypertext(page).text] for page, _ in shown] == shown


def test_a_page_may_not_be_read_whole() -> None:
    needs = "<noscript>You need to enable JavaScript to run this app.</noscript><noscript>x</noscript>"
    pages = (needs, "<noscript><img src=pixel></noscript>JavaScript", "<b>" * 100)
    assert [read_hypertext(page, most_pieces=100).is_whole for page in pages] == [False, True, False]


def test_elements_in_elements_without_end_are_no_recursion() -> None:
    deep = 2 * sys.getrecursionlimit()
    assert read_hypertext("<div>" * deep + "deep" + "</div>" * deep).text == "deep"
    assert read_hypertext("<sup>" * deep + "deep " + "x" * deep + "</sup>" * deep).text == "deep " + "x" * deep


def test_a_page_is_read_in_its_character_set() -> None:
    for text, coding, said in texts("pages")["in-its-character-set"]:
        assert decode(text.encode(coding), said, is_markup=False) == text
    for mark, coding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        assert decode(mark + RUSSIAN.encode(coding), "utf-8", is_markup=False) == RUSSIAN


def test_unknown_character_sets_are_ignored() -> None:
    for said in ("", "utf-8", "punycode", "no-such-thing", "../utf-8", "x" * 100):
        assert decode(b"abc\xff", said, is_markup=False) == "abc\ufffd"
    assert decode(b"616263\xff", "hex", is_markup=False) == "616263\ufffd"


def test_markup_may_name_its_own() -> None:
    for own in (
        '<meta charset="koi8-r">',
        "<META name=x><meta CHARSET = koi8-r />",
        '<meta http-equiv="Content-Type" content="text/html; charset=KOI8-R">',
        '<?xml version="1.0" encoding="koi8-r"?>',
    ):
        body, text = (own + RUSSIAN).encode("koi8-r"), own + RUSSIAN
        ways = (("", True), ("", False), ("cp1251", True))
        assert [decode(body, said, is_markup=markup) == text for said, markup in ways] == [True, False, False]


def test_readable_markup_is_not_utf_16_although_it_declares_so() -> None:
    body = b'<meta charset="utf-16">abc\xff'
    assert decode(body, "", is_markup=True) == '<meta charset="utf-16">abc\ufffd'
