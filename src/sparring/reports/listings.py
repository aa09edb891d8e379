"""Listings of commands as plain lines: runs, providers, the doctor's findings, changes for hosts."""

from collections.abc import Sequence
from datetime import datetime

from sparring.reports.runs import number_of
from sparring.schema import setup
from sparring.schema.runs import RunSummary
from sparring.text.tidying import one_line

_LONGEST_SUBJECT = 200
_FEWEST_OF_SUBJECT = 24
_CENT = 0.01


def runs_list(runs: Sequence[RunSummary], *, now: datetime, width: int | None = None) -> str:
    """The runs: time, kind, status, finding, cost, id, and subject.

    Args:
        runs: The runs to list; at least one.
        now: The present time, in the time zone of the dates.
        width: Columns of the terminal; where they are few, the subject of a run stands in a separate line. None: all
            in one line, for a program.
    """
    rows = [(_start_time(run, now), run.kind, _status_text(run), run.finding, _cost(run), run.run_id) for run in runs]
    lines = _aligned(rows)
    room = None if width is None else width - max(len(line.rstrip()) for line in lines) - 2
    if room is None or room >= _FEWEST_OF_SUBJECT:
        return "\n".join(f"{line}  {_about(run, room)}" for line, run in zip(lines, runs, strict=True))
    indented = max(_FEWEST_OF_SUBJECT, (width or 0) - 4)
    return "\n".join(f"{line.rstrip()}\n    {_about(run, indented)}" for line, run in zip(lines, runs, strict=True))


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows of a table, columns of nothing left out; all lines are of one length."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(size) for cell, size in zip(row, widths, strict=True) if size) for row in rows]


def _start_time(run: RunSummary, now: datetime) -> str:
    if run.created_at is None:
        return ""
    begun = run.created_at.astimezone(now.tzinfo)
    return f"{begun:%d %b %H:%M}" if begun.year == now.year else f"{begun:%d %b %Y}"


def _status_text(run: RunSummary) -> str:
    return "unreadable" if run.problem else run.outcome or str(run.status)


def _cost(run: RunSummary) -> str:
    """Return the known cost of a run; empty if no tool reports one."""
    if not run.cost_usd:
        return ""
    if run.cost_usd < _CENT:
        return "<$0.01"
    return f"{'>' if run.unpriced_calls else ''}${run.cost_usd:.2f}"


def _about(run: RunSummary, room: int | None) -> str:
    return one_line(run.problem or run.topic, _LONGEST_SUBJECT if room is None else room)


_BY_MODEL = "by model"
"""The family of a provider whose models are of several."""

_HEADINGS = ("", "name", "kind", "family", "defined in")


def providers_list(listed: setup.ProviderList) -> str:
    """Return a line for each provider, with the reason below if it is not available; then the notices."""
    heading, *table = _aligned([_HEADINGS, *(_row(provider) for provider in listed.providers)])
    lines = [heading.rstrip()]
    for provider, line in zip(listed.providers, table, strict=True):
        lines.append(line.rstrip())
        if not provider.available:
            lines.append(f"      {provider.problem} {provider.advice}".rstrip())
    lines += ["", f"Your own provider files: {listed.provider_dir}"]
    lines += [f"!! {problem}" for problem in listed.problems]
    lines += [f"!! {file}: ignored, since a repository must not choose what is executed" for file in listed.ignored]
    return "\n".join(lines)


def _row(provider: setup.ListedProvider) -> tuple[str, ...]:
    family = provider.family or _BY_MODEL
    return "ok" if provider.available else "--", provider.name, provider.kind, family, provider.origin


_MARKS = {setup.Health.READY: "ok", setup.Health.MISSING: "--", setup.Health.BROKEN: "!!"}


def diagnosis_report(diagnosis: setup.Diagnosis) -> str:
    """Return plain lines: one or two for each provider, then paths, then problems."""
    width = max(len(provider.name) for provider in diagnosis.providers)
    lines = [f"sparring {diagnosis.sparring_version}, Python {diagnosis.python_version}", ""]
    for provider in diagnosis.providers:
        lines += _provider_lines(provider, width, deep=diagnosis.deep)
    if diagnosis.servers:
        lines += ["", *map(_server_line, diagnosis.servers)]
    lines += [
        "",
        f"project         {diagnosis.project}",
        f"state           {diagnosis.state}",
        f"provider files  {diagnosis.provider_dir}",
    ]
    lines += [f"!! {problem}" for problem in diagnosis.problems]
    if diagnosis.came_with_project:
        lines += ["", "Came with the project or was signed with another key; not used:"]
        lines += [f"-- {item}" for item in diagnosis.came_with_project]
    lines += ["", _conclusion(diagnosis)]
    if not diagnosis.deep:
        lines += ["Installed does not mean signed in: `sparring doctor --deep` asks each tool a short question."]
    return "\n".join(lines)


def _conclusion(diagnosis: setup.Diagnosis) -> str:
    """Return which tools with a model are ready, or how to add one; each tool's own advice is in its line."""
    ready = [provider for provider in diagnosis.providers if provider.health is setup.Health.READY]
    names = [provider.name for provider in ready if provider.kind not in _WITHOUT_MODEL]
    if names:
        return f"Ready: {', '.join(names)}."
    return "No AI tool is ready, and one is enough: follow a line above, or add one of your own with `sparring init`."


