"""What lets Codex read one project, and nothing else that is anybody's.

Codex reads by shell commands. Its ``-s read-only`` keeps these from writing, and lets them read everything; only a
permission profile says what may be read (0.169.0). That it holds was seen on Linux only.
"""

import json
import re
import secrets
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from sparring.consult.confinement.secret_names import FILES, FOLDERS, in_any_case
from sparring.errors import ConfigurationError

GLOB_DEPTH = 64
"""How many folders deep Codex looks for files that are denied by name."""

_DEEPER = (
    ".git/config", ".docker/config.json", ".kube/config", ".aws/*", ".azure/*", ".gcloud/*", ".gnupg/*", ".ssh/*",
)  # fmt: skip
"""What lies in folders that are denied as a whole only at the top; a rule for every file in them would be too much."""

_SPECIAL = re.compile(r"[][{}*?,!\\]")

_Toml: TypeAlias = "str | int | Mapping[str, _Toml]"

_SYSTEM = {
    ":minimal": "read",  # what any program needs to run: /usr, /lib and the like
    "/etc": "deny",
    "/usr/local/etc": "deny",
}


def reading_profile(program: str | None, project: Path, *, system: str = sys.platform) -> tuple[str, ...]:
    """The arguments that let the commands of ``program``, which is Codex, read ``project`` and nothing else.

    A denied file is not only unreadable: where there is any, Codex lets no rule or request lead out of the sandbox.

    Raises:
        ConfigurationError: Codex cannot be confined here.
        OSError: The project cannot be looked into.
    """
    if system != "linux":
        raise ConfigurationError("codex can be kept to reading the project on Linux only; give it context instead.")
    # A name that nobody knows, since a profile of that name in a configuration file would be mixed with ours.
    name = f"sparring-{secrets.token_hex(8)}"
    own = {str(file): "read" for file in _own_files(program)}
    filesystem: dict[str, _Toml] = {
        "glob_scan_max_depth": GLOB_DEPTH,
        **_SYSTEM,
        **own,
        ":workspace_roots": _project(project),
    }
    profile: dict[str, _Toml] = {"filesystem": filesystem, "network": {"enabled": False}}
    return ("-c", f"permissions.{name}={_toml(profile)}", "-c", f"default_permissions={_toml(name)}")


def _project(project: Path) -> dict[str, str]:
    folders = dict.fromkeys(FOLDERS, "deny")
    # A pattern that matches inside of a denied folder would keep the sandbox from being set up (0.169.0), so it says
    # in which folders of the project it holds. Few patterns, since Codex tells the model of each.
    top = _alternatives(map(in_any_case, FILES))
    below = f"{_alternatives(_other_folders(project))}/**/{_alternatives(map(in_any_case, (*FILES, *_DEEPER)))}"
    return {".": "read", **folders, top: "deny", below: "deny"}


def _other_folders(project: Path) -> list[str]:
    """Globs of all folders at the top of the project but those that are denied."""
    hidden = (entry.name for entry in project.iterdir() if entry.name.startswith(".") and entry.is_dir())
    return ["[!.]*", *(_SPECIAL.sub(r"[\g<0>]", name) for name in sorted(hidden) if name not in FOLDERS)]


def _alternatives(globs: Iterable[str]) -> str:
    return f"{{{','.join(globs)}}}"


def _own_files(program: str | None) -> list[Path]:
    """Codex's native program, which runs itself anew inside the sandbox, and the search program that it brings."""
    natives = list(_natives(Path(program).resolve())) if program else []
    if not natives:
        raise ConfigurationError(
            f"Codex's own program was not found behind {program or 'codex'}, so it cannot read the project."
        )
    return [place for native in natives for place in (native, native.parent.parent / "codex-path") if place.exists()]


def _natives(program: Path) -> Iterator[Path]:
    if program.suffix != ".js":
        if _is_native(program):
            yield program
        return
    package = program.parent.parent
    for folder in (package.parent, package / "node_modules" / "@openai", package):
        for native in (*folder.glob("codex-linux-*/vendor/*/bin/codex"), *folder.glob("vendor/*/bin/codex")):
            if _is_native(native):
                yield native.resolve()


def _is_native(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            return stream.read(4) == b"\x7fELF"
    except OSError:
        return False


def _toml(value: _Toml) -> str:
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{_toml(key)}={_toml(item)}" for key, item in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)
