"""What a jury refuses: one clear sentence, the right exit code, nothing sent, nothing stored."""

import os

import pytest

from sparring.schema.jury import CLAIM_LIMIT, TEXT_LIMIT
from support.workbench import Workbench

pytestmark = pytest.mark.process


SEATS = ("--provider", "ann")
TRUTH = ("--truth", "It is tall.")
NOT_UTF_8 = os.fsdecode(b"caf\xe9")


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("", *TRUTH, *SEATS), 2, "There is no claim. Type it, or judge a table of claims with --pairs."),
        ((" \n", *TRUTH, *SEATS), 2, "claim: string should have at least 1 character."),
        (("c", "--truth", "  ", *SEATS), 2, "truth: string should have at least 1 character."),
        (("c" * (CLAIM_LIMIT + 1), *TRUTH, *SEATS), 2, f"claim: string should have at most {CLAIM_LIMIT} characters."),
        (("a\x01b", *TRUTH, *SEATS), 2, "claim: must not hold control characters."),
        (("c", "--truth", "a\x01b", *SEATS), 2, "truth: must not hold control characters."),
        (("c", "--truth", NOT_UTF_8, *SEATS), 2, "truth: it is not UTF-8 text."),
        (("c", *SEATS), 2, "There is no truth to hold the claim against. Give it with --truth or pipe it in."),
        (("c", *TRUTH, "--truth-file", "a", *SEATS), 2, "The truth is given twice: as a text and as a file."),
        (("c", "--truth-file", "gone", *SEATS), 2, "'gone' cannot be read: No such file or directory."),
        (
            ("c", "--truth-file", "huge.txt", *SEATS),
            2,
            f"The truth has 5,120 KiB; it may have {TEXT_LIMIT:,} characters: a",
        ),
        (("c", "--truth-file", "nul.txt", *SEATS), 2, "'nul.txt' is a binary file."),
        (("-", "--truth", "-", *SEATS), 2, "Standard input cannot be both the claim and its truth."),
        (("-", *SEATS), 2, "There is no truth to hold the claim against. Give it with --truth or pipe it in."),
        (("c", *TRUTH, "--judge", "nobody"), 2, "There is no tool named 'nobody'. Known tools: "),
        (("c", *TRUTH, "--judge", "scripted", *SEATS), 3, "scripted has no script."),
        (
            ("c", *TRUTH, "--judge", "ann:a", "--model-judge", "b", *SEATS),
            2,
            "Two models are named for 'ann': 'a' and 'b'.",
        ),
        (("c", *TRUTH, *SEATS, "--rebuttals", "3"), 2, "rebuttals: input should be less than or equal to 2, it is 3."),
        (("c", *TRUTH, *SEATS, "--row-id", "x" * 201), 2, "row_id: string should have at most 200 characters"),
        (("c", *TRUTH, *SEATS, "--language", "-"), 2, "The language must be a tag such as en, vi or pt-BR; it is '-'."),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    bench: Workbench, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    (bench.project / "huge.txt").write_bytes(b"x" * (5 * 1024 * 1024))
    (bench.project / "nul.txt").write_bytes(b"a\x00b")
    done = bench.run("jury", *arguments)
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(f"Error: {sentence}"), done.err
    assert len(done.err.splitlines()) == 1
    assert not (bench.state / "jury").exists()
