import anyio
import pytest

from sparring.errors import SparringError, StateUnwritableError
from sparring.schema.runs import Run
from sparring.server.deliberations import surviving
from sparring.server.jobs import Jobs, Observer
from support.runs import answer, finished_consult
from support.stored_runs import stored

TOKEN = "ghp_" + "a1B2" * 9


def redact(text: str) -> str:
    return text.replace(TOKEN, "[REDACTED]")


async def test_an_accident_in_one_run_ends_that_run_alone(caplog: pytest.LogCaptureFixture) -> None:
    other = stored("debate")
    accident_happened = anyio.Event()

    async def unlucky(_: Observer) -> Run:
        accident_happened.set()
        raise ZeroDivisionError(f"divided {TOKEN}")

    async def lucky(_: Observer) -> Run:
        await accident_happened.wait()
        return other

    async with anyio.create_task_group() as group:
        jobs = Jobs(group)
        ended = jobs.start(finished_consult(answer()).header, surviving(unlucky, redact))
        fine = jobs.start(other.header, surviving(lucky, redact))
        with anyio.fail_after(20):
            await ended.ended.wait()
            await fine.ended.wait()
        assert str(ended.error) == "sparring itself failed (ZeroDivisionError). Its log has the details."
        assert (fine.result, fine.error) == (other, None)
    (record,) = caplog.records
    assert "ZeroDivisionError: divided [REDACTED]" in record.getMessage()
    assert TOKEN not in caplog.text


async def test_an_error_of_ours_keeps_its_own_sentence(caplog: pytest.LogCaptureFixture) -> None:
    async def work(_: Observer) -> Run:
        raise StateUnwritableError("The disk is full.")

    with pytest.raises(SparringError, match="The disk is full"):
        await surviving(work, redact)(lambda _: None)
    assert not caplog.records
