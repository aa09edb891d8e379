"""What a page means for the source that cites it, and which figures say where they come from."""

from datetime import UTC, datetime

import pytest

from sparring.checks.sources import check_source, cited_entries, is_conjecture, unsourced_paragraphs
from sparring.schema.consultation import Source
from sparring.schema.lookups import Page, PageProblem
from support.golden import Golden
from support.texts import texts

TEXTS = texts("quotes")

URL = "https://example.org/harbour"
AT = datetime(2026, 2, 21, tzinfo=UTC)

PAGES: dict[str, str] = dict(texts("sources")["pages"])
HARBOUR = PAGES["harbour"]
LONG = HARBOUR * 3
PAGES.update({"long": LONG, "long, in part": LONG, "other language": PAGES["other language"] * 15})
PAGES["marked"] = HARBOUR.replace("keepers", "keepers[4]")


def cited(quote: str, name: str = "", title: str = "", real: str = "") -> tuple[Source, Page]:
    """A source, and the page of that name or with that text."""
    text = PAGES.get(name, name.replace("{long}", LONG))
    page = Page(url=URL, title=real, text=text, is_whole="in part" not in name, fetched_at=AT)
    return Source(url=URL, title=title, accessed="2026-02-21", quote=quote), page


PROBLEMS = {
    PageProblem.GONE: "there is no such page (404)",
    PageProblem.REFUSED: "the address is not public: 10.0.0.1",
    PageProblem.FAILED: "the server answered with status 503",
}
MOVED, _ = cited("“has recorded the level of the sea since 1904, and there is no longer row…”")
JUDGED: tuple[tuple[Source, Page], ...] = (
    # Without a page its problem decides.
    *(
        (cited("any words at all")[0], Page(url=URL, problem=problem, detail=detail, fetched_at=AT))
        for problem, detail in PROBLEMS.items()
    ),
    # Words that stand there verify, wherever the page was in the end; of a quote with an ellipsis its parts.
    (MOVED, Page(url="https://a.example", final_url=URL, text=HARBOUR, fetched_at=AT)),
    *(cited(*row) for row in texts("sources")["judged"]),
)


def test_the_status_of_a_source_follows_from_its_page(golden: Golden) -> None:
    lines: list[str] = []
    for source, page in JUDGED:
        lines.append(f"== {source.quote!r} {source.title}".rstrip())
        lines.append(f"  in {len(page.text)} characters: {page.text[:60]!r}")
        lines.append(check_source(source, page).model_dump_json(exclude_defaults=True, exclude={"url", "quote"}))
    golden.holds("read/sources.txt", "\n".join(lines) + "\n")


def test_text_of_a_page_is_shown_in_one_line_and_cut() -> None:
    quote, spread = "level of the sea since 1904 and quite a lot of what is not there", "\n\x07".join(HARBOUR.split())
    found = check_source(*cited(quote, spread, "B", "A\x1b[31m title\n" + "x" * 400))
    spaced = check_source(*cited("level of the sea", "level of" + " " * 5000 + "the \x1b[0msea"))
    assert len(found.reason) < 400
    assert all(text.isprintable() for text in (found.reason, found.page_words, spaced.page_words))


FIGURES = {(1,): "a-figure-without-a-source-is-found", (): "what-is-sourced-or-labelled-or-no-figure-is-let-pass"}


@pytest.mark.parametrize(
    ("numbers", "text"), [(found, text) for found, name in FIGURES.items() for text in TEXTS[name]]
)
def test_a_figure_without_a_source_is_found_and_nothing_else(numbers: tuple[int, ...], text: str) -> None:
    assert unsourced_paragraphs(text, entries={7}, given="Ban cars by 2035.") == numbers


def test_each_paragraph_needs_its_own_source_or_a_label_for_all_and_is_named_by_its_number() -> None:
    content = "It fell by 12 % (seq 1).\n\nIt rose by 3 %\nand then by 4 %.\r\n \r\nNo figures.\n\n\n\nAgain 12 %."
    assert unsourced_paragraphs(content, entries={1}) == (2, 4)
    assert unsourced_paragraphs("**[CONJECTURE]** It may be 5 %.\n\nOr 6 %.") == ()


@pytest.mark.parametrize(("content", "expected"), TEXTS["a-conjecture-begins-with-its-label"])
def test_a_conjecture_begins_with_its_label(content: str, expected: bool) -> None:  # noqa: FBT001 -- a table's column
    assert is_conjecture(content) is expected


def test_entries_are_cited_by_their_numbers_each_once() -> None:
    text = "As (seq 5) and seq. 7 say, and (Seq #5, 9), and seqs 11 & 12; a sequel 13 says nothing."
    assert cited_entries(text) == (5, 7, 9, 11, 12)
