"""Both eras of the protocol, with a handshake and without, are answered alike; all else is tried without one."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError
from mcp.types import PromptReference, ResourceTemplateReference
from pydantic import BaseModel

from support.chaired_debaters import TOPIC
from support.fact_checking import CLAIM, SOURCES
from support.mcp_project import DEBATE, Era, Heard, client, project
from support.workbench import Workbench

RUNS = "sparring://runs"
VARYING = re.compile(
    r"(?<=answering_ms\": )\d+|\d{8}T\d{6}Z-[0-9a-f]+|\d{4}-\d\d-\d\d(T| )[\d:.]+|\d[\d.,]* m?s\b|/(modern|legacy)\b"
)
OFFLINE = {"with": "offline"}
CALLS: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("debate", DEBATE),
    ("consult", {"question": "?", "tool": "ann"}),
    ("chaired_debate", {"topic": TOPIC, "output_dir": "out", "max_rounds": 1, "no_web": True, **OFFLINE}),
    ("fact_check", {"claim": CLAIM, "evidence": list(SOURCES), "with": "offline,offline"}),
    ("jury", {"claim": "It has 3 rooms.", "truth": "It has 4 rooms.", **OFFLINE}),
    ("verify", {"claim": "It has 3 rooms.", "evidence": ["It has 4 rooms."]}),
    ("runs", {}),
    ("wait", {"run_id": "last"}),
    ("cancel", {"run_id": "last"}),
    ("answer", {"run_id": "last", "ask_id": "r1.proposer", "text": "Late."}),
    ("consult", {"question": "?", "tool": "nobody"}),
    ("debate", {"topic": "?", "round": 3}),
    ("quarrel", {}),
)


def plain(answer: BaseModel) -> Any:
    """What an answer says, without what the later era alone adds to each."""
    added = {"meta", "result_type", "cache_scope", "ttl_ms"}
    return answer.model_dump(mode="json", exclude=added, exclude_none=True)


async def heard(bench: Workbench, era: Era) -> list[str]:
    """All that a client of that era hears of the whole surface, without what differs from run to run."""
    progress, answers = Heard(), list[Any]()
    async with client(bench, era) as host:
        assert host.server_info is not None
        answers += [plain(host.server_info), host.instructions, host.server_capabilities.completions is not None]
        answers += [plain(await host.list_tools()), plain(await host.list_prompts())]
        answers += [plain(await host.list_resources()), plain(await host.list_resource_templates())]
        answers += [plain(await host.call_tool(tool, dict(call), progress_callback=progress)) for tool, call in CALLS]
        answers += [plain(await host.get_prompt("debate", {"topic": "Tabs?", "seat": "judge=host"}))]
        answers += [plain(await host.read_resource(address)) for address in (RUNS, f"{RUNS}/last")]
        answers += [plain(await host.complete(PromptReference(name="debate"), {"name": "judge", "value": "a"}))]
        template = ResourceTemplateReference(uri=RUNS + "/{run_id}{?page}")
        answers += [plain(await host.complete(template, {"name": "run_id", "value": "jury"}))]
        with pytest.raises(MCPError) as refused:
            await host.read_resource(f"{RUNS}/else")
        answers += [plain(refused.value.error), len(progress.messages) > len(CALLS) // 2]
    return [VARYING.sub("…", json.dumps(answer, sort_keys=True)) for answer in answers]


async def test_both_eras_are_answered_alike(tmp_path: Path) -> None:
    assert await heard(project(tmp_path / "modern"), "auto") == await heard(project(tmp_path / "legacy"), "legacy")
