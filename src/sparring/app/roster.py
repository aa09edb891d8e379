"""Who can be asked here: providers found, checked and turned into consultants."""

import copy
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from sparring.errors import ToolNotExecutableError, ToolNotFoundError, UnsupportedError, UsageError
from sparring.formats.registry import FORMATS
from sparring.prompts import PromptLibrary
from sparring.providers import Consultant, wrappers
from sparring.providers.api.connections import Connections
from sparring.providers.api.endpoints import can_choose_model
from sparring.providers.available import Available, Missing, NotExecutable, availability, unsupported
from sparring.providers.cli.process import home_folder
from sparring.providers.host import Mailbox
from sparring.providers.known import Providers, is_users_own, load_providers, repository_files
from sparring.providers.private_folders import CallFolders, sweep_passing
from sparring.providers.receiving.answers import received
from sparring.schema import base, consultation, runs, transcript
from sparring.schema.providers import (
    AcpProvider,
    ApiProvider,
    CliProvider,
    HostProvider,
    OfflineProvider,
    ProviderSpec,
    ScriptedProvider,
)
from sparring.settings import Settings
from sparring.store.hosts import EXHIBITS_FOLDER, Place
from sparring.text.redaction import Redactor, secret_values
from sparring.text.tidying import did_you_mean, one_line

if TYPE_CHECKING:
    from sparring.providers.api.batches import ApiBatches
    from sparring.providers.cli.confinement import Surroundings
    from sparring.providers.cli.consultant import CliConsultant

_NAME_SHOWN = 60
"""Characters of a name that is not known: no tool has a longer one than 40."""

_UNKNOWN = "unknown"
_MODELLESS = frozenset({"none", "rules", "script"})
_NO_MODELS = _MODELLESS | {_UNKNOWN}
"""Families of what has no model behind it, or one that nobody knows."""

_AGENTS = {"claude-code": "claude", "codex-mcp-client": "codex", "gemini-cli-mcp-client": "gemini"}
"""Which provider has the models of an agent, by the name that it gives itself over MCP. OpenCode and Copilot CLI are
not here: their users choose among the models of many."""

_LAST_RESORTS = (HostProvider, OfflineProvider)

_FILES_SHOWN = 3
"""Ignored files that a notice names."""


