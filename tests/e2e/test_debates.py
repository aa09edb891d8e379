"""Whole debates between the real tools, run as somebody types them."""

import json

import pytest

from sparring.testing.model_endpoint import Behaviour, Request, Say
from support.desk import PATIENCE_S, Desk
from support.playing import ballot
from support.processes import processes_with_home

pytestmark = pytest.mark.npm

DEBATE = ("debate", "Should `$HOME` be trusted? /help @/etc/passwd", "--proposer", "claude", "--challenger", "codex")


def participant(request: Request) -> Behaviour:
    """A model in every seat: it says who it was asked to be, and judges when it is the judge."""
    if "You are the JUDGE" in request.prompt:
        # Blind, but for what the speeches say of themselves: the one that is shown first is Side A.
        challenger_first = request.prompt.index("The challenger says") < request.prompt.index("The proposer says")
        said = [{"side": "B", "quote": "The challenger says: see `README.md:1`."}]
        return Say(ballot("ba" if challenger_first else "ab", arguments=said))
    again = " once more" if "in round 2. The" in request.prompt else ""
    if "You are the PROPOSER" in request.prompt:
        return Say(f"The proposer says{again}: see `README.md:1`.")
    return Say(f"Flaw: The challenger says{again}: see `README.md:1`.\n\nAlternative: Read it first.")


def test_claude_and_codex_debate_and_the_verdict_is_kept(desk: Desk) -> None:
    desk.endpoint.behaviour = participant
    (desk.project / "README.md").write_text("# What is cited\n", encoding="utf-8")
    (desk.project / "bench").mkdir()
    (desk.project / "bench" / "latency.md").write_text("What\nis\nnamed\n", encoding="utf-8")
    process = desk.start(*DEBATE, "--effort", "high", "--json")
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err.decode()
    state = json.loads((desk.project / ".claude" / "debate" / "last-debate.json").read_text(encoding="utf-8"))
    assert json.loads(out) == state
    assert [(said["round"], said["tool"], said["response"]) for said in state["exchanges"]] == [
        (1, "claude", "The proposer says: see `README.md:1`."),
        (1, "codex", "Flaw: The challenger says: see `README.md:1`.\n\nAlternative: Read it first."),
        (2, "claude", "The proposer says once more: see `README.md:1`."),
        (2, "codex", "Flaw: The challenger says once more: see `README.md:1`.\n\nAlternative: Read it first."),
    ]
    assert (state["status"], state["verdict"]["winner"], state["judge"]["tool"]) == ("completed", "codex", "gemini")
    assert state["notices"] == [
        "[WARN] Nothing in this debate was verified by code.",
        "If the judges leave it undecided, copilot is called as one more judge.",
    ]
    assert state["judgement"]["firmness"] == "both_orders"
    assert [ballot["order"] for ballot in state["judgement"]["ballots"]] == ["proposer_first", "challenger_first"]
    cited = [entry for speech in state["ledgers"] for entry in speech["ledger"]["entries"]]
    assert [(entry["text"], entry["status"]) for entry in cited] == [("README.md:1", "exists")] * 4
    judged = [request for request in desk.endpoint.requests if "You are the JUDGE" in request.prompt]
    assert len(judged) == 2
    assert not [name for name in ("claude", "codex") for request in judged if name in request.prompt.lower()]
    # What Gemini CLI would expand is kept apart by a character of no width.
    read = [json.dumps(request.body, ensure_ascii=False).replace("\u200b", "") for request in desk.endpoint.requests]
    assert all("Should `$HOME` be trusted? /help @/etc/passwd" in each for each in read)
    assert processes_with_home(desk.home) == []
    assert list(desk.calls_folder.iterdir()) == []
