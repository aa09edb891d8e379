"""A consultant that is a command-line program: the command for a question, or the failure if none can be started."""

import re
import time
from collections.abc import Awaitable, Callable, Mapping

from anyio.to_thread import run_sync

from sparring.errors import ConfigurationError, raising_exhausted
from sparring.processes import children, supervision
from sparring.processes.call_folders import CallFolders
from sparring.providers.available import unsupported
from sparring.providers.cli.confinement import DEPTH_LIMIT, Confinement, Surroundings, confine, depth_of
from sparring.providers.cli.output import output_of, parse
from sparring.providers.cli.watching import OutputWatch
from sparring.providers.receiving.causes import AskedQuestion, elapsed_ms
from sparring.schema.consultation import DETAIL_LIMIT, Failure, FailureCode, Question, Reply
from sparring.schema.providers import CONFINEMENT_SLOT, SLOT, CliProvider, ProgramProvider
from sparring.text.redaction import Redactor
from sparring.text.tidying import one_line

_GUARD = "\u200b"
"""A zero-width space: the model reads the same words, and the program no longer sees a path or a name."""

_UPWARDS = re.compile(r"(/\\*\.\\*\.)")
"""A step upwards in a path, which leads out of a folder; a backslash before a dot is dropped."""


def prompt_text(spec: ProgramProvider, question: Question) -> str:
    """The text that the program is given for ``question``."""
    return spec.preamble + _guarded(question.prompt, spec.guarded)


def _guarded(prompt: str, words: str) -> str:
    return re.sub(words, lambda match: _guarded_word(match[0]), prompt) if words else prompt


def _guarded_word(word: str) -> str:
    return word[:1] + _GUARD + _UPWARDS.sub(rf"\1{_GUARD}", word[1:])


def build_command(spec: CliProvider, question: Question, confined: Confinement) -> children.Command:
    """Return the command for ``question``. The prompt is not in it; it travels on standard input.

    ``question`` must be one that the provider supports (``providers.unsupported``).
    """
    fragments = _fragments(spec, question) | {"access": confined.tools, CONFINEMENT_SLOT: confined.arguments}
    argv = [part for element in spec.command.argv for part in _filled(element, fragments)]
    return children.Command(argv=(spec.command.program, *argv), env=confined.environment, cwd=confined.cwd)


