"""A machine on which hosts are set up, from the plan to the disk and back, without any process."""

from collections.abc import Callable
from pathlib import Path

from sparring.hosts.files import Receipt, apply_changes, made_by, tidy
from sparring.hosts.known import HostSurroundings, KnownHost, known_host
from sparring.hosts.plan import Plan
from sparring.schema.setup import Scope


class HostMachine:
    """A home folder and a project below one folder, what is put in and out there, and the receipt of what was made."""

    def __init__(
        self,
        root: Path,
        putting_in: Callable[[KnownHost, Scope, HostSurroundings, str, Receipt], Plan],
        taking_out: Callable[[KnownHost, Scope, HostSurroundings, Receipt], Plan],
    ) -> None:
        self.around = HostSurroundings(root / "home", root / "project", {})
        self.home, self.project = self.around.home, self.around.project
        self.home.mkdir()
        self.project.mkdir()
        self.receipt = Receipt()
        self._putting_in, self._taking_out = putting_in, taking_out

    def files(self) -> dict[Path, bytes | None]:
        """All that lies below the home folder and the project."""
        found = (path for folder in (self.home, self.project) for path in folder.rglob("*"))
        return {path: path.read_bytes() if path.is_file() else None for path in found}

    def plan(self, host: str, scope: Scope = Scope.USER, program: str = "/opt/my bin/sparring") -> Plan:
        return self._putting_in(known_host(host), scope, self.around, program, self.receipt)

    def install(self, host: str, scope: Scope = Scope.USER, program: str = "/opt/my bin/sparring") -> list[Path]:
        """The backups that were made."""
        changes = self.plan(host, scope, program).changes
        made = made_by(changes)
        backups = apply_changes(changes, scope)
        self.receipt = self.receipt.with_made(made, {each.path: each.after for each in changes if each.after})
        return [backup for backup in backups if backup]

    def uninstall(self, host: str, scope: Scope = Scope.USER) -> Plan:
        plan = self._taking_out(known_host(host), scope, self.around, self.receipt)
        apply_changes(plan.changes, scope)
        tidy(plan.changes, self.receipt)
        return plan
