"""Which of an agent's requests for permission is granted: looking at the project, if that was allowed, and no more."""

import os
from collections.abc import Sequence
from pathlib import Path, PureWindowsPath

from acp.schema import AllowedOutcome, DeniedOutcome, PermissionOption, RequestPermissionResponse

from sparring.consult.acp.hearing import ToolCall
from sparring.schema.base import RepoAccess
from sparring.text.secret_files import may_hold_secrets

_LOOKING = frozenset({"read", "search"})


class Permits:
    """Judges what an agent does, or wants to do, with tools of its own.

    An agent tells of itself what kind of call it makes and where, so this holds an honest agent to what was allowed;
    it is no sandbox for another.
    """

    def __init__(self, project: Path, access: RepoAccess) -> None:
        self._project = project
        self._access = access

    def allows(self, call: ToolCall) -> bool:
        """Whether the call may be made: it looks, and only at places that it names and that are open."""
        return bool(call.paths()) and self.tolerates(call)

    def tolerates(self, call: ToolCall) -> bool:
        """Whether it is all right that the call was made without asking: it looked, and at nothing that is closed."""
        return self._access is RepoAccess.READ and call.kind in _LOOKING and all(map(self._is_open, call.paths()))

    def _is_open(self, path: str) -> bool:
        # Agents name files absolutely or from their working directory (opencode 1.18.33); "~" is for shells.
        if path.startswith("~") or "\0" in path or ".." in PureWindowsPath(path).parts:
            return False
        root = os.path.realpath(self._project)
        real = os.path.realpath(
            self._project / path
        )  # never raises for a place that is not there, or a circle of links
        if not Path(real).is_relative_to(root):
            return False
        return not may_hold_secrets(os.path.relpath(real, root)) and not may_hold_secrets(Path(path).name)


def response(options: Sequence[PermissionOption], *, allowed: bool) -> RequestPermissionResponse:
    """The answer to a request: once, or not this time. Nothing is granted or refused for good.

    Where there is no such option the request counts as cancelled, which grants nothing either.
    """
    wanted = "allow_once" if allowed else "reject_once"
    option = next((option for option in options if option.kind == wanted), None)
    if option is None:
        return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
    return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=option.option_id))
