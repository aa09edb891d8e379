"""Providers without a model behind them: the built-in rules, and replies from a file."""

from pathlib import Path
from typing import Literal

from sparring.schema.providers.common import Provider, ProviderKind


class OfflineProvider(Provider):
    """The built-in one that needs nothing installed and has no opinion of its own."""

    kind: Literal[ProviderKind.OFFLINE] = ProviderKind.OFFLINE


class ScriptedProvider(Provider):
    """Replies from a file.

    Attributes:
        script: The file; a relative path starts at the folder of the provider file. None until a user names one.
    """

    kind: Literal[ProviderKind.SCRIPTED] = ProviderKind.SCRIPTED
    script: Path | None = None
