from pathlib import Path

import pytest

from sparring.errors import SettingsError
from sparring.settings import Settings
from sparring.store.hosts import Place, project_root, state_root


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = (tmp_path / "repository").resolve()
    for folder in (".git", "src/deep"):
        (root / folder).mkdir(parents=True)
    return root


@pytest.mark.parametrize(
    ("here", "named", "root"),
    [
        ("src/deep", "", ""),
        ("src/deep", "{}/src", "src"),
        ("src", "{}/src", "src"),
        *(("src", ignored, "") for ignored in ("{}/../elsewhere", "/nonexistent/project", ".")),  # not around us
    ],
)
def test_the_project_is_what_the_host_has_open_around_us_else_the_git_top_level(
    repository: Path, here: str, named: str, root: str
):
    (repository.parent / "elsewhere").mkdir()
    environment = {"CLAUDE_PROJECT_DIR": named.format(repository)}
    assert project_root(repository / here, environment) == repository / root


def test_worktrees_and_folders_without_git_are_projects_of_their_own(repository: Path):
    (repository / "src" / ".git").write_text("gitdir: elsewhere\n", encoding="utf-8")
    assert project_root(repository / "src" / "deep", {}) == repository / "src"
    assert project_root(repository.parent, {}) == repository.parent


CLIENTS = {"claude-code": ".claude", "opencode": ".opencode", "codex-mcp-client": ".codex", "copilot-cli": ".copilot"}
SHELLS = {"CLAUDECODE": ".claude", "OPENCODE": ".opencode", "CODEX_THREAD_ID": ".codex", "GEMINI_CLI": ".gemini"}


@pytest.mark.parametrize(
    ("client", "environment", "present", "expected"),
    [
        (None, {}, [], ".sparring"),
        *((client, {}, [], folder) for client, folder in CLIENTS.items()),
        ("gemini-cli-mcp-client", {}, [], ".gemini"),
        ("some-editor", {}, [], ".sparring"),
        ("some-editor", {}, [".gemini"], ".gemini"),
        ("codex-mcp-client", {"CLAUDECODE": "1"}, [".claude"], ".codex"),
        (None, {"CLAUDECODE": "1"}, [".codex"], ".claude"),
        *((None, {variable: "1"}, [], folder) for variable, folder in SHELLS.items()),
        (None, {"COPILOT_AGENT_SESSION_ID": "5e"}, [], ".copilot"),
        (None, {"CLAUDECODE": ""}, [], ".sparring"),
        (None, {"CLAUDECODE": "1", "OPENCODE": "1"}, [], ".claude"),
        (None, {}, [".gemini", ".opencode"], ".opencode"),
        (None, {}, [".github"], ".sparring"),
        # A state folder that is in use stays in use when another host's folder appears.
        (None, {}, [".sparring", ".claude"], ".sparring"),
        (None, {}, [".codex/debate", ".claude"], ".codex"),
        (None, {}, [".opencode/batch", ".claude/commands"], ".opencode"),
        ("some-editor", {}, [".gemini/jury", ".claude"], ".gemini"),
        (None, {"CLAUDECODE": "1"}, [".sparring", ".claude"], ".claude"),
        ("claude-code", {"AI_STATE_DIR": ".state"}, [".claude"], ".state"),
        ("claude-code", {"AI_STATE_DIR": "  "}, [], ".claude"),
    ],
)
def test_the_state_directory_follows_the_user_then_the_client_then_the_shell_then_the_folders(
    tmp_path: Path, client: str | None, environment: dict[str, str], present: list[str], expected: str
):
    for folder in present:
        (tmp_path / folder).mkdir(parents=True)
    assert state_root(tmp_path, environment, client=client) == tmp_path / expected


def test_an_absolute_state_directory_and_one_in_the_home_directory_are_taken_as_they_are(tmp_path: Path):
    assert state_root(tmp_path, {"AI_STATE_DIR": "/var/state"}) == Path("/var/state")
    assert state_root(tmp_path, {"AI_STATE_DIR": "~/state"}) == Path.home() / "state"
    with pytest.raises(SettingsError, match="AI_STATE_DIR"):
        state_root(tmp_path, {"AI_STATE_DIR": "~no-such-user-here/state"})


def test_a_linked_folder_of_a_host_is_passed_over_if_it_leads_out_of_the_project(repository: Path):
    (repository.parent / "elsewhere").mkdir()
    (repository / ".claude").symlink_to("../elsewhere")
    (repository / ".codex").symlink_to(".codex")
    settings = Settings({"CLAUDECODE": "1"}, cwd=repository, provider_dir=repository, private_dir=repository)
    place = Place.find(settings, "claude-code")
    assert place == Place(repository, repository / ".sparring", provenance=place.provenance)
    (repository / "kept").mkdir()
    (repository / ".gemini").symlink_to("kept")
    assert state_root(repository, {}, client="gemini-cli-mcp-client") == repository / ".gemini"


@pytest.mark.parametrize("chosen", ["", ".sparring", "./a/../.sparring/deep"])
def test_a_state_folder_that_leads_out_of_the_project_is_refused(repository: Path, chosen: str):
    (repository.parent / "elsewhere").mkdir()
    (repository / ".sparring").symlink_to(repository.parent / "elsewhere")
    with pytest.raises(
        SettingsError, match=r"\.sparring.* is a link that points outside the project\. .*absolute path"
    ):
        state_root(repository, {"AI_STATE_DIR": chosen})


@pytest.mark.parametrize("chosen", ["{}/linked", "../linked", "~/linked"])
def test_a_chosen_state_folder_outside_the_project_may_be_a_link(repository: Path, chosen: str):
    home = repository.parent
    (home / "elsewhere").mkdir()
    (home / "linked").symlink_to("elsewhere")
    environment = {"AI_STATE_DIR": chosen.format(home), "HOME": str(home)}
    assert state_root(repository, environment).resolve() == home / "elsewhere"
