"""Providers that nothing is started or sent for: the calling agent, the built-in rules, replies from a file."""

from pathlib import Path
from typing import Literal

from sparring.schema.providers.common import Provider, ProviderKind


class HostProvider(Provider):
    """The agent that called us: it is asked by what its calls get, and answers by a call of its own."""

    kind: Literal[ProviderKind.HOST] = ProviderKind.HOST


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
