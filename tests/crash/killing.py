"""The real sparring, which ends at a moment of its own: ``python killing.py ROOT MOMENT SIGNAL ARGUMENT...``.

A moment is an operation on a file below ``ROOT``, or the start of a program, as Python's audit events tell of them
before they are done. At the one of that number, from 1, the process sends itself the signal; the others go on. How many
there were is put into the file ``moments`` of that folder.
"""

import atexit
import os
import sys
from pathlib import Path

_STARTS = frozenset({"subprocess.Popen", "os.posix_spawn", "os.fork"})
_FILES = frozenset({"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.chmod", "os.link"})


class Killing:
    """Counts the moments, and acts at one of them; ``0`` is none."""

    def __init__(self, root: str, moment: int, signum: int) -> None:
        self.seen = 0
        self._root = root
        self._moment = moment
        self._signum = signum

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if event in _STARTS or (event in _FILES and self._is_ours(arguments)):
            self.seen += 1
            if self.seen == self._moment:
                os.kill(os.getpid(), self._signum)

    def save(self) -> None:
        with open(f"{self._root}/moments", "w", encoding="ascii") as file:  # noqa: PTH123 -- nothing of ours opens it
            file.write(str(self.seen))

    def _is_ours(self, arguments: tuple[object, ...]) -> bool:
        path = arguments[0]
        if isinstance(path, str | Path) and str(path).startswith(self._root):
            return True
        # A name as seen from an open folder: only what removes trees of ours goes that way.
        return isinstance(path, str) and isinstance(arguments[-1], int) and arguments[-1] > 2 and "/" not in path


def main() -> None:
    """Do what is typed behind the first three arguments."""
    root, moment, signum = sys.argv[1:4]
    killing = Killing(root, int(moment), int(signum))
    sys.argv[1:] = sys.argv[4:]
    sys.addaudithook(killing)
    atexit.register(killing.save)  # the program ends its process itself
    from sparring.__main__ import main as sparring  # noqa: PLC0415 -- only now it is watched

    sparring()


if __name__ == "__main__":
    main()
