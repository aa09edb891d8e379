"""Whether the right files are among the exhibits: fifty questions about five small projects."""

import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest

from sparring.app.exhibits import ExhibitSearch
from sparring.participants.seats import exhibit_budget
from sparring.schema.consultation import Exhibit
from sparring.text.redaction import Redactor

DATA = Path(__file__).parents[2] / "data"
QUESTIONS: Mapping[str, Mapping[str, list[str]]] = tomllib.loads((DATA / "exhibit_questions.toml").read_text("utf-8"))


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("projects")
    archive = (DATA / "exhibit_projects.txt").read_text(encoding="utf-8")
    for part in f"\n{archive}".split("\n=== ")[1:]:
        path, _, text = part.partition("\n")
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"{text}\n", encoding="utf-8")
    return root


def shown(project: Path, topic: str, kib: int) -> tuple[Exhibit, ...]:
    gathering = ExhibitSearch(project, project.parent / ".cache", {"PATH": ""}, Redactor())
    return gathering.gather(topic, exhibit_budget("auto", kib), frozenset(), 1).exhibits


@pytest.mark.slow
def test_the_right_files_are_shown_where_all_projects_lie_in_one_and_the_room_is_small(projects: Path) -> None:
    found = dict[tuple[str, str], bool]()
    for name, questions in QUESTIONS.items():
        for topic, right in questions.items():
            exhibits = shown(projects, topic, 12)
            assert sum(len(each.text.encode()) for each in exhibits) <= 12 * 1024
            found |= {(topic, path): f"{name}/{path}" in {each.path for each in exhibits} for path in right}
    assert len(found) >= 40
    assert sum(found.values()) / len(found) >= 0.9, [what for what, is_there in found.items() if not is_there]


def test_tests_and_documents_do_not_crowd_out_the_source(tmp_path: Path) -> None:
    code = "def drop(cache, entry):\n    return cache.pop(entry)\n"
    talk = "The cache keeps an entry until the cache is full; then the cache drops the oldest cache entry.\n"
    for number in range(40):
        for path in (f"docs/cache{number}.md", f"tests/test_cache{number}.py", f"src/part{number}.py"):
            (tmp_path / path).parent.mkdir(exist_ok=True)
            (tmp_path / path).write_text((code if path.startswith("src") else talk) * 8, encoding="utf-8")
    exhibits = shown(tmp_path, "Which entry should the cache drop?", 24)
    size = {kind: sum(len(each.text) for each in exhibits if each.path.startswith(kind)) for kind in ("src", "tests")}
    assert size["src"] > 24 * 1024 / 3
    assert size["tests"] < size["src"], size
