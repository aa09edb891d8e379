"""Evidence in a PDF: each page is a source of its own, so that a quote names the page where it stands."""

import json
from collections.abc import Sequence

import pytest

from support.pdfs import pdf
from support.workbench import Result, Workbench

pytestmark = pytest.mark.process

CLAIM = "The tower has 12 bells."


def check(bench: Workbench, *files: str, claim: str = CLAIM) -> Result:
    evidence = [word for file in files for word in ("--evidence-file", file)]
    return bench.run("fact-check", claim, *evidence, "--with", "offline", "--json")


def sources(bench: Workbench) -> Sequence[str]:
    """The names of the sources of the one run that was held."""
    (journal,) = bench.state.glob("fact-check/runs/*/journal.jsonl")
    request = json.loads(journal.read_text(encoding="utf-8").splitlines()[0])["body"]["request"]
    return [part["name"] for part in request["evidence"]]


def test_each_page_with_text_is_a_source_by_its_number(bench: Workbench) -> None:
    (bench.project / "tower.pdf").write_bytes(pdf("The tower was built in 1904.", "", "The tower has 12 bells."))
    (bench.project / "notes.txt").write_text("It leans a little.", encoding="utf-8")
    done = check(bench, "tower.pdf", "notes.txt")
    assert done.code in {0, 4}, done.err
    assert sources(bench) == ["tower.pdf, page 1", "tower.pdf, page 3", "notes.txt"]
    assert "tower.pdf, page 3" in done.out


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (pdf(""), "Error: tower.pdf has no text on its pages. If it was scanned, give it as text.\n"),
        (b"%PDF-1.4\nbroken", "Error: tower.pdf cannot be used: the PDF cannot be read.\n"),
        (pdf(*["x"] * 101), "tower.pdf has 101 pages with text; the limit is 100."),
        (b"%PDF-" + bytes(16 << 20), "is a PDF of more than 16 MiB."),
    ],
    ids=["no text", "broken", "too many pages", "too large"],
)
def test_a_pdf_that_is_no_evidence_is_refused_in_a_sentence(bench: Workbench, content: bytes, told: str) -> None:
    (bench.project / "tower.pdf").write_bytes(content)
    evidence = ("--evidence-file", "tower.pdf", "--with", "offline")
    done = bench.run("fact-check", CLAIM, *evidence)
    assert (done.code, told in done.err, done.out) == (2, True, "")


def test_a_pdf_is_refused_where_text_is_expected(bench: Workbench) -> None:
    (bench.project / "tower.pdf").write_bytes(pdf("The tower has 12 bells.") + b"\xff")
    done = bench.run("jury", CLAIM, "--truth-file", "tower.pdf", "--with", "offline")
    assert (done.code, "is not UTF-8 text" in done.err) == (2, True)