class Roster:
    """The providers of this machine and user. Consultants are built when first asked for, one a tool.

    Attributes:
        redactor: Knows the secrets of our environment and those that provider files give to their programs.
        connections: Those to model APIs; who asks several questions holds on to them (see ``Connections.held``).
        ignored: Provider files of the repository, which are never read.
        host: The name under which the agent that called us can be asked; None where nobody could answer.
    """

    def __init__(
        self,
        settings: Settings,
        place: Place,
        prompts: PromptLibrary,
        *,
        client: str | None = None,
        attended: bool = False,
    ) -> None:
        self._settings = settings
        self._place = place
        self._prompts = prompts
        self._consultants: dict[base.ToolName, Consultant] = {}
        own_dir, self.ignored = _provider_folders(settings, place)
        self._attended = attended
        self.providers: Providers = _with_family_of_host(load_providers(own_dir), client)
        is_host = isinstance(self.providers.specs.get(base.HOST_TOOL), HostProvider)
        self.host: base.ToolName | None = base.HOST_TOOL if attended and is_host else None
        self.connections = Connections(settings.environment)
        own = (value for spec in self.providers.specs.values() for value in _own_secrets(spec, settings.environment))
        self.redactor = Redactor((*secret_values(settings.environment), *settings.secrets, *own))
        self.calls = CallFolders(settings.private_dir)
        self._found: dict[base.ToolName, Available | Missing] | None = None

    def sweep(self) -> None:
        """End and remove what processes that are gone have left: programs, prompts, and what was put down for them."""
        self.calls.sweep()
        sweep_passing(self._settings.private_dir)

    @property
    def notices(self) -> tuple[str, ...]:
        """What everybody who asks somebody should be told about the providers."""
        if not self.ignored:
            return ()
        shown = ", ".join(_below(self._place.project, file) for file in self.ignored[:_FILES_SHOWN])
        more = f" and {len(self.ignored) - _FILES_SHOWN} more" if len(self.ignored) > _FILES_SHOWN else ""
        way_out = f"If you trust it, copy it into {self._settings.provider_dir}."
        return (f"[WARN] Ignored {shown}{more}: a repository must not choose what is executed. {way_out}",)

    def effort_notices(self, needed: Iterable[runs.Needed]) -> tuple[str, ...]:
        """That a program is asked without a level of effort, where its file says nothing of any."""
        specs = [self.providers.specs.get(tool) for tool in dict.fromkeys(each.participant.tool for each in needed)]
        return tuple(
            f"[WARN] {spec.name} cannot be told how hard to think: it is asked without a level of effort."
            for spec in specs
            if isinstance(spec, CliProvider) and not spec.efforts
        )

    def spec(self, tool: str) -> ProviderSpec:
        """The provider of that name.

        Raises:
            UsageError: There is none, or its file is malformed.
        """
        found = self.providers.specs.get(tool)
        if found is None:
            broken = next((problem for problem in self.providers.problems if problem.file.stem == tool), None)
            if broken:
                raise UsageError(f"The provider file of {tool!r} cannot be used: {broken}.")
            meant = did_you_mean(tool, self.providers.specs)
            raise UsageError(
                f"There is no tool named {one_line(repr(tool), _NAME_SHOWN)}.{meant}",
                hint=f"Known tools: {', '.join(self.providers.specs)}.",
            )
        return found

    def ai_tools(self) -> Iterator[base.ToolName]:
        """The tools that can be asked and have a model behind them, in the order of preference.

        First the programs, then the APIs for which it is known, or can be found out, which model is meant.
        """
        specs, environment = self.providers.specs.values(), self._settings.environment
        programs = [spec for spec in specs if isinstance(spec, CliProvider) and spec.family not in _MODELLESS]
        apis = [spec for spec in specs if isinstance(spec, ApiProvider) and can_choose_model(spec, environment)]
        for spec in (*programs, *apis):
            if not isinstance(self.available(spec), Missing):
                yield spec.name

    def families(self, tools: Iterable[base.ToolName]) -> dict[base.ToolName, str]:
        """Who trained the models of these tools, of those that have any and tell."""
        specs = filter(None, map(self.providers.specs.get, dict.fromkeys(tools)))
        return {spec.name: spec.family for spec in specs if spec.family not in _NO_MODELS}

    def nobody(self) -> ToolNotFoundError:
        """That no AI tool can be asked here, and what each program would need, as ``doctor`` says it."""
        programs = [spec for spec in self.providers.specs.values() if isinstance(spec, CliProvider)]
        missing = [(spec, found) for spec in programs if isinstance(found := self.available(spec), Missing)]
        lines = [f"- {spec.title}: {found.hint}" for spec, found in missing]
        return ToolNotFoundError(
            "No AI tool is ready here, and one is enough.",
            hint="\n".join(
                ["What each needs:", *lines, "- A model API: set its key, e.g. ANTHROPIC_API_KEY, and name a model."]
            ),
        )

    def names(self) -> tuple[base.ToolName, ...]:
        """Whatever can be asked here, first what has a model of its own; nothing is started."""
        found = [spec for spec in self.providers.specs.values() if not isinstance(self.available(spec), Missing)]
        return tuple(spec.name for spec in sorted(found, key=lambda spec: isinstance(spec, _LAST_RESORTS)))

    def are_related(self, tool: base.ToolName, other: base.ToolName) -> bool:
        """Whether both have models of the same family behind them; what has no model has no relatives."""
        family = self.spec(tool).family
        return family not in _NO_MODELS and family == self.spec(other).family

    def available(self, spec: ProviderSpec) -> Available | Missing:
        """Whether the provider can be asked; nothing is started."""
        found = self._found.get(spec.name) if self._found is not None else None
        if found is None:
            found = availability(spec, self._settings.environment, attended=self._attended)
            if self._found is not None:
                self._found[spec.name] = found
        return found

    def as_found(self) -> Self:
        """This roster, which from now on takes whoever can be asked once to be so for good.

        Looking for programs takes a millisecond, again for every row of a table.
        """
        steady = copy.copy(self)
        steady._found = {}  # noqa: SLF001 -- one of us
        return steady

    def check(self, needed: runs.Needed) -> None:
        """Refuse what cannot work before anything is started.

        Raises:
            UsageError: There is no such tool.
            ToolNotFoundError: It is not installed, or may not be executed.
            UnsupportedError: It is the agent that called us, and none did.
            UnsupportedError: It cannot do what is asked of it.
            ProviderSpecError: Its script is malformed.
        """
        tool = needed.participant.tool
        spec = self.spec(tool)
        found = self.available(spec)
        if isinstance(found, Missing) and isinstance(spec, HostProvider):
            raise UnsupportedError(found.reason, hint=found.hint)
        if isinstance(found, Missing):
            error = ToolNotExecutableError if isinstance(found, NotExecutable) else ToolNotFoundError
            raise error(found.reason, hint=found.hint)
        trial = consultation.Question(
            prompt="-",
            brief=consultation.Brief(step="check", topic="-", role=base.Role.CONSULTANT, round=1),
            effort=needed.effort,
            model=needed.participant.model,
            timeout_s=1,
            repo_access=needed.repo_access,
            web=needed.web,
            session_id=needed.session_id,
        )
        if refusal := unsupported(spec, trial, self._settings.environment):
            raise UnsupportedError(refusal)
        if not isinstance(spec, HostProvider):  # which is asked by way of each run's own mailbox
            self.consultant(tool)

    def is_host(self, tool: base.ToolName) -> bool:
        """Whether that tool is the agent that called us."""
        return isinstance(self.spec(tool), HostProvider)

    def answering(
        self,
        mailbox: Mailbox | None,
        substitute: base.ToolName | None = None,
        repeated: Callable[[transcript.Ask], wrappers.Repeated] = lambda _: wrappers.untold,
        through: Callable[[transcript.Ask, Consultant, base.ToolName], wrappers.WaitingConsultant] | None = None,
    ) -> Callable[[transcript.Ask], Consultant]:
        """The consultant that answers an ask of the run whose ``mailbox`` that is, as often as it may help.

        ``substitute`` answers where a tool fails for good; ``repeated`` makes what is told that an ask is put again;
        ``through`` makes the consultant that asks a tool through a ledger.
        """

        def persistent(ask: transcript.Ask, tool: base.ToolName) -> Consultant:
            if mailbox and isinstance(self.providers.specs.get(tool), HostProvider):
                asked = ask.model_copy(update={"tool": tool})
                return self.receiving(mailbox.consultant(asked), tool)
            retries = self._retries(tool)
            inner = self.consultant(tool)
            if not retries:
                return inner
            if not through:
                return wrappers.RetryingConsultant(inner, retries, repeated(ask))
            waiting = through(ask, inner, tool)
            return wrappers.RetryingConsultant(waiting, retries, repeated(ask), lambda: waiting.waited_s)

        def consultant(ask: transcript.Ask) -> Consultant:
            first = persistent(ask, ask.tool)
            if not substitute or substitute == ask.tool or ask.role is base.Role.VERIFIER:
                return first
            second, may_read = persistent(ask, substitute), self._reads_safely(substitute)
            return wrappers.SubstitutingConsultant(first, second, substitute, repeated(ask), may_read=may_read)

        return consultant

    def costs(self, ask: transcript.Ask) -> bool:
        """See ``engine.runner.Calls``. A script, code and the agent that calls us are not paid for an answer."""
        return isinstance(self.providers.specs.get(ask.tool), CliProvider | AcpProvider | ApiProvider)

    async def taken_up(self, ask: transcript.Ask, call: str) -> consultation.Reply | None:
        """See ``engine.runner.Calls``. Only programs go on when we are gone."""
        spec = self.providers.specs.get(ask.tool)
        if not isinstance(spec, CliProvider):
            return None
        program, question = self._program(spec), ask.question.model_copy(update={"call": call})

        async def reply_to(harmless: consultation.Question) -> consultation.Reply | None:
            reply = await program.taken_up(harmless)
            return reply and received(reply, spec.failures)

        return await wrappers.RedactingConsultant(program, self.redactor).taken_up(question, reply_to)

    def settle(self, call: str) -> None:
        """See ``engine.runner.Calls``."""
        self.calls.settle(call)

    def _reads_safely(self, tool: base.ToolName) -> bool:
        spec = self.providers.specs.get(tool)
        return isinstance(spec, CliProvider) and sys.platform in spec.reads_safely_on

    def _retries(self, tool: base.ToolName) -> wrappers.Retries | None:
        """How often that tool is asked; None for what fails no other way the second time."""
        match self.providers.specs.get(tool):
            case ApiProvider():
                return wrappers.OF_APIS
            case CliProvider() | AcpProvider() | ScriptedProvider():
                return wrappers.OF_PROGRAMS
            case _:
                return None

    def consultant(self, tool: base.ToolName) -> Consultant:
        """Whoever answers for that tool. Nothing passes it, either way, with a secret in it."""
        if tool == base.CITATION_CHECKER:
            from sparring.providers.lookup.citations import CitingConsultant  # noqa: PLC0415 -- see _build

            # What it reads and repeats is harmless already.
            return CitingConsultant(self._place.project, self._settings.environment, tool=tool)
        if tool == base.SOURCE_CHECKER and tool not in self._consultants:
            from sparring.providers.lookup.sources import SourceConsultant  # noqa: PLC0415 -- see _build

            fetching = SourceConsultant(self._settings.environment, tool=tool)
            self._consultants[tool] = wrappers.RedactingConsultant(fetching, self.redactor)  # a page may hold anything
        if tool not in self._consultants:
            self._consultants[tool] = self.receiving(self._build(self.spec(tool)), tool)
        return self._consultants[tool]

    def receiving(self, inner: Consultant, tool: base.ToolName) -> Consultant:
        """``inner``, which asks that tool: without secrets either way, and with nothing but the answer in an answer."""
        receiving = wrappers.ReceivingConsultant(inner, self.spec(tool).failures)
        return wrappers.RedactingConsultant(receiving, self.redactor)

    def batches(self, tool: base.ToolName) -> "ApiBatches | None":
        """Whoever asks that tool by batch; None where it is no API. Secrets are to be taken out before and after."""
        from sparring.providers.api.batches import ApiBatches  # noqa: PLC0415 -- see _build

        spec = self.spec(tool)
        if not isinstance(spec, ApiProvider):
            return None
        return ApiBatches(spec, self._settings.environment, connections=self.connections, redactor=self.redactor)

    def _program(self, spec: CliProvider) -> "CliConsultant":
        from sparring.providers.cli.consultant import CliConsultant  # noqa: PLC0415 -- see _build

        return CliConsultant(spec, self.surroundings(), calls=self.calls, redactor=self.redactor)

    def _build(self, spec: ProviderSpec) -> Consultant:
        # Each transport is imported only when it is used: a server that consults one tool pays for one.
        match spec:
            case CliProvider():
                return self._program(spec)
            case AcpProvider():
                from sparring.providers.acp.consultant import AcpConsultant  # noqa: PLC0415

                return AcpConsultant(spec, self.surroundings(), calls=self.calls, redactor=self.redactor)
            case ApiProvider():
                from sparring.providers.api.consultant import ApiConsultant  # noqa: PLC0415

                return ApiConsultant(
                    spec, self._settings.environment, connections=self.connections, redactor=self.redactor
                )
            case HostProvider():
                raise UnsupportedError(f"{spec.name} can be asked in a run only, and by way of its mailbox.")
            case OfflineProvider():
                from sparring.providers.offline import OfflineConsultant  # noqa: PLC0415

                return OfflineConsultant(
                    self._place.project, self._prompts, tool=spec.name, environment=self._settings.environment
                )
            case ScriptedProvider():
                from sparring.providers.scripted import ScriptedConsultant  # noqa: PLC0415

                if spec.script is None:
                    raise ToolNotFoundError(f"{spec.name} has no script.", hint=spec.install)
                return ScriptedConsultant(spec.script, tool=spec.name)

    def surroundings(self) -> "Surroundings":
        """Where programs are started, and what of the project is ours and none of their business."""
        from sparring.providers.cli.confinement import Surroundings  # noqa: PLC0415

        place, settings = self._place, self._settings
        own = tuple(state / kind for state in place.states for kind in (*FORMATS, EXHIBITS_FOLDER))
        return Surroundings(settings.environment, place.project, settings.private_dir, own)


