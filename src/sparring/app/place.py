"""Where we are: the project under work, and the folder in it that remembers."""

from dataclasses import dataclass
from pathlib import Path

from sparring.settings import Settings
from sparring.store.hosts import project_root, state_root


@dataclass(frozen=True)
class Place:
    """The project root and its state directory (``AI_STATE_DIR``)."""

    project: Path
    state: Path

    @classmethod
    def find(cls, settings: Settings, client: str | None) -> "Place":
        """The place for this process; ``client`` is the name of the MCP client, if there is one."""
        project = project_root(settings.cwd, settings.environment)
        return cls(project, state_root(project, settings.environment, client=client))
