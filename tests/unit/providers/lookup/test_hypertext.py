"""What a reader sees of an HTML page."""

import codecs
import sys

import pytest

from sparring.providers.lookup.hypertext import Hypertext, decode, read_hypertext

SHOWN = [
    # Blocks part words, inline elements do not.
    ("<p>one</p><p>two</p>", "one\ntwo"),
    ("<b>w</b>ord and <i>an</i>other", "word and another"),
    ("one<br>two<br/>three</br>four", "one\ntwo\nthree\nfour"),
    ("<ul><li>one<li>two</ul>three", "one\ntwo\nthree"),
    ("<table><tr><td>1<td>2<tr><th>3</table>", "1\n2\n3"),
    ("very<wbr>long", "verylong"),
    ("<p>wrapped\n   in\tlines&nbsp;here</p>", "wrapped in lines here"),
    # References.
    ("&lt;b&gt; &amp;amp; &eacute;&#233;&#xE9; &hellip;", "<b> &amp; ééé …"),
    ("&nonsense; &#; &#xD800; &#0;", "&nonsense; &#; \ufffd \ufffd"),
    ("&#" + "9" * 5000 + "; &#000000000065;", "\ufffd \ufffd"),
    # What is not seen.
    ("a<script>if (a<b) '</p>'</script>b<style>p {}</style>c", "abc"),
    ("a<!-- <p>no</p> -->b<!-->c<!doctype html>d<?php no ?>e</ no>f</>g", "abcdefg"),
    ("a<template><p>no</p></template>b<noscript>no</noscript>c<iframe>no</iframe>d", "abcd"),
    ("a<div hidden>no<div>no</div>no</div>b", "a\nb"),
    ("a<DIV HIDDEN=''>no</DIV>b<input hidden>c", "a\nb\nc"),
    ("<p hidden>no<p>yes", "yes"),
    ("<ul><li hidden>no <b>no<li>no?</ul>yes", "yes"),
    ("<ul><li hidden>no<li>yes</ul>", "yes"),
    ("<dl><dt hidden>no<dd>yes</dl>", "yes"),
    ("<select><option hidden>no<option>yes</select>", "yes"),
    ("<div hidden='until-found'>found</div>", "found"),
    ("<textarea hidden>no</textarea><textarea><b>&amp;</textarea>", "<b>&"),
    ("<div data-x='hidden' title=hidden>yes</div>", "yes"),
    # Drawings.
    ("a<svg><title>no</title><style/><text>yes</text></svg>b", "ayesb"),
    ("<svg><script>no</script><path/><g hidden>no</g></svg>b", "b"),
    ("<math><mi>x</mi></math>", "x"),
    # Reference marks.
    ('word<sup id="r"><a href="#n"><span>[</span>1<span>]</span></a></sup> next', "word next"),
    ("word<sup>[note 2]</sup>, 10<sup>2</sup>, a<sup>[1][2]</sup>", "word, 10², a[1][2]"),
    ("19<sup>th</sup> x<sup>2</sup> 10<sup>−<i>3</i></sup> 5 <sup>6</sup>", "19th x2 10⁻³ 5 6"),
    ("a<sup>" + "<b>x</b>" * 20 + "</sup>", "a" + "x" * 20),
    # What is not closed, or not opened.
    ("a<b c='d", "a"),
    ("a<!-- b", "a"),
    ("a<script>b", "a"),
    ("a<script>b</scripts>", "a"),
    ("a</b></div>b", "a\nb"),
    ("1 < 2 <3 <<b>4</b>", "1 < 2 <3 <4"),
    ("a<", "a<"),
    ("a<b", "a"),
    ("<div hidden><p>no</div>yes", "yes"),
    # Attributes as they come.
    ("<a href=x/y>1</a><a b='>'>2</a><a b=\">\" c>3</a><a =d>4</a><a b=>5</a><a/b>6</a>", "123456"),
    ("<a b = 'c' hidden>no</a>yes", "yes"),
    ("", ""),
]


def test_it_is_what_a_browser_would_show() -> None:
    assert [(page, read_hypertext(page).text) for page, _ in SHOWN] == SHOWN


def test_the_title_is_the_first_line() -> None:
    page = "<html><head><title> The &amp;\n harbour </title><meta x></head><body>Text<title>no</title></body>"
    assert read_hypertext(page) == Hypertext(title="The & harbour", text="The & harbour\nText", is_whole=True)


@pytest.mark.parametrize(
    ("page", "is_whole"),
    [
        ("<noscript>You need to enable JavaScript to run this app.</noscript><noscript>x</noscript>", False),
        ("<noscript><img src=pixel></noscript>JavaScript", True),
        ("<b>" * 100, False),
    ],
)
def test_a_page_may_not_be_read_whole(page: str, *, is_whole: bool) -> None:
    assert read_hypertext(page, most_pieces=100).is_whole is is_whole


def test_elements_in_elements_without_end_are_no_recursion() -> None:
    deep = 2 * sys.getrecursionlimit()
    assert read_hypertext("<div>" * deep + "deep" + "</div>" * deep).text == "deep"
    assert read_hypertext("<sup>" * deep + "deep " + "x" * deep + "</sup>" * deep).text == "deep " + "x" * deep


WORDS = "Größe naïve œuvre"
RUSSIAN = "Прилив записан с 1904 года"


DECODED = [
    (WORDS.encode(), "", WORDS),
    (WORDS.encode(), "utf-8", WORDS),
    (WORDS.encode("cp1252"), "ISO-8859-1", WORDS),
    (WORDS.encode("cp1252"), "windows-1252", WORDS),
    (RUSSIAN.encode("koi8-r"), "KOI8-R", RUSSIAN),
    (RUSSIAN.encode("cp1251"), "x-cp1251", RUSSIAN),
    ("ไทย".encode("cp874"), "windows-874", "ไทย"),
    ("한글".encode("cp949"), "windows-949", "한글"),
    ("שלום".encode("iso8859-8"), "iso-8859-8-i", "שלום"),
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
]


def test_a_page_is_read_in_its_character_set() -> None:
    assert [(body, said, decode(body, said, is_markup=False)) for body, said, _ in DECODED] == DECODED


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
