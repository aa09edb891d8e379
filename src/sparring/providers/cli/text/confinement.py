"""Nobody knows what a program of the user's own reads, so that it is started in an empty folder.

Where its file lets it read the project, and the question does, it is started in the project.
"""

from pathlib import Path

from sparring.providers.cli.confinement import Confinement, Surroundings
from sparring.schema.base import RepoAccess
from sparring.schema.consultation import Question
from sparring.schema.providers import ProgramProvider


def confine(spec: ProgramProvider, question: Question, surroundings: Surroundings) -> Confinement:
    """As every program's: where it is started."""
    del spec, surroundings
    return Confinement() if question.repo_access is RepoAccess.READ else Confinement(furnish=_alone)


def _alone(folder: Path) -> Confinement:
    return Confinement(cwd=folder)
