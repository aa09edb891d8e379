"""Requests that cannot work: one clear sentence each, and nothing is begun. Why they cannot, other tests hold."""

from collections.abc import Mapping

from sparring.server.results import ToolResult
from support.mcp_project import DEBATE, client, said
from support.workbench import Workbench

NO_RUN = "20260301T120000Z-c0de"
CHAIRED = {"topic": "?", "with": "ann,bob,cy"}
CHECK = {"claim": "x", "evidence": ["x"], "with": "ann,bob"}
JURY = {"claim": "x", "truth": "x", "seat": ["judge=cy"]}
ASK = {"question": "?", "tool": "ann"}
REFUSED: Mapping[str, tuple[tuple[Mapping[str, object], str], ...]] = {
    "debate": (
        (DEBATE | {"topic": "nothing\x00"}, "topic: must not contain control characters"),
        (DEBATE | {"challenger": "x" * 1024 * 1024}, "no tool named 'xxx"),
        (DEBATE | {"context": ["file=../x"]}, "leads upwards"),
        (
            {"resume": f"debate-{NO_RUN}", "topic": "", "rounds": 2, "context": [], "seat": ["judge=cy"]},
            "Give resume without seat.",
        ),
        ({"resume": f"debate-{NO_RUN}"}, f"debate-{NO_RUN}"),
        ({"topic": "?", "proposer": "host", "challenger": "host"}, "must be different tools, both are 'host'."),
        (DEBATE | {"seat": ["judge=host,host"]}, "host is 2 judges"),
    ),
    "chaired_debate": (
        (CHAIRED | {"topic": " "}, "There is no topic to debate. "),
        (CHAIRED | {"time_budget_minutes": -1}, "The time budget must be a number of minutes above 0; it is -1."),
        (CHAIRED | {"resume": f"chaired-debate-{NO_RUN}"}, "Give resume without topic, "),
    ),
    "fact_check": (
        (CHECK | {"evidence": []}, "no evidence"),
        (CHECK | {"evidence": ["a\x00b"]}, "evidence 1 contains the control character U+0000 in line 1"),
        (CHECK | {"resume": f"fact-check-{NO_RUN}"}, "Give resume without claim, "),
        ({"resume": f"fact-check-{NO_RUN}"}, f"fact-check-{NO_RUN}"),
    ),
    "jury": (
        (JURY | {"truth": "a\x00b"}, "truth: must not contain control characters"),
        (JURY | {"truth": "file=.git/config"}, "may contain secrets"),
        (JURY | {"seat": ["judge=scripted"]}, "scripted has no script"),
        (JURY | {"resume": f"jury-{NO_RUN}"}, "Give resume without claim, "),
    ),
    "verify": (
        ({}, "nothing to verify"),
        ({"claim": " ", "quotes": [""], "evidence": ["x"]}, "nothing to verify"),
        ({"claim": "x"}, "no evidence"),
        ({"claim": "x", "evidence": [" "]}, "evidence 1 is empty"),
        ({"claim": "x" * 10_001, "evidence": ["x"]}, "10,000 characters"),
        ({"quotes": ["x"] * 101, "evidence": ["x"]}, "101 quotes"),
        ({"claim": "a\0b", "evidence": ["x"]}, "NUL"),
        ({"claim": "x", "evidence": ["file=missing.txt"]}, "'missing.txt' cannot be read"),
        ({"claim": "x", "evidence": ["x" * (1024 * 1024 + 1)]}, "1,024 KiB"),
    ),
    "consult": (
        ({"question": "?", "session_id": "last"}, "no session to continue"),
        (ASK | {"context": ["file=/etc/passwd"]}, "outside of the project"),
        (ASK | {"context": ["stdin"]}, "no context 'stdin'"),
        (ASK | {"tool": "ann,host"}, "host is you, the calling agent."),
    ),
    "wait": (({"run_id": f"debate-{NO_RUN}"}, f"debate-{NO_RUN}"), ({"run_id": ""}, "")),
    "cancel": (({"run_id": f"debate-{NO_RUN}"}, f"debate-{NO_RUN}"),),
    "answer": (({"run_id": f"debate-{NO_RUN}", "ask_id": "x", "text": "x"}, f"debate-{NO_RUN}"),),
    "runs": (
        ({"run_id": f"debate-{NO_RUN}"}, f"debate-{NO_RUN}"),
        ({"page": 0}, "no page 0"),
        ({"page": 2}, "no page 2"),
    ),
}


async def refusal(bench: Workbench, *calls: tuple[str, Mapping[str, object]]) -> list[str]:
    """What the server says to these calls, once that it refuses them all is certain."""
    async with client(bench) as host:
        results = [said(await host.call_tool(tool, dict(arguments))) for tool, arguments in calls]
    assert results == [ToolResult(status="refused", text=result.text) for result in results]
    assert {len(result.text.splitlines()) for result in results} == {1}
    assert not list(bench.root.rglob("journal.jsonl"))
    return [result.text for result in results]


async def test_an_impossible_call_is_refused_in_a_sentence_without_asking_a_tool(bench: Workbench) -> None:
    asked = [(tool, *row) for tool, rows in REFUSED.items() for row in rows]
    told = await refusal(bench, *((tool, call) for tool, call, _ in asked))
    expected = [sentence for *_, sentence in asked]
    assert [pair for pair in zip(expected, told, strict=True) if pair[0] not in pair[1]] == []


async def test_a_secret_in_a_request_is_not_repeated_in_the_refusal(bench: Workbench) -> None:
    token = "ghp_" + "a1B2" * 9
    (text,) = await refusal(bench, ("consult", {"question": "?", "tool": token}))
    assert token not in text


async def test_an_invalid_environment_is_reported_by_every_call(bench: Workbench) -> None:
    bench.extra["SPARRING_CALL_BUDGET_S"] = "soon"
    told = await refusal(bench, ("wait", {"run_id": "last"}), ("cancel", {"run_id": "last"}))
    assert ["SPARRING_CALL_BUDGET_S" in text for text in told] == [True, True]
