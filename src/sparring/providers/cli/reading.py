"""Where a program is pointed at when it may read the project: at a private copy of it, never at the project itself."""

from dataclasses import replace

from sparring.providers.cli.confinement import Surroundings
from sparring.providers.lookup.snapshot import Readable
from sparring.schema.base import RepoAccess
from sparring.schema.consultation import Answer, Question, Reply
from sparring.text.redaction import Redactor


def reading_place(question: Question, surroundings: Surroundings, redactor: Redactor) -> Surroundings:
    """``surroundings`` with the copy in the place of the project, where ``question`` allows reading it.

    Raises:
        ConfigurationError: There can be no copy.
        OSError: It cannot be written.
    """
    if question.repo_access is not RepoAccess.READ:
        return surroundings
    return replace(surroundings, project=readable(surroundings, redactor).refreshed(), closed=())


def in_words_of_project(reply: Reply, question: Question, surroundings: Surroundings, redactor: Redactor) -> Reply:
    """``reply`` to ``question``, in which files are named as they lie in the project and not in the copy."""
    if question.repo_access is not RepoAccess.READ or not isinstance(reply, Answer):
        return reply
    response = readable(surroundings, redactor).in_words_of_project(reply.response)
    return reply.model_copy(update={"response": response})


def readable(surroundings: Surroundings, redactor: Redactor) -> Readable:
    """What of the project a program may read that is started in ``surroundings``."""
    return Readable(
        project=surroundings.project,
        environment=surroundings.environment,
        private_dir=surroundings.private_dir,
        redactor=redactor,
        closed=tuple(surroundings.closed_inside()),
        named=surroundings.named,
    )
