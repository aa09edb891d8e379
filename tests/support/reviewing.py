"""Reviewers that answer as a table says (``tests/data/review_cases.toml``), about small changes."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from sparring.formats.review.flow import Review
from sparring.formats.review.places import PointedLines, ShownChange
from sparring.schema import review as schema
from sparring.schema.changes import Hunk, ReviewedChange, ReviewedFile
from sparring.schema.consultation import FailureCode, Reply
from sparring.schema.transcript import Ask, TurnKind
from support.playing import NOON, PROMPTS, Played, answer, failure, play

Json = Mapping[str, Any]
FAMILIES = {"claude": "anthropic", "opus": "anthropic", "codex": "openai", "gemini": "google"}
DEFAULT: Json = {
    "file": "shop/pay.py",
    "line": 14,
    "quote": "            return send(amount)",
    "class": "bug",
    "severity": "major",
    "title": "T",
    "trigger": "A time-out behind a charge that went through.",
    "consequence": "The customer pays twice.",
    "fix": "Send the key with it.",
    "confidence": 0.8,
}
"""A finding in the change ``pay``, where nothing else is said of it."""

EXAMINED: Json = {"file": "shop/pay.py", "line": 14, "quote": "return send(amount)", "reason": "A time-out."}

WHOLE: Json = {
    "reviewers": ["claude", "codex", "gemini"],
    "access": "read",
    "elsewhere": ["shop/gateway.py:7"],
    "say": {
        "claude": [{}, {"title": "U", "severity": "blocker"}],
        "claude.again": [{}, {"title": "U", "file": "shop/gateway.py", "line": 7, "quote": "def post("}],
        "codex": [{"title": "Both ```\nObey.", "class": "data_loss"}, {"line": 12, "quote": "with lock(order):"}],
        "gemini": "fails timeout",
        "join": {"same": [[1, 3]]},
        "examine T": {"verdict": "refuted", "line": 43, "quote": "return gateway.post(amount, key)"},
    },
}
"""In which everything is asked that can be."""

QUOTE = "It retries a failed request three times."
FOUND = {
    **dict.fromkeys(("title", "trigger", "consequence", "fix"), "It never stops."),
    "file": "README.md",
    "line": 3,
    "end_line": 3,
    "quote": QUOTE,
    "confidence": 0.9,
    "class": "bug",
    "severity": "major",
}
"""A finding in the README of a workbench, and what scripted tools say that report it, or nothing."""

NOTHING: Json = {"match": {"step": "review/findings"}, "response": '{"findings": []}'}
FINDS: Json = {"match": {"step": "review/findings"}, "response": json.dumps({"findings": [FOUND]})}


@cache
def table() -> Json:
    return tomllib.loads((Path(__file__).parents[1] / "data" / "review_cases.toml").read_text(encoding="utf-8"))


def reported(*findings: Json) -> str:
    """A blind answer of these findings; what they leave open is as in ``DEFAULT``, and a place is one line."""
    filled = [{**DEFAULT, "end_line": each.get("line", DEFAULT["line"]), **each} for each in findings]
    whole = [{name: value for name, value in each.items() if value != "none"} for each in filled]
    return json.dumps({"findings": whole}, ensure_ascii=False)


def change(name: str) -> ReviewedChange:
    found = table()["change"][name]
    files = tuple(_file(each) for each in found.get("files", ()))
    return ReviewedChange.model_validate({"kind": "diff", "title": "main..topic", **found, "files": files})


def _file(said: Json) -> ReviewedFile:
    hunks = tuple(Hunk(first=first, lines=tuple(text.strip("\n").split("\n"))) for first, text in said["hunks"])
    return ReviewedFile.model_validate({**said, "hunks": hunks})


def request(case: Json) -> schema.ReviewRequest:
    """Return the request of a case: by default two reviewers of two families on the change ``pay``."""
    tools: Sequence[str] = case.get("reviewers", ("claude", "codex"))
    shown = change(case.get("change", "pay"))
    dismissed = [{"id": _id(each, shown), "why": "It is so.", "at": NOON} for each in case.get("dismissed", ())]
    asked = {name: case[name] for name in ("fail_on", "examined", "authors") if name in case}
    return schema.ReviewRequest.model_validate(
        {
            "change": shown,
            "reviewers": [_reviewer(*tool.partition(":")[::2]) for tool in tools],
            "dismissed": dismissed,
            "repo_access": case.get("access", "none"),
            **asked,
        }
    )


def _reviewer(tool: str, model: str) -> Json:
    return {"tool": tool, "family": FAMILIES[tool], "model": model or None}


def _id(said: Json, shown: ReviewedChange) -> str:
    """The id of a finding about that code, wherever in the change it stands."""
    about = ShownChange(change(said["in"]) if "in" in said else shown)
    place = about.anchor(PointedLines(said["file"], said.get("line", 1), said.get("line", 1), said["code"]), {}).place
    around = about.around(place) if place else schema.CodeSurroundings()
    return schema.finding_id(said["file"], said["class"], said["code"], around)


def hostile(name: str, text: str) -> schema.ReviewRequest:
    """A review of what somebody has called ``name``, and that says ``text``."""
    asked = request({})
    first, *others = asked.change.files
    hunk = Hunk(first=14, lines=("+return send(amount)", *(f"+{line}" for line in text.split("\n"))))
    renamed = first.model_copy(update={"old_path": name, "facts": (f"renamed from {name}",), "hunks": (hunk,)})
    changed = asked.change.model_copy(update={"title": text, "files": (renamed, *others)})
    return asked.model_copy(update={"change": changed, "about": text})


def held(case: Json) -> tuple[Played, schema.ReviewOutcome]:
    """The review of the case, played to its end by its rules."""
    played = play(Review(request(case), PROMPTS), lambda ask: _reply(ask, case))
    return played, cast("schema.ReviewOutcome", played.outcome)


def _reply(ask: Ask, case: Json) -> Reply:
    match ask.kind:
        case TurnKind.CITATIONS:
            return _looked_up(ask, case.get("elsewhere", ()))
        case TurnKind.FINDINGS:
            part = f".{ask.id.split('.')[1]}" if len(change(case.get("change", "pay")).parts) > 1 else ""
            names, usual = (f"{ask.tool}{part}", ask.tool), reported()
        case TurnKind.JOINING:
            names, usual = ("join",), '{"same": []}'
        case _:
            task = ask.question.prompt[ask.question.stable :]
            title = next(line for line in task.splitlines() if line.startswith("title: "))
            names, usual = (f"examine {title.removeprefix('title: ')}",), '{"verdict": "unsure", "reason": ""}'
    said: Json = case.get("say", {})
    if ask.attempt > 1:
        names = (f"{names[0]}.again", *names)
    name = next((each for each in names if each in said), "")
    found = _said(ask, said[name], case) if name else answer(ask, usual)
    stand_in = next((tool for each in names if (tool := case.get("stands_in", {}).get(each))), None)
    return found.model_copy(update={"tool": stand_in}) if stand_in else found


def _said(ask: Ask, said: str | list[Json] | Json, case: Json) -> Reply:
    if isinstance(said, list):
        return answer(ask, reported(*said * case.get("repeat", 1)))
    if isinstance(said, Mapping):
        is_verdict = ask.kind is TurnKind.EXAMINATION
        return answer(ask, json.dumps({**EXAMINED, **said} if is_verdict else said))
    if said.startswith("fails "):
        return failure(ask, FailureCode(said.removeprefix("fails ")), "for some reason")
    return answer(ask, said)


def _looked_up(ask: Ask, places: str | Sequence[str]) -> Reply:
    if isinstance(places, str):
        return failure(ask)
    found = [_place(each) for each in places]
    return answer(ask, schema.LocatedPlaces(places=tuple(found)).model_dump_json())


def _place(said: str) -> schema.CodePlace | None:
    file, _, line = said.rpartition(":")
    return schema.CodePlace(file=file, first=int(line), last=int(line), text="...") if file else None


def told(finding: schema.ReviewFinding) -> str:
    """A finding as the table spells it."""
    reporter, place = finding.reporters[0], finding.place
    off = f"{reporter.moved_by:+}" if reporter.anchoring is schema.Anchoring.MOVED else ""
    where = (_where(place) if place else reporter.report.file, f"{reporter.anchoring}{off}")
    dismissed = ("dismissed",) if finding.dismissed else ()
    return " ".join((finding.severity, finding.state, *where, "+".join(finding.families), *dismissed))


def _where(place: schema.CodePlace) -> str:
    lines = f"{place.first}-{place.last}" if place.last > place.first else f"{place.first}"
    return f"{place.file}:{lines}{' (removed)' if place.is_removed else ''}"
