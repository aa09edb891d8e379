"""The page of a run of every format: whole without a script, harmless whatever was said, and what only it shows."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from sparring.formats.reports import page, report
from sparring.reports.comparison import compare_runs, compare_tables
from sparring.reports.page.comparison import runs_page, tables_page
from sparring.reports.page.table import table_page
from sparring.schema.claims import Label
from sparring.schema.fact_check import FactCheckOutcome
from sparring.schema.pairs import JudgedTable
from support.golden import Golden
from support.judged_tables import long_table, result
from support.jury_playing import FAITHFUL_CLAIM, faithful, jury_run
from support.page_reading import Found, PageRead, words
from support.runs import answer, failure, finished_several
from support.stored_runs import said_by_all, stored, unfinished

STORED = (
    "chaired-debate",
    "chaired-debate-disqualified",
    "debate",
    "panel-debate",
    "fact-check",
    "fact-check-no-quorum",
    "jury",
    "jury-unjudged",
    "review",
)
MARKUP = words("<details> <summary> Also to be known … and 2 3 4 more below `")
"""What a report has besides words, or says of where the rest of it stands."""

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
    assert len(ids) == len(set(ids))
    assert places <= set(ids)
    assert [each.text for each in read.all("h1")] == [" ".join(stored(name).header.request.subject.split())]


@pytest.mark.parametrize("name", STORED)
def test_whatever_everybody_says_nothing_of_it_acts(name: str) -> None:
    read = PageRead(page(said_by_all(HOSTILE, stored(name))))

    assert (read.acting, read.unclosed) == ([], [])
    assert "alert(1)" in read.text
    assert "\u202e" not in read.text
    assert not [each for each in read.all("a") if not each.attributes["href"].startswith("#")]


def cards(read: PageRead) -> dict[str, Found]:
    """The folded parts of the page, by their anchors."""
    return {
        each.attributes["data-anchor"]: each for each in read.all("details") if each.attributes.get("class") == "card"
    }


def test_a_speech_is_found_by_the_place_of_its_turn_and_by_what_is_known_of_it() -> None:
    run = stored("debate")
    found = cards(page_of("debate"))

    numbers = [number for number, turn in enumerate(run.transcript.turns, start=1) if turn.role != "verifier"]
    assert list(found) == [f"turn-{number}" for number in numbers]
    assert found["turn-1"].attributes["data-role"] == "proposer"
    assert found["turn-1"].attributes["data-mark"] == "not found|conceded"
    assert "the file has 40 lines" in found["turn-1"].text
    markdown = json.loads(page_of("debate").all("script")[0].text)["markdown"]
    assert markdown["turn-1"].startswith("#### Proposer (claude): opening\n")
    assert set(markdown) == set(found)


def test_both_orders_of_a_judge_stand_side_by_side_with_what_was_struck() -> None:
    read = page_of("panel-debate")
    bars = [each.attributes["aria-label"] for each in read.all("svg") if each.attributes.get("role") == "img"]

    assert bars[:4] == ["4 of 5", "2 of 5", "3 of 5", "3 of 5"]
    assert [each.text for each in read.all("del")] == ["Nobody said this."]
    assert "No verdict: failed: timeout" in read.text
    against = [name for name, card in cards(read).items() if "contested" in card.attributes.values()]
    assert against == ["turn-12", "turn-13"]


def test_quotes_of_a_fact_check_stand_in_the_evidence_and_what_is_not_there_is_struck() -> None:
    read = page_of("fact-check")

    marked = [" ".join(each.text.split()) for each in read.all("mark")]
    assert marked == [
        "was closed in March 2019 after an inspection had found cracks",
        "It reopened in June 2021",
        "rebuild `pier 3`; the cost was put at 12 million euros.",
    ]
    assert {each.attributes["class"] for each in read.all("mark")} == {"good"}
    assert [each.text for each in read.all("del")] == ["It reopened in June 2020", "the *bridge* is open"]
    assert "✓ fixed Agent 2 (codex): NEI → REFUTED" in " ".join(read.text.split())
    assert len(read.all("polyline")) == 2


def test_words_that_somebody_quotes_as_they_are_are_not_marked_as_another_has_altered_them() -> None:
    run = stored("fact-check")
    outcome = json.loads(run.model_dump_json())["outcome"]
    nearest = outcome["agents"][1]["positions"][0]["parts"][1]["found"]["nearest"]["span"]
    nearest.update(text=f"{nearest['text']}, later", end=nearest["end"] + 7)
    changed = run.model_copy(update={"outcome": FactCheckOutcome.model_validate_json(json.dumps(outcome))})
    assert changed != run
    assert {each.attributes["class"] for each in PageRead(page(changed)).all("mark")} == {"good"}


def test_a_quote_of_somebody_is_in_the_language_that_was_asked_for() -> None:
    quotes = PageRead(page(stored("fact-check", request={"language": "vi"}))).all("blockquote")
    assert {each.attributes.get("lang") for each in quotes} == {"vi", None}


def test_truth_and_claim_of_a_jury_show_where_they_differ() -> None:
    read = page_of("jury")
    marks = {each.text for each in read.all("mark")}

    assert marks == {"more than 645,000", "under 650,000"}
    assert {each.attributes["href"] for each in read.all("a")} >= {"#difference-1"}


def test_a_finding_of_a_review_stands_beside_its_lines_and_what_others_made_of_it_is_folded() -> None:
    read = page_of("review")
    first = cards(read)["finding-78f93d97"]

    assert (first.attributes["data-severity"], first.attributes["data-state"]) == ("major", "To fix")
    assert first.attributes["data-reviewer"] == "claude|codex"
    rows = [each for each in read.all("tr") if each.attributes.get("class") == "added meant"]
    assert [each.text.split() for each in rows][:1] == [["14", "+", "return", "send(amount)"]]
    assert any(each.text.strip().startswith("Cross-examination") for each in read.all("summary"))


def test_what_a_chair_took_out_is_nowhere_in_the_page() -> None:
    run = stored("chaired-debate")
    said = [turn.answer.response for turn in run.transcript.turns if turn.answer]
    assert cards(page_of("chaired-debate"))["seq-6"].attributes["data-mark"] == "redacted|not found"
    assert any("made-up.example" in each for each in said)
    assert "made-up.example" not in page(run)


def test_several_answers_are_there_to_be_read() -> None:
    found = cards(PageRead(page(finished_several(answer("One."), answer("Two.", tool="codex")))))
    assert [("open" in each.attributes, each.attributes["data-tool"]) for each in found.values()] == [
        (True, "claude"),
        (True, "codex"),
    ]


def test_a_run_that_has_not_ended_shows_how_far_it_has_come() -> None:
    read = PageRead(page(unfinished("debate", 2)))
    assert "This run is interrupted." in read.text
    assert "Spoken so far" in read.text
    assert (read.acting, read.unclosed) == ([], [])


def rows(*, wrong: int) -> JudgedTable:
    """Twelve judged rows, of which one has no verdict and some have another one than before."""
    whole = long_table(12)
    turned = [row.model_copy(update={"label": Label.NEI}) for row in whole.rows[1 : 1 + wrong]]
    nobody = result(1, None, gold="NEI", problem="Nobody answered.")
    return replace(whole, rows=(nobody, *turned, *whole.rows[1 + wrong :]))


WHOLE = ("fact-check", "debate", "jury", "chaired-debate", "review")
SHOWN: dict[str, Callable[[], str]] = {
    **{name: lambda name=name: page(stored(name)) for name in WHOLE},
    "a faithful claim": lambda: page(jury_run({"verdict.1": faithful()}, claim=FAITHFUL_CLAIM)),
    "consult": lambda: page(finished_several(answer("Yes: `x`.", session_id="s-1"), failure(tool="codex"))),
    "interrupted": lambda: page(unfinished("debate", 2)),
    "table": lambda: table_page(rows(wrong=0), "rows.jsonl"),
    "two tables": lambda: tables_page(compare_tables(rows(wrong=0), rows(wrong=3))),
    "two runs": lambda: runs_page(compare_runs(stored("debate"), unfinished("debate", 4))),
}


@pytest.mark.parametrize("name", SHOWN)
def test_a_page_is_as_it_was_read_and_approved(name: str, golden: Golden) -> None:
    whole = SHOWN[name]()
    body = whole[whole.index("<main") : whole.index("</main>")]
    golden.holds(f"pages/{name.replace(' ', '-')}.html", body.replace("><", ">\n<") + "\n")
