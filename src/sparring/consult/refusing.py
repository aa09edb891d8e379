"""Why a program is not started for a question, or could not be: the same for every program, whatever it speaks."""

from sparring.consult.commands import DEPTH_LIMIT, depth_of
from sparring.consult.confinement import Surroundings
from sparring.consult.prompt_text import prompt_text
from sparring.consult.providers import unsupported
from sparring.schema.consultation import DETAIL_LIMIT, Failure, FailureCode, Question
from sparring.schema.providers import ProgramProvider
from sparring.text.tidying import one_line


def refusal(spec: ProgramProvider, question: Question, surroundings: Surroundings) -> Failure | None:
    """Why ``spec`` is not even started for ``question``; None when it may be."""
    name, limit = spec.name, spec.prompt_limit
    if depth_of(surroundings.environment) >= DEPTH_LIMIT:
        detail = f"sparring runs inside a tool that sparring started; {name} is not started once more."
        return failed(spec, FailureCode.UNSUPPORTED, detail)
    project = surroundings.project
    if not project.is_dir():  # else the program would be said to be missing
        return failed(spec, FailureCode.EXIT, f"The project folder `{project}` is not there any more.")
    if reason := unsupported(spec, question):
        return failed(spec, FailureCode.UNSUPPORTED, reason)
    if limit is not None and (length := len(prompt_text(spec, question))) > limit:
        detail = f"{name} takes prompts of at most {limit:,} characters; this one has {length:,}."
        return failed(spec, FailureCode.CONTEXT_TOO_LONG, detail)
    return None


def not_started(spec: ProgramProvider, error: OSError, *, duration_ms: int) -> Failure:
    """The failure of a program that the system would not start, or whose files could not be made."""
    place = f"`{error.filename}`" if error.filename else "The program"
    match error:
        case FileNotFoundError():
            code, detail = FailureCode.NOT_FOUND, f"{place} is not there. {spec.install}"
        case PermissionError():
            code, detail = FailureCode.PERMISSION, f"{place} may not be used: {error.strerror}."
        case _:
            code, detail = FailureCode.EXIT, f"{place} cannot be used: {error.strerror}."
    return failed(spec, code, detail, duration_ms=duration_ms)


def failed(spec: ProgramProvider, code: FailureCode, detail: str, *, duration_ms: int = 0) -> Failure:
    """A failure of ours to ask ``spec``; ``detail`` holds nothing that the program said."""
    return Failure(tool=spec.name, code=code, detail=one_line(detail, DETAIL_LIMIT), duration_ms=duration_ms)
