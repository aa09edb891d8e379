"""Who can be asked: providers as data, whether each is there, and what it cannot do.

To be read from ``loading``, the files, by ``endpoints``, where an API is, to ``availability``.
"""

from sparring.consult.providers.availability import Available, Missing, NotExecutable, availability, unsupported
from sparring.consult.providers.loading import (
    BUILT_IN,
    FILE_LIMIT,
    ProviderProblem,
    Providers,
    is_users_own,
    load_providers,
    repository_files,
)

__all__ = [
    "BUILT_IN",
    "FILE_LIMIT",
    "Available",
    "Missing",
    "NotExecutable",
    "ProviderProblem",
    "Providers",
    "availability",
    "is_users_own",
    "load_providers",
    "repository_files",
    "unsupported",
]
