"""A diagnosis for people."""

from sparring.schema.diagnosis import Diagnosis, Health, HostDiagnosis, ProviderDiagnosis, Weight

_MARKS = {Health.READY: "ok", Health.MISSING: "--", Health.BROKEN: "!!"}


def diagnosis_report(diagnosis: Diagnosis) -> str:
    """Plain lines: one or two a provider, then where things are, then what is wrong."""
    width = max(len(provider.name) for provider in diagnosis.providers)
    lines = [f"sparring {diagnosis.sparring_version}, Python {diagnosis.python_version}", ""]
    for provider in diagnosis.providers:
        lines += _provider_lines(provider, width, deep=diagnosis.deep)
    lines += [
        "",
        f"project         {diagnosis.project}",
        f"state           {diagnosis.state}",
        f"provider files  {diagnosis.provider_dir}",
    ]
    lines += [f"!! {problem}" for problem in diagnosis.problems]
    if not diagnosis.deep:
        lines += ["", "Installed is not signed in: `sparring doctor --deep` asks each tool a tiny real question."]
    return "\n".join(lines)


def host_report(diagnosis: HostDiagnosis) -> str:
    """Plain lines: what was looked at, then each mistake with what to do about it."""
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
        mark = "!!" if finding.weight is Weight.PROBLEM else "--"
        lines += [f"{mark} {finding.problem}", *([f"   {finding.advice}"] if finding.advice else [])]
    return "\n".join(lines if diagnosis.findings else [*lines, "Nothing is wrong."])


def _provider_lines(provider: ProviderDiagnosis, width: int, *, deep: bool) -> list[str]:
    kind = f"{provider.kind}, {provider.family}"
    if provider.health is Health.READY:
        state = provider.version or "built in"
        text = f"{state} ({kind}); answered" if deep and provider.kind == "cli" else f"{state} ({kind})"
    else:
        text = provider.problem
    lines = [f"{_MARKS[provider.health]} {provider.name.ljust(width)}  {text}"]
    if provider.advice:
        lines.append(f"   {' ' * width}  {provider.advice}")
    return lines
