"""Where a text of code defines a name, and how far that definition reaches.

By the look of lines and their indentation, for the languages that people write: no parser knows them all, and a
snippet that no parser accepts is still cited. Each occurrence of a name is looked at once, with a bound.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

DEFINING_WORDS = (
    *("def", "class", "function", "func", "fn", "struct", "enum", "trait", "interface", "type", "module", "namespace"),
    *("protocol", "object", "record", "const", "let", "var", "impl", "mod", "union", "fun", "extension"),
)
CLASS_WORDS = frozenset(
    {"class", "struct", "enum", "trait", "interface", "type", "module", "namespace", "protocol", "object", "record"}
    | {"impl", "mod", "union", "extension"}
)

_REACH = 300
"""Most characters of a line that are read on either side of a name."""

_MODIFIERS = (
    "abstract|async|data|declare|default|export|extern|final|inline|internal|open|override|partial|private|protected|"
    r"pub(?:\([a-z]+\))?|public|readonly|sealed|static|suspend|unsafe|virtual"
)
_KEYWORD = re.compile(
    rf"\s*(?:(?:{_MODIFIERS})\s+)*({'|'.join(DEFINING_WORDS)})(?:<[^<>]*>)?\s+(?:\([^()]*\)\s*|self\.|[*&])?\Z"
)
"""Before the name; between the two Go has its receiver, and Ruby the class itself."""

_RECEIVER = re.compile(r"\s*func\s+\([^()]*?(\w+)\)\s+\Z")

_IMPL_FOR = re.compile(r"\s*impl\b[^{]*\bfor\s+\Z")
_OWN = re.compile(r"[ \t]*(?:(?:self|this|cls)\.|@)?\Z")
_ASSIGNED = re.compile(r"\s*(?::(?!:|=)|\s=(?!=))")
_MODIFIED = re.compile(r"[ \t]*(?:[\w<>\[\]*&.,:?]+[ \t]+)*\Z")
_NO_MODIFIER = re.compile(r"[ \t]*(?:return|await|yield|else|new|throw|raise|case|if|while|for|in|not|and|or|assert)\b")
_IMPORTING = re.compile(r"\s*(?:from\s+\S+\s+)?(?:import|use|export)\b|[^#]*\brequire\(")
_IN_A_LIST = re.compile(r"[ \t]*[\"']?\Z")
_LIST_ENTRY = re.compile(r"[\"']?,?[ \t]*\Z")
_CLOSING = (")", "]", "}")


@dataclass(frozen=True)
class Definition:
    """A definition of a name.

    Attributes:
        line: Where it begins, from 1.
        end_line: The last line of its block.
        is_class: It may have members.
        heading: Its first line behind the name, where bases stand.
    """

    line: int
    end_line: int
    is_class: bool
    heading: str


class Source:
    """The text of one file of code."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def lines(self) -> list[str]:
        """Its lines; what comes behind the last line feed is one, even if it is empty."""
        return self.text.split("\n")

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self.lines[:-1]:
            starts.append(starts[-1] + len(line) + 1)
        return starts

    def line_at(self, offset: int) -> int:
        """The number of the line in which ``offset`` is, from 1."""
        return bisect_right(self._starts, offset)

    def holds(self, name: str) -> bool:
        """Whether ``name`` stands anywhere as a whole word."""
        return next(self.occurrences(name), None) is not None

    def occurrences(self, name: str) -> Iterator[int]:
        """Where ``name`` stands as a whole word."""
        return (match.start() for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", self.text))

    def definitions(self, name: str) -> Iterator[Definition]:
        """Every definition of ``name`` by a word for that: a class, a function, a constant."""
        for offset in self.occurrences(name):
            before, behind = self._around(offset, name)
            found = _KEYWORD.match(before)
            if found or _IMPL_FOR.match(before):
                number = self.line_at(offset)
                is_class = found is None or found[1] in CLASS_WORDS
                yield Definition(number, self._block_end(number), is_class, behind)

    def has_member(self, name: str, first: int, last: int) -> bool:
        """Whether the lines from ``first`` to ``last`` define ``name``, as a function, a field or an attribute."""
        for offset in self.occurrences(name):
            if first <= self.line_at(offset) <= last and self._is_defined(offset, name):
                return True
        return False

    def has_method_of(self, receiver: str, name: str) -> bool:
        """Whether it defines a method as Go does, beside the type that it belongs to."""
        found = (_RECEIVER.match(self._around(offset, name)[0]) for offset in self.occurrences(name))
        return any(match is not None and match[1] == receiver for match in found)

    def offers(self, name: str) -> bool:
        """Whether whoever imports this file as a module can have ``name`` of it: defined in it, or passed on."""
        return any(
            self._is_defined(offset, name) or self._is_imported(offset, name) for offset in self.occurrences(name)
        )

    def _is_defined(self, offset: int, name: str) -> bool:
        before, behind = self._around(offset, name)
        if _KEYWORD.match(before) or (_OWN.match(before) and _ASSIGNED.match(behind)):
            return True
        opens = behind.startswith("(") and behind.rstrip().endswith("{")
        return opens and bool(_MODIFIED.match(before)) and not _NO_MODIFIER.match(before)

    def _is_imported(self, offset: int, name: str) -> bool:
        before, behind = self._around(offset, name)
        return bool(_IMPORTING.match(before) or (_IN_A_LIST.match(before) and _LIST_ENTRY.match(behind)))

    def _around(self, offset: int, name: str) -> tuple[str, str]:
        number = self.line_at(offset)
        line, column = self.lines[number - 1], offset - self._starts[number - 1]
        end = column + len(name)
        return line[max(column - _REACH, 0) : column], line[end : end + _REACH]

    def _block_end(self, number: int) -> int:
        indent, end = _indent(self.lines[number - 1]), number
        for position in range(number, len(self.lines)):
            line = self.lines[position].strip()
            if not line:
                continue
            if _indent(self.lines[position]) <= indent and not line.startswith(_CLOSING):
                return end
            end = position + 1
        return end


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
