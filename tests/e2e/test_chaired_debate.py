"""A chaired debate between the real tools, with pages that are really fetched: who invents one is sent away."""

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from sparring.testing.model_endpoint import Behaviour, Request, Say
from support.chaired_debaters import entry
from support.desk import Desk
from support.pages import Site, page

pytestmark = pytest.mark.npm

TOPIC = "Output rises at home. /help @/etc/passwd $HOME"
MEASURED = "Output rose by 13 per cent among those who worked from home."
INVENTED = "Nobody at home has ever finished anything, as the zebra survey shows."
INVENTED_TOO = "A zebra counted what is typed in kitchens and came to nought."


@pytest.fixture
def site() -> Iterator[Site]:
    with Site({"/study": page(f"<html><title>A study</title><body><p>{MEASURED}</p></body></html>")}) as found:
        yield found


def source(site: Site, path: str, quote: str) -> dict[str, str]:
    return {"url": f"{site.url}{path}", "title": "A study", "accessed": "2026-02-21", "quote": quote}


def debaters(site: Site) -> dict[str, str]:
    """What each says; the detractor's pages are not there."""
    honest = {"sources": [source(site, "/study", MEASURED)]}
    first = {"sources": [source(site, "/invented", INVENTED)]}
    second = {"sources": [source(site, "/another", INVENTED_TOO)]}
    return {
        "PROMOTER opening": entry("opening_statement", "Output rises at home [1].", **honest),
        "DETRACTOR opening": entry("opening_statement", f"{INVENTED} [1]", **first),
        "PROMOTER action": entry("new_point", "The study names who was measured [1].", **honest),
        "DETRACTOR action": entry("new_point", "What zebras count is nought [1].", **second),
    }


def play(says: dict[str, str], request: Request) -> Behaviour:
    """A model in every seat; it knows the seat and the step from the prompt alone."""
    role = "PROMOTER" if "You are the PROMOTER" in request.prompt else "DETRACTOR"
    if "Confirm your role now" in request.prompt:
        return Say(f"{role.capitalize()} ready. Topic: {TOPIC}. Awaiting opening statement cue.")
    if "You are the CHAIR" in request.prompt:
        return Say(json.dumps({"outcome": "affirmative_wins", "reasoning": "See (seq 1).", "decisive": [1]}))
    return Say(says[f"{role} {'opening' if 'your opening statement' in request.prompt else 'action'}"])


def files_in(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir() if file.is_file()}


def test_claude_and_codex_debate_with_sources_and_who_invents_twice_is_disqualified(desk: Desk, site: Site) -> None:
    says = debaters(site)
    desk.endpoint.behaviour = partial(play, says)
    desk = replace(desk, variables={"SPARRING_SOURCES_ALLOW": f"127.0.0.1:{site.port}"})
    seats = ("--promoter", "claude", "--detractor", "codex", "--chair", "gemini")

    found = desk.run("chaired-debate", TOPIC, *seats, "--output-dir", "held")

    assert (found["decision"], found["decided_by"]) == ("affirmative_wins", "rule")
    assert (found["ended"], found["disqualified"]) == ("disqualification", ["detractor"])
    statuses = [each["finding"]["status"] for each in found["sources"]]
    assert statuses == ["verified", "fabricated", "verified", "fabricated"]
    log = [json.loads(line) for line in files_in(desk.project / "held")["debate-log.jsonl"].splitlines()]
    assert [entry["seq"] for entry in log] == list(range(1, len(log) + 1))
    assert {entry["type"] for entry in log} >= {"redaction", "disqualification", "source_check"}
    kept = files_in(desk.project / "held")
    assert kept.keys() >= {"debate-log.jsonl", "metadata.json", "summary.md", "transcript.md"}
    written = [file for file in desk.project.rglob("*") if file.is_file() and b"zebra" in file.read_bytes().lower()]
    assert [file.name for file in written] == ["journal.jsonl"]  # what was said, for a run that is resumed
    asked_after = [request for request in desk.endpoint.requests[4:] if "zebra" in json.dumps(request.body).lower()]
    assert not asked_after
    assert site.paths == ["/study", "/invented", "/another"]  # each is fetched once
