"""The index of the hosts names all that can be set up, and every page about one."""

import re
from pathlib import Path

from sparring.hosts.known import KNOWN_HOSTS

FOLDER = Path(__file__).parents[2] / "docs" / "hosts"
INDEX = (FOLDER / "README.md").read_text(encoding="utf-8")


def test_every_host_stands_in_the_index_with_its_name_and_its_command() -> None:
    rows = re.findall(r"^\| ([^|]+) \| `sparring install ([a-z]+)`", INDEX, re.MULTILINE)
    assert sorted(rows) == sorted((host.title, host.name) for host in KNOWN_HOSTS)


def test_the_index_links_the_pages_that_there_are() -> None:
    pages = {page.name for page in FOLDER.glob("*.md")} - {"README.md"}
    assert pages == set(re.findall(r"\]\(([^)]+)\)", INDEX))