_WITHOUT_MODEL = frozenset({"offline", "scripted", "host"})


_MODELS_NAMED = 3


def _server_line(server: setup.RunningServer) -> str:
    """A model server that runs, e.g. ``ollama runs at http://127.0.0.1:11434: qwen3:8b; asked as ollama``."""
    title = "A server" if server.kind == "other" else server.kind
    if server.is_loading:
        state = "it loads a model"
    else:
        state = ", ".join(server.models[:_MODELS_NAMED]) or "no model"
        if len(server.models) > _MODELS_NAMED:
            state += f" and {len(server.models) - _MODELS_NAMED} more"
    window = f" ({server.context_tokens:,} tokens of context)" if server.context_tokens else ""
    asked = f"asked as {', '.join(server.tools)}" if server.tools else "no provider file uses it"
    return f"{title} runs at {server.address}: {state}{window}; {asked}"


def host_report(diagnosis: setup.HostDiagnosis) -> str:
    """Return plain lines: the places examined, then each mistake with its remedy."""
    tools = "did not answer" if diagnosis.tools is None else f"{diagnosis.tools} tools"
    lines = [
        diagnosis.title,
        f"version   {diagnosis.version or 'unknown'}",
        f"program   {diagnosis.location or 'not on PATH'}",
        f"settings  {diagnosis.settings or 'none with our entry'}",
        f"server    {diagnosis.command} ({tools})" if diagnosis.command else "server    not started",
        "",
    ]
    for finding in diagnosis.findings:
        mark = "!!" if finding.weight is setup.Weight.PROBLEM else "--"
        lines.append(f"{mark} {finding.problem}")
        if finding.advice:
            lines.append(f"   {finding.advice}")
    if not diagnosis.findings:
        lines.append("Nothing is wrong.")
    return "\n".join(lines)


def _provider_lines(provider: setup.ProviderDiagnosis, width: int, *, deep: bool) -> list[str]:
    text = provider.problem
    if provider.health is setup.Health.READY:
        state = provider.version or provider.location or "built in"
        text = f"{state} ({provider.kind}, {provider.family or _BY_MODEL})"
        if deep and provider.kind == "cli":
            text += "; answered"
    lines = [f"{_MARKS[provider.health]} {provider.name.ljust(width)}  {text}"]
    doubts = [provider.doubt]
    if provider.structured == "refused":
        doubts.append('It takes no schema of an answer: put `structured = "none"` into its provider file.')
    doubts.append(provider.advice)
    lines += [f"   {' ' * width}  {doubt}" for doubt in doubts if doubt]
    return lines


_DONE = {setup.FileAction.CREATE: "made", setup.FileAction.CHANGE: "changed", setup.FileAction.DELETE: "removed"}
_WOULD = {
    setup.FileAction.CREATE: "would create",
    setup.FileAction.CHANGE: "would change",
    setup.FileAction.DELETE: "would remove",
}


def installation_report(installation: setup.Installation, *, with_diff: bool = False) -> str:
    """Return a line for each file of each host; for a dry run with its changes, or their whole diff."""
    lines: list[str] = []
    for host in installation.hosts:
        lines += _host_lines(host, dry_run=installation.dry_run, with_diff=with_diff)
    changed = any(host.outcome is setup.HostOutcome.DONE for host in installation.hosts)
    if installation.dry_run:
        more = "" if with_diff else " `--diff` shows every line."
        lines += ["", f"Nothing was written: this was a dry run.{more}"]
    elif changed:
        lines += ["", "Restart a running host to apply this."]
    return "\n".join(lines)


def _host_lines(host: setup.HostInstallation, *, dry_run: bool, with_diff: bool) -> list[str]:
    if host.outcome is setup.HostOutcome.SKIPPED:
        return [f"{host.title}: skipped. {host.reason}"]
    if host.outcome is setup.HostOutcome.UNCHANGED:
        return [f"{host.title}: nothing to change.", *(f"  {note}" for note in host.notes)]
    lines = [f"{host.title}:"]
    for file in host.files:
        lines += _file_lines(file, dry_run=dry_run, with_diff=with_diff)
    return [*lines, *(f"  {note}" for note in host.notes)]


def _file_lines(file: setup.InstalledFile, *, dry_run: bool, with_diff: bool) -> list[str]:
    if dry_run:
        diff = file.diff.splitlines()
        return [f"  {_WOULD[file.action]} {file.path} ({_size(diff)})", *(diff if with_diff else ())]
    kept = f" (before: {file.backup})" if file.backup else ""
    return [f"  {_DONE[file.action]} {file.path}{kept}"]


def _size(diff: Sequence[str]) -> str:
    """Describe how many lines a diff adds and removes, e.g. ``6 lines more, 1 less``."""
    added = sum(line.startswith("+") for line in diff[2:])  # two lines of head name the files
    removed = sum(line.startswith("-") for line in diff[2:])
    if not removed:
        return f"{number_of(added, 'line')} more"
    if not added:
        return f"{number_of(removed, 'line')} less"
    return f"{number_of(added, 'line')} more, {removed} less"
