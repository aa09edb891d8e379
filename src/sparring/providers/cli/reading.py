"""The place of a program that may read the project: a private copy of it, never the project itself."""

from dataclasses import replace

from sparring.errors import ConfigurationError
from sparring.providers.cli.confinement import Surroundings
from sparring.schema.base import RepoAccess
from sparring.schema.consultation import Answer, Question, Reply


def reading_place(question: Question, surroundings: Surroundings) -> Surroundings:
    """``surroundings`` with the copy in the place of the project, where ``question`` allows reading it.

    Raises:
        ConfigurationError: There can be no copy.
        OSError: It cannot be written.
    """
    if question.repo_access is not RepoAccess.READ:
        return surroundings
    if surroundings.copy is None:
        raise ConfigurationError("There is no copy of the project that could be read.")
    return replace(surroundings, project=surroundings.copy.refreshed(), closed=(), copy=None)


def in_words_of_project(reply: Reply, question: Question, surroundings: Surroundings) -> Reply:
    """``reply`` to ``question``, in which files are named as they lie in the project and not in the copy."""
    if question.repo_access is not RepoAccess.READ or surroundings.copy is None or not isinstance(reply, Answer):
        return reply
    return reply.model_copy(update={"response": surroundings.copy.in_words_of_project(reply.response)})
