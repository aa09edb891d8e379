"""A consultant that is a command-line program: started for one question, and gone with its answer."""

from dataclasses import replace

from anyio.to_thread import run_sync

from sparring.providers.cli.command import build_command, furnished, prompt_text, report_of, unless_refused
from sparring.providers.cli.confinement import Surroundings, confine
from sparring.providers.cli.output import last_line, parse
from sparring.providers.cli.process import Finished, run_child
from sparring.providers.cli.prompt_file import PromptFiles
from sparring.providers.failures import Asked
from sparring.schema.consultation import Question, Reply
from sparring.schema.providers import CliProvider
from sparring.text.redaction import Redactor


class CliConsultant:
    """Asks the program of ``spec``, started in ``surroundings`` with what ``spec`` allows of the environment."""

    def __init__(
        self, spec: CliProvider, surroundings: Surroundings, *, prompt_files: PromptFiles, redactor: Redactor
    ) -> None:
        self._spec = spec
        self._surroundings = surroundings
        self._prompt_files = prompt_files
        self._private_files = PromptFiles(surroundings.private_dir)
        self._redactor = redactor

    async def ask(self, question: Question) -> Reply:
        """The program's answer, or why there is none."""
        return await unless_refused(self._spec, question, self._surroundings, self._asked)

    async def _asked(self, question: Question) -> Reply:
        finished = await self.ended(question)
        return parse(self._spec.output, finished, Asked(self._spec.name, question, self._redactor))

    async def ended(self, question: Question) -> Finished:
        """How the program ends that is asked ``question``, and what it printed: all that a reply is made from.

        Raises:
            ConfigurationError: It cannot be kept here to what ``question`` allows.
            OSError: It cannot be started, or a file that it needs cannot be made.
        """
        confinement = await run_sync(confine, self._spec, question, self._surroundings)
        with furnished(confinement, self._private_files) as confined:
            command = build_command(self._spec, question, surroundings=self._surroundings, confinement=confined)
            with self._prompt_files.holding(confined.preamble + prompt_text(self._spec, question)) as file:
                finished = await run_child(
                    command, prompt=file, timeout_s=question.timeout_s, is_last=last_line(self._spec.output)
                )
            return replace(finished, report=report_of(confined))
