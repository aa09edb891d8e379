"""Who reviews a change, by who wrote it."""

from pathlib import Path

import pytest

from sparring.formats.review.options import ReviewOptions
from sparring.participants.options import AccompanyingInput
from sparring.schema.authors import AuthorSource
from support.installed import app_with
from support.workbench import Workbench

USER = AccompanyingInput(is_by_user=True)


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench.below(tmp_path)


@pytest.mark.parametrize(
    ("client", "author", "reviewers", "authors"),
    [
        (None, "", ["claude", "codex", "gemini"], []),
        (None, "claude", ["codex", "gemini", "claude"], [("claude", AuthorSource.DECLARED)]),
        (None, "google", ["claude", "codex", "gemini"], [("gemini", AuthorSource.DECLARED)]),
        ("codex-mcp-client", "", ["claude", "gemini", "codex"], [("gpt", AuthorSource.HOST)]),
        ("claude-code", "none", ["claude", "codex", "gemini"], []),
    ],
)
def test_reviewers_of_other_families_than_the_authors_go_first(
    bench: Workbench, client: str | None, author: str, reviewers: list[str], authors: list[tuple[str, AuthorSource]]
) -> None:
    app = app_with(bench, "claude", "codex", "gemini", client=client)
    named = {"author": author} if author else {}
    request = app.request(ReviewOptions.model_validate({"plan": "README.md", **named}), USER)
    assert [each.tool for each in request.reviewers] == reviewers
    assert [(each.family, each.source) for each in request.authors] == authors


def test_with_one_family_besides_the_host_the_notice_says_what_to_add(bench: Workbench) -> None:
    app = app_with(bench, "claude", "codex", client="claude-code")
    told = " ".join(app.request(ReviewOptions(plan="README.md"), USER).notices)
    assert "written by claude (the host), so claude does not count: the review can only end incomplete" in told
    assert "Add a reviewer of another family, or name another model" in told
