"""What runs on every change names targets that there are, hands out no rights, and reaches for nothing by itself."""

import itertools
import json
import os
import re
import subprocess
import textwrap
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from sparring import __version__

ROOT = Path(__file__).parents[2]
WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
HOOKS = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
LOCKED = re.compile(r"^([a-z0-9-]+)(?:\[(.*)\])?==", re.MULTILINE)
TARGETS = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


def targets_run(text: str) -> set[str]:
    """The targets after ``make``, those of a matrix among them."""
    named = map(str.split, re.findall(r"^[^#\n]*\bmake (?:-j\d )?([a-z-]+(?: [a-z-]+)*)", text, re.MULTILINE))
    listed = (names.split(", ") for names in re.findall(r"^\s+target: \[(.*)\]", text, re.MULTILINE))
    return set(itertools.chain.from_iterable((*named, *listed)))


@pytest.mark.parametrize("file", [".github/workflows/ci.yml", ".ci/run", "CONTRIBUTING.md"])
def test_every_target_that_is_named_is_there(file: str) -> None:
    named = targets_run((ROOT / file).read_text(encoding="utf-8"))
    assert {"check", "test"} <= named <= TARGETS


def test_the_workflow_runs_every_target_of_the_local_ci_script() -> None:
    here = targets_run((ROOT / ".ci" / "run").read_text(encoding="utf-8"))
    assert here - {"installed"} <= targets_run(WORKFLOW)  # each of its jobs installs what it needs


@pytest.mark.parametrize("file", ["ci.yml", "release.yml", "world.yml"])
def test_a_workflow_pins_actions_to_commits_and_is_read_only_by_default(file: str) -> None:
    text = (ROOT / ".github" / "workflows" / file).read_text(encoding="utf-8")
    used = re.findall(r"uses: *(.+)", text)
    assert used
    assert [action for action in used if not re.fullmatch(r"[a-z-]+/[a-z-]+@[0-9a-f]{40}  # v[0-9.]+", action)] == []
    assert re.findall(r"^permissions:\n((?:  .*\n)+)", text, re.MULTILINE) == ["  contents: read\n"]
    assert "secrets." not in text
    rights = set(re.findall(r"^      ([a-z-]+: write)", text, re.MULTILINE))
    assert rights == ({"id-token: write", "attestations: write", "contents: write"} if file == "release.yml" else set())


def test_the_newest_versions_are_tried_once_a_week_and_what_changed_is_reported() -> None:
    text = (ROOT / ".github" / "workflows" / "world.yml").read_text(encoding="utf-8")
    assert re.search(r'- cron: "\d+ \d+ \* \* \d"', text)
    assert {"newest", "lab", "test-npm"} <= targets_run(text) & TARGETS
    assert text.index("make newest") < text.index("make lab") < text.index("make test-npm") < text.index("lab.changes")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    locked = json.loads((ROOT / "tests" / "e2e" / "package.json").read_text(encoding="utf-8"))["dependencies"]
    assert [name for name in locked if f"{name}@latest" not in makefile] == []


def test_a_release_is_signed_listed_and_proven() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    steps = (
        "verification.verified",
        "make check test",
        "hatchling build",
        "mcpb pack",
        "cyclonedx",
        "attest-build-provenance",
    )
    places = [text.index(step) for step in (*steps, "gh-action-pypi-publish")]
    assert places == sorted(places)


def _step(name: str) -> str:
    """The commands of a step of a release."""
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    found = re.search(
        rf"      - name: {re.escape(name)}\n(?:        (?!run).*\n)*        run: (?:\|\n((?:          .*\n)+)|(.*\n))",
        text,
    )
    assert found, name
    return textwrap.dedent(found[1] or found[2])


def _rehearsed(commands: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", commands],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "HOME": os.devnull, **environment},
        capture_output=True,
        check=False,
        text=True,
    )


@pytest.mark.process
@pytest.mark.parametrize(("tag", "code"), [(f"v{__version__}", 0), ("v9.9.9", 1)])
def test_a_release_stops_where_the_tag_does_not_name_the_version(tag: str, code: int) -> None:
    done = _rehearsed(_step("The tag names the version"), GITHUB_REF_NAME=tag)
    assert (done.returncode, done.stderr) == (code, "")


@pytest.mark.process
@pytest.mark.parametrize("file", [".github/workflows/release.yml", "Dockerfile"])
def test_the_lock_file_becomes_constraints_for_pip(file: str) -> None:
    (expression,) = re.findall(r"sed '([^']*)'", (ROOT / file).read_text(encoding="utf-8"))
    made = _rehearsed(f"sed '{expression}' requirements/dev.txt").stdout.splitlines()
    constraints = [Requirement(line) for line in made if line.strip() and not line.lstrip().startswith("#")]
    assert len(constraints) >= 50
    assert [str(each) for each in constraints if each.extras or len(each.specifier) != 1] == []


def test_the_image_is_made_of_files_that_are_there_and_runs_as_no_root() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    kept = re.findall(r"(?m)^!(.*)$", (ROOT / ".dockerignore").read_text(encoding="utf-8"))
    assert [
        name for name in ("pyproject.toml", "README.md", "LICENSE", "src", "prompts", "skills") if name not in kept
    ] == []
    assert [name for name in kept if not (ROOT / name).exists()] == []
    assert text.index("USER sparring") < text.index("ENTRYPOINT")
    assert not re.search(r"(?i)api_key=|token=", text)


def test_every_dependency_is_locked_with_its_hashes_and_no_address() -> None:
    text = "".join((ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8") for name in ("ray", "dev"))
    entries = re.findall(
        r"^([a-z0-9-]+)(?:\[.*\])?==(\S+)([^\n]*\n(?:    --hash=sha256:[0-9a-f]{64}.*\n)+)", text, re.MULTILINE
    )
    locked = {name: version for name, version, _ in entries}  # of one that is there several times, the last
    assert len(entries) == len(re.findall(r"^[a-z]", text, re.MULTILINE))
    assert [word for word in ("://", "--find-links") if word in text] == []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists: list[list[str]] = [project["dependencies"], *project["optional-dependencies"].values()]
    wanted = [each for names in lists for each in map(Requirement, names) if each.name != "sparring"]
    assert [str(each) for each in wanted if locked.get(each.name, "0") not in each.specifier] == []


def test_locked_packages_include_the_extras_that_others_require() -> None:
    # An older pip that is told "coverage==1.0" and meets "coverage[toml]>=0.9" takes the newest there is for the
    # latter, and then complains that it has no hash: an install that worked breaks on the day of the next release.
    text = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8")
    pinned = {name: set(filter(None, re.split(", ?", extras))) for name, extras in LOCKED.findall(text)}
    wanted = {
        (each.name.lower(), extra)
        for name, extras in pinned.items()
        for each in map(Requirement, requires_of(name))
        if each.marker is None or any(each.marker.evaluate({"extra": own}) for own in ("", *extras))
        for extra in each.extras
    }
    assert ("coverage", "toml") in wanted
    assert sorted((name, extra) for name, extra in wanted if extra not in pinned.get(name, {extra})) == []


def requires_of(name: str) -> list[str]:
    """What an installed package requires; nothing of one that this system does not need."""
    try:
        return metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return []


def test_hooks_are_programs_of_the_environment() -> None:
    assert re.findall(r"repo: (\S+)", HOOKS) == ["local"]
    entries = re.findall(r"entry: (\S+?/bin/)", HOOKS)
    assert set(entries) == {".venv/bin/"}
    assert HOOKS.count("language: system\n") == HOOKS.count("entry: ") == len(entries)
