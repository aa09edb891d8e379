"""Change one member of a JSON text with comments, and not one other byte of it.

Own code, since none of the libraries convinces: ``json-five`` 1.1 keeps comments and white space, but was last released
in 2024, accepts what hosts refuse (JSON5), and leaves it to its caller to place commas and comments in its tree;
``jsonc-edit`` 0.2 starts a JavaScript process.
"""

import json
import re
from collections.abc import Sequence

from msgspec import Struct
from pydantic import JsonValue

from sparring.text.jsonc import parse_jsonc

_TOKEN = re.compile(
    r'(?P<blank>\s+|//[^\n]*?(?=\r?\n|\Z)|/\*.*?\*/)|(?P<string>"(?:[^"\\]|\\.)*")|[{}\[\],:]|[^\s"{}\[\],:/]+',
    re.DOTALL,
)
_BOM = "\ufeff"


class _Token(Struct, frozen=True):
    text: str
    start: int
    end: int


class _Member(Struct, frozen=True):
    key: str
    start: int
    value: int  # the number of the token that its value begins with
    end: int
    comma: _Token | None  # the one behind it


class _Object(Struct, frozen=True):
    start: int
    end: int  # where the closing brace stands
    inside: int  # end of its last token or comment; after its opening brace if there is none
    members: tuple[_Member, ...]
    is_list: bool = False


NEXT = "-"
"""As the last part of a path: behind the last item of a list. Its items are otherwise called 0, 1, 2 ..."""


def with_member(text: str, path: Sequence[str], value: JsonValue) -> str:
    """Return ``text`` with the member at ``path`` set to ``value``; missing objects on the path are created.

    A member is one of an object, or an existing item of a list.

    New lines are indented as their neighbours are. An empty text is taken as an empty object.

    Raises:
        ValueError: It is not JSON with comments, or a part of the path is no object.
    """
    parse_jsonc(text)
    scan = _Scan(text)
    if scan.is_empty:
        gap = "" if not text.strip(_BOM) or text.endswith("\n") else "\n"
        return f"{text}{gap}{json.dumps(_nested(path, value), indent=2, ensure_ascii=False)}\n"
    node = scan.root()
    for depth, key in enumerate(path):
        member = _find(node, key)
        if member is None:
            return scan.inserted(node, key, _nested(path[depth + 1 :], value))
        if depth == len(path) - 1:
            return scan.replaced(member, value)
        node = scan.holder_at(member.value)
    raise ValueError("no path")


def without_member(text: str, path: Sequence[str]) -> str:
    """Return ``text`` without the existing member at ``path``. An insertion of ``with_member`` is undone completely.

    Raises:
        ValueError: It is not JSON with comments, or there is no such member.
    """
    key = path[-1]
    scan, node = _holder(text, path)
    occurrences = sum(member.key == key for member in node.members)
    for _ in range(occurrences - 1):  # a key may occur twice
        scan, node = _holder(scan.removed(node, key), path)
    return scan.removed(node, key)


def written_value(text: str, path: Sequence[str]) -> str:
    """Return the value of the existing member at ``path``, as it is written.

    Raises:
        ValueError: As ``without_member``.
    """
    scan, node = _holder(text, path)
    return scan.written(node, path[-1])


def _holder(text: str, path: Sequence[str]) -> "tuple[_Scan, _Object]":
    parse_jsonc(text)
    scan = _Scan(text)
    node = scan.root()
    for key in path[:-1]:
        member = _find(node, key)
        if member is None:
            raise ValueError(f"no {key}")
        node = scan.holder_at(member.value)
    return scan, node


def _nested(path: Sequence[str], value: JsonValue) -> JsonValue:
    for key in reversed(path):
        value = {key: value}
    return value


def _find(node: _Object, key: str) -> _Member | None:
    # Of two members of the same name the last one counts, as for every reader.
    return next((member for member in reversed(node.members) if member.key == key), None)


