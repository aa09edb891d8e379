"""The command line as a function: what it is given is all it uses, wherever it runs."""

import io
import threading
from pathlib import Path

import pytest

from sparring.cli import main
from sparring.cli.invocation import Invocation, Streams, discard, invocation, running_invocation, writing_result
from sparring.errors import SparringError
from support.workbench import Workbench


def streams(stdout: io.BytesIO | None = None) -> Streams:
    return Streams(*(io.TextIOWrapper(each, "utf-8") for each in (io.BytesIO(), stdout or io.BytesIO(), io.BytesIO())))


class Refusing(io.BytesIO):
    """A disk that takes no more, or a pipe whose reader has gone."""

    def __init__(self, why: OSError) -> None:
        self.why = why

    def write(self, content: object) -> int:
        del content
        raise self.why


def test_the_program_works_outside_the_main_thread(tmp_path: Path) -> None:
    bench, codes = Workbench.below(tmp_path), list[int]()
    thread = threading.Thread(target=lambda: codes.append(bench.run("consult", "So?", "--tool", "ann").code))
    thread.start()
    thread.join()
    assert codes == [0]


def test_help_goes_to_the_given_streams_and_a_call_is_over_when_it_returns(capsys: pytest.CaptureFixture[str]) -> None:
    given = streams()
    assert (main(["--help"], given, {}, None), main(["--version"], given, {}, None)) == (0, 0)
    given.stdout.seek(0)
    assert "Usage" in given.stdout.read()
    assert capsys.readouterr() == ("", "")
    with pytest.raises(LookupError):
        invocation()


@pytest.mark.parametrize(
    ("why", "told"),
    [
        (OSError(28, "No space left on device"), ["Standard output cannot be written: No space left on device."]),
        (BrokenPipeError(), []),
    ],
)
def test_an_unwritable_result_is_an_error_unless_the_reader_has_left(why: OSError, told: list[str]) -> None:
    said = list[str]()
    with running_invocation(Invocation(streams(Refusing(why)), {}, None)):
        try:
            with writing_result() as out:
                out.write("a")
        except SparringError as error:
            said.append(str(error))
    assert said == told
    discard(streams().stdout)
