"""What a provider cannot do of what is asked of it: said before anything is started, never ignored."""

import re
from collections.abc import Iterator

from sparring.schema.consultation import Question
from sparring.schema.providers import CliProvider, OfflineProvider, ProviderSpec


def unsupported(spec: ProviderSpec, question: Question) -> str | None:
    """What the provider cannot do of what is asked, as a sentence; None when it can do everything."""
    if isinstance(spec, CliProvider):
        return next(filter(None, _refusals(spec, question)), None)
    if isinstance(spec, OfflineProvider):
        if question.model is not None:
            return f"{spec.name} works without a model; it cannot use {question.model!r}."
        if question.session_id is not None:
            return f"{spec.name} keeps no sessions; it cannot continue {question.session_id!r}."
    return None


def _refusals(spec: CliProvider, question: Question) -> Iterator[str | None]:
    if question.model is not None and not spec.command.model:
        yield f"{spec.name} cannot be told which model to use; leave the model out."
    if question.effort is not None and question.effort not in spec.efforts:
        known = ", ".join(spec.efforts) or "none"
        yield f"{spec.name} has no effort level {question.effort.value!r}; it knows: {known}."
    if question.repo_access not in spec.repo_access:
        yield f"{spec.name} cannot be given {question.repo_access.value!r} access to the repository."
    if question.session_id is not None:
        yield _session_refusal(spec, question.session_id)


def _session_refusal(spec: CliProvider, session_id: str) -> str | None:
    if not spec.command.resume:
        return f"{spec.name} cannot continue a session."
    if spec.command.session_pattern and not re.fullmatch(spec.command.session_pattern, session_id):
        return f"{session_id!r} is not an id of a {spec.name} session."
    return None
