"""The commands that an installation generates are the skills, in the words of each host."""

import json
import tomllib
from pathlib import Path

import pytest

from sparring.hosts.known import HostSurroundings, host_paths, known_host
from sparring.hosts.plan import host_files, is_marked
from sparring.prompts.skills import skill, skills
from sparring.schema.setup import Scope

AROUND = HostSurroundings(Path("/home/ann"), Path("/work"), {})


def offered(name: str) -> dict[str, bytes]:
    """What is written for the host of that name beside its settings."""
    host = known_host(name)
    return {file.path.name: file.content for file in host_files(host, host_paths(host, Scope.USER, AROUND))}


@pytest.mark.parametrize(
    "content",
    [b"", b"# provided-by: others\n", b"x provided-by: sparring", b" " * 5000 + b"\n  provided-by: sparring\n"],
)
def test_a_file_without_the_mark_in_its_head_is_foreign(content: bytes) -> None:
    assert not is_marked(content)


def test_a_gemini_command_is_the_skill_with_the_words_of_the_user() -> None:
    commands = {name: text for name, text in offered("gemini").items() if name.endswith(".toml")}
    assert {name: tomllib.loads(text.decode()) for name, text in commands.items()} == {
        f"{each.name}.toml": {"description": each.description, "prompt": each.body.replace("$ARGUMENTS", "{{args}}")}
        for each in skills()
    }


def test_claude_code_alone_gets_the_hint_of_the_arguments_as_a_field_of_its_own() -> None:
    hint = f"\nargument-hint: {json.dumps(skill('jury').argument_hint)}\nmetadata:\n"
    source = (skill("jury").folder / "SKILL.md").read_text(encoding="utf-8")
    at_claude, at_codex = (
        {file.path.parent.name: file for file in host_files(host, host_paths(host, Scope.USER, AROUND))}["jury"]
        for host in map(known_host, ("claude", "codex"))
    )
    assert at_claude.content.decode() == source.replace("\nmetadata:\n", hint)
    assert [each.is_in(source.encode()) for each in (at_claude, at_codex)] == [True, True]
    assert [each.is_in(at_claude.content) for each in (at_claude, at_codex)] == [True, False]


def test_an_opencode_command_is_the_skill_as_it_is() -> None:
    assert offered("opencode")["jury.md"].decode().endswith("\n---\n" + skill("jury").body)