class _Scan:
    """A text with its tokens. It has been parsed before, so a token out of place is a trait of a lenient parser."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._newline = "\r\n" if "\r\n" in text else "\n"
        indent = re.search(r"\n([ \t]+)\S", text)
        self._unit = indent[1] if indent else "  "
        begin = len(_BOM) if text.startswith(_BOM) else 0
        matches = list(_TOKEN.finditer(text, begin))
        self._tokens = [_Token(match[0], match.start(), match.end()) for match in matches if match["blank"] is None]
        self._filled = [match.end() for match in matches if match[0].strip()]  # where tokens and comments end
        self._open = {match.end() for match in matches if match[0].startswith("//")}

    @property
    def is_empty(self) -> bool:
        """Return whether it has nothing but white space and comments."""
        return not self._tokens

    def root(self) -> _Object:
        if self.is_empty:
            raise ValueError("there is nothing in it")
        return self.holder_at(0)

    def holder_at(self, number: int) -> _Object:
        """Return the object or list that the token of that number opens."""
        tokens = self._tokens
        closing = {"{": "}", "[": "]"}.get(tokens[number].text)
        if closing is None:
            raise ValueError("something on the way is neither an object nor a list")
        is_list = closing == "]"
        current = number + 1
        members: list[_Member] = []
        while tokens[current].text != closing:
            first = tokens[current]
            if first.text == "," or not (is_list or first.text.startswith('"')):
                raise ValueError("a comma has no value before it")
            if is_list:
                key, value = str(len(members)), current
            else:
                key, value = json.loads(first.text), current + 2  # after the key and its colon
            after = self._behind(value)
            comma = tokens[after] if tokens[after].text == "," else None
            members.append(_Member(key, first.start, value, tokens[after - 1].end, comma))
            current = after + 1 if comma else after
        close = tokens[current].start
        return _Object(tokens[number].start, close, self._filled_before(close), tuple(members), is_list)

    def inserted(self, node: _Object, key: str, value: JsonValue) -> str:
        if node.is_list and key != NEXT:
            raise ValueError("there is a list where an object belongs")
        text, indent_of_holder = self._text, self._line_indent(node.start)
        last = node.members[-1] if node.members else None
        # A comment that reaches to the end of its line needs a new line after it.
        ends_line = self._ends_line(node.inside)
        is_inline = last and "\n" not in text[node.start : last.start] + text[last.end : node.inside]
        if is_inline and not ends_line:
            name = "" if node.is_list else f"{json.dumps(key, ensure_ascii=False)}: "
            member = f" {name}{json.dumps(value, ensure_ascii=False)}"
        else:
            indent = self._line_indent(last.start) if last and not is_inline else indent_of_holder + self._unit
            member = self._newline + indent + self._rendered([value] if node.is_list else {key: value}, indent)
        before, after = text[: node.inside], text[node.inside :]
        if last is None:
            if not ends_line:
                # Also above an existing line end, which stays when the member is removed.
                member += self._newline + indent_of_holder
        elif last.comma:
            member += ","  # as its neighbour has it
        else:
            before = text[: last.end] + "," + text[last.end : node.inside]
        return before + member + after

    def replaced(self, member: _Member, value: JsonValue) -> str:
        start = self._tokens[member.value].start
        indent = self._line_indent(member.start)
        lines = "\n" in self._text[start : member.end] or not isinstance(value, list | dict)
        written = json.dumps(value, indent=self._unit if lines else None, ensure_ascii=False)
        return self._text[:start] + self._broken(written, indent) + self._text[member.end :]

    def written(self, node: _Object, key: str) -> str:
        member = _find(node, key)
        if member is None:
            raise ValueError(f"no {key}")
        return self._text[self._tokens[member.value].start : member.end]

    def removed(self, node: _Object, key: str) -> str:
        number = max((n for n, member in enumerate(node.members) if member.key == key), default=None)
        if number is None:
            raise ValueError(f"no {key}")
        member, text = node.members[number], self._text
        end = member.comma.end if member.comma else member.end
        if number < len(node.members) - 1:
            # The next member takes its place, with the indentation that is there.
            return text[: member.start] + text[end:].lstrip()
        # The last one goes with the white space before it, and the comma before that if it had none itself.
        start = self._filled_before(member.start)
        before, after = text[:start], text[end:]
        previous = node.members[number - 1] if number else None
        if previous and previous.comma and not member.comma:
            before = text[: previous.comma.start] + text[previous.comma.end : start]
        if len(node.members) == 1 and not self._ends_line(start) and not text[end : node.end].strip():
            ours = re.match(rf"\r?\n{self._line_indent(node.start)}", after)
            after = after[ours.end() :] if ours else text[node.end :]
        elif self._ends_line(start) and "\n" not in after[: len(after) - len(after.lstrip())]:
            after = self._newline + after
        return before + after

    def _filled_before(self, position: int) -> int:
        """Return the end of the last token or comment before ``position``."""
        return max(end for end in self._filled if end <= position)

    def _ends_line(self, position: int) -> bool:
        """Return whether a comment ends there that only a line end can close."""
        return position in self._open

    def _behind(self, number: int) -> int:
        """Return the number of the token after the value that begins with that token."""
        depth = 0
        while True:
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(self._tokens[number].text, 0)
            number += 1
            if depth <= 0:
                return number

    def _line_indent(self, position: int) -> str:
        line = self._text[self._text.rfind("\n", 0, position) + 1 : position].removeprefix(_BOM)
        return line[: len(line) - len(line.lstrip())]

    def _rendered(self, holder: JsonValue, indent: str) -> str:
        written = json.dumps(holder, indent=self._unit, ensure_ascii=False)
        inner = "\n".join(line.removeprefix(self._unit) for line in written.split("\n")[1:-1])
        return self._broken(inner, indent)

    def _broken(self, written: str, indent: str) -> str:
        return written.replace("\n", self._newline + indent)
