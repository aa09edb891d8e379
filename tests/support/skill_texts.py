"""The parts of a skill, read the way a person reads them."""

import re

from sparring.prompts.skills import Skill


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
