"""What ``sparring doctor`` finds out."""

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
