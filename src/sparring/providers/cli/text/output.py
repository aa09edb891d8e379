"""A program of the user's own: what it prints on standard output is the answer, and its exit code says if it is one."""

from sparring.providers.cli.output import Output, answer, empty, without_result
from sparring.providers.cli.process import Finished
from sparring.providers.failures import Asked
from sparring.schema.consultation import Reply
from sparring.text.tidying import for_terminal


def _reply(finished: Finished, asked: Asked) -> Reply:
    if finished.exit_code != 0:
        return without_result(asked, finished)
    text = for_terminal(finished.stdout).strip()
    return empty(asked, finished, text) or answer(asked, finished, text, session_id=None)


OUTPUT = Output(_reply)
