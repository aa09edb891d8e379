"""The ways of writing settings that the properties do not draw."""

import pytest
from pydantic import JsonValue

from sparring.hosts.jsonc import with_member, without_member, written_value
from sparring.hosts.toml import read_toml, with_table, without_table
from support.texts import texts

TEXTS = texts("host-settings")
PATH = ("mcp_servers", "sparring")
VALUES: dict[str, JsonValue] = {"command": "/opt/sparring", "args": ["serve"]}


@pytest.mark.parametrize("text", TEXTS["tables"])
def test_our_table_fits_into_every_way_of_writing_tables(text: str) -> None:
    after = with_table(text, PATH, VALUES)
    servers = read_toml(after)["mcp_servers"]
    assert isinstance(servers, dict)
    assert servers["sparring"] == VALUES
    assert without_table(after, PATH) == text


def test_an_own_inline_table_is_changed_and_removed_in_place() -> None:
    text = '[mcp_servers]\nsparring = { command = "old", mine = 1 }  # ours\n\n# theirs\n[other]\n'
    after = with_table(text, PATH, VALUES)
    assert read_toml(after) == {"mcp_servers": {"sparring": {"mine": 1, **VALUES}}, "other": {}}
    assert after.endswith("# ours\n\n# theirs\n[other]\n")
    out = without_table(after, PATH)
    assert read_toml(out) in ({"mcp_servers": {}, "other": {}}, {"other": {}})
    assert "# theirs\n[other]\n" in out


def test_subtables_of_our_table_may_stand_apart_from_it() -> None:
    theirs = '[profiles.fast]\nx = 1\n\n# theirs\n[mcp_servers.other]\ncommand = "a"\n'
    text = f'[mcp_servers.sparring.env]\nA = "1"\n{theirs}[mcp_servers.sparring]\ncommand = "old"\n'
    after = with_table(text, PATH, VALUES)
    assert read_toml(after)["mcp_servers"] == {"other": {"command": "a"}, "sparring": {"env": {"A": "1"}, **VALUES}}
    assert without_table(after, PATH) == theirs


@pytest.mark.parametrize("text", ["[[", "mcp_servers = 1\n", "mcp_servers = []\n"])
def test_toml_that_holds_no_tables_there_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 -- the reason may be that of the parser
        with_table(text, PATH, VALUES)


def test_a_missing_member_cannot_be_removed() -> None:
    for change in (without_member, written_value):
        for path in (("a", "b"), ("c",)):
            with pytest.raises(ValueError, match=f"no {path[-1]}|no {path[0]}"):
                change('{"a": {}}', path)
    with pytest.raises(ValueError, match="no x"):
        without_member("{}", ("x", "y"))
    with pytest.raises(ValueError, match="nothing in it"):
        without_member('// {"a": null}', ("a",))
    with pytest.raises(ValueError, match="no path"):
        with_member("{}", (), 1)


@pytest.mark.parametrize(("before", "after"), TEXTS["members"])
def test_a_new_member_is_written_as_its_neighbours_are(before: str, after: str) -> None:
    assert with_member(before, ("m", "s"), 1) == after


def test_nan_values_do_not_make_settings_unreadable() -> None:
    text = "[mcp_servers.x]\nf = nan\ng = [nan, 1]\n"
    after = with_table(text, PATH, VALUES)
    assert after.startswith(text)
    assert without_table(after, PATH) == text


def test_a_repeated_member_is_removed_both_times() -> None:
    text = '{"mcpServers": {"sparring": {"a": 1}, "x": 1, "sparring": {"b": 2}}}'
    assert without_member(text, ("mcpServers", "sparring")) == '{"mcpServers": {"x": 1}}'
