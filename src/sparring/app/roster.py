"""Registry of this process: providers that were loaded, checked and turned into consultants."""

import copy
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from msgspec.structs import replace

from sparring.errors import SettingsError, ToolNotExecutableError, ToolNotFoundError, UnsupportedError, UsageError
from sparring.processes.call_folders import CallFolders, sweep_temporary
from sparring.processes.children import home_folder
from sparring.prompts import PromptLibrary
from sparring.providers import Consultant, wrappers
from sparring.providers.api.connections import Connections
from sparring.providers.api.endpoints import can_choose_model, endpoint_of
from sparring.providers.api.schemas import SchemaRefusals
from sparring.providers.api.servers import KnownServers
from sparring.providers.api.windows import planned_window
from sparring.providers.available import Available, Missing, NotExecutable, availability, unsupported
from sparring.providers.families import AGENTS, MODELLESS, ModelFamilies, with_family_of_host
from sparring.providers.host import Mailbox
from sparring.providers.known import Providers, is_users_own, load_providers, repository_files
from sparring.providers.receiving.answers import received
from sparring.schema import base, consultation, runs, transcript
from sparring.schema.families import canonical
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
from sparring.store.hosts import HOSTS, Place
from sparring.text.redaction import Redactor, secret_values
from sparring.text.tidying import did_you_mean, one_line

if TYPE_CHECKING:
    from sparring.lookup.snapshot import ReadableProject
    from sparring.providers.api.batches import ApiBatches
    from sparring.providers.cli.confinement import Surroundings
    from sparring.providers.cli.consultant import CliConsultant
    from sparring.schema.audit import KnownAudit, KnownAudits

_NAME_SHOWN = 60
"""Characters shown of an unknown name; names of tools have at most 40."""

_HOSTS_TOOLS = {**AGENTS, "opencode": "opencode", "copilot-cli": "copilot", "antigravity-client": "agy"}
"""Provider of each host's own agent, by the host's name; it may use models of others."""

_LAST_RESORTS = (HostProvider, OfflineProvider)

_FILES_SHOWN = 3
"""Maximum number of ignored files that a notice names."""


