"""Every text of a prompt is cleaned in one step, whichever way it comes in; a pasted log is no reason to refuse."""

import re

import pytest

from sparring.testing.model_endpoint import ModelEndpoint
from support.desk import write
from support.workbench import SEATS, Workbench

DIRTY = "\x1b[1;31mFAILED\x1b[0m q\U000e0041 z\u202e y\u200bx \x07\u2066w\u2069"
CLEAN = "FAILED q z yx w"
UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\u200b\u202e\u2066\u2069\U000e0041]")


WAYS = {
    "a question": (["consult", DIRTY, "--tool", "ann"], b""),
    "a question on standard input": (["consult", "-", "--tool", "ann"], DIRTY.encode()),
    "a pasted log beside a question": (["consult", "Why?", "--tool", "ann"], DIRTY.encode()),
    "a file as context": (["consult", "Why?", "--tool", "ann", "--context", "file=a log.txt"], b""),
    "the topic of a debate and its context": (["debate", DIRTY, *SEATS, "--context", "file=a log.txt"], b""),
    "a project that is debated": (["debate", "Should `retrying` retry? See src/retrying.py:2.", *SEATS], b""),
    "a claim and its evidence": (
        ["fact-check", DIRTY, "--with", "ann,bob,cy", "--evidence", DIRTY, "--evidence-file", "a log.txt"], b"",
    ),
    "a claim and its truth": (["jury", DIRTY, "--truth", DIRTY, "--with", "ann"], b""),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_output_of_a_tool_neither_acts_nor_hides(way: str, bench: Workbench, endpoint: ModelEndpoint) -> None:
    arguments, stdin = WAYS[way]
    for name in ("ann", "bob", "cy"):
        bench.add_api(name, endpoint.url, 'model = "m"', "key_optional = true")
    write(bench.project / "a log.txt", DIRTY)
    write(bench.project / "src" / "retrying.py", f"def retrying():\n    return 3  # {DIRTY}\n")
    done = bench.run(*arguments, stdin=stdin)
    assert done.code in {0, 1, 4}, done.err
    asked = [request.prompt for request in endpoint.requests]
    assert asked
    assert any(CLEAN in prompt for prompt in asked), asked[0]
    assert [UNWANTED.findall(prompt) for prompt in asked] == [[]] * len(asked)
