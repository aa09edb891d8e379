"""Small records: Dockerfiles, requirement and lock lines, licences, test summaries, diffstats, HTTP responses."""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from sparring.checks.claims.parsing.lexicon import record_words
from sparring.checks.claims.structured.entries import LONGEST_LINE, Aspect, StatedValue, unit_in_name

_MAY_RECORD = re.compile(
    r"[=<>~^]=?[ \t]*v?\d|\d[ \t]+(?:pass|fail|files? changed)"
    r"|^(?:Benchmark\w|Ran[ \t]\d|[\w./\"@-]+(?:@|:?[ \t]\"?[\^~]?v?)\d)",
    re.MULTILINE,
)
_MARKING = (
    *("FROM", "EXPOSE", "WORKDIR", "USER", "ENV", "ARG", "STOPSIGNAL", "ENTRYPOINT", "CMD", "HTTP/"),
    *("icense", "icence", " under ", "\tunder ", "Failures:", "Failed:", "Passed:", "Tests run:"),
)
"""Words of records; a text without any of them only has records that ``_MAY_RECORD`` detects."""

_INSTRUCTION = re.compile(
    r"[ \t]*(?P<name>FROM|EXPOSE|WORKDIR|USER|ENV|ARG|STOPSIGNAL|ENTRYPOINT|CMD)[ \t]+(?P<value>[^\n#]+?)[ \t]*"
)
_PAIR = re.compile(r"(?P<key>[A-Za-z_]\w*)[= ](?P<value>\"[^\"\n]*\"|'[^'\n]*'|\S+)")
_IMAGE = re.compile(r"(?:--\S+[ \t]+)*(?P<image>[\w./-]+?)(?::(?P<tag>[\w.-]+))?(?:@\S+)?(?:[ \t]+(?i:AS)[ \t]+\S+)?")
_INSTRUCTIONS = {
    "WORKDIR": "working directory",
    "USER": "user",
    "STOPSIGNAL": "stop signal",
    "ENTRYPOINT": "entrypoint",
    "CMD": "command",
}
_REQUIREMENT = re.compile(
    r"[ \t]*(?:[-*][ \t]+)?[\"']?(?P<key>[A-Za-z][\w.-]*(?:\[[\w,. -]+\])?)[\"']?:?[ \t]*"
    r"(?P<value>(?:(?:===?|~=|!=|>=|<=|>|<|\^)[ \t]*v?\d[\w.*+-]*[ \t]*,?[ \t]*)+)[\"']?,?[ \t]*(?:[#;\\].*)?"
)
_LOCKED = re.compile(
    r"[ \t]*\"?(?P<key>@?[a-z][\w./-]*)\"?(?:@|[ \t]+v?|:[ \t]*\"[\^~]?)(?P<value>\d+\.\d+(?:\.\d+)*)\"?,?[ \t]*"
)
_LOCKED_NAME = re.compile(r"\"?(?P<key>@?[a-z][\w./-]*)@[^:\n]+:")
_LOCKED_VERSION = re.compile(r"[ \t]+version:?[ \t]+\"?(?P<value>\d+\.\d+(?:\.\d+)*)\"?")
_BENCHMARK = re.compile(r"(?P<key>Benchmark\w+)(?:-\d+)?[ \t]+\d+(?=[ \t])")
_RATE = re.compile(r"(?P<value>[\d.]+)[ \t](?P<unit>[\w]+/op)")
_LICENCE = re.compile(
    r"^[ \t]*(?://|\#|\*|/\*|--|<!--)?[ \t]*[\"']?(?:SPDX-License-Identifier|Licen[sc]e)[\"']?[ \t]*[:=][ \t]*[\"']?"
    r"(?P<value>[A-Za-z][\w.+-]*(?:[ \t][\w.+,-]+){0,5})[\"']?[ \t]*(?=$|,|-->|\*/)"
    r"|\b(?:[Ll]icen[sc]ed|[Rr]eleased|[Dd]istributed|[Aa]vailable)[ \t]+under[ \t]+(?:the[ \t]+)?"
    r"(?:terms[ \t]+of[ \t]+)?(?:the[ \t]+)?"
    r"(?P<under>[A-Z][\w+-]*(?:\.[\w+-]+)*"
    r"(?:,?[ \t](?:[A-Z][\w+-]*(?:\.[\w+-]+)*|[0-9][\w-]*(?:\.[\w-]+)*|version|v[0-9.]+)){0,4})"
)
_RESULT = re.compile(
    r"(?<![\w.])(?P<value>\d{1,9})[ \t]+"
    r"(?P<key>passed|failed|failures?|errors?|skipped|xfailed|xpassed|warnings?|deselected|passing|failing|pending"
    r"|ignored|total)\b"
    r"|\b(?P<label>Tests run|Ran|(?i:failures|errors|skipped|passed|failed|total))"
    r"(?:[:=][ \t]*|(?<=Ran)[ \t])(?P<number>\d{1,9})\b"
)
_SURELY_TESTS = re.compile(r"\b[Tt]ests?\b|={3,}| in [\d.]+ ?s|^[ \t]*\d+ (?:passing|failing|pending)\b|^FAILED \(")
_NO_TESTS = re.compile(r"[ \t]*(?:Test (?:Suites|Files)|Suites|Snapshots)\b")
_RESULT_NAMES = {
    **dict.fromkeys(("failures", "failure", "failing"), "failed"),
    **dict.fromkeys(("tests run", "total", "ran"), "run"),
    "passing": "passed",
    "error": "errors",
    "warning": "warnings",
    **dict.fromkeys(("pending", "ignored"), "skipped"),
}
_DIFFSTAT = re.compile(
    r"(?P<files>\d{1,9}) files? changed(?:, (?P<added>\d{1,9}) insertions?\(\+\))?"
    r"(?:, (?P<removed>\d{1,9}) deletions?\(-\))?"
)
_STATUS = re.compile(r"[ \t]*HTTP/[\d.]+[ \t]+(?P<status>[1-5]\d\d)(?:[ \t][^\n]*)?")
_STATUS_NAMES = (
    *("response code", "answered", "returned", "responded", "replied", "sent"),
    *("answers", "returns", "responds", "replies", "sends"),
)
_HEADER = re.compile(r"[ \t]*(?P<key>[A-Za-z][A-Za-z0-9-]{1,60}):[ \t]*(?P<value>[^\n]+?)[ \t]*")


