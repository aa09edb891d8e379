"""What a reader sees of an HTML page."""

import pytest

from sparring.providers.sources.hypertext import Hypertext, read_hypertext


@pytest.mark.parametrize(
    ("page", "expected"),
    [
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
        ("word<sup>[note 2]</sup>, 10<sup>2</sup>, a<sup>[1][2]</sup>", "word, 102, a[1][2]"),
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
    ],
)
def test_it_is_what_a_browser_would_show(page: str, expected: str) -> None:
    assert read_hypertext(page).text == expected


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
    assert read_hypertext("<div>" * 10_000 + "deep" + "</div>" * 10_000).text == "deep"
    assert read_hypertext("<sup>" * 10_000 + "deep " + "x" * 10_000 + "</sup>" * 10_000).text == "deep " + "x" * 10_000
