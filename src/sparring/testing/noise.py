"""Noise of real programs: put around, between and into the recorded output of a program.

Each of these outputs still has the whole answer and its end, so every reader has to find the same answer:

    for disturbed in noise.disturbed(printed):
        assert answer_in(disturbed.output) == answer_in(printed), disturbed.name

``NOISE`` are texts that programs print in addition to their answer, ``PLACES`` the places where they print them, and
``REWRITES`` forms of the same events in another version, through another program, or with another setting.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from msgspec import Struct

_LOG: dict[str, Any] = {"timestamp": "2026-08-04T04:02:40Z", "level": "WARN", "fields": {"message": "slow"}}

NOISE: Mapping[str, str] = {
    "update notice": "Update available! 0.61.0 -> 0.62.0. Run: npm i -g it",
    "update box": "╭──────────────────╮\n│ Update available │\n╰──────────────────╯",
    "deprecation warning": "(node:66) [DEP0040] DeprecationWarning: The `punycode` module is deprecated.",
    "trace hint": "(Use `node --trace-deprecation ...` to show where the warning was created)",
    "experimental warning": "ExperimentalWarning: CommonJS module x is loading ES Module y using require().",
    "npm notice": "npm notice\nnpm notice New major version of npm available! 10.8.2 -> 11.6.0",
    "login notice": "Loaded cached credentials.",
    "warning of a terminal": "Warning: True color (24-bit) support not detected.",
    "shell trace": "+ exec it --json",
    "timestamped log": "2026-08-04 04:02:40,118 WARNING it.core: cache is cold",
    "tracing log": "2026-08-04T04:02:40.118Z  WARN it_core::cache: cold {attempt=1}",
    "log with braces": "level=info ctx={user: me, tags: [a, b]} done",
    "JSON log line": json.dumps(_LOG),
    "JSON log line of another kind": json.dumps({"level": 40, "time": 1795828303442, "pid": 1, "msg": "slow"}),
    "JSON log line with an error in it": json.dumps(
        {"level": "error", "msg": "no update server", "error": "ENOTFOUND"}
    ),
    "pretty JSON log": json.dumps(_LOG, indent=2),
    "event of an unknown type": json.dumps({"type": "telemetry.beacon", "data": {"content": "No.", "text": "No."}}),
    "event without a type": json.dumps({"event": "ready", "text": "No."}),
    "event whose type is no text": json.dumps({"type": 7, "text": "No."}),
    "empty object": "{}",
    "empty array": "[]",
    "JSON array": '["a", "b", 3]',
    "JSON text": '"ready"',
    "JSON number": "42",
    "null": "null",
    "undefined": "undefined",
    "stray brace": 'unexpected { " in the configuration',
    "stray bracket": "[warn] [1/3] still here",
    "closing braces": "}}} ]",
    "half an object of somebody else's": '{"cache": {"hits": 3, "misses"',
    "Python literal": "{'level': 'info', 'ok': True}",
    "HTML": "<html><head><title>502 Bad Gateway</title></head><body></body></html>",
    "stack trace": "Error: cannot read history\n    at load (file:///x.js:3:14)\n    at async main (file:///y.js:1:5)",
    "Python traceback": 'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\nOSError: no',
    "blank lines": "\n \n\t\n",
    "byte order mark": "\ufeff",
    "colour reset": "\x1b[0m",
    "coloured word": "\x1b[1;33mwarning\x1b[0m",
    "bracketed paste": "\x1b[?2004h",
    "hidden cursor": "\x1b[?25l\x1b[2K\x1b[1G",
    "window title": "\x1b]0;it — working\x07",
    "window title, the other end": "\x1b]2;it\x1b\\",
    "link": "\x1b]8;;https://example.org\x1b\\docs\x1b]8;;\x1b\\",
    "spinner": "⠋ thinking\r⠙ thinking\r\x1b[K",
    "progress bar": "[=====>     ] 50%\r[==========] 100%\r",
    "backspaces": "-\b\\\b|\b/\b",
    "null bytes": "\x00\x00",
    "bell": "\x07",
    "undecodable bytes": "\ufffd\ufffd",
    "long line": "." * 20_000,
    "right-to-left text": "\u202eتحذير\u202c",
}
"""Texts that programs print in addition to their answer."""


def _between(output: str, noise: str) -> str:
    """Return ``output`` with ``noise`` between its events, which are one a line."""
    lines = output.strip("\n").split("\n")
    if len(lines) == 1 or not all(map(_is_object, lines)):
        return output
    return f"\n{noise}\n".join(lines) + "\n"


PLACES: Mapping[str, Callable[[str, str], str]] = {
    "before": lambda output, noise: f"{noise}\n{output}",
    "after": lambda output, noise: f"{output}\n{noise}\n",
    "around": lambda output, noise: f"{noise}\n{output}\n{noise}\n",
    "between": _between,
    "before, on the same line": lambda output, noise: f"{noise} {output}",
    "attached before": lambda output, noise: noise + output,
    "after, on the same line": lambda output, noise: output.rstrip("\n") + noise,
}
"""Its places."""

_UNFIT = frozenset(
    {("half an object of somebody else's", place) for place in ("before, on the same line", "attached before")}
)
"""Pairs that together would be another text: an object that is never closed swallows the rest of its line."""


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def events(output: str) -> list[dict[str, Any]]:
    """Return the objects of an output that holds nothing else: one, an array of them, or one a line."""
    try:
        parsed: Any = json.loads(output)
    except ValueError:
        return [json.loads(line) for line in output.splitlines() if line.strip()]
    return cast("list[dict[str, Any]]", parsed if isinstance(parsed, list) else [parsed])


def _each(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[str], str]:
    return lambda output: "".join(json.dumps(change(event)) + "\n" for event in events(output))


def _with_unknown_members(event: dict[str, Any]) -> dict[str, Any]:
    return {"schema_version": 9, **event, "trace": {"ids": [1, None], "text": "No."}, "flags": []}


_USES = ("usage", "modelUsage", "stats", "tokens", "cost", "total_cost_usd", "duration_ms", "timestamp")


def _with_odd_use(event: dict[str, Any]) -> dict[str, Any]:
    changed = {
        name: _ODD[index % len(_ODD)] if name in _USES else value for index, (name, value) in enumerate(event.items())
    }
    part = changed.get("part")
    if isinstance(part, dict):
        changed["part"] = _with_odd_use(cast("dict[str, Any]", part))
    return changed


_ODD: tuple[Any, ...] = ([], "", None, "many", {"input_tokens": -1, "models": []}, True, [None])


def _coloured(output: str) -> str:
    """Return ``output`` as a program prints it that colours JSON."""
    text = json.dumps(events(output)[0], indent=2) if len(events(output)) == 1 else output
    return "\n".join(f"\x1b[32m{line}\x1b[0m" for line in text.split("\n"))


def _pretty(output: str, indent: int | str = 2) -> str:
    return "\n".join(json.dumps(event, indent=indent, ensure_ascii=False) for event in events(output))


REWRITES: Mapping[str, Callable[[str], str]] = {
    "pretty-printed": _pretty,
    "pretty-printed with tabs": lambda output: _pretty(output, "\t"),
    "ASCII only": _each(lambda event: event),
    "compact": lambda output: "\n".join(json.dumps(event, separators=(",", ":")) for event in events(output)),
    "all on one line": lambda output: " ".join(json.dumps(event) for event in events(output)),
    "without anything between": lambda output: "".join(json.dumps(event) for event in events(output)),
    "indented": lambda output: "".join(f"    {line}\n" for line in output.splitlines()),
    "line ends of Windows": lambda output: output.replace("\n", "\r\n"),
    "line ends of a terminal": lambda output: output.replace("\n", "\r\r\n"),
    "without a last line end": lambda output: output.rstrip("\n"),
    "one array": lambda output: json.dumps(events(output)),
    "one array over several lines": lambda output: json.dumps(events(output), indent=2),
    "an array that was never closed": lambda output: json.dumps(events(output), indent=2).rstrip("]\n"),
    "last of an array": lambda output: json.dumps([_LOG, {"type": "system", "subtype": "init"}, *events(output)]),
    "first of an array": lambda output: json.dumps([*events(output), _LOG]),
    "members in another order": _each(lambda event: dict(reversed(event.items()))),
    "unknown members": _each(_with_unknown_members),
    "odd use": _each(_with_odd_use),
    "coloured": _coloured,
    "each line with a prefix": lambda output: "".join(f"it | {line}\n" for line in _lines(output)),
    "each line with a timestamp": lambda output: "".join(f"2026-08-04T04:02:40Z {line}\n" for line in _lines(output)),
    "each line as an event of a stream": lambda output: "".join(f"data: {line}\n\n" for line in _lines(output)),
    "in a code fence": lambda output: f"```json\n{output}\n```\n",
}
"""Other forms of the same events."""


def _lines(output: str) -> list[str]:
    return [json.dumps(event, ensure_ascii=False) for event in events(output)]


class Disturbed(Struct, frozen=True):
    """An output with noise in it.

    Attributes:
        name: The noise and its place.
    """

    name: str
    output: str


def disturbed(output: str) -> Iterator[Disturbed]:
    """Yield ``output``, JSON that a program printed, with each kind of noise in each place, and in each other form."""
    for name, noise in NOISE.items():
        for place, put in PLACES.items():
            if (name, place) not in _UNFIT and (noisy := put(output, noise)) != output:
                yield Disturbed(f"{name}, {place}", noisy)
    for name, rewrite in REWRITES.items():
        yield Disturbed(name, rewrite(output))
