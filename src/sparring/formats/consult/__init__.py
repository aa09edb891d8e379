"""The plain consultation: ``rules``, and the ``report`` of what was answered."""

from sparring.engine.format import Format, Presentation, Rules
from sparring.errors import ExitCode
from sparring.prompts import PromptLibrary
from sparring.schema.consult import ConsultRequest, ConsultStatus, LastMultiSession, LastSession

__all__ = ["FORMAT"]


def _rules(request: ConsultRequest, prompts: PromptLibrary) -> Rules:
    from sparring.formats.consult.rules import Consultation  # noqa: PLC0415 -- see Format

    return Consultation(request, prompts)


def _presentation() -> Presentation:
    from sparring.formats.consult.report import PRESENTATION  # noqa: PLC0415 -- see Format

    return PRESENTATION


FORMAT = Format(
    name="consult",
    request=ConsultRequest,
    rules=_rules,
    presentation=_presentation,
    exit_codes={
        ConsultStatus.COMPLETED: ExitCode.DONE,
        ConsultStatus.FAILED: ExitCode.FAILED,
    },
    last_files=(
        ("consult/last-session.json", LastSession),
        ("consult/last-multi-session.json", LastMultiSession),
    ),
)
