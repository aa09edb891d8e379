"""What a page means for the source that cites it, and which figures say where they come from."""

from datetime import UTC, datetime

import pytest

from sparring.checks.sources import entries_cited, is_conjecture, judge, unsourced_paragraphs
from sparring.schema.lookups import Page, PageProblem, Source
from support.golden import Golden
from support.texts import texts

TEXTS = texts("quotes")

URL = "https://example.org/harbour"
AT = datetime(2026, 2, 21, tzinfo=UTC)

HARBOUR = """
The harbour lies in the north of the town. The tide gauge at its mouth has recorded the level of the sea since 1904, and
there is no longer row of measurements on this coast. It was moved twice, in 1931 and in 1968, each time by less than a
hundred metres. When the new quay was built, the keepers wrote both levels down for two years, so that the old and the
new could be compared. They differ by four millimetres.
"""
LONG = HARBOUR * 3
OTHER_LANGUAGE = "Der Hafen liegt im Norden der Stadt, und niemand weiß so recht, was dort zu sehen ist. " * 15


def source(quote: str, title: str = "") -> Source:
    return Source(url=URL, title=title, accessed="2026-02-21", quote=quote)


def page(text: str, *, title: str = "", is_whole: bool = True) -> Page:
    return Page(url=URL, title=title, text=text, is_whole=is_whole, fetched_at=AT)


def whole(quote: str, text: str, title: str = "", real: str = "") -> tuple[Source, Page]:
    return source(quote, title), page(text, title=real)


INVENTED = "Parliament doubled the budget for renewable hydrogen research and for the national grid"
SOME_OF_IT = "keepers measured the harbours of the coasts and the budgets of Parliament and of research on hydrogen"
MARKED = HARBOUR.replace("keepers", "keepers[4]")
SINCE = "the level of the sea since 1904"
PROBLEMS = {
    PageProblem.GONE: "there is no such page (404)",
    PageProblem.REFUSED: "the address is not public: 10.0.0.1",
    PageProblem.FAILED: "the server answered with status 503",
}
JUDGED: tuple[tuple[Source, Page], ...] = (
    # Without a page its problem decides.
    *(
        (source("any words at all"), Page(url=URL, problem=problem, detail=detail, fetched_at=AT))
        for problem, detail in PROBLEMS.items()
    ),
    # Words that stand there verify, wherever the page was in the end; of a quote with an ellipsis its parts.
    (
        source("“has recorded the level of the sea since 1904, and there is no longer row…”"),
        Page(url="https://a.example", final_url=URL, text=HARBOUR, fetched_at=AT),
    ),
    whole("The harbour lies in the north ... has recorded the level", LONG),
    whole("潮位計は千九百年", "この潮位計は千九百年から"),
    # Other words are shown and do not verify.
    whole("has recorded the level of the sea since 1914, and there is no longer row of measurements", HARBOUR),
    # Reference marks may be lost on either side, and brackets that are none count.
    whole("It was moved twice, in 1931[3] and in 1968.[12]", HARBOUR),
    whole("the new quay was built [4], the keepers wrote", HARBOUR),
    whole("the new quay was built, the keepers[4] wrote", MARKED),
    whole("call it with a[2] and b", "call it with a[1] and b"),
    whole("the last one is items[2]", "the last one is items[1]"),
    whole("the keepers[4]", "the keepers"),
    # Nothing, or too little, carries nothing.
    *(whole(quote, LONG) for quote in ("", " ", "\n")),
    *(whole(quote, f"{LONG} 潮位計") for quote in ("harbour", "The harbour", "…", "1904", "潮位計")),
    # A long page that speaks of something else makes fabricated; in doubt it is unreliable.
    whole(INVENTED, LONG),
    whole(INVENTED, HARBOUR),
    whole(INVENTED, ""),
    (source(INVENTED), page(LONG, is_whole=False)),
    whole(INVENTED, OTHER_LANGUAGE),
    whole("for the hydrogen", LONG),
    whole("Parliament doubled budgets, hydrogen research, renewables", LONG),
    whole(SOME_OF_IT, LONG),
    whole("議会は再生可能水素の研究予算を倍にした", LONG),
    # Another title is told and decides nothing.
    whole(SINCE, HARBOUR, "Sea levels of the north", "The harbour: sea levels"),
    whole(SINCE, HARBOUR, "The Harbour", "the harbour - Example Encyclopedia"),
    whole(SINCE, HARBOUR, "Renewable hydrogen", "The harbour"),
    whole(SINCE, HARBOUR, "", "The harbour"),
    whole(SINCE, HARBOUR, "The harbour", ""),
)


def test_a_source_is_what_its_page_makes_of_it(golden: Golden) -> None:
    lines: list[str] = []
    for cited, found in JUDGED:
        lines += [
            f"== {cited.quote!r} {cited.title}".rstrip(),
            f"  in {len(found.text)} characters: {found.text[:60]!r}",
        ]
        lines.append(judge(cited, found).model_dump_json(exclude_defaults=True, exclude={"url", "quote"}))
    golden.holds("read/sources.txt", "\n".join(lines) + "\n")


def test_what_a_page_says_is_shown_in_one_line_and_cut() -> None:
    title = "A\x1b[31m title\n" + "x" * 400
    spread = "\n\x07".join(HARBOUR.split())
    found = judge(
        source("level of the sea since 1904 and quite a lot of what is not there", "B"), page(spread, title=title)
    )
    spaced = judge(source("level of the sea"), page("level of" + " " * 5000 + "the \x1b[0msea"))
    assert len(found.reason) < 400
    assert all(text.isprintable() for text in (found.reason, found.found, spaced.found))


@pytest.mark.parametrize("content", TEXTS["a-figure-without-a-source-is-found"])
def test_a_figure_without_a_source_is_found(content: str) -> None:
    assert unsourced_paragraphs(content, entries={7}) == (1,)


@pytest.mark.parametrize("content", TEXTS["what-is-sourced-or-labelled-or-no-figure-is-let-pass"])
def test_what_is_sourced_or_labelled_or_no_figure_is_let_pass(content: str) -> None:
    assert unsourced_paragraphs(content, entries={7}, given="Ban cars by 2035.") == ()


def test_each_paragraph_needs_its_own_source_and_is_named_by_its_number() -> None:
    content = "It fell by 12 % (seq 1).\n\nIt rose by 3 %\nand then by 4 %.\r\n \r\nNo figures.\n\n\n\nAgain 12 %."
    assert unsourced_paragraphs(content, entries={1}) == (2, 4)


def test_a_label_at_the_beginning_stands_for_the_whole_text() -> None:
    assert unsourced_paragraphs("**[CONJECTURE]** It may be 5 %.\n\nOr 6 %.") == ()


@pytest.mark.parametrize(("content", "expected"), TEXTS["a-conjecture-begins-with-its-label"])
def test_a_conjecture_begins_with_its_label(content: str, expected: bool) -> None:  # noqa: FBT001 -- a table's column
    assert is_conjecture(content) is expected


def test_entries_are_cited_by_their_numbers_each_once() -> None:
    text = "As (seq 5) and seq. 7 say, and (Seq #5, 9), and seqs 11 & 12; a sequel 13 says nothing."
    assert entries_cited(text) == (5, 7, 9, 11, 12)
