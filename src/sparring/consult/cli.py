"""A consultant that is a command-line program: started for one question, and gone with its answer."""

import time
from collections.abc import Mapping
from pathlib import Path

from anyio.to_thread import run_sync

from sparring.consult.commands import DEPTH_LIMIT, build_command, depth_of
from sparring.consult.outputs import Asked, parse
from sparring.consult.process import Command, run_child
from sparring.consult.prompt_file import PromptFiles
from sparring.consult.providers import unsupported
from sparring.errors import ConfigurationError
from sparring.schema.consultation import DETAIL_LIMIT, Failure, FailureCode, Question, Reply
from sparring.schema.providers import CliProvider
from sparring.text.redaction import Redactor
from sparring.text.tidying import one_line


class CliConsultant:
    """Asks the program of ``spec``, started in ``project`` with what ``spec`` allows of ``environment``."""

    def __init__(
        self,
        spec: CliProvider,
        *,
        environment: Mapping[str, str],
        project: Path,
        prompt_files: PromptFiles,
        redactor: Redactor,
    ) -> None:
        self._spec = spec
        self._environment = environment
        self._project = project
        self._prompt_files = prompt_files
        self._redactor = redactor

    async def ask(self, question: Question) -> Reply:
        """The program's answer, or why there is none."""
        if refusal := self._refusal(question):
            return refusal
        began = time.monotonic()
        try:
            command = await run_sync(self._command, question)
            return await self._run(command, question)
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
        if depth_of(self._environment) >= DEPTH_LIMIT:
            detail = f"sparring runs inside a tool that sparring started; {name} is not started once more."
            return self._failure(FailureCode.UNSUPPORTED, detail)
        if not self._project.is_dir():  # else the program would be said to be missing
            return self._failure(FailureCode.EXIT, f"The project folder `{self._project}` is not there any more.")
        if reason := unsupported(self._spec, question):
            return self._failure(FailureCode.UNSUPPORTED, reason)
        if limit is not None and (length := len(self._prompt(question))) > limit:
            detail = f"{name} takes prompts of at most {limit:,} characters; this one has {length:,}."
            return self._failure(FailureCode.CONTEXT_TOO_LONG, detail)
        return None

    def _prompt(self, question: Question) -> str:
        return self._spec.preamble + question.prompt

    def _command(self, question: Question) -> Command:
        return build_command(self._spec, question, environment=self._environment, project=self._project)

    async def _run(self, command: Command, question: Question) -> Reply:
        with self._prompt_files.holding(self._prompt(question)) as file:
            finished = await run_child(command, prompt=file, timeout_s=question.timeout_s)
        return parse(self._spec.output, finished, Asked(self._spec.name, question, self._redactor))

    def _failure(self, code: FailureCode, detail: str, *, duration_ms: int = 0) -> Failure:
        return Failure(tool=self._spec.name, code=code, detail=one_line(detail, DETAIL_LIMIT), duration_ms=duration_ms)


def _place(error: OSError) -> str:
    return f"`{error.filename}`" if error.filename else "The program"
