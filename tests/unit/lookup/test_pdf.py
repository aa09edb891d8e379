"""Reading PDFs, by the program of its own that does it and without one."""

import subprocess
import sys
from pathlib import Path

import pytest

from sparring.extras import install_command
from sparring.lookup import pdf_program
from sparring.lookup.fetching import NoPageError, SourceLimits
from sparring.lookup.pdf_program import read_pdf
from sparring.lookup.sources import PageText, PdfReading
from sparring.schema.lookups import PageProblem
from support.pdfs import pdf

LIMITS = SourceLimits(reading_s=60)


async def problem(body: bytes, reading: PdfReading) -> str:
    with pytest.raises(NoPageError) as caught:
        await reading.read(body)
    assert (caught.value.problem, caught.value.passes) == (PageProblem.FAILED, False)
    return caught.value.detail


@pytest.mark.process
async def test_a_pdf_is_read_page_by_page() -> None:
    body = pdf(
        "The tide gauge has re-\ncorded since 1904.", "It is naïve and well-known\n- and small.", title="The harbour"
    )
    text = "The tide gauge has recorded since 1904.\nIt is naïve and well-known\n- and small."
    assert await PdfReading(LIMITS).read(body) == PageText("The harbour", text, is_whole=True)


async def test_without_the_extra_the_missing_package_is_named() -> None:
    said = await problem(pdf("x"), PdfReading(LIMITS, package="no_such_package"))
    assert said == f"reading a PDF needs another package: {install_command('pdf')}"


@pytest.mark.process
async def test_an_unreadable_pdf_is_reported() -> None:
    cannot, failing = "the PDF cannot be read", Path(__file__).with_name("no-such-program.py")
    for body, reading, said in (
        (pdf("x"), PdfReading(SourceLimits(reading_s=0.001)), "the PDF could not be read within 0.001 s"),
        (pdf("x")[:200], PdfReading(LIMITS), cannot),
        (pdf("x"), PdfReading(LIMITS, program=failing), cannot),
        (pdf("x"), PdfReading(LIMITS, python="/no"), f"{cannot} here: no program could be started for it"),
    ):
        assert await problem(body, reading) == said


def test_long_texts_and_very_many_pages_are_cut_and_marked_so() -> None:
    assert read_pdf(pdf("one two", "three"), 10) == {"title": "", "pages": ["one two", "th"], "is_whole": False}
    assert read_pdf(pdf("one two", "three"), 13) == {"title": "", "pages": ["one two", "three"], "is_whole": True}
    assert read_pdf(pdf("x", "y", "z"), 10_000, most_pages=2) == {"title": "", "pages": ["x", "y"], "is_whole": False}


def test_a_protected_pdf_is_reported() -> None:
    body = pdf("secret").replace(
        b"/Info",
        b"/Encrypt << /Filter /Standard /V 1 /R 2 /O (%b) /U (%b) /P -4 >> /ID [(a)(a)] /Info" % (b"o" * 32, b"u" * 32),
    )
    assert read_pdf(body, 100) == {"error": "the PDF is protected by a password"}


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system need not keep to the limit")
def test_the_program_has_a_limit_for_its_memory() -> None:
    code = f"from {pdf_program.__name__} import main; main(['100']); bytearray(2 * 1024**3)"
    done = subprocess.run([sys.executable, "-c", code], input=pdf("x"), check=False, capture_output=True)
    assert done.returncode == 1
    assert done.stderr.endswith(b"MemoryError\n")
