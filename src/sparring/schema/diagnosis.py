"""What ``sparring doctor`` and ``sparring providers`` find out."""

from enum import StrEnum

from sparring.schema.base import Record, ToolName
from sparring.schema.consultation import FailureCode


class Health(StrEnum):
    """How a provider stands.

    READY: it can be asked (after a deep check: it answered). MISSING: not installed. BROKEN: installed, but it does not
    run, does not answer, or its provider file cannot be used.
    """

    READY = "ready"
    MISSING = "missing"
    BROKEN = "broken"


class ProviderDiagnosis(Record):
    """One provider. ``failure`` is the code of a deep check that failed."""

    name: ToolName
    kind: str
    family: str
    origin: str
    health: Health
    version: str = ""
    location: str = ""
    problem: str = ""
    advice: str = ""
    failure: FailureCode | None = None


class Diagnosis(Record):
    """This machine, project and user as sparring sees them.

    Attributes:
        deep: Whether each tool was asked a question, or only looked at.
        problems: What is wrong besides single providers: unusable provider files, an unwritable state directory.
    """

    sparring_version: str
    python_version: str
    project: str
    state: str
    provider_dir: str
    deep: bool
    providers: tuple[ProviderDiagnosis, ...]
    problems: tuple[str, ...]


class ListedProvider(Record):
    """One provider, as its file and a look at this machine have it; nothing was started.

    Attributes:
        origin: ``built-in``, or the user's file.
        location: Its program, script or address, where it has one.
        problem: Why it is not available; empty when it is.
    """

    name: ToolName
    kind: str
    family: str
    title: str
    origin: str
    available: bool
    location: str = ""
    problem: str = ""
    advice: str = ""


class ProviderList(Record):
    """Who can be asked, and what stood in the way of others.

    Attributes:
        problems: Files of the user's that cannot be used, each with its line and the reason.
        ignored: Files of the repository, which are never read.
    """

    provider_dir: str
    providers: tuple[ListedProvider, ...]
    problems: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
