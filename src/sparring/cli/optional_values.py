"""Options whose value may be left out: ``--continue`` alone means the last session.

Typer has no such options, so the value is put in before it looks.
"""

from collections.abc import Sequence

CONTINUE = "--continue"
_LAST = f"{CONTINUE}=last"


def with_values(arguments: Sequence[str]) -> list[str]:
    """``arguments`` with the value put in where it was left out.

    That is where the next argument is an option, is a question (it holds white space), or is not there.
    """
    completed: list[str] = []
    for position, argument in enumerate(arguments):
        if argument == "--":
            return [*completed, *arguments[position:]]
        following = arguments[position + 1] if position + 1 < len(arguments) else "-"
        left_out = following.startswith("-") or len(following.split()) != 1
        completed.append(_LAST if argument == CONTINUE and left_out else argument)
    return completed
