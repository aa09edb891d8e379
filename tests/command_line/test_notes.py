"""``sparring runs note``: what the user says to both sides of a debate between two speeches."""

import json
from pathlib import Path
from typing import Any

import pytest

from sparring.schema.transcript import NOTE_LIMIT
from support.held_debates import Held

NOTE = "Count the cost of a wrong refund as well."


@pytest.fixture
def broken_off(held_once: Held, tmp_path: Path) -> Held:
    """A debate that was interrupted after the first speech."""
    held = held_once.copied(tmp_path)
    held.broken_off(3)
    return held


def turns(held: Held) -> list[dict[str, Any]]:
    """The turns of the run, as its journal has them."""
    lines = (held.folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    bodies = [json.loads(line) for line in lines]
    return [each["body"]["turn"] for each in bodies if each["type"] == "turn"]


def test_both_sides_are_asked_with_the_note_from_the_next_speech_on(broken_off: Held, held_once: Held) -> None:
    bench, run_id = broken_off.bench, broken_off.folder.name
    noted = bench.run("runs", "note", run_id, f"  {NOTE}\n")
    assert (noted.code, noted.out) == (0, "")
    assert noted.err == f"Noted. Both sides see it when the run is resumed: sparring runs resume {run_id}\n"
    assert bench.run("runs", "resume", run_id).code == 0
    before, now = turns(held_once), turns(broken_off)
    kinds = [str(turn["kind"]) for turn in now]
    place = kinds.index("note")
    assert kinds[:place] + kinds[place + 1 :] == [str(turn["kind"]) for turn in before]
    assert now[place]["reply"]["response"] == NOTE
    prompts = {str(turn["ask_id"]): turn["prompt_sha256"] for turn in before}
    changed = [
        str(turn["kind"]) for turn in now if prompts.get(str(turn["ask_id"]), "") not in {"", turn["prompt_sha256"]}
    ]
    assert changed == ["response", "defense", "follow_up"], (
        "the speech before it, the judge and code hear nothing of it"
    )
    shown = bench.run("runs", "show", run_id).out
    assert f"Your note before the challenger spoke in round 1: {NOTE}" in shown


def test_a_note_is_taken_once_and_costs_nothing(broken_off: Held, held_once: Held) -> None:
    bench, run_id = broken_off.bench, broken_off.folder.name
    assert bench.run("runs", "note", run_id, NOTE).code == 0
    done = bench.run("runs", "resume", run_id, "--json")
    spent = json.loads((held_once.folder / "result.json").read_text(encoding="utf-8"))["spent"]
    assert done.json["spent"] == spent  # type: ignore[index]
    assert [turn["kind"] for turn in turns(broken_off)].count("note") == 1


def test_a_note_that_the_user_did_not_write_is_ignored(broken_off: Held) -> None:
    bench, run_id = broken_off.bench, broken_off.folder.name
    bench.run("runs", "note", run_id, NOTE)
    (kept,) = broken_off.folder.glob("note.*.json")
    kept.write_text(kept.read_text(encoding="utf-8").replace("wrong refund", "lost order"), encoding="utf-8")
    assert bench.run("runs", "resume", run_id).code == 0
    assert "note" not in [turn["kind"] for turn in turns(broken_off)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "A note has 1 to 2,000 characters and no control characters; this one has 0."),
        ("x" * (NOTE_LIMIT + 1), "this one has 2,001."),
        ("a\x07b", "no control characters"),
    ],
)
def test_a_note_that_cannot_be_shown_is_refused(broken_off: Held, text: str, told: str) -> None:
    refused = broken_off.bench.run("runs", "note", broken_off.folder.name, text)
    assert (refused.code, told in refused.err, list(broken_off.folder.glob("note.*"))) == (2, True, [])


def test_a_note_to_a_finished_run_or_one_without_notes_is_refused(held_once: Held, tmp_path: Path) -> None:
    bench = held_once.copied(tmp_path).bench
    ended = bench.run("runs", "note", "last", NOTE)
    assert (ended.code, "has finished and takes no notes." in ended.err) == (2, True)
    assert bench.run("jury", "It has 3 rooms.", "--truth", "It has 3 rooms.", "--with", "offline").code in {0, 4}
    refused = bench.run("runs", "note", "last", NOTE)
    assert (refused.code, refused.err) == (2, "Error: A jury takes no notes. These do: debate.\n")
