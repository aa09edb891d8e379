"""What is known about a provider: one TOML file each, of one of these shapes.

A new kind of provider is a new class in ``ProviderSpec``. Nothing here knows where the files lie or how a provider
is asked.
"""

from typing import Annotated

from pydantic import Field, TypeAdapter

from sparring.schema.providers.acp import AcpProvider
from sparring.schema.providers.api import AddressForm, ApiKind, ApiProvider
from sparring.schema.providers.cli import (
    CONFINEMENT_SLOT,
    SLOT,
    CliProvider,
    CommandLine,
    ConfinementKind,
    Environment,
    OutputKind,
)
from sparring.schema.providers.common import ProviderKind
from sparring.schema.providers.local import HostProvider, OfflineProvider, ScriptedProvider

__all__ = [
    "CONFINEMENT_SLOT",
    "PROVIDER_SPEC",
    "SLOT",
    "AcpProvider",
    "AddressForm",
    "ApiKind",
    "ApiProvider",
    "CliProvider",
    "CommandLine",
    "ConfinementKind",
    "Environment",
    "HostProvider",
    "OfflineProvider",
    "OutputKind",
    "ProgramProvider",
    "ProviderKind",
    "ProviderSpec",
    "ScriptedProvider",
]

ProgramProvider = CliProvider | AcpProvider
"""A provider that is a program of the user's machine."""

ProviderSpec = Annotated[
    AcpProvider | ApiProvider | CliProvider | HostProvider | OfflineProvider | ScriptedProvider,
    Field(discriminator="kind"),
]

PROVIDER_SPEC: TypeAdapter[ProviderSpec] = TypeAdapter(ProviderSpec)
