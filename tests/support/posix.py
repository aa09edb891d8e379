"""Test modules that cannot be imported without POSIX, as on Windows."""

import re
from pathlib import Path

_TESTS = Path(__file__).parents[1]
_NAMES = re.compile(
    r"^(?:import|from) (?:fcntl|grp|pty|pwd|resource|termios|tty)\b"
    r"|\bsignal\.SIG(?:ALRM|CHLD|CONT|HUP|KILL|PIPE|QUIT|STOP|TSTP|USR1|USR2)\b"
    r"|\bos\.(?:fork|getuid|geteuid|getpgid|killpg|mkfifo|setsid|wait4)\b",
    re.MULTILINE,
)
"""Modules, signals and functions that there are on POSIX only."""

_SUPPORT = re.compile(r"^(?:from support\.(\w+) |from support import (\w+))", re.MULTILINE)


def needs_posix(file: Path) -> bool:
    """Return whether the module, or one of ``support`` that it imports, names what there is on POSIX only.

    Where in the module does not matter: a test that sends SIGKILL has no more to say on Windows than one that
    cannot be imported.
    """
    pending, seen = [file], set[Path]()
    while pending:
        text = (module := pending.pop()).read_text(encoding="utf-8")
        seen.add(module)
        if _NAMES.search(text):
            return True
        named = ({_TESTS / "support" / f"{one or other}.py" for one, other in _SUPPORT.findall(text)}) - seen
        pending += [each for each in named if each.is_file()]
    return False
