"""Declarations in code: Python through its parser, other languages by their declaring lines; SQL columns."""

import ast
import re
from collections.abc import Iterator, Sequence

from sparring.checks.claims.structured.entries import LONGEST_LINE, Aspect, StatedValue, unit_in_name

_LARGEST_PYTHON = 1 << 16
_PYTHON = re.compile(r"^[ \t]*(?:(?:async[ \t]+)?def[ \t]+\w+[ \t]*\(|class[ \t]+\w+|@\w+)", re.MULTILINE)
_MAY_DECLARE = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        *(r"=[^=\n]*(?:;|$)", r"\)[ \t]*(?:->|[:;{])", r"\??:[^:;\n]*;"),
        *(r"(?:function|fn|func|fun|def)[ \t]", r"[A-Z]{4,}"),
    )
)
"""Searched one by one: each begins with a letter or class that is fast to search for."""

_MODIFIERS = "export|public|private|protected|static|final|const|let|var|val|readonly|pub|mut|declare|auto|unsigned"
_TYPE = r"[A-Za-z_][\w<>\[\]?*&]*(?:(?:::|\.)[\w<>\[\]?*&]+)*"
_VALUE = r"\"[^\"\n]*\"|'[^'\n]*'|[\w.+-]+"
_DECLARED = re.compile(
    rf"[ \t]*(?P<modifiers>(?:(?:{_MODIFIERS})[ \t]+){{0,5}})(?:(?P<type>(?!ENV |ARG |export |set ){_TYPE})[ \t]+)?"
    r"(?P<key>[A-Za-z_]\w*)[ \t]*"
    rf"(?::[ \t]*(?P<after>[A-Za-z_&'][\w<>\[\]?&', .:]{{0,60}}?))?[ \t]*:?=[ \t]*(?P<value>{_VALUE})[ \t]*(?:;|$)[ \t]*(?://.*)?"
)
_MACRO = re.compile(rf"[ \t]*#[ \t]*define[ \t]+(?P<key>[A-Za-z_]\w*)[ \t]+\(?(?P<value>{_VALUE})\)?[ \t]*(?:/[/*].*)?")
_FIELD = re.compile(
    r"[ \t]*(?:readonly[ \t]+)?(?P<key>[A-Za-z_]\w*)(?P<mark>\?)?:[ \t]*(?P<type>[^;={}]{1,80});[ \t]*(?://.*)?"
)
_LITERAL = re.compile(r"(?<![\w.])([\d_.]{1,40})(?:[uU]?[lL]{1,2}|[uUfF])$")
"""A number with a type suffix, such as 2_500L."""

_HOLDS_FIELDS = re.compile(r"\b(?:interface|type|class)[ \t]+\w+")
_FUNCTION = re.compile(
    rf"[ \t]*(?:(?:public|private|protected|static|final|extern|inline|const|virtual|abstract|override)[ \t]+){{0,4}}"
    rf"(?!(?:return|new|else|throw|await|yield|case|goto|delete|typeof|if|do)\b)(?P<returns>{_TYPE})[ \t]+[*&]?"
    r"(?P<key>\w+)[ \t]*\((?P<args>[^()\n]{0,400})\)[ \t]*(?:const|throws[ \t][\w, .]+)?[ \t]*[{;][ \t]*"
)
_SIGNATURE = re.compile(
    r"[ \t]*(?:(?:export|public|private|protected|static|async|pub|unsafe|inline|virtual)[ \t]+){0,4}"
    r"(?:function|fn|func|fun|def)[ \t]+(?P<key>\w+)[ \t]*\((?P<args>[^()\n]{0,400})\)[ \t]*(?:->|:)?[ \t]*"
    r"(?P<returns>[A-Za-z_&*\[][\w<>\[\]?&*|., ]{0,60}?)?[ \t]*[{;:]?[ \t]*"
)
_PARAMETER = re.compile(
    r"(?P<key>[A-Za-z_]\w*)[ \t]*\??:?[ \t]*(?P<type>[A-Za-z_&\[][\w<>\[\]&?. |]*)?[ \t]*"
    rf"(?:=[ \t]*(?P<value>{_VALUE}))?"
)
_COLUMN = re.compile(
    r"[ \t(]*(?:ALTER[ \t]+TABLE[ \t]+\S+[ \t]+)?(?:ADD[ \t]+(?:COLUMN[ \t]+)?)?"
    r"(?!(?:private|public|protected|static|final|const)\b)[`\"\[]?(?P<key>[A-Za-z_]\w*)[`\"\]]?[ \t]+"
    r"(?P<type>(?:BIG|SMALL|TINY|MEDIUM)?(?:INT(?:EGER)?|SERIAL)"
    r"|(?:VAR)?CHAR(?:[ \t]*\([ \t]*\d+[ \t]*\))?|TEXT|BOOL(?:EAN)?|DATE(?:TIME)?|TIMESTAMP(?:TZ)?|REAL|FLOAT|UUID"
    r"|JSONB?|BLOB|BYTEA"
    r"|(?:NUMERIC|DECIMAL)(?:[ \t]*\([\d, ]+\))?|DOUBLE(?:[ \t]+PRECISION)?)\b(?P<rest>[^\n]*)",
    re.IGNORECASE,
)
_SQL_DEFAULT = re.compile(r"\bDEFAULT[ \t]+(?P<value>'[^'\n]*'|[\w.+-]+(?:\(\))?)", re.IGNORECASE)


