"""Commands that install the packages of an extra into the environment that runs this program."""

import re
import shlex
import sys
from pathlib import Path

_OF_PIPX, _OF_UV = "pipx_metadata.json", "uv-receipt.toml"
"""The files by which pipx and ``uv tool`` mark an environment of theirs."""


def install_command(extra: str, *, prefix: Path | None = None) -> str:
    """Return the command that installs the packages of ``extra`` in addition to this program.

    It names the packages themselves: no index needs to know sparring, and pipx cannot add an extra afterwards.

    Args:
        extra: A key of ``optional-dependencies`` in ``pyproject.toml``.
        prefix: The environment; that of this process if not given.
    """
    place = prefix or Path(sys.prefix)
    packages = shlex.join(_packages(extra) or [f".[{extra}]"])
    if (place / _OF_PIPX).is_file():
        return f"pipx inject sparring {packages}"
    python = shlex.quote(str(place / "bin" / "python") if prefix else sys.executable)
    if (place / _OF_UV).is_file():
        return f"uv pip install --python {python} {packages}"
    return f"{python} -m pip install {packages}"


def _packages(extra: str) -> list[str]:
    """The requirements of ``extra``; none where the program runs without having been installed."""
    from importlib import metadata  # noqa: PLC0415 -- it loads the parser of e-mails, and is needed for a hint alone

    try:
        required = metadata.requires("sparring") or []
    except metadata.PackageNotFoundError:
        return []
    pairs = (requirement.partition(";") for requirement in required)
    return [package.strip() for package, _, marker in pairs if re.search(rf"extra *== *['\"]{extra}['\"]", marker)]
