"""A host's settings with our entry in them are the user's settings with our entry in them, and nothing else."""

import json
import tomllib

import pytest
import tomlkit
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import JsonValue

from sparring.hosts.jsonc import with_member, without_member
from sparring.hosts.toml import read_toml, with_table, without_table
from sparring.text.jsonc import parse_jsonc

ENTRY: dict[str, JsonValue] = {"command": "/opt/sparring", "args": ["serve"], "timeout": 900_000}
PATH = ("mcpServers", "sparring")

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=6) | st.sampled_from(
    ["//", '/*"', "}"]
)
LEAVES: st.SearchStrategy[JsonValue] = st.none() | st.booleans() | st.integers() | NAMES


def containers(inner: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonValue]:
    return st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3)


VALUES = st.recursive(LEAVES, containers, max_leaves=12)
OTHERS = st.dictionaries(NAMES.filter(lambda name: name not in PATH), VALUES, max_size=4)
REMARKS = st.sampled_from(["", " ", "\t", "\n", "\r\n", '// it\'s "so"\n', '/* , } " */', "\n    // } x\r\n\n"])


@st.composite
def written(draw: st.DrawFn, value: JsonValue) -> str:
    """``value`` as somebody might have typed it: remarks anywhere, and commas where JSON has none."""

    def gapped(*parts: str) -> str:
        return "".join(f"{draw(REMARKS)}{part}" for part in (*parts, ""))

    if isinstance(value, dict):
        items = [gapped(json.dumps(key), ":", draw(written(inner))) for key, inner in value.items()]
    elif isinstance(value, list):
        items = [gapped(draw(written(inner))) for inner in value]
    else:
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    inside = ",".join(items) + (draw(st.sampled_from(["", ","])) if items else "") + draw(REMARKS)
    return f"{{{inside}}}" if isinstance(value, dict) else f"[{inside}]"


@st.composite
def settings(draw: st.DrawFn) -> str:
    content: dict[str, JsonValue] = draw(OTHERS)
    if draw(st.booleans()):
        items = [*content.items()]
        items.insert(draw(st.integers(0, len(items))), (PATH[0], draw(OTHERS)))
        content = dict(items)
    return draw(st.sampled_from(["", "\ufeff"])) + draw(REMARKS) + draw(written(content)) + draw(REMARKS)


def content_of(text: str) -> dict[str, JsonValue]:
    content = parse_jsonc(text)
    assert isinstance(content, dict)
    return content


def added(content: dict[str, JsonValue], value: JsonValue) -> dict[str, JsonValue]:
    servers = content.get(PATH[0], {})
    assert isinstance(servers, dict)
    return {**content, PATH[0]: {**servers, PATH[1]: value}}


def is_inserted(before: str, after: str) -> bool:
    """Whether ``after`` is ``before`` with something put in: at one place, and perhaps a comma at one further up."""
    rest = iter(after)
    return all(character in rest for character in before)


@given(settings())
def test_adding_our_entry_changes_nothing_else_and_can_be_undone(text: str) -> None:
    before, after = content_of(text), with_member(text, PATH, ENTRY)
    assert content_of(after) == added(before, ENTRY)
    assert is_inserted(text, after)
    out = without_member(after, PATH)
    assert content_of(out) == before | {PATH[0]: before.get(PATH[0], {})}
    assert (out if PATH[0] in before else without_member(out, PATH[:1])) == text


@given(settings(), VALUES)
def test_a_changed_value_changes_nothing_outside_of_it(text: str, value: JsonValue) -> None:
    there = with_member(text, PATH, value)
    after = with_member(there, PATH, ENTRY)
    assert content_of(after) == added(content_of(text), ENTRY)
    assert with_member(after, PATH, ENTRY) == after or isinstance(value, dict | list)


@given(settings(), st.integers(0, 3))
def test_any_member_can_be_taken_out(text: str, number: int) -> None:
    content = content_of(text)
    for key in list(content)[number : number + 1]:
        out = content_of(without_member(text, (key,)))
        assert out == {name: value for name, value in content.items() if name != key}


KEYS = st.text("abc-_", min_size=1, max_size=4)
TOML_REMARKS = st.sampled_from(["", "\n", "# [mcp_servers.sparring]\n", "  # it's\n\n"])
TOML_VALUES = st.sampled_from(['"x"', "1", "[1, 2]", '"""\n[a]\n# b\n"""', "{ a = 1 }", "[\n  [1],\n]", "'\\'"])
TOML_PATH = ("mcp_servers", "sparring")


@st.composite
def toml_tables(draw: st.DrawFn) -> list[str]:
    """A TOML file by its tables, each with its remarks in front; servers of others may be anywhere among them."""
    heads = ["", *(f"[t{number}]" for number in range(draw(st.integers(0, 3))))]
    heads += draw(st.sampled_from([[], ["[mcp_servers.other]"], ["[mcp_servers]", "[mcp_servers.other.env]"]]))
    tables: list[str] = []
    for head in heads[:1] + draw(st.permutations(heads[1:])):
        lines = [f"{key} = {draw(TOML_VALUES)}{draw(st.sampled_from(['', '  # so']))}" for key in draw(st.sets(KEYS))]
        tables.append("".join(f"{draw(TOML_REMARKS)}{line}\n" for line in ([head] if head else []) + lines))
    return tables


@given(toml_tables(), st.booleans(), TOML_REMARKS)
@example([""], False, "\n")  # noqa: FBT003 -- drawn
def test_toml_with_our_table_is_the_old_text_and_our_table(tables: list[str], windows: bool, remarks: str) -> None:  # noqa: FBT001 -- drawn
    text = ("".join(tables) + remarks).replace("\n", "\r\n" if windows else "\n")
    after = with_table(text, TOML_PATH, ENTRY)
    assert read_toml(after) == merged(text)
    assert after.startswith(text)
    assert with_table(after, TOML_PATH, ENTRY) == after
    assert without_table(after, TOML_PATH) == text


@given(toml_tables(), st.data(), TOML_REMARKS)
def test_a_table_in_the_middle_is_changed_and_taken_out_alone(
    tables: list[str], data: st.DataObject, remarks: str
) -> None:
    at = data.draw(st.integers(1, len(tables)))
    before, behind = "".join(tables[:at]), remarks + "".join(tables[at:])
    ours = '[mcp_servers.sparring] # mine\ncommand = "old" # kept\n\n# why\nmine = true\n'
    after = with_table(before + ours + behind, TOML_PATH, ENTRY)
    assert after.startswith(
        before + '[mcp_servers.sparring] # mine\ncommand = "/opt/sparring" # kept\n\n# why\nmine = true\n'
    )
    assert after.endswith(behind)
    assert read_toml(after) == merged(before + behind, mine=True)
    out = without_table(after, TOML_PATH)
    assert out.endswith(behind)
    assert read_toml(out) in (read_toml(before + behind), merged(before + behind, without=True))
    assert tomlkit.parse(out).as_string() == out


def merged(text: str, *, without: bool = False, **more: JsonValue) -> dict[str, JsonValue]:
    content = tomllib.loads(text.replace("\r\n", "\n"))
    servers = content.setdefault("mcp_servers", {})
    if not without:
        servers["sparring"] = ENTRY | more
    return content


@pytest.mark.parametrize("text", ["[1]", '{"mcpServers": 1}', '{"a": 1', "{,}", '{"a" 1}'])
def test_a_path_through_a_non_object_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 -- the reason may be that of the parser
        with_member(text, PATH, ENTRY)
