"""From a provider's specification and a question to the command to run: arguments, environment, working directory."""

import re
from collections.abc import Iterable, Mapping

from sparring.consult.confinement import Confinement, Surroundings
from sparring.consult.process import Command
from sparring.schema.consultation import Question
from sparring.schema.providers import CONFINEMENT_SLOT, SLOT, CliProvider, ProgramProvider

DEPTH_VARIABLE = "SPARRING_DEPTH"
DEPTH_LIMIT = 2
"""How deep sparring may be inside itself and still start a tool.

Depth 1 is a tool that we consult; should it start sparring again, one more consultation is an odd but honest use.
Whatever is deeper than that is a loop that multiplies cost.
"""

_PASSED_TO_ALL = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "LC_*", "TERM", "COLORTERM", "TZ", "TMPDIR",
    "XDG_*", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
    "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE",
    "APPDATA", "COMSPEC", "LOCALAPPDATA", "PATHEXT", "PROGRAMDATA", "PROGRAMFILES", "SYSTEMROOT", "TEMP", "TMP",
    "USERPROFILE", "WINDIR",
)  # fmt: skip
"""What any program needs to find its files, its terminal and its network; no secrets among them."""

_DEPTH = re.compile(r"[0-9]{1,3}")


def build_command(
    spec: CliProvider, question: Question, *, surroundings: Surroundings, confinement: Confinement
) -> Command:
    """The command that puts ``question``. The prompt is not in it; it travels on standard input.

    ``question`` must be one that the provider supports (``providers.unsupported``).
    """
    fragments = _fragments(spec, question) | {CONFINEMENT_SLOT: confinement.arguments}
    argv = [part for element in spec.command.argv for part in _filled(element, fragments)]
    env = child_environment(spec, surroundings.environment, also=confinement.passed_on)
    return Command(
        argv=(spec.command.program, *argv),
        env={**env, **confinement.variables},
        cwd=confinement.cwd or surroundings.project,
    )


def child_environment(
    spec: ProgramProvider, environment: Mapping[str, str], *, also: Iterable[str] = ()
) -> dict[str, str]:
    """What the program sees of ``environment``, with the provider's own settings and one more level of depth."""
    allowed = (*_PASSED_TO_ALL, *spec.environment.allow, *spec.environment.defaults, *also)
    exact = {name for name in allowed if not name.endswith("*")}
    prefixes = tuple(name[:-1] for name in allowed if name.endswith("*"))
    passed = {name: value for name, value in environment.items() if name in exact or name.startswith(prefixes)}
    depth = {DEPTH_VARIABLE: str(depth_of(environment) + 1)}
    return {**spec.environment.defaults, **passed, **spec.environment.fixed, **depth}


def depth_of(environment: Mapping[str, str]) -> int:
    """How deep inside itself sparring runs. What is not a number counts as too deep."""
    depth = environment.get(DEPTH_VARIABLE, "0")
    return int(depth) if _DEPTH.fullmatch(depth) else DEPTH_LIMIT


def _fragments(spec: CliProvider, question: Question) -> dict[str, tuple[str, ...]]:
    command = spec.command
    return {
        "model": _with_value(command.model, question.model),
        "effort": _with_value(command.effort, question.effort and spec.efforts[question.effort]),
        "resume": _with_value(command.resume, question.session_id),
        "access": command.web if question.web else command.access.get(question.repo_access, ()),
        "ephemeral": () if question.keep_session else command.ephemeral,
    }


def _with_value(fragment: tuple[str, ...], value: str | None) -> tuple[str, ...]:
    if value is None:
        return ()
    text = str(value)
    return tuple(SLOT.sub(lambda _: text, element) for element in fragment)


def _filled(element: str, fragments: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    slot = SLOT.fullmatch(element)
    return fragments[slot[1]] if slot else (element,)