def is_python(text: str) -> bool:
    """Report whether a line of ``text`` declares a function or class in Python's syntax."""
    return ("def " in text or "class " in text or "@" in text) and bool(_PYTHON.search(text))


def read_python(text: str, start: int) -> Iterator[StatedValue]:
    """Yield signatures, class attributes and constants of Python code.

    Raises:
        ValueError: It is not Python, too long, or has a backslash, for which the parser may warn.
        RecursionError: It is nested too deeply.
    """
    if len(text) > _LARGEST_PYTHON or "\\" in text or "\0" in text:
        raise ValueError("it is too long, or has a backslash")
    body = text.rstrip()
    if body.startswith(("def ", "async def ")) and "\n    " not in body:  # a signature alone
        text = f"{body.removesuffix(':')}: ..."
    try:
        tree = ast.parse(text)
    except (SyntaxError, MemoryError) as error:
        raise ValueError(str(error)) from error
    yield from _Python(text, start).read(tree.body, ())


class _Python:
    def __init__(self, text: str, start: int) -> None:
        self._lines = text.split("\n")
        self._starts = [start]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def read(self, body: Sequence[ast.stmt], path: tuple[str, ...]) -> Iterator[StatedValue]:
        for node in body:
            match node:
                case ast.ClassDef():
                    yield from self.read(node.body, (*path, node.name))
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    yield from self._function(node, (*path, node.name))
                case ast.AnnAssign(target=ast.Name(id=name)):
                    yield self._entry((*path, name), Aspect.TYPE, node.annotation)
                    if node.value:
                        yield self._entry((*path, name), Aspect.VALUE, node.value)
                case ast.Assign(targets=[ast.Name(id=name)]):
                    yield self._entry((*path, name), Aspect.VALUE, node.value)
                case _:
                    pass

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, path: tuple[str, ...]) -> Iterator[StatedValue]:
        if node.returns:
            yield self._entry(path, Aspect.RETURNS, node.returns)
        positional = [*node.args.posonlyargs, *node.args.args]
        defaults = [None] * (len(positional) - len(node.args.defaults)) + list(node.args.defaults)
        named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        for argument, default in (*zip(positional, defaults, strict=True), *named):
            name = (*path, argument.arg)
            if argument.annotation:
                yield self._entry(name, Aspect.TYPE, argument.annotation)
            if default:
                yield self._entry(name, Aspect.DEFAULT, default)
            yield StatedValue(name, Aspect.REQUIRED, "optional" if default else "required", *self._place(argument))

    def _entry(self, path: tuple[str, ...], which: Aspect, node: ast.expr) -> StatedValue:
        written = str(node.value) if isinstance(node, ast.Constant) else ast.unparse(node)
        return StatedValue(path, which, written, *self._place(node), unit_in_name(path[-1]))

    def _place(self, node: ast.expr | ast.arg) -> tuple[int, int]:
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        return self._at(first, node.col_offset), self._at(last, node.end_col_offset or node.col_offset)

    def _at(self, line: int, column: int) -> int:
        """Return the place of a column, which the parser counts in bytes."""
        return self._starts[line] + len(self._lines[line].encode()[:column].decode(errors="ignore"))


