"""How many questions are put to a tool at the same time."""

from support.installed import app_with
from support.workbench import Workbench

LOCAL, NO_CONFIG_FOLDER_HINT = "http://127.0.0.1:4321", "https://models.example"


def test_a_server_on_this_machine_is_asked_one_question_at_a_time_by_all_tools_that_ask_it(bench: Workbench) -> None:
    bench.add_api("one", LOCAL)
    bench.add_api("other", LOCAL)
    bench.add_api("third", "http://127.0.0.1:4322")
    bench.add_api("wide", "http://127.0.0.1:4323", "at_once = 8")
    bench.add_api("remote", NO_CONFIG_FOLDER_HINT)
    bench.add_api("narrow", f"{NO_CONFIG_FOLDER_HINT}:8443", "at_once = 2")
    roster = app_with(bench).roster
    turns = {tool: roster.turns(tool) for tool in ("one", "other", "third", "wide", "remote", "narrow", "claude")}
    assert turns["one"] is turns["other"] is roster.turns("one")
    assert turns["third"] not in (None, turns["one"])
    assert {tool: each and each.at_once for tool, each in turns.items()} == {
        "one": 1, "other": 1, "third": 1, "wide": 8, "remote": None, "narrow": 2, "claude": None,
    }  # fmt: skip
