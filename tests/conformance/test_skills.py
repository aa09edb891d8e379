"""The skills are portable, and what they say about arguments is what the tools and the command line take."""

import asyncio
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, get_args

import pytest
from mcp import Client
from mcp.types import Tool
from pydantic.fields import FieldInfo
from skills_ref import validate  # pyright: ignore[reportMissingTypeStubs] -- it comes without

from sparring.errors import PromptError
from sparring.formats.registry import FORMATS
from sparring.participants.options import Option, subject_of
from sparring.prompts.skills import PROVIDED_BY, SKILL_NAMES, Skill, format_of, skill, skills
from sparring.server.building import INSTRUCTIONS, build_server
from sparring.server.results import Status
from support.mcp_project import client
from support.texts import texts
from support.workbench import Workbench

ROOT = Path(__file__).parents[2] / "skills"
SKILLS = skills()
each_skill = pytest.mark.parametrize("said", SKILLS, ids=SKILL_NAMES)

PORTABLE = {"name", "description", "license", "compatibility", "allowed-tools", "metadata"}


async def _listed() -> dict[str, Tool]:
    async with Client(build_server()) as client:
        return {tool.name: tool for tool in (await client.list_tools()).tools}


TOOLS = asyncio.run(_listed())


def head(said: Skill) -> str:
    return (said.folder / "SKILL.md").read_text(encoding="utf-8").split("---\n")[1]


def tool_name(said: Skill) -> str:
    return format_of(said.name).replace("-", "_")


def parameters(said: Skill) -> dict[str, dict[str, Any]]:
    return TOOLS[tool_name(said)].input_schema["properties"]


def section(skill: Skill, title: str) -> str:
    """What stands below a heading that begins so, down to the next."""
    found = re.search(rf"^## {re.escape(title)}.*?\n(.*?)(?=^## |\Z)", skill.body, re.MULTILINE | re.DOTALL)
    assert found, f"{skill.name} has no section {title}"
    return found[1]


def commands(text: str) -> tuple[str, ...]:
    """The commands in its fence of shell, each with the text that it is given."""
    fences = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return tuple(
        command for fence in fences for command in re.findall(r"^sparring .*?(?=^sparring |\Z)", fence, re.M | re.S)
    )


# -- Portable ------------------------------------------------------------------------------------------------------


def test_the_skills_are_all_that_there_are_in_their_order() -> None:
    assert {folder.name for folder in ROOT.iterdir()} == set(SKILL_NAMES)
    assert [said.folder for said in SKILLS] == [ROOT / name for name in SKILL_NAMES]


@each_skill
def test_a_front_matter_is_portable_and_says_when_to_use_the_skill(said: Skill) -> None:
    fields = dict(re.findall(r"^([a-z-]+):(?: (.*))?$", head(said), re.MULTILINE))
    assert set(fields) == PORTABLE
    assert re.fullmatch(r"[a-z0-9-]{1,64}", said.name)
    assert (fields["license"], fields["description"]) == ("MIT", said.description)
    assert "Use when" in said.description
    assert len(said.description) <= 1024
    assert len(fields["compatibility"]) <= 500
    assert f"metadata:\n  provided-by: {PROVIDED_BY}\n  argument-hint: " in head(said)
    for line in head(said).splitlines():  # it means the same to every reader of YAML
        _, _, value = line.partition(": ")
        assert value.startswith('"') or not re.search(r": | #|^[\[{>|*&!%@`'\"]", value), line


@each_skill
def test_the_validator_of_the_specification_finds_nothing_wrong(said: Skill) -> None:
    assert validate(said.folder) == []


@each_skill
def test_only_the_tools_that_the_skill_calls_are_allowed_beforehand(said: Skill) -> None:
    (allowed,) = re.findall(r"^allowed-tools: (.*)$", head(said), re.MULTILINE)
    called = {tool_name(said), "wait"} | ({"answer"} if "`your_turn`" in said.body else set[str]())
    assert called <= TOOLS.keys()
    prefixes = ("mcp__sparring__", "mcp__plugin_sparring_sparring__")
    assert set(allowed.split()) == {f"{prefix}{tool}" for prefix in prefixes for tool in called}


@each_skill
def test_a_body_is_short_and_holds_nothing_that_a_host_would_expand_but_the_arguments(said: Skill) -> None:
    assert len((said.folder / "SKILL.md").read_text(encoding="utf-8").split()) <= 350
    assert said.body.count("$ARGUMENTS") == 1
    # Shell commands, files and positions: Claude Code, OpenCode and Gemini CLI each have some of these.
    assert not re.search(r"\$(?!ARGUMENTS)|!`|!\{|@|\{\{", said.body)


# -- Arguments -----------------------------------------------------------------------------------------------------


def typed_options(name: str) -> dict[str, tuple[str, Option]]:
    """What can be typed, with the parameter that it is over MCP."""
    fields: dict[str, FieldInfo] = FORMATS[format_of(name)].options.model_fields
    options = ((called, Option.of(field)) for called, field in fields.items())
    told = ((called, option) for called, option in options if option.mcp is not None or option.file_of)
    return {
        option.typed(called)[0]: (option.file_of or option.called or called, option)
        for called, option in told
        if not option.is_subject
    }