def _provider_folders(settings: Settings, place: Place) -> tuple[Path | None, tuple[Path, ...]]:
    """The folder of the user's own files, if it is one, and the files of the repository."""
    folder = settings.provider_dir
    home = home_folder(settings.environment)
    own = folder if is_users_own(folder, place.project, home) else None
    found = {file for file in repository_files(place.project, place.state) if file.parent != own}
    return own, tuple(sorted(found if own else found | set(folder.glob("*.toml"))))


def _with_family_of_host(providers: Providers, client: str | None) -> Providers:
    """``providers``, of which the calling agent has the family of the tool that it is, if its name tells.

    What a user has written into a file of that name stays.
    """
    host, itself = providers.specs.get(base.HOST_TOOL), providers.specs.get(_AGENTS.get(client or "", ""))
    if not isinstance(host, HostProvider) or itself is None or host.family != _UNKNOWN:
        return providers
    known = host.model_copy(update={"family": itself.family})
    return replace(providers, specs={**providers.specs, base.HOST_TOOL: known})


def _below(project: Path, file: Path) -> str:
    return str(file.relative_to(project)) if file.is_relative_to(project) else str(file)


def _own_secrets(spec: ProviderSpec, environment: Mapping[str, str]) -> tuple[str, ...]:
    """What a provider file says is secret: a key that it gives to its program, or the variables that hold one."""
    match spec:
        case AcpProvider() | CliProvider():
            return secret_values({**spec.environment.defaults, **spec.environment.fixed})
        case ApiProvider():
            return tuple(environment.get(variable, "").strip() for variable in spec.key_variables)
        case _:
            return ()
