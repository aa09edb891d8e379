from sparring.reports.page.passages import LONGEST, Mark, PassageLine, code_lines, excerpt, marked, prose
from support.page_reading import PageRead

LONG = "".join(f"{number:04}." for number in range(2_000))


def test_a_long_text_is_shown_around_its_marks() -> None:
    marks = [Mark(5_000, 5_004, "good", "here"), Mark(9_000, 9_004, "bad"), Mark(9_100, 9_104, "bad")]
    read = PageRead(marked(LONG, marks).markup)
    assert [each.text.strip() for each in read.all("mark")] == ["1000", "1800", "1820"]
    shown = read.all("div")[0].text
    assert (shown.count("…"), "0990." in shown, "1400." in shown) == (3, True, False)
    assert len(shown) < 1_300


def test_marks_that_overlap_share_no_word() -> None:
    shown = marked("one two three", [Mark(4, 13, "bad"), Mark(0, 7, "good"), Mark(2, 5, "open"), Mark(12, 40, "open")])
    assert shown.markup == (
        '<div class="passage"><mark class="good">one two</mark><mark class="bad"> three</mark></div>'
    )


def test_lines_of_a_diff_have_numbers_and_their_kind() -> None:
    lines = excerpt("a\nb\nc\nd\ne\nf\ng", first=10, begin=13, end=14)
    rows = PageRead(code_lines((*lines, PassageLine(None, f"<{'x' * 400}>", "removed")), name="a.py").markup).all("tr")
    assert [" ".join(each.text.split()) for each in rows[:-1]] == ["11 b", "12 c", "13 d", "14 e", "15 f", "16 g"]
    assert rows[-1].text.split() == ["−", f"<{'x' * 399}", "…"]
    assert [each.attributes.get("class") for each in rows] == [None, None, "meant", "meant", None, None, "removed"]


def test_a_link_shows_its_address_after_its_text() -> None:
    shown = PageRead(prose("[bank.example](https://evil.example/x 'so') and <https://a.example/>").markup)
    words = shown.all("p")[0].text.split()
    assert " ".join(words) == "bank.example (https://evil.example/x, so) and https://a.example/"
    assert [each.attributes["rel"] for each in shown.all("a")] == ["noopener noreferrer nofollow"] * 2


def test_markdown_is_read_and_no_word_of_it_lost() -> None:
    said = "# Loud\n\n- **one** ~~two~~\n\n| a | b |\n|--:|---|\n| c | d |\n\n```py\nx = 1\n```\n\n[r]: https://a.example\n\n![i](u)"
    shown = PageRead(prose(said).markup)
    tags = {each.tag for each in shown.elements}
    assert tags >= {"ul", "li", "strong", "s", "table", "td", "pre", "code"}
    assert not tags & {"h1", "img"}
    everything = PageRead(f"<body>{prose(said).markup}</body>").words
    assert everything >= {"Loud", "one", "two", "a", "b", "c", "d", "py", "x", "1", "r", "https", "example", "i", "u"}


def test_a_text_that_is_too_long_is_shown_as_it_was_typed() -> None:
    assert prose("*" * (LONGEST + 1)).markup == f'<pre class="plain">{"*" * (LONGEST + 1)}</pre>'