FLAGS = texts("skills")["flags"]


@pytest.mark.process
@pytest.mark.parametrize(("name", "typed"), FLAGS)
async def test_the_flags_and_the_parameters_of_a_skill_make_the_same_request(
    name: str, typed: str, tmp_path: Path
) -> None:
    said, bench, kind = skill(name), Workbench.below(tmp_path), FORMATS[format_of(name)]
    subject = subject_of(kind.options)
    is_list = parameters(said)[subject]["type"] == "array"
    topics = ["It retries."] if not is_list else [] if "--plan" in typed else ["README.md"]
    named = as_parameters(said, typed) | {subject: topics if is_list else topics[0]}
    async with client(bench, "auto") as host:
        await host.call_tool(tool_name(said), named)
    by_tool = requests(bench)
    shutil.rmtree(bench.project / "out", ignore_errors=True)  # a debate's files are never written over by another
    await asyncio.to_thread(bench.run, kind.name, *topics, *typed.split())
    assert len(by_tool) == 1
    assert requests(bench) == [*by_tool, *by_tool]


def test_every_flag_but_that_of_a_session_is_tried() -> None:
    tried = {(name, word) for name, typed in FLAGS for word, _ in typed_words(typed)}
    known = {(said.name, flag) for said in SKILLS for flag in typed_options(said.name)}
    assert known - tried == {("consult", "--continue")}


def typed_words(typed: str) -> list[tuple[str, str]]:
    """Return the flags in ``typed``, and the settings by name, each with its value."""
    found = re.findall(r"--set (\w+)=(\S+)|(--[a-z-]+)(?: ([^-\s]\S*))?", typed)
    return [(setting or flag, value or text) for setting, value, flag, text in found]


def as_parameters(said: Skill, typed: str) -> dict[str, object]:
    """What was typed as flags, as it is given to the tool."""
    options = typed_options(said.name)
    found: dict[str, Any] = {}
    for flag, text in typed_words(typed):
        parameter, option = options[flag]
        if parameter not in parameters(said):
            found["set"] = [*found.get("set", ()), f"{parameter}={text or 'true'}"]
            continue
        kind = parameters(said)[parameter]["type"]
        value = f"file={text}" if option.file_of else text
        before = found.get(parameter, [])
        found[parameter] = (
            int(value)
            if kind in {"integer", "number"}
            else {"boolean": True, "array": [*before, value]}.get(kind, value)
        )
    return found


def requests(bench: Workbench) -> list[object]:
    """The requests of all runs."""
    journals = sorted(bench.root.rglob("journal.jsonl"))
    return [json.loads(file.read_text(encoding="utf-8").splitlines()[0])["body"]["request"] for file in journals]


# -- What to do ----------------------------------------------------------------------------------------------------


def test_the_instructions_of_the_server_explain_every_status_once() -> None:
    assert [status for status in get_args(Status) if f'"{status}"' not in INSTRUCTIONS] == ["listed", "estimated"]
    assert [said.name for said in SKILLS if "`running`" in said.body] == []


@pytest.mark.process
@each_skill
def test_the_commands_run_as_they_stand(said: Skill, tmp_path: Path) -> None:
    bench = Workbench.below(tmp_path, PATH=os.environ["PATH"])
    (bench.project / "pairs.csv").write_text("claim,truth\nIt has 3 rooms.,It has 3 rooms.\n", encoding="utf-8")
    for name in ("ann", "bob"):
        bench.add_tool(name, ({"response": '{"findings": []}'},))
    by = ("--with", "ann,bob") if said.name == "cross-review" else ("--with", "offline")
    for command in commands(section(said, "Call")):
        runnable = command.replace("PATH", "README.md").replace("FILE", "pairs.csv")
        line = f"sparring() {{ printf '%s\\0' \"$@\"; cat; }}\n{runnable}"  # what a shell makes of it
        heard = subprocess.run(["sh", "-c", line], stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout
        name, *words, text = heard.split(b"\0")
        done = bench.run(name.decode(), *by, *map(bytes.decode, words), stdin=text)
        assert name.decode() == format_of(said.name)
        assert done.code in {0, 4}, (command, done.err)
        assert done.out.startswith("{"), command


# -- Reading -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "cannot be read (FileNotFoundError)"),
        (b"\xff", "cannot be read (UnicodeDecodeError)"),
        (b"# No front matter\n", "its front matter needs"),
        (b"---\nname: other\ndescription: x\nargument-hint: x\n---\nBody\n", "its front matter needs"),
        (b"---\nname: debate\ndescription: x\n---\nBody\n", "its front matter needs"),
        (b'---\nname: debate\ndescription: x\nargument-hint: "x\n---\nBody\n', "is not closed"),
    ],
)
def test_a_skill_that_is_damaged_is_refused_in_a_sentence(tmp_path: Path, text: bytes | None, problem: str) -> None:
    (tmp_path / "debate").mkdir()
    if text is not None:
        (tmp_path / "debate" / "SKILL.md").write_bytes(text)
    with pytest.raises(PromptError, match=re.escape(problem)):
        skill("debate", tmp_path)
