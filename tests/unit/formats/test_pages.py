"""The page of a run of every format: whole without a script, harmless whatever was said, and what only it shows."""

import json
from collections.abc import Callable
from functools import cache

import pytest
from msgspec.structs import replace

from sparring.formats.views import page, report
from sparring.reports.comparison import compare_runs, compare_tables
from sparring.reports.page.comparison import runs_page, tables_page
from sparring.reports.page.table import table_page
from sparring.schema.claims import Label
from sparring.schema.consultation import Exhibit
from sparring.schema.pairs import JudgedTable
from support.golden import Golden
from support.judged_tables import long_table, result
from support.jury_playing import FAITHFUL_CLAIM, faithful, jury_run
from support.page_reading import PageRead, words
from support.runs import answer, failure, finished_several
from support.stored_runs import said_by_all, stored, unfinished

STORED = ("chaired-debate", "panel-debate", "debate", "fact-check", "fact-check-no-quorum", "jury", "review")
MARKUP = words("<details> <summary> Notes … and 2 3 4 more below ` WARN")
"""What a report has besides words, or says of where the rest of it stands; the page has a coloured row for warnings."""

HOSTILE = (
    '</script><script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1)) " onclick=x \u202e`<b'
)


@cache
def page_of(name: str) -> PageRead:
    return PageRead(page(stored(name)))


@pytest.mark.parametrize("name", STORED)
def test_a_page_has_every_word_of_the_report_and_leads_nowhere_that_is_not_there(name: str) -> None:
    read = page_of(name)
    ids = [each.attributes["id"] for each in read.elements if "id" in each.attributes]
    places = {each.attributes["href"][1:] for each in read.all("a") if each.attributes["href"].startswith("#")}
    assert words(report(stored(name)).replace("\\", "")) - read.words <= MARKUP
    assert (read.acting, read.unclosed) == ([], [])
    assert (len(ids), places - set(ids)) == (len(set(ids)), set())
    assert [each.text for each in read.all("h1")] == [" ".join(stored(name).header.request.subject.split())]


@pytest.mark.parametrize("name", STORED)
def test_hostile_text_never_acts_in_a_page(name: str) -> None:
    read = PageRead(page(said_by_all(HOSTILE, stored(name))))
    assert (read.acting, read.unclosed) == ([], [])
    assert "alert(1)" in read.text
    assert "\u202e" not in read.text
    assert all(each.attributes["href"].startswith("#") for each in read.all("a"))


def test_copying_a_speech_gives_its_markdown() -> None:
    markdown = json.loads(page_of("debate").all("script")[0].text)["markdown"]
    assert markdown["turn-1"].startswith("#### Proposer (claude): opening\n")
    folded = (each.attributes for each in page_of("debate").all("details"))
    assert set(markdown) == {each["data-anchor"] for each in folded if each.get("class") == "card"}


@pytest.mark.parametrize("cited", ["src/a.py:3", "`E1:3`", "src/a.py#L3-L9"])
def test_a_speech_shows_the_lines_that_it_cites(cited: str) -> None:
    asked = {"exhibits": (Exhibit(number=1, path="src/a.py", first=2, last=4, text="two\nthree\nfour"),)}
    said = stored("debate").model_dump_json().replace('"src/a.py:3"', json.dumps(cited))
    read = PageRead(page(stored("debate", request=asked, **json.loads(said)["outcome"])))
    assert "three" in next(each.text for each in read.all("tr") if each.attributes.get("class") == "meant")


def test_code_stays_code_in_shortened_text() -> None:
    read = PageRead(page(said_by_all("`a.py:1` " + "word " * 90, stored("debate"))))
    assert "`" not in " ".join(each.text for each in read.all("summary"))


def test_verbatim_words_are_not_marked_although_another_agent_altered_them() -> None:
    outcome = json.loads(stored("fact-check").model_dump_json())["outcome"]
    nearest = outcome["agents"][1]["positions"][0]["parts"][1]["quote_finding"]["nearest"]["span"]
    nearest.update(text=f"{nearest['text']}, later", end=nearest["end"] + 7)
    changed = stored("fact-check", agents=outcome["agents"])
    assert {each.attributes["class"] for each in PageRead(page(changed)).all("mark")} == {"good"}


def test_text_withheld_by_a_chair_is_nowhere_in_the_page() -> None:
    run = stored("chaired-debate")
    assert any("made-up.example" in turn.answer.response for turn in run.transcript.turns if turn.answer)
    assert "made-up.example" not in page(run)


def rows(*, wrong: int) -> JudgedTable:
    """Twelve judged rows, of which one has no verdict and some have another one than before."""
    whole = long_table(12)
    turned = [row.model_copy(update={"word": Label.NEI}) for row in whole.rows[1 : 1 + wrong]]
    nobody = result(1, None, gold="NEI", problem="Nobody answered.")
    return replace(whole, rows=(nobody, *turned, *whole.rows[1 + wrong :]))


WHOLE = ("debate", "panel-debate", "jury", "chaired-debate", "review")
SHOWN: dict[str, Callable[[], str]] = {
    **{name: lambda name=name: page(stored(name)) for name in WHOLE},
    "fact-check": lambda: page(stored("fact-check", request={"language": "vi"})),
    "a faithful claim": lambda: page(jury_run({"verdict.1": faithful()}, claim=FAITHFUL_CLAIM)),
    "consult": lambda: page(finished_several(answer("Yes: `x`.", session_id="s-1"), failure(tool="codex"))),
    "interrupted": lambda: page(unfinished("debate", 2)),
    "table": lambda: table_page(rows(wrong=0), "rows.jsonl"),
    "two tables": lambda: tables_page(compare_tables(rows(wrong=0), rows(wrong=3))),
    "two runs": lambda: runs_page(compare_runs(stored("debate"), unfinished("debate", 4))),
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_page_is_as_in_its_golden_file(name: str, golden: Golden) -> None:
    whole = SHOWN[name]()
    body = whole[whole.index("<main") : whole.index("</main>")]
    golden.holds(f"pages/{name.replace(' ', '-')}.html", body.replace("><", ">\n<") + "\n")