def _fragments(spec: CliProvider, question: Question) -> dict[str, tuple[str, ...]]:
    command = spec.command
    return {
        "model": _with_value(command.model, question.model),
        "effort": _with_value(command.effort, question.effort and spec.efforts[question.effort]),
        "resume": _with_value(command.resume, question.session_id),
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


async def unless_refused(
    spec: ProgramProvider,
    question: Question,
    surroundings: Surroundings,
    ask: Callable[[Question], Awaitable[Reply]],
) -> Reply:
    """Return the reply of ``ask`` to ``question``, or a failure if nothing may be started.

    ``ask`` may raise ``ConfigurationError`` for a program that cannot be restricted to what ``question`` allows, and
    ``OSError`` for one that cannot be started, or whose files cannot be made; a fault of this machine is raised.
    """
    if refused := _refusal(spec, question, surroundings):
        return refused
    began = time.monotonic()
    try:
        with raising_exhausted():
            return await ask(question)
    except ConfigurationError as error:
        return _failed(spec, FailureCode.UNSUPPORTED, str(error), duration_ms=elapsed_ms(began))
    except OSError as error:
        return _not_started(spec, error, duration_ms=elapsed_ms(began))


def _refusal(spec: ProgramProvider, question: Question, surroundings: Surroundings) -> Failure | None:
    """Return why ``spec`` is not started for ``question``; None if it may be."""
    name, limit = spec.name, spec.prompt_limit
    if depth_of(surroundings.environment) >= DEPTH_LIMIT:
        detail = f"sparring runs inside a tool that sparring started; {name} is not started again."
        return _failed(spec, FailureCode.UNSUPPORTED, detail)
    project = surroundings.project
    if not project.is_dir():  # else the program would be reported as missing
        return _failed(spec, FailureCode.EXIT, f"The project folder `{project}` is not there any more.")
    if reason := unsupported(spec, question.terms, surroundings.environment):
        return _failed(spec, FailureCode.UNSUPPORTED, reason)
    if limit is not None and (length := len(prompt_text(spec, question))) > limit:
        detail = f"{name} takes prompts of at most {limit:,} characters; this one has {length:,}."
        return _failed(spec, FailureCode.CONTEXT_TOO_LONG, detail)
    return None


def _not_started(spec: ProgramProvider, error: OSError, *, duration_ms: int) -> Failure:
    """Return the failure of a program that the system would not start, or whose files could not be made."""
    place = f"`{error.filename}`" if error.filename else "The program"
    match error:
        case FileNotFoundError():
            code, detail = FailureCode.NOT_FOUND, f"{place} is not there. {spec.install}"
        case PermissionError():
            code, detail = FailureCode.PERMISSION, f"{place} may not be used: {error.strerror}."
        case _:
            code, detail = FailureCode.EXIT, f"{place} cannot be used: {error.strerror}."
    return _failed(spec, code, detail, duration_ms=duration_ms)


def _failed(spec: ProgramProvider, code: FailureCode, detail: str, *, duration_ms: int = 0) -> Failure:
    """Return a failure of ours to ask ``spec``; ``detail`` has no words of the program."""
    return Failure(tool=spec.name, code=code, detail=one_line(detail, DETAIL_LIMIT), duration_ms=duration_ms)


class CliConsultant:
    """Asks the program of ``spec``, started in ``surroundings`` with what ``spec`` allows of the environment."""

    def __init__(
        self,
        spec: CliProvider,
        surroundings: Surroundings,
        *,
        redactor: Redactor,
        calls: CallFolders | None = None,
    ) -> None:
        self._spec = spec
        self._surroundings = surroundings
        self._calls = calls or CallFolders(surroundings.private_dir)
        self._redactor = redactor

    async def ask(self, question: Question) -> Reply:
        """Return the program's answer, or the failure."""
        return await unless_refused(self._spec, self._fit(question), self._surroundings, self._asked)

    async def recover(self, question: Question) -> Reply | None:
        """Return the program's reply to a question that an earlier process asked; None if that is unknown."""
        began = time.monotonic()
        try:
            watch = self._watch(question)
            finished = await supervision.wait_for_earlier_call(self._calls, question.call, question.timeout_s, watch)
        except OSError as error:
            return _not_started(self._spec, error, duration_ms=elapsed_ms(began))
        if finished is None:
            return None
        return self._reply(finished, self._fit(question))

    async def _asked(self, question: Question) -> Reply:
        return self._reply(await self.ended(question), question)

    async def ended(self, question: Question) -> children.FinishedProcess:
        """Ask the program ``question`` and return its output and exit, from which a reply is made.

        Raises:
            ConfigurationError: It cannot be restricted to what ``question`` allows.
            OSError: It cannot be started, or a file that it needs cannot be made.
        """
        with self._calls.new_folder(question.call) as folder:
            place = await run_sync(self._surroundings.readable, question.repo_access)
            confined = await run_sync(confine, self._spec, question.terms, place, folder.make_own)
            command = build_command(self._spec, question, confined)
            text = confined.preamble + prompt_text(self._spec, question)
            prompt = folder.write_prompt(output_of(self._spec.output).encoded(text))
            terms = supervision.ConsultTerms(
                question.timeout_s, outlives=bool(question.call), report=confined.report, watch=self._watch(question)
            )
            return await supervision.run_consultation(command, folder, prompt, terms)

    def _watch(self, question: Question) -> OutputWatch | None:
        if self._spec.prints_text:  # only its exit marks the end of the text
            return None
        return OutputWatch(output_of(self._spec.output), question.timeout_s)

    def _fit(self, question: Question) -> Question:
        if self._spec.efforts:
            return question
        return question.model_copy(update={"effort": None})  # it thinks as hard as it likes, and names no level

    def _reply(self, finished: children.FinishedProcess, question: Question) -> Reply:
        reply = parse(self._spec.output, finished, AskedQuestion(self._spec.name, question, self._redactor))
        return self._surroundings.with_project_paths(reply, question.repo_access)
