"""The files that an installation puts beside the server: the skills, and commands for hosts that need them as commands.

Each carries a mark by which it is known as ours; a file of the same name without it belongs to somebody else.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from sparring.hosts.known import CommandFile, KnownHost
from sparring.hosts.places import Places
from sparring.prompts.skills import PROVIDED_BY, Skill, skills

_MARK = re.compile(rb"^(?:[ \t]+|# )provided-by: " + PROVIDED_BY.encode() + rb"[ \t]*\r?$", re.MULTILINE)
_HEAD_LIMIT = 4096
"""Within this many bytes the mark must stand: it belongs to the head of a file, not to what it tells."""


@dataclass(frozen=True)
class Offering:
    """One file of ours, and what it holds."""

    path: Path
    content: bytes


def offerings(host: KnownHost, where: Places) -> tuple[Offering, ...]:
    """All files that ``host`` is to have there; none for a host without skills and commands.

    Raises:
        PromptError: The skills of this installation cannot be read.
    """
    ours = skills() if where.skills or where.commands else ()
    files = list[Offering]()
    if where.skills is not None:
        files += [file for skill in ours for file in _skill_files(skill, where.skills / skill.name)]
    if where.commands is not None:
        files += [_command(host.command_file, skill, where.commands) for skill in ours]
    return tuple(files)


def is_marked(content: bytes) -> bool:
    """Whether a skill or command with this content is ours."""
    return _MARK.search(content, 0, _HEAD_LIMIT) is not None


def _skill_files(skill: Skill, folder: Path) -> list[Offering]:
    sources = sorted(file for file in skill.folder.rglob("*") if file.is_file())
    return [Offering(folder / file.relative_to(skill.folder), file.read_bytes()) for file in sources]


def _command(kind: CommandFile, skill: Skill, folder: Path) -> Offering:
    if kind is CommandFile.GEMINI:
        return Offering(folder / f"{skill.name}.toml", _gemini_command(skill).encode())
    return Offering(folder / f"{skill.name}.md", _opencode_command(skill).encode())


def _gemini_command(skill: Skill) -> str:
    import tomlkit  # noqa: PLC0415 -- only an installation needs it

    prompt = tomlkit.string(skill.body.replace("$ARGUMENTS", "{{args}}"), multiline=True).as_string()
    prompt = f'"""\n{prompt[3:]}'  # the line end right after the quotes does not count
    return f"# provided-by: {PROVIDED_BY}\ndescription = {json.dumps(skill.description)}\nprompt = {prompt}\n"


def _opencode_command(skill: Skill) -> str:
    head = f"description: {json.dumps(skill.description)}\nmetadata:\n  provided-by: {PROVIDED_BY}"
    return f"---\n{head}\n---\n{skill.body}"
