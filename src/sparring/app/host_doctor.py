"""Find out whether a host would find us, and what is commonly wrong when it does not."""

from pydantic import JsonValue

from sparring import __version__
from sparring.app.application import App
from sparring.app.doctor import VERSION_TIMEOUT_S, shown, state_problems
from sparring.app.greeting import Greeting, greet
from sparring.consult.process import Command, run_child
from sparring.hosts.inspection import Found, Inspection, inspect
from sparring.hosts.known import KnownHost, Surroundings, host_program, known_host
from sparring.schema.diagnosis import Finding, HostDiagnosis, Weight
from sparring.store.hosts import state_root
from sparring.text.tidying import one_line

_OF_CODEX = ("HOME", "PATH", "LANG", "LC_ALL", "TERM", "USER", "SHELL", "TMPDIR")
"""All that Codex hands to a server (0.169.0)."""


async def diagnose_host(app: App, name: str, *, starts_at_once: bool) -> HostDiagnosis:
    """Look at one host: its program, its settings and files, and the server that it would start.

    Args:
        app: The user's surroundings.
        name: The host's name.
        starts_at_once: Whether the server has what it takes to answer before all of it is there.

    Raises:
        UsageError: There is no such host.
    """
    host = known_host(name)
    environment = app.settings.environment
    inspection = inspect(host, Surroundings.of(environment, app.place.project))
    version, wrong = await _version(app, host)
    greeting = await _greeting(app, host, inspection)
    findings = [*wrong, *inspection.findings, *_of_greeting(host, greeting), *await _of_state(app, host)]
    if not starts_at_once:
        advice = "Let a host start it once: what it needs to answer at once is then written down for the next time."
        problem = "The server cannot answer before all of it has been loaded, which takes seconds."
        findings.append(Finding(weight=Weight.ADVICE, problem=problem, advice=advice))
    return HostDiagnosis(
        host=host.name,
        title=host.title,
        version=version,
        location=shown(host_program(host, environment) or ""),
        settings=shown(inspection.found.settings if inspection.found else ""),
        command=shown(" ".join(inspection.argv)),
        tools=greeting.tools if greeting else None,
        findings=tuple(_clean(app, finding) for finding in findings),
    )


async def _version(app: App, host: KnownHost) -> tuple[str, list[Finding]]:
    program = host_program(host, app.settings.environment)
    if program is None:
        return "", []
    command = Command((program, "--version"), app.settings.environment, app.place.project)
    try:
        finished = await run_child(command, prompt=None, timeout_s=VERSION_TIMEOUT_S)
    except OSError as error:
        reason = f"{program} cannot be started: {error.strerror}."
        return "", [Finding(weight=Weight.PROBLEM, problem=reason, advice="Install it again.")]
    if finished.exit_code != 0:
        reason = f"`{host.program} --version` failed."
        return "", [Finding(weight=Weight.PROBLEM, problem=reason, advice="Install it again.")]
    return one_line(app.redact(finished.stdout), 60), []


async def _greeting(app: App, host: KnownHost, inspection: Inspection) -> Greeting | None:
    if not inspection.argv or inspection.found is None:
        return None
    return await greet(inspection.argv, _environment(app, host, inspection.found), app.place.project)


def _environment(app: App, host: KnownHost, found: Found) -> dict[str, str]:
    """Roughly what the host would hand to the server."""
    ours = app.settings.environment
    given = {name: ours[name] for name in _OF_CODEX if name in ours} if host.name == "codex" else dict(ours)
    return given | _strings(found.entry.get("env")) | _strings(found.entry.get("environment"))


def _strings(value: JsonValue) -> dict[str, str]:
    return {key: text for key, text in value.items() if isinstance(text, str)} if isinstance(value, dict) else {}


def _of_greeting(host: KnownHost, greeting: Greeting | None) -> list[Finding]:
    if greeting is None:
        return []
    again = f"Run the entry's command yourself to see why, or `sparring install {host.name}`."
    if greeting.tools is None:
        return [Finding(weight=Weight.PROBLEM, problem=greeting.problem, advice=again)]
    if greeting.version != __version__:
        problem = f"The server that the entry starts is version {greeting.version}, and this is {__version__}."
        advice = f"Run `sparring install {host.name}` with the one that you want."
        return [Finding(weight=Weight.ADVICE, problem=problem, advice=advice)]
    return []


async def _of_state(app: App, host: KnownHost) -> list[Finding]:
    root = state_root(app.place.project, app.settings.environment, client=host.client or None)
    problems = await state_problems(root)
    advice = "Set AI_STATE_DIR to a folder that can be written."
    return [
        Finding(weight=Weight.PROBLEM, problem=problem.removesuffix(advice).strip(), advice=advice)
        for problem in problems
    ]


def _clean(app: App, finding: Finding) -> Finding:
    return finding.model_copy(
        update={"problem": shown(app.redact(finding.problem)), "advice": shown(app.redact(finding.advice))}
    )
