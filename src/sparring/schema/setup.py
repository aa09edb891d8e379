"""Findings and changes on a machine: ``sparring doctor`` and ``providers``, ``install`` and ``uninstall``."""

from enum import StrEnum

from sparring.schema.base import Record, ToolName
from sparring.schema.consultation import FailureCode


class Health(StrEnum):
    """Health of a provider.

    READY: it can be asked (after a deep check: it answered). MISSING: not installed. BROKEN: installed, but it does not
    run, does not answer, or its provider file cannot be used.
    """

    READY = "ready"
    MISSING = "missing"
    BROKEN = "broken"


class ProviderDiagnosis(Record):
    """One provider.

    Attributes:
        doubt: Doubts about its version, and notices for users of the tool.
        failure: The code of a deep check that failed.
        structured: Treatment of schemas of answers, by its file; ``refused`` where a deep check found otherwise.
    """

    name: ToolName
    kind: str
    family: str | None
    origin: str
    health: Health
    version: str = ""
    doubt: str = ""
    location: str = ""
    problem: str = ""
    advice: str = ""
    failure: FailureCode | None = None
    structured: str = ""


class RunningServer(Record):
    """A model server on this machine.

    Attributes:
        kind: The program, by its own report; ``other`` for one that only has a list of models.
        models: The ids of its models.
        context_tokens: Window in tokens of the first of them with a known one; None: it is not reported.
        is_loading: Whether it is only about to be ready.
        tools: The tools that ask it.
    """

    kind: str
    address: str
    models: tuple[str, ...] = ()
    context_tokens: int | None = None
    is_loading: bool = False
    tools: tuple[ToolName, ...] = ()


class Weight(StrEnum):
    """Weight of a finding. PROBLEM: it does not work like this. ADVICE: it does, but not as well as it could."""

    PROBLEM = "problem"
    ADVICE = "advice"


class Mistake(Record):
    """One mistake, and what to do about it."""

    weight: Weight
    problem: str
    advice: str = ""


class HostDiagnosis(Record):
    """One host with its entry for this server.

    Attributes:
        location: Its program; empty if it is not on PATH.
        settings: The file that holds our entry; empty if none does.
        command: The command of the entry.
        tools: How many tools the server offered when it was started; None if it was not or did not answer.
    """

    host: ToolName
    title: str
    version: str = ""
    location: str = ""
    settings: str = ""
    command: str = ""
    tools: int | None = None
    findings: tuple[Mistake, ...] = ()


class Diagnosis(Record):
    """This machine, project and user as sparring sees them.

    Attributes:
        deep: Whether each tool was asked a question.
        problems: Problems other than those of single providers: unusable provider files, an unwritable state directory,
            a key that cannot be used.
        came_with_project: Records in the state folders by other authors, which decide nothing.
        servers: Model servers on this machine, found at the addresses of provider files and by their own reports.
    """

    sparring_version: str
    python_version: str
    project: str
    state: str
    provider_dir: str
    deep: bool
    providers: tuple[ProviderDiagnosis, ...]
    problems: tuple[str, ...]
    came_with_project: tuple[str, ...] = ()
    servers: tuple[RunningServer, ...] = ()


class ListedProvider(Record):
    """One provider, by its file and this machine's programs; nothing was started.

    Attributes:
        origin: ``built-in``, or the user's file.
        location: Its program, script or address, where it has one.
        problem: Why it is not available; empty when it is.
    """

    name: ToolName
    kind: str
    family: str | None
    title: str
    origin: str
    available: bool
    location: str = ""
    problem: str = ""
    advice: str = ""


class WrittenProvider(Record):
    """A provider file that was written."""

    name: ToolName
    file: str
    text: str


class ProviderList(Record):
    """Providers that can be asked, and the problems of the others.

    Attributes:
        problems: Files of the user's that cannot be used, each with its line and the reason.
        ignored: Files of the repository, which are never read.
    """

    provider_dir: str
    providers: tuple[ListedProvider, ...]
    problems: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


class Scope(StrEnum):
    """Scope of a host's configuration: the user in every project, or all users of this one."""

    USER = "user"
    PROJECT = "project"


class FileAction(StrEnum):
    """Change to one file."""

    CREATE = "create"
    CHANGE = "change"
    DELETE = "delete"


class InstalledFile(Record):
    """One file that was changed, or would be.

    Attributes:
        diff: Its changes as a unified diff, without secrets.
        backup: Copy of the earlier content; empty without any, or if that was unchanged from an installation.
    """

    path: str
    action: FileAction
    diff: str
    backup: str = ""


class HostOutcome(StrEnum):
    """Result for one host. DONE: its files are as they should be now (with a dry run: would be)."""

    DONE = "done"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"


class HostInstallation(Record):
    """One host; ``reason`` is why it was skipped, ``notes`` are for the user to know or do."""

    host: str
    title: str
    outcome: HostOutcome
    files: tuple[InstalledFile, ...] = ()
    reason: str = ""
    notes: tuple[str, ...] = ()


class Installation(Record):
    """Result of an ``install`` or ``uninstall``; in a dry run nothing was written."""

    action: str
    scope: Scope
    dry_run: bool
    hosts: tuple[HostInstallation, ...]
