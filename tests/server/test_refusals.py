"""Requests that cannot work: one clear sentence each, and nothing is started."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from sparring.server.results import ToolResult
from support.mcp_project import DEBATE, Era, client, said
from support.workbench import Workbench

pytestmark = pytest.mark.process


ERAS = pytest.mark.parametrize("era", ["auto", "legacy"])
MIB = 1024 * 1024
NO_RUN = "debate-20260301T120000Z-c0de"


async def refusal(bench: Workbench, era: Era, tool: str, arguments: Mapping[str, object]) -> str:
    """What the server says, once that it refuses is certain."""
    async with client(bench, era) as host:
        result = said(await host.call_tool(tool, dict(arguments)))
    assert result == ToolResult(status="refused", text=result.text)
    assert len(result.text.splitlines()) == 1
    assert not list(bench.root.rglob("journal.jsonl"))
    return result.text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (DEBATE | {"rounds": 0}, ("rounds", "1", "0")),
        (DEBATE | {"rounds": 6}, ("rounds", "5", "6")),
        (DEBATE | {"topic": ""}, ("topic",)),
        (DEBATE | {"topic": "  \n"}, ("topic",)),
        (DEBATE | {"topic": "x" * MIB}, ("topic", "100000")),
        (DEBATE | {"topic": "bell\a"}, ("topic: must not hold control characters",)),
        (DEBATE | {"challenger": "ann"}, ("different tools", "ann")),
        (DEBATE | {"challenger": "nobody"}, ("no tool named 'nobody'", "ann, bob", "offline")),
        (DEBATE | {"challenger": "x" * MIB}, ("no tool named 'xxx",)),
        (DEBATE | {"judges": "bob,cy"}, ("The judges are named twice",)),
        (DEBATE | {"judge": "", "judges": "bob,bob"}, ("bob is 2 judges of the panel",)),
        (DEBATE | {"devil": "bob"}, ("devil's advocate argues both sides",)),
        (DEBATE | {"blind_openings": True, "rounds": 1}, ("Blind openings need a second round",)),
        (DEBATE | {"timeout_s": 0}, ("timeout_s", "0")),
        (DEBATE | {"model_proposer": "--evil"}, ("model", "--evil")),
        (DEBATE | {"resume": NO_RUN}, ("topic or resume",)),
        ({"resume": NO_RUN}, (NO_RUN,)),
        ({"resume": "../../etc"}, ("../../etc",)),
    ],
)
@ERAS
async def test_a_debate_that_cannot_work_is_not_begun(
    tmp_path: Path, era: Era, arguments: dict[str, object], words: tuple[str, ...]
) -> None:
    text = await refusal(Workbench.below(tmp_path), era, "debate", arguments)
    assert [word for word in words if word not in text] == []


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("consult", {"question": "", "tool": "ann"}, ("question",)),
        ("consult", {"question": "?", "tool": "nobody"}, ("no tool named 'nobody'",)),
        ("consult", {"question": "?", "tool": "scripted"}, ("scripted has no script",)),
        ("consult", {"question": "?", "tool": "ann", "session_id": "-rf"}, ("session_id", "-rf")),
        ("consult", {"question": "?", "tool": "offline", "session_id": "s1"}, ("keeps no sessions",)),
        ("consult", {"question": "?", "session_id": "last"}, ("no session to continue",)),
        ("consult", {"question": "?", "tool": "ann", "count": 6}, ("1 to 5", "6")),
        ("consult", {"question": "?", "tool": "ann", "context": ["file=/etc/passwd"]}, ("outside of the project",)),
        ("consult", {"question": "?", "tool": "ann", "context": ["file=.git/config"]}, ("may hold secrets",)),
        ("consult", {"question": "?", "tool": "ann", "context": ["stdin"]}, ("no context 'stdin'",)),
        ("debate", {**DEBATE, "context": ["file=../x"]}, ("leads upwards",)),
        ("wait", {"run_id": NO_RUN}, (NO_RUN,)),
        ("wait", {"run_id": ""}, ()),
        ("cancel", {"run_id": NO_RUN}, (NO_RUN,)),
        ("runs", {"run_id": NO_RUN}, (NO_RUN,)),
        ("runs", {"page": 0}, ("no page 0",)),
        ("runs", {"page": 2}, ("no page 2",)),
    ],
)
@ERAS
async def test_what_cannot_be_done_is_refused(
    tmp_path: Path, era: Era, tool: str, arguments: dict[str, object], words: tuple[str, ...]
) -> None:
    text = await refusal(Workbench.below(tmp_path), era, tool, arguments)
    assert [word for word in words if word not in text] == []


@ERAS
async def test_a_secret_in_a_request_is_not_repeated_in_the_refusal(tmp_path: Path, era: Era) -> None:
    token = "ghp_" + "a1B2" * 9
    text = await refusal(Workbench.below(tmp_path), era, "consult", {"question": "?", "tool": token})
    assert token not in text


@ERAS
async def test_a_state_folder_that_cannot_be_written_is_found_out_before_anybody_is_asked(
    tmp_path: Path, era: Era
) -> None:
    bench = Workbench.below(tmp_path)
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    bench.extra["AI_STATE_DIR"] = str(tmp_path / "file")
    assert "AI_STATE_DIR" in await refusal(bench, era, "debate", DEBATE)


@pytest.mark.parametrize("content", ["{", '{"schema_version": 99}'])
@ERAS
async def test_a_state_file_that_cannot_be_understood_is_not_overwritten(
    tmp_path: Path, era: Era, content: str
) -> None:
    bench = Workbench.below(tmp_path)
    file = bench.state / "debate" / "last-debate.json"
    file.parent.mkdir(parents=True)
    file.write_text(content, encoding="utf-8")
    assert "last-debate.json" in await refusal(bench, era, "debate", DEBATE)
    assert file.read_text(encoding="utf-8") == content


@ERAS
async def test_an_environment_that_makes_no_sense_is_told_to_every_call(tmp_path: Path, era: Era) -> None:
    bench = Workbench(tmp_path, {"SPARRING_CALL_BUDGET_S": "soon"})
    bench.project.mkdir()
    assert "SPARRING_CALL_BUDGET_S" in await refusal(bench, era, "runs", {})
