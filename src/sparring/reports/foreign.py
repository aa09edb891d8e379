"""Other people's Markdown inside ours.

Speech is quoted as a whole (``>``), not rewritten: whatever it opens (a fence, a list, a heading, an HTML comment) ends
with the quotation, and not a word changes. Demoting headings was refused; it needs a Markdown parser to tell a
heading from a comment in a code block, and leaves the unclosed fence. Everything that acts on a terminal is
taken out on the way, since reports are printed.
"""

import re
from collections.abc import Iterable, Sequence

from sparring.text.tidying import for_terminal

_BLOCK_START = re.compile(
    r"""
      (?P<number>\d{1,9})? (?(number) (?=[.)](?:\s|$)) | (?=
        \#{1,6}(?:\s|$) | > | [*+-](?:\s|$) | `{3} | ~{3} | < | (?:[*_-]\s*+){3,}$ | \[[^\]]+\]: | [=-]+$
      ))
    """,
    re.VERBOSE,
)
"""Where a line would begin a heading, list, fence and so on; what is matched ends where the backslash belongs."""

_MARKUP = re.compile(r"[\\`*~\[]|_(?<![^\W_]_)|_(?![^\W_])|<(?=[A-Za-z/!?])|&(?=#?\w+;)")
"""What would be emphasis, code, a link, HTML or an entity within a line; an underscore inside a word is none."""


def quoted(text: str) -> str:
    """``text`` as one block quotation that nothing inside can leave."""
    lines = for_terminal(text).strip("\n").split("\n")
    return "\n".join(f"> {line}" if line else ">" for line in lines)


def inline(text: str) -> str:
    """``text`` folded into one line that begins no heading, list, fence or other block."""
    line = " ".join(for_terminal(text).split())
    start = _BLOCK_START.match(line)
    return line if start is None else f"{line[: start.end()]}\\{line[start.end() :]}"


def after(lead: str, text: str) -> str:
    """``lead`` and ``text``: in one line if ``text`` is one, else as a quotation below."""
    return f"{lead}\n\n{quoted(text)}" if "\n" in for_terminal(text).strip() else f"{lead} {inline(text)}".strip()


def literal(text: str) -> str:
    """``text`` folded into one line that is shown as it is: nothing in it is emphasis, code, a link or HTML."""
    return inline(_MARKUP.sub(r"\\\g<0>", " ".join(for_terminal(text).split())))


def cell(text: str) -> str:
    """``text`` as ``literal``, for a cell of a table: no bar ends it."""
    return literal(text).replace("|", "\\|")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table. Cells are taken as they are: see ``cell``."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
