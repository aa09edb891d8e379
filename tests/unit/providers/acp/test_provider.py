"""A provider file of kind ``acp``: what it may say, whether the agent is there, and what its absence costs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from sparring.extras import install_command
from sparring.providers.known import load_providers
from sparring.schema.base import Effort, RepoAccess
from sparring.schema.providers import AcpProvider, Provider
from support.desk import command_line, write

PLAIN = 'kind = "acp"\nfamily = "mixed"\ntitle = "Some Agent"\ninstall = "Get it."\nprogram = "some-agent"\n'


def provider(folder: Path, text: str) -> AcpProvider:
    write(folder / "some-agent.toml", text)
    spec = load_providers(folder).specs["some-agent"]
    assert isinstance(spec, AcpProvider)
    return spec


def test_an_agent_sees_the_project_only_if_its_file_allows_it(tmp_path: Path) -> None:
    spec = provider(tmp_path, PLAIN)
    assert spec.repo_access == (RepoAccess.NONE,)
    assert dict(spec.efforts) == {effort: str(effort) for effort in Effort}


def test_a_program_sees_one_environment_over_every_protocol() -> None:
    agent = load_providers(None).specs["opencode-acp"]
    assert isinstance(agent, AcpProvider)
    assert agent.environment == command_line("opencode").environment


def test_the_documented_file_is_one_and_the_document_names_every_key(tmp_path: Path) -> None:
    document = (Path(__file__).parents[4] / "docs" / "agents.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```toml\n(.*?)^```", document, re.DOTALL | re.MULTILINE)
    spec = provider(tmp_path, text)
    assert (spec.program, spec.argv, dict(spec.efforts)) == ("kiro-cli", ("acp",), {})
    of_every_provider = set(Provider.model_fields) | {"kind"}  # which docs/providers.md explains
    assert {key for key in AcpProvider.model_fields if f"`{key}`" not in document} <= of_every_provider


NEEDED = """\
import sys
import sparring.app, sparring.cli, sparring.server
print("acp" in sys.modules)
sys.modules["acp"] = None  # as where it is not installed
from pathlib import Path
from sparring.providers.available import availability
from sparring.providers.known import load_providers
print(availability(load_providers(Path(sys.argv[1])).specs["some-agent"], {}).reason)
"""


@pytest.mark.process
def test_nothing_needs_the_package_before_an_agent_is_asked(tmp_path: Path) -> None:
    provider(tmp_path, PLAIN)
    done = subprocess.run([sys.executable, "-c", NEEDED, str(tmp_path)], capture_output=True, check=True)
    assert done.stdout.decode() == f"False\nSome Agent needs another package: {install_command('acp')}\n"
