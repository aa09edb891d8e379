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
_BENCHMARK_WORDS = frozenset(("takes", "makes", "needs"))
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
    is_response, locked_name = False, ""
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
            locked_name = match["key"]  # its version is in a line below
        elif locked_name and (match := _LOCKED_VERSION.fullmatch(line)):
            yield _stated(locked_name, match, "value", start, record_words("requirement"), unit="version")
        elif match := _BENCHMARK.match(line):
            for rate in _RATE.finditer(line, match.end()):
                yield _stated(match["key"], rate, "value", start, _BENCHMARK_WORDS, unit=rate["unit"])
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
    """Return the statement whose value is a group of ``match``, in a line that begins at ``start``."""
    begin, end = match.span(group)
    value = match[group].strip("\"' ")
    return StatedValue((key,), Aspect.VALUE, value, start + begin, start + end, unit, aliases, also)


def _line(line: str, start: int) -> Iterator[StatedValue]:
    """Yield the statements of a line that is complete in itself."""
    if match := _INSTRUCTION.fullmatch(line):
        yield from _instruction(match, start)
    elif match := _REQUIREMENT.fullmatch(line) or _LOCKED.fullmatch(line):
        key = match["key"].partition("[")[0]  # without extras
        stated = _stated(key, match, "value", start, record_words("requirement"), unit="version")
        yield replace(stated, value=match["value"].strip(", "))
    if match := _DIFFSTAT.search(line):
        yield from _diffstat(match, start)
        return
    yield from _results(line, start)
    if "icen" in line or "under" in line:
        also = record_words("licence")
        for match in _LICENCE.finditer(line):
            group = "value" if match["value"] else "under"
            yield _stated("license", match, group, start, also, ("under",), "licence")


def _diffstat(match: re.Match[str], start: int) -> Iterator[StatedValue]:
    also = record_words("diff")
    yield _stated("files", match, "files", start, also)
    if match["added"]:
        yield _stated("insertions", match, "added", start, also, ("added", "inserted", "adds", "inserts"))
    if match["removed"]:
        yield _stated("deletions", match, "removed", start, also, ("removed", "deleted", "removes", "deletes"))


def has_results(text: str) -> bool:
    """Report whether a line of ``text`` summarises tests."""
    return any(len(line) <= LONGEST_LINE and _summary(line) for line in text.split("\n"))


def _results(line: str, start: int) -> Iterator[StatedValue]:
    """Yield the numbers of a summary of tests, and that not all passed if some failed."""
    failed = 0
    for match in _summary(line):
        written = (match["key"] or match["label"]).lower()
        group = "value" if match["value"] else "number"
        name = _RESULT_NAMES.get(written, written)
        if name in {"failed", "errors"}:
            failed += int(match[group])
        yield _stated(name, match, group, start, record_words("tests"), (written,))
    if failed:
        path, end = ("all", "passed"), start + len(line)
        yield StatedValue(path, Aspect.VALUE, "false", start, end, also=record_words("tests"))


def _summary(line: str) -> list[re.Match[str]]:
    """Return the results in a line; empty for a single one without a word about tests ("3 errors were fixed")."""
    results = list(_RESULT.finditer(line))
    is_summary = len(results) > 1 or (results and _SURELY_TESTS.search(line))
    return results if is_summary and not _NO_TESTS.match(line) else []


def _instruction(match: re.Match[str], start: int) -> Iterator[StatedValue]:
    """Yield the statements of an instruction of a Dockerfile."""
    name, begin = match["name"], start + match.start("value")
    if name in {"ENV", "ARG"}:
        for pair in _PAIR.finditer(match["value"]):
            key, (first, last) = pair["key"], pair.span("value")
            value = pair["value"].strip("\"'")
            yield StatedValue((key,), Aspect.VALUE, value, begin + first, begin + last, unit_in_name(key))
    elif name == "EXPOSE":
        # All ports have the same place, so that one that matches the claim is enough.
        ports = _stated("port", match, "value", start, record_words("port"))
        for port in re.findall(r"\d+", match["value"]):
            yield replace(ports, value=port)
    elif name == "FROM":
        if image := _IMAGE.fullmatch(match["value"]):
            yield from _base_image(image, begin)
    else:
        aliases = ("runs",) if name == "USER" else ()
        yield _stated(_INSTRUCTIONS[name], match, "value", start, record_words("instruction"), aliases)


def _base_image(image: re.Match[str], start: int) -> Iterator[StatedValue]:
    """Yield the base image without its tag, and with it."""
    stated = _stated("base image", image, "image", start, record_words("image"), ("image", "based"))
    yield stated
    if image["tag"]:
        whole = f"{image['image']}:{image['tag']}"
        yield replace(stated, value=whole, end=start + image.end("tag"))
