"""What a page means for the source that cites it."""

from datetime import UTC, datetime

import pytest

from sparring.checks.sources import judge
from sparring.schema.lookups import Page, PageProblem, Source, SourceFinding, SourceStatus

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


def judged(quote: str, text: str, *, is_whole: bool = True) -> tuple[SourceStatus, str]:
    found = judge(source(quote), page(text, is_whole=is_whole))
    return found.status, found.reason


@pytest.mark.parametrize(
    ("problem", "detail", "status"),
    [
        (PageProblem.GONE, "there is no such page (404)", SourceStatus.FABRICATED),
        (PageProblem.REFUSED, "the address is not public: 10.0.0.1", SourceStatus.UNRELIABLE),
        (PageProblem.FAILED, "the server answered with status 503", SourceStatus.UNREACHABLE),
    ],
)
def test_without_a_page_its_problem_decides(problem: PageProblem, detail: str, status: SourceStatus) -> None:
    missing = Page(url=URL, problem=problem, detail=detail, fetched_at=AT)
    assert judge(source("any words at all"), missing) == SourceFinding(
        url=URL, quote="any words at all", status=status, reason=detail
    )


def test_words_that_stand_there_verify() -> None:
    quote = "“has recorded the level of the sea since 1904, and there is no longer row…”"
    at_the_end = Page(url="https://a.example", final_url=URL, text=HARBOUR, fetched_at=AT)
    assert judge(source(quote), at_the_end) == SourceFinding(
        url=URL,
        quote=quote,
        status=SourceStatus.VERIFIED,
        reason="the quoted words stand on the page",
        found="has recorded the level of the sea since 1904, and there is no longer row",
        final_url=URL,
        fetched_at=AT,
    )


def test_of_a_quote_with_an_ellipsis_the_parts_are_found() -> None:
    found = judge(source("The harbour lies in the north ... has recorded the level"), page(LONG))
    assert found.status is SourceStatus.VERIFIED
    assert found.found == "The harbour lies in the north … has recorded the level"


def test_other_words_are_shown_and_do_not_verify() -> None:
    quote = "has recorded the level of the sea since 1914, and there is no longer row of measurements"
    found = judge(source(quote), page(HARBOUR))
    assert found.status is SourceStatus.UNRELIABLE
    assert found.reason == (
        "the page has other words: has recorded the level of the sea since [-1914-] {+1904+} , "
        "and there is no longer row of measurements"
    )
    assert found.found == "has recorded the level of the sea since 1904, and there is no longer row of measurements"


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("It was moved twice, in 1931[3] and in 1968.[12]", HARBOUR),
        ("the new quay was built [4], the keepers wrote", HARBOUR),
        ("the new quay was built, the keepers[4] wrote", HARBOUR.replace("keepers", "keepers[4]")),
    ],
)
def test_reference_marks_in_a_quote_may_be_lost_on_the_page(quote: str, text: str) -> None:
    assert judged(quote, text) == (SourceStatus.VERIFIED, "the quoted words stand on the page")


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("call it with a[2] and b", "call it with a[1] and b"),
        ("the last one is items[2]", "the last one is items[1]"),
        ("the keepers[4]", "the keepers"),
    ],
)
def test_brackets_that_are_no_marks_count(quote: str, text: str) -> None:
    assert judged(quote, text)[0] is SourceStatus.UNRELIABLE


@pytest.mark.parametrize("quote", ["", " ", "\n"])
def test_a_source_without_a_quote_carries_nothing(quote: str) -> None:
    assert judged(quote, LONG) == (
        SourceStatus.UNRELIABLE,
        "nothing of the page is quoted, so that nobody can say what it supports",
    )


@pytest.mark.parametrize("quote", ["harbour", "The harbour", "…", "1904", "潮位計"])
def test_a_short_quote_carries_nothing_though_it_stands_there(quote: str) -> None:
    assert judged(quote, LONG + " 潮位計") == (SourceStatus.UNRELIABLE, "the quote is too short to carry anything")


def test_where_no_spaces_are_written_characters_make_the_length() -> None:
    assert judged("潮位計は千九百年", "この潮位計は千九百年から")[0] is SourceStatus.VERIFIED


INVENTED = "Parliament doubled the budget for renewable hydrogen research and for the national grid"


def test_a_long_page_that_speaks_of_something_else_makes_fabricated() -> None:
    assert judged(INVENTED, LONG) == (SourceStatus.FABRICATED, "the page says nothing of the kind")


SOME_OF_IT = "keepers measured the harbours of the coasts and the budgets of Parliament and of research on hydrogen"
ABSENT = "the quoted words are not on the page"


@pytest.mark.parametrize(
    ("quote", "text", "is_whole", "reason"),
    [
        pytest.param(INVENTED, HARBOUR, True, ABSENT, id="short page"),
        pytest.param(INVENTED, "", True, "the page shows no text", id="empty page"),
        pytest.param(INVENTED, LONG, False, "the quoted words are not in what could be read of the page", id="a part"),
        pytest.param(INVENTED, OTHER_LANGUAGE, True, ABSENT, id="other language"),
        pytest.param("for the hydrogen", LONG, True, ABSENT, id="few words"),
        pytest.param(
            "Parliament doubled budgets, hydrogen research, renewables", LONG, True, ABSENT, id="no small words"
        ),
        pytest.param(SOME_OF_IT, LONG, True, ABSENT, id="some of its words"),
        pytest.param("議会は再生可能水素の研究予算を倍にした", LONG, True, ABSENT, id="other script"),
    ],
)
def test_in_doubt_it_is_unreliable(quote: str, text: str, reason: str, *, is_whole: bool) -> None:
    assert judged(quote, text, is_whole=is_whole) == (SourceStatus.UNRELIABLE, reason)


@pytest.mark.parametrize(
    ("cited", "real", "is_told"),
    [
        ("Sea levels of the north", "The harbour: sea levels", False),
        ("The Harbour", "the harbour - Example Encyclopedia", False),
        ("Renewable hydrogen", "The harbour", True),
        ("", "The harbour", False),
        ("The harbour", "", False),
    ],
)
def test_another_title_is_told_and_decides_nothing(cited: str, real: str, *, is_told: bool) -> None:
    found = judge(source("the level of the sea since 1904", cited), page(HARBOUR, title=real))
    assert found.status is SourceStatus.VERIFIED
    assert found.reason == "the quoted words stand on the page" + (f"; its title is “{real}”" if is_told else "")


def test_what_a_page_says_is_shown_in_one_line_and_cut() -> None:
    title = "A\x1b[31m title\n" + "x" * 400
    spread = "\n\x07".join(HARBOUR.split())
    found = judge(
        source("level of the sea since 1904 and quite a lot of what is not there", "B"), page(spread, title=title)
    )
    spaced = judge(source("level of the sea"), page("level of" + " " * 5000 + "the \x1b[0msea"))
    assert len(found.reason) < 400
    assert all(text.isprintable() for text in (found.reason, found.found, spaced.found))
