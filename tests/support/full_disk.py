"""A disk that takes no more, without one: the system refuses to write beyond a size of any file."""

import resource
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def largest_file(size: int) -> Generator[None]:
    """Let this process and those it starts write no file beyond ``size`` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
