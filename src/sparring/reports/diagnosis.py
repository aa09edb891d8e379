"""A diagnosis for people."""

from sparring.schema.diagnosis import Diagnosis, Health, ProviderDiagnosis

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
