"""A consultant that is a command-line program: started for one question, and gone with its answer."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from anyio.to_thread import run_sync

from sparring.consult.commands import DEPTH_LIMIT, build_command, depth_of
from sparring.consult.confinement import Confinement, Surroundings, confine
from sparring.consult.outputs import Asked, parse
from sparring.consult.process import run_child
from sparring.consult.prompt_file import PromptFiles
from sparring.consult.prompt_text import prompt_text
from sparring.consult.providers import unsupported
from sparring.errors import ConfigurationError
from sparring.schema.consultation import DETAIL_LIMIT, Failure, FailureCode, Question, Reply
from sparring.schema.providers import CliProvider
from sparring.text.redaction import Redactor
from sparring.text.tidying import one_line


class CliConsultant:
    """Asks the program of ``spec``, started in ``surroundings`` with what ``spec`` allows of the environment."""

    def __init__(
        self, spec: CliProvider, surroundings: Surroundings, *, prompt_files: PromptFiles, redactor: Redactor
    ) -> None:
        self._spec = spec
        self._surroundings = surroundings
        self._prompt_files = prompt_files
        self._settings_files = PromptFiles(surroundings.private_dir)
        self._redactor = redactor

    async def ask(self, question: Question) -> Reply:
        """The program's answer, or why there is none."""
        if refusal := self._refusal(question):
            return refusal
        began = time.monotonic()
        try:
            confinement = await run_sync(confine, self._spec, question, self._surroundings)
            return await self._run(confinement, question)
        except ConfigurationError as error:
            code, detail = FailureCode.UNSUPPORTED, str(error)
        except FileNotFoundError as error:
            code, detail = FailureCode.NOT_FOUND, f"{_place(error)} is not there. {self._spec.install}"
        except PermissionError as error:
            code, detail = FailureCode.PERMISSION, f"{_place(error)} may not be used: {error.strerror}."
        except OSError as error:
            code, detail = FailureCode.EXIT, f"{_place(error)} cannot be used: {error.strerror}."
        return self._failure(code, detail, duration_ms=round((time.monotonic() - began) * 1000))

    def _refusal(self, question: Question) -> Failure | None:
        name, limit = self._spec.name, self._spec.prompt_limit
        if depth_of(self._surroundings.environment) >= DEPTH_LIMIT:
            detail = f"sparring runs inside a tool that sparring started; {name} is not started once more."
            return self._failure(FailureCode.UNSUPPORTED, detail)
        project = self._surroundings.project
        if not project.is_dir():  # else the program would be said to be missing
            return self._failure(FailureCode.EXIT, f"The project folder `{project}` is not there any more.")
        if reason := unsupported(self._spec, question):
            return self._failure(FailureCode.UNSUPPORTED, reason)
        if limit is not None and (length := len(prompt_text(self._spec, question))) > limit:
            detail = f"{name} takes prompts of at most {limit:,} characters; this one has {length:,}."
            return self._failure(FailureCode.CONTEXT_TOO_LONG, detail)
        return None

    async def _run(self, confinement: Confinement, question: Question) -> Reply:
        with self._written(confinement) as confined:
            command = build_command(self._spec, question, surroundings=self._surroundings, confinement=confined)
            with self._prompt_files.holding(prompt_text(self._spec, question)) as file:
                finished = await run_child(command, prompt=file, timeout_s=question.timeout_s)
        return parse(self._spec.output, finished, Asked(self._spec.name, question, self._redactor))

    @contextmanager
    def _written(self, confinement: Confinement) -> Generator[Confinement]:
        """``confinement`` with its settings in a file and the file's path in its variables."""
        if (settings := confinement.settings) is None:
            yield confinement
            return
        with self._settings_files.holding(settings.content, name="settings.json") as file:
            yield replace(confinement, variables={**confinement.variables, settings.variable: str(file)})

    def _failure(self, code: FailureCode, detail: str, *, duration_ms: int = 0) -> Failure:
        return Failure(tool=self._spec.name, code=code, detail=one_line(detail, DETAIL_LIMIT), duration_ms=duration_ms)


def _place(error: OSError) -> str:
    return f"`{error.filename}`" if error.filename else "The program"
