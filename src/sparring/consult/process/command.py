"""What to start, and where it is found."""

import errno
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Command:
    """A program to start.

    Attributes:
        argv: The program, by path (a relative one starts at ``cwd``) or by name, and its arguments.
        env: All that the child gets to see of an environment. Its PATH is where a name is searched.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: Path


def find_program(program: str, path: str | None, *, mode: int = os.F_OK | os.X_OK) -> str | None:
    """The absolute path of ``program``, a bare name that is looked up on ``path`` or an absolute path already.

    Searched here and not by the system, for the sake of Windows' ``.cmd`` shims, and because a relative entry of
    PATH would let the project under work choose what we start. None for ``path`` stands for the system's default;
    ``mode`` says what must be possible with the file (``os.access``).
    """
    folders = [folder for folder in (path or os.defpath).split(os.pathsep) if Path(folder).is_absolute()]
    found = shutil.which(program, mode, path=os.pathsep.join(folders))
    # Windows looks into the current folder first.
    return found if found is not None and Path(found).is_absolute() else None


def located(command: Command) -> str:
    """The path of the program that ``command`` starts.

    Raises:
        FileNotFoundError: It is a name, and nothing on the PATH bears it.
    """
    program = command.argv[0]
    if Path(program).name != program:
        return str(command.cwd / program)
    found = find_program(program, command.env.get("PATH"))
    if found is None:
        raise FileNotFoundError(errno.ENOENT, "not found on PATH", program)
    return found