def read_declarations(text: str, start: int) -> Iterator[StatedValue]:
    """Yield the statements of single lines of code: variables with a value, signatures, columns of SQL."""
    if not any(pattern.search(text) for pattern in _MAY_DECLARE):
        return
    has_fields = bool(_HOLDS_FIELDS.search(text))
    for line in text.split("\n"):
        if len(line) > LONGEST_LINE:
            pass
        elif match := _COLUMN.fullmatch(line.rstrip(" \t,);")):
            yield from _column(match, start)
        elif match := _SIGNATURE.fullmatch(line) or _FUNCTION.fullmatch(line):
            yield from _signature(match, start)
        elif has_fields and (match := _FIELD.fullmatch(line)):
            yield _part(match, "type", (match["key"],), Aspect.TYPE, start)
            need = "optional" if match["mark"] else "required"
            begin, end = match.span("key")
            yield StatedValue((match["key"],), Aspect.REQUIRED, need, start + begin, start + end)
        elif match := _MACRO.fullmatch(line):
            yield _part(match, "value", (match["key"],), Aspect.VALUE, start)
        elif match := _DECLARED.fullmatch(line):
            yield from _declaration(match, start, is_closed=line.rstrip().endswith(";"))
        start += len(line) + 1


def _declaration(match: re.Match[str], start: int, *, is_closed: bool) -> Iterator[StatedValue]:
    """Yield value and type of a declared variable; nothing for ``key = value`` alone, which is a setting."""
    if not (match["modifiers"] or match["type"] or match["after"] or is_closed):
        return
    path = (match["key"],)
    yield _part(match, "value", path, Aspect.VALUE, start)
    for group in ("type", "after"):
        if match[group]:
            yield _part(match, group, path, Aspect.TYPE, start)


def _part(match: re.Match[str], group: str, path: tuple[str, ...], which: Aspect, start: int) -> StatedValue:
    begin, end = match.span(group)
    written = _LITERAL.sub(r"\1", match[group].strip("\"' "))
    return StatedValue(path, which, written, start + begin, start + end, unit_in_name(path[-1]))


def _signature(match: re.Match[str], start: int) -> Iterator[StatedValue]:
    key = match["key"]
    if match["returns"]:
        yield _part(match, "returns", (key,), Aspect.RETURNS, start)
    for part in re.finditer(r"[^,\s][^,]*", match["args"]):
        parameter = _PARAMETER.fullmatch(part[0].rstrip())
        if not parameter:
            continue
        path = (key, parameter["key"])
        begin = start + match.start("args") + part.start()
        if parameter["type"]:
            yield _part(parameter, "type", path, Aspect.TYPE, begin)
        if parameter["value"]:
            yield _part(parameter, "value", path, Aspect.DEFAULT, begin)


def _column(match: re.Match[str], start: int) -> Iterator[StatedValue]:
    key, rest = match["key"], match["rest"].upper()
    place = start + match.start("type"), start + match.end("rest")
    is_key = "PRIMARY KEY" in rest
    is_needed = is_key or "NOT NULL" in rest
    is_unique = is_key or "UNIQUE" in rest
    yield _part(match, "type", (key,), Aspect.TYPE, start)
    yield StatedValue((key,), Aspect.REQUIRED, "required" if is_needed else "optional", *place)
    yield StatedValue((key, "unique"), Aspect.VALUE, "true" if is_unique else "false", *place)
    yield StatedValue((key, "primary key"), Aspect.VALUE, "true" if is_key else "false", *place)
    default = _SQL_DEFAULT.search(match["rest"])
    if default:
        yield _part(default, "value", (key,), Aspect.DEFAULT, start + match.start("rest"))
