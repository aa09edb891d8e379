"""A disk that takes no more, without one: the system refuses to write beyond a size of any file."""

import os
import resource
from collections.abc import Generator
from contextlib import contextmanager

_WATCHED = "COVERAGE_PROCESS_CONFIG"


@contextmanager
def largest_file(size: int) -> Generator[None]:
    """Let this process and those it starts write no file beyond ``size`` bytes.

    Nobody watches which branches these take: what they would write of it has no room either.
    """
    watched = os.environ.pop(_WATCHED, None)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        if watched is not None:
            os.environ[_WATCHED] = watched