class Roster:
    """The providers of this machine and user. Consultants are built on first use, one per tool.

    Attributes:
        redactor: Removes the secrets of our environment, and those that provider files give to their programs.
        connections: Connections to model APIs; a caller with several questions keeps them (``Connections.acquired``).
        servers: The user's own model servers, as they were discovered.
        schema_refusals: Schemas of answers that were refused.
        ignored: Provider files of the repository, which are never read.
        host: The name under which the calling agent can be asked; None if it cannot be.
        hosted_by: The tool that sparring runs in, over MCP or in its shell; None if there is none, or it is unknown.
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
        self.providers: Providers = with_family_of_host(load_providers(own_dir), client)
        is_host = isinstance(self.providers.specs.get(base.HOST_TOOL), HostProvider)
        self.host: base.ToolName | None = base.HOST_TOOL if attended and is_host else None
        # Over MCP the host names itself; in its shell a variable shows it.
        clients = [client, *(host.client for host in HOSTS if settings.environment.get(host.variable))]
        tools = [_HOSTS_TOOLS.get(each or "", "") for each in clients]
        self.hosted_by: base.ToolName | None = next((tool for tool in tools if tool in self.providers.specs), None)
        self.connections = Connections(settings.environment)
        self.servers = KnownServers()
        self.schema_refusals = SchemaRefusals()
        self._waiting: dict[str, wrappers.TurnQueue] = {}
        self._families = ModelFamilies(settings.environment, self.servers)
        secrets = [*secret_values(settings.environment), *settings.secrets]
        for spec in self.providers.specs.values():
            secrets += _own_secrets(spec, settings.environment)
        self.redactor = Redactor(tuple(secrets))
        self.calls = CallFolders(settings.private_dir)
        self._availability: dict[base.ToolName, Available | Missing] | None = None
        self._named: tuple[str, ...] = ()
        self._audits: KnownAudits | None = None

    def sweep(self) -> None:
        """End and remove the remains of processes that have ended: programs, prompts and their temporary files."""
        self.calls.sweep()
        sweep_temporary(self._settings.private_dir)

    @property
    def notices(self) -> tuple[str, ...]:
        """Notices about the providers, for every caller that asks one."""
        if not self.ignored:
            return ()
        shown = ", ".join(_below(self._place.project, file) for file in self.ignored[:_FILES_SHOWN])
        more = f" and {len(self.ignored) - _FILES_SHOWN} more" if len(self.ignored) > _FILES_SHOWN else ""
        way_out = f"If you trust it, copy it into {self._settings.provider_dir}."
        return (f"[WARN] Ignored {shown}{more}: a repository must not choose what is executed. {way_out}",)

    def effort_notices(self, needed: Iterable[runs.Needed]) -> tuple[str, ...]:
        """Return a notice if a program ignores the level of effort because its file does not define one."""
        specs = [self.providers.specs.get(tool) for tool in dict.fromkeys(each.participant.tool for each in needed)]
        return tuple(
            f"{spec.name} ignores --effort: its file has no [efforts]."
            for spec in specs
            if isinstance(spec, CliProvider) and not spec.efforts
        )

    @property
    def tool_names(self) -> frozenset[base.ToolName]:
        """Return the names of all known providers, available or not."""
        return frozenset(self.providers.specs)

    @property
    def all_families(self) -> frozenset[str]:
        """Return the families of all known providers."""
        families = {spec.shown_family for spec in self.providers.specs.values()} - MODELLESS
        return frozenset(canonical(family) for family in families if family)

    def spec(self, tool: str) -> ProviderSpec:
        """Return the provider of that name.

        Raises:
            UsageError: There is none, or its file is malformed.
        """
        spec = self.providers.specs.get(tool)
        if spec is None:
            broken = next((problem for problem in self.providers.problems if problem.file.stem == tool), None)
            if broken:
                raise UsageError(f"The provider file of {tool!r} cannot be used: {broken}.")
            suggestion = did_you_mean(tool, self.providers.specs)
            raise UsageError(
                f"There is no tool named {one_line(repr(tool), _NAME_SHOWN)}.{suggestion}",
                hint=self._known(),
            )
        return spec

    def _known(self) -> str:
        """Return a sentence with the names of all tools, those that are ready first."""
        ready = [name for name, spec in self.providers.specs.items() if not isinstance(self.available(spec), Missing)]
        others = [name for name in self.providers.specs if name not in ready]
        return f"Ready: {', '.join(ready) or 'none'}. Not ready: {', '.join(others) or 'none'}."

    def ai_tools(self) -> Iterator[base.ToolName]:
        """Yield the available tools with a model, in the order of preference.

        Those of the highest ``preference`` in their files come first; among equals the programs, then the APIs whose
        model is known or can be determined.
        """
        specs, environment = self.providers.specs.values(), self._settings.environment
        programs = [spec for spec in specs if isinstance(spec, CliProvider) and spec.family not in MODELLESS]
        apis = [spec for spec in specs if isinstance(spec, ApiProvider) and can_choose_model(spec, environment)]
        for spec in sorted((*programs, *apis), key=lambda spec: -spec.preference):
            if not isinstance(self.available(spec), Missing):
                yield spec.name

    def audit_of(self, seat: str, tool: base.ToolName, model: base.ModelName | None = None) -> "KnownAudit | None":
        """Return the user's own audit of that tool in that seat, if it is recent; None where there is none."""
        from sparring.schema.audit import RECENT_DAYS  # noqa: PLC0415 -- most runs have no judge
        from sparring.store.audits import known_audits  # noqa: PLC0415 -- the same

        if self._audits is None:
            self._audits = known_audits(self._settings, self._place)
        audit = self._audits.of(seat, tool, model)
        is_recent = audit is not None and base.utc_now() - audit.audited_at < timedelta(days=RECENT_DAYS)
        return audit if is_recent else None

    def family(self, tool: base.ToolName, model: base.ModelName | None = None) -> str:
        """Return the family of a tool's model; empty if that is unknown, or it has none."""
        return self._families.of(self.spec(tool), model)

    def families(self, participants: Iterable[base.Participant]) -> dict[base.ToolName, str]:
        """Return the families of these participants' models, by tool, without tools with models of several families.

        Tools without a model, or with one of an unknown family, are left out too.
        """
        of_tools: dict[base.ToolName, set[str]] = {}
        for participant in participants:
            if participant.tool in self.providers.specs:
                family = self.family(participant.tool, participant.model)
                of_tools.setdefault(participant.tool, set()).add(family)
        families: dict[base.ToolName, str] = {}
        for tool, (family, *others) in of_tools.items():
            if family and not others:
                families[tool] = family
        return families

    def window_of(self, tool: base.ToolName, model: base.ModelName | None = None) -> int | None:
        """Return the maximum tokens of a prompt and its answer together; None if unknown.

        The user's own server may be queried, which blocks for a moment.
        """
        spec = self.spec(tool)
        if isinstance(spec, ApiProvider):
            return planned_window(spec, self._settings.environment, self.servers, model)
        return spec.context_tokens

    def no_tool_error(self) -> ToolNotFoundError:
        """Return the error that no AI tool can be asked, with the needs of each program, as in ``doctor``."""
        lines = ["What each needs:"]
        for spec in self.providers.specs.values():
            if not isinstance(spec, CliProvider):
                continue
            state = self.available(spec)
            if isinstance(state, Missing):
                lines.append(f"- {spec.title}: {state.hint}")
        lines.append("- A model API: set its key, e.g. ANTHROPIC_API_KEY, and name a model.")
        return ToolNotFoundError("No AI tool is ready, and one is enough.", hint="\n".join(lines))

    def names(self) -> tuple[base.ToolName, ...]:
        """Return the tools that can be asked, those with a model of their own first; nothing is started."""
        specs = [spec for spec in self.providers.specs.values() if not isinstance(self.available(spec), Missing)]
        return tuple(spec.name for spec in sorted(specs, key=lambda spec: isinstance(spec, _LAST_RESORTS)))

    def available(self, spec: ProviderSpec) -> Available | Missing:
        """Return whether the provider can be asked; nothing is started."""
        if self._availability is not None and spec.name in self._availability:
            return self._availability[spec.name]
        state = availability(spec, self._settings.environment, self.servers, attended=self._attended)
        if self._availability is not None:
            self._availability[spec.name] = state
        return state

    def with_fixed_availability(self) -> Self:
        """Return a copy of this roster for which the availability of tools is determined only once.

        Looking for programs takes a millisecond, again for every row of a table.
        """
        steady = copy.copy(self)
        steady._availability = {}  # noqa: SLF001 -- of the same class
        return steady

    def with_named_files(self, files: tuple[str, ...]) -> Self:
        """Return this roster for a run whose user named ``files``; readers may open them although git tracks none."""
        if files == self._named:
            return self
        naming = copy.copy(self)
        naming._named, naming._consultants = files, {}  # noqa: SLF001 -- of the same class
        return naming

    def check(self, needed: runs.Needed) -> None:
        """Refuse unusable tools before anything is started.

        Raises:
            UsageError: There is no such tool.
            ToolNotFoundError: It is not installed, or not executable.
            UnsupportedError: It is the calling agent, and no agent called.
            UnsupportedError: It lacks a needed ability.
            ProviderSpecError: Its script is malformed.
        """
        tool = needed.participant.tool
        spec = self.spec(tool)
        state = self.available(spec)
        if isinstance(state, Missing) and isinstance(spec, HostProvider):
            raise UnsupportedError(state.reason, hint=state.hint)
        if isinstance(state, Missing):
            error = ToolNotExecutableError if isinstance(state, NotExecutable) else ToolNotFoundError
            raise error(state.reason, hint=state.hint)
        refusal = self.refusal(needed)
        if not refusal and needed.repo_access is base.RepoAccess.READ and isinstance(spec, CliProvider | AcpProvider):
            refusal = self.reading_problem()
        if refusal:
            raise UnsupportedError(refusal)
        if not isinstance(spec, HostProvider):  # a host is asked through each run's own mailbox
            self.consultant(tool)

    def refusal(self, needed: runs.Needed) -> str:
        """Return why that tool lacks a needed ability, in a sentence; empty if it has all. Nothing is imported."""
        terms = consultation.QuestionTerms(
            effort=needed.effort,
            model=needed.participant.model,
            timeout_s=1,
            repo_access=needed.repo_access,
            web=needed.web,
            session_id=needed.session_id,
        )
        return unsupported(self.spec(needed.participant.tool), terms, self._settings.environment) or ""

    def reading_problem(self) -> str:
        """Return why no tool can get a copy of the project to read, in a sentence; empty if each can."""
        from sparring.lookup.snapshot import readable  # noqa: PLC0415 -- see _build

        return readable(self.surroundings(), self.redactor).problem()

    def is_host(self, tool: base.ToolName) -> bool:
        """Return whether that tool is the calling agent."""
        return isinstance(self.spec(tool), HostProvider)

    def consultant_of_run(
        self,
        mailbox: Mailbox | None,
        repeated: Callable[[transcript.Ask], wrappers.Repeated] = lambda _: wrappers.no_report,
        through: Callable[[transcript.Ask, Consultant, base.ToolName], wrappers.WaitingConsultant] | None = None,
    ) -> Callable[[transcript.Ask], Consultant]:
        """Return the consultant that answers an ask of the run of ``mailbox``, with retries.

        Where its tool fails for good, the ``stand_ins`` of the ask are asked in turn. ``repeated`` returns the callback
        for repeated asks; ``through`` returns the consultant that asks a tool through a ledger.
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
                return wrappers.RetryingConsultant(inner, retries, repeated(ask), turns=self.turns(tool))
            waiting = through(ask, inner, tool)
            return wrappers.RetryingConsultant(waiting, retries, repeated(ask), lambda: waiting.waited_s)

        def consultant(ask: transcript.Ask) -> Consultant:
            asked = persistent(ask, ask.tool)
            for tool in ask.stand_ins:
                second, may_read = persistent(ask, tool), self._reads_safely(tool)
                asked = wrappers.SubstitutingConsultant(asked, second, tool, repeated(ask), may_read=may_read)
            return asked

        return consultant

    def costs(self, ask: transcript.Ask) -> bool:
        """See ``engine.runner.Calls``."""
        return self.is_paid(ask.tool)

    def is_paid(self, tool: base.ToolName) -> bool:
        """Return whether answers of ``tool`` may cost money: those of a script, code and the calling agent do not."""
        return isinstance(self.providers.specs.get(tool), CliProvider | AcpProvider | ApiProvider)

    async def recover(self, ask: transcript.Ask, call: str) -> consultation.Reply | None:
        """See ``engine.runner.Calls``. Only programs continue after this process has ended."""
        spec = self.providers.specs.get(ask.tool)
        if not isinstance(spec, CliProvider):
            return None
        program, question = self._program(spec), ask.question.model_copy(update={"call": call})

        async def reply_to(harmless: consultation.Question) -> consultation.Reply | None:
            reply = await program.recover(harmless)
            family = partial(self._families.of_answer, spec, question.model)
            return reply and received(reply, spec.failures, family)

        return await wrappers.RedactingConsultant(program, self.redactor).recover(question, reply_to)

    def settle(self, call: str) -> None:
        """See ``engine.runner.Calls``."""
        self.calls.settle(call)

    def _reads_safely(self, tool: base.ToolName) -> bool:
        spec = self.providers.specs.get(tool)
        return isinstance(spec, CliProvider) and sys.platform in spec.reads_safely_on

    def turns(self, tool: base.ToolName) -> wrappers.TurnQueue | None:
        """Return the turns that questions to that tool wait for; a server has one queue for all tools that ask it.

        A server on this machine has one memory and one processor, so it is asked one question at a time.
        """
        spec = self.spec(tool)
        place, at_once = tool, spec.at_once
        if isinstance(spec, ApiProvider):
            try:
                endpoint = endpoint_of(spec, self._settings.environment)
            except SettingsError:
                return None  # it cannot be asked
            if endpoint.is_local:
                place, at_once = f"{endpoint.host}:{endpoint.port}", at_once or 1
        if at_once is None:
            return None
        return self._waiting.setdefault(place, wrappers.TurnQueue(at_once))

    def _retries(self, tool: base.ToolName) -> wrappers.Retries | None:
        """Return the retries of that tool; None if a second try would fail in the same way."""
        match self.providers.specs.get(tool):
            case ApiProvider():
                return wrappers.OF_APIS
            case CliProvider(tries=tries) | AcpProvider(tries=tries):
                return wrappers.of_programs(tries)
            case ScriptedProvider():
                return wrappers.of_programs(tries=2)
            case _:
                return None

    def consultant(self, tool: base.ToolName) -> Consultant:
        """Return the consultant of that tool. Questions and answers that pass through it contain no secrets."""
        if tool == base.CITATION_CHECKER:
            from sparring.lookup.citations import CitingConsultant  # noqa: PLC0415 -- see _build

            # Its input is redacted already.
            return CitingConsultant(self._place.project, self._settings.environment, tool=tool)
        if tool == base.SOURCE_CHECKER and tool not in self._consultants:
            from sparring.lookup.sources import SourceConsultant  # noqa: PLC0415 -- see _build

            fetching = SourceConsultant(self._settings.environment, tool=tool)
            self._consultants[tool] = wrappers.RedactingConsultant(fetching, self.redactor)  # a page may hold anything
        if tool not in self._consultants:
            self._consultants[tool] = self.receiving(self._build(self.spec(tool)), tool)
        return self._consultants[tool]

    def receiving(self, inner: Consultant, tool: base.ToolName) -> Consultant:
        """Return ``inner``, which asks that tool, with secrets removed in both directions, and answers normalized."""
        spec = self.spec(tool)
        receiving = wrappers.ReceivingConsultant(inner, spec.failures, partial(self._families.of_answer, spec))
        return wrappers.RedactingConsultant(receiving, self.redactor)

    def batches(self, tool: base.ToolName) -> "ApiBatches | None":
        """Return the batch interface of that tool; None if it has none. The caller redacts input and output."""
        from sparring.providers.api.batches import BATCH_APIS, ApiBatches  # noqa: PLC0415 -- see _build

        spec = self.spec(tool)
        if not isinstance(spec, ApiProvider) or spec.api not in BATCH_APIS:
            return None
        return ApiBatches(spec, self._settings.environment, connections=self.connections, redactor=self.redactor)

    def _program(self, spec: CliProvider) -> "CliConsultant":
        from sparring.providers.cli.consultant import CliConsultant  # noqa: PLC0415 -- see _build

        return CliConsultant(spec, self.surroundings(), calls=self.calls, redactor=self.redactor)

    def _build(self, spec: ProviderSpec) -> Consultant:
        # Each transport is imported on first use: a server that consults one tool loads one.
        match spec:
            case CliProvider():
                return self._program(spec)
            case AcpProvider():
                from sparring.providers.acp.consultant import AcpConsultant  # noqa: PLC0415

                return AcpConsultant(spec, self.surroundings(), calls=self.calls, redactor=self.redactor)
            case ApiProvider():
                from sparring.providers.api.consultant import ApiConsultant  # noqa: PLC0415

                return ApiConsultant(
                    spec,
                    self._settings.environment,
                    connections=self.connections,
                    redactor=self.redactor,
                    servers=self.servers,
                    refusals=self.schema_refusals,
                )
            case HostProvider():
                raise UnsupportedError(f"{spec.name} can be asked in a run only, and by way of its mailbox.")
            case OfflineProvider():
                from sparring.lookup.offline import OfflineConsultant  # noqa: PLC0415

                return OfflineConsultant(
                    self._place.project, self._prompts, tool=spec.name, environment=self._settings.environment
                )
            case ScriptedProvider():
                from sparring.providers.scripted import ScriptedConsultant  # noqa: PLC0415

                if spec.script is None:
                    raise ToolNotFoundError(f"{spec.name} has no script.", hint=spec.install)
                return ScriptedConsultant(spec.script, tool=spec.name)

    def surroundings(self) -> "Surroundings":
        """Return the surroundings of programs, with the folders of our records, which they must not read."""
        from sparring.providers.cli.confinement import Surroundings  # noqa: PLC0415

        place, settings = self._place, self._settings
        there = Surroundings(settings.environment, place.project, settings.private_dir, place.own_folders)
        return replace(there, copy=_CopyWhenRead(there, self.redactor, self._named), read_file=_read_when_asked)


class _CopyWhenRead:
    """Copy of the project whose code is imported when a tool may read: that takes a tenth of a question."""

    def __init__(self, surroundings: "Surroundings", redactor: Redactor, named: tuple[str, ...]) -> None:
        self._of = (surroundings, redactor, named)

    @cached_property
    def _copy(self) -> "ReadableProject":
        from sparring.lookup.snapshot import readable  # noqa: PLC0415 -- see the class

        return readable(*self._of)

    def refreshed(self) -> Path:
        """See ``ProjectCopy``."""
        return self._copy.refreshed()

    def with_project_paths(self, text: str) -> str:
        """See ``ProjectCopy``."""
        return self._copy.with_project_paths(text)


def _read_when_asked(name: str, folder: Path, limit: int) -> str | None:
    from sparring.lookup.context import read_text  # noqa: PLC0415 -- as above

    return read_text(name, folder, limit)


def _provider_folders(settings: Settings, place: Place) -> tuple[Path | None, tuple[Path, ...]]:
    """Return the folder of the user's own files, if it exists, and the files of the repository."""
    folder = settings.provider_dir
    home = home_folder(settings.environment)
    own = folder if is_users_own(folder, place.project, home) else None
    files = {file for file in repository_files(place.project, place.state) if file.parent != own}
    return own, tuple(sorted(files if own else files | set(folder.glob("*.toml"))))


def _below(project: Path, file: Path) -> str:
    return str(file.relative_to(project)) if file.is_relative_to(project) else str(file)


def _own_secrets(spec: ProviderSpec, environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the secrets in a provider file: keys given to its program, or variables that contain one."""
    match spec:
        case AcpProvider() | CliProvider():
            return secret_values({**spec.environment.defaults, **spec.environment.fixed})
        case ApiProvider():
            return tuple(environment.get(variable, "").strip() for variable in spec.key_variables)
        case _:
            return ()
