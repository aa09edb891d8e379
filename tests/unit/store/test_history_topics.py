"""What a listed run was about, whatever its kind."""

from pathlib import Path

import pytest

from sparring.schema.runs import Request
from sparring.store.history import list_runs, run_folder
from sparring.store.journal import JournalWriter
from support.runs import consult_request, debate_request, run
from support.stored_runs import asked_for


@pytest.mark.parametrize(
    ("request_", "topic"),
    [
        (debate_request(topic="Tabs\nor spaces?"), "Tabs or spaces?"),
        (consult_request("Is this\nsafe?"), "Is this safe?"),
        (asked_for("fact-check", claim="It\nrose."), "It rose."),
        (asked_for("jury", truth="It fell.", claim="It\nrose."), "It rose."),
    ],
    ids=["debate", "consult", "fact-check", "jury"],
)
def test_a_listed_run_says_in_one_line_what_it_was_about(request_: Request, topic: str, tmp_path: Path) -> None:
    head = run(request_).header
    JournalWriter.create(run_folder(tmp_path, head.kind, head.run_id), head).close()
    assert [(listed.kind, listed.topic, listed.problem) for listed in list_runs(tmp_path)] == [(head.kind, topic, "")]