def read_records(text: str, start: int) -> Iterator[StatedValue]:
    """Yield the statements of lines in these formats; each is recognised by its own pattern."""
    if not any(word in text for word in _MARKING) and not _MAY_RECORD.search(text):
        return
    is_response, name = False, ""
    for line in text.split("\n"):
        if len(line) > LONGEST_LINE or not line.strip():
            is_response = False
        elif status := _STATUS.fullmatch(line):
            is_response = True
            yield _stated("status", status, "status", start, record_words("status"), _STATUS_NAMES)
        elif is_response and (header := _HEADER.fullmatch(line)):
            unit = "s" if header["key"].lower() in {"retry-after", "age"} else ""
            yield _stated(header["key"], header, "value", start, record_words("header"), unit=unit)
        elif match := _LOCKED_NAME.fullmatch(line):
            name = match["key"]
        elif name and (match := _LOCKED_VERSION.fullmatch(line)):
            yield _stated(name, match, "value", start, record_words("requirement"), unit="version")
        elif match := _BENCHMARK.match(line):
            for each in _RATE.finditer(line, match.end()):
                yield _stated(
                    match["key"], each, "value", start, frozenset(("takes", "makes", "needs")), unit=each["unit"]
                )
        else:
            yield from _line(line, start)
        start += len(line) + 1


def _stated(
    key: str,
    match: re.Match[str],
    group: str,
    start: int,
    also: frozenset[str],
    aliases: tuple[str, ...] = (),
    unit: str = "",
) -> StatedValue:
    begin, end = match.span(group)
    return StatedValue(
        (key,), Aspect.VALUE, match[group].strip("\"' "), start + begin, start + end, unit, aliases, also
    )


def _line(line: str, start: int) -> Iterator[StatedValue]:
    if match := _INSTRUCTION.fullmatch(line):
        yield from _instruction(match, start)
    elif match := _REQUIREMENT.fullmatch(line) or _LOCKED.fullmatch(line):
        key, (begin, end) = match["key"].partition("[")[0], match.span("value")
        value = match["value"].strip(", ")
        yield StatedValue(
            (key,), Aspect.VALUE, value, start + begin, start + end, "version", (), record_words("requirement")
        )
    if match := _DIFFSTAT.search(line):
        yield _stated("files", match, "files", start, record_words("diff"))
        if match["added"]:
            yield _stated(
                "insertions", match, "added", start, record_words("diff"), ("added", "inserted", "adds", "inserts")
            )
        if match["removed"]:
            yield _stated(
                "deletions", match, "removed", start, record_words("diff"), ("removed", "deleted", "removes", "deletes")
            )
        return
    yield from _results(line, start)
    for match in _LICENCE.finditer(line) if "icen" in line or "under" in line else ():
        yield _stated(
            "license",
            match,
            "value" if match["value"] else "under",
            start,
            record_words("licence"),
            ("under",),
            "licence",
        )


def has_results(text: str) -> bool:
    """Report whether a line of ``text`` summarises tests."""
    return any(True for line in text.split("\n") if len(line) <= LONGEST_LINE for _ in _results(line, 0))


def _results(line: str, start: int) -> Iterator[StatedValue]:
    results = [*_RESULT.finditer(line)]
    if _NO_TESTS.match(line) or not (len(results) > 1 or (results and _SURELY_TESTS.search(line))):
        return
    failed = 0
    for match in results:
        written, group = (match["key"] or match["label"]).lower(), "value" if match["value"] else "number"
        name = _RESULT_NAMES.get(written, written)
        failed += int(match[group]) if name in {"failed", "errors"} else 0
        yield _stated(name, match, group, start, record_words("tests"), (written,))
    if failed:
        yield StatedValue(
            ("all", "passed"), Aspect.VALUE, "false", start, start + len(line), also=record_words("tests")
        )


def _instruction(match: re.Match[str], start: int) -> Iterator[StatedValue]:
    name, at = match["name"], start + match.start("value")
    if name in {"ENV", "ARG"}:
        for pair in _PAIR.finditer(match["value"]):
            key, place = pair["key"], (at + pair.start("value"), at + pair.end("value"))
            yield StatedValue((key,), Aspect.VALUE, pair["value"].strip("\"'"), *place, unit_in_name(key))
    elif name == "EXPOSE":
        for port in re.findall(r"\d+", match["value"]):  # all have the same place, so that one matching port is enough
            yield replace(_stated("port", match, "value", start, record_words("port")), value=port)
    elif name == "FROM":
        if image := _IMAGE.fullmatch(match["value"]):
            yield _stated("base image", image, "image", at, record_words("image"), ("image", "based"))
            if image["tag"]:
                whole = f"{image['image']}:{image['tag']}"
                place = at + image.start("image"), at + image.end("tag")
                yield StatedValue(
                    ("base image",), Aspect.VALUE, whole, *place, "", ("image", "based"), record_words("image")
                )
    else:
        yield _stated(
            _INSTRUCTIONS[name], match, "value", start, record_words("instruction"), ("runs",) if name == "USER" else ()
        )
