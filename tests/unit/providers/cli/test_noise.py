"""Recorded outputs of the real tools with noise in them: the same answers, and the same failures."""

import pytest
from msgspec.structs import replace

from sparring.processes.children import FinishedProcess
from sparring.providers.cli.output import parse
from sparring.providers.receiving.causes import AskedQuestion
from sparring.schema.consultation import Answer, Reply
from sparring.testing.noise import NOISE, disturbed
from sparring.text.redaction import Redactor
from support.desk import TOOLS, question
from support.recordings import KEY, RECORDED, Recording

FAILURES = ("401", "429", "500", "empty", "cut-off")
"""Recorded failures that are tried with noise as well."""


def replies(tool: str, printed: FinishedProcess) -> Reply:
    return parse(tool, printed, AskedQuestion(tool, question(), Redactor([KEY])))


def recorded(tool: str) -> list[tuple[str, FinishedProcess]]:
    names = [str(file.relative_to(RECORDED).with_suffix("")) for file in sorted((RECORDED / tool).rglob("*.json"))]
    return [(name, Recording.read(name).finished) for name in names]


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS)
def test_noise_changes_no_recorded_answer(tool: str) -> None:
    answers = [(name, each) for name, each in recorded(tool) if isinstance(replies(tool, each), Answer)]
    assert len(answers) >= 2
    for name, finished in answers:
        plain = replies(tool, finished)
        assert isinstance(plain, Answer)
        for each in disturbed(finished.stdout):
            reply = replies(tool, replace(finished, stdout=each.output))
            assert isinstance(reply, Answer), (name, each.name, reply)
            assert (reply.response, reply.ending) == (plain.response, plain.ending), (name, each.name)


@pytest.mark.slow
@pytest.mark.parametrize("tool", TOOLS)
def test_noise_makes_no_answer_of_a_failure_and_no_other_failure(tool: str) -> None:
    for name, finished in recorded(tool):
        if name.rpartition("/")[2] not in FAILURES or not finished.stdout.strip():
            continue
        code = getattr(replies(tool, finished), "code", None)
        for each in disturbed(finished.stdout):
            reply = replies(tool, replace(finished, stdout=each.output))
            assert getattr(reply, "code", None) is code, (name, each.name, reply)


@pytest.mark.parametrize("tool", TOOLS)
def test_a_whole_printed_answer_counts_for_any_ending_of_the_program(tool: str) -> None:
    finished = next(each for _, each in recorded(tool) if isinstance(replies(tool, each), Answer))
    plain = replies(tool, finished)
    assert isinstance(plain, Answer)
    late, on = replace(finished, timed_out=True, exit_code=None), f"{tool} continued after its answer was complete"
    ends = {
        f"{on}, and was stopped.": late,
        f"{tool} ended with exit code 1 after its answer was complete.": replace(finished, exit_code=1),
        f"{tool} was killed by signal 11 after its answer was complete.": replace(finished, exit_code=-11),
    }
    for notice, end in ends.items():
        assert replies(tool, end) == plain.model_copy(update={"warnings": (*plain.warnings, notice)})


def test_there_are_many_kinds_of_noise() -> None:
    assert len(NOISE) >= 30
    assert len(set(NOISE.values())) == len(NOISE)
