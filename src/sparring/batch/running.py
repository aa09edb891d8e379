"""A batch by the engine that was chosen: in this process, or in workers on a cluster."""

import os
from pathlib import Path

import anyio

from sparring.app import App
from sparring.batch.job import Job
from sparring.batch.table_output import Watch
from sparring.batch.work import Notify, take_part
from sparring.schema.batch import Manifest
from sparring.settings import Settings


async def hold(app: App, job: Job, watch: Watch = lambda _: None, notify: Notify = lambda _: None) -> Manifest:
    """Judge the batch, and return what came of it.

    Cancelled, it leaves a ledger that the next call goes on with; so does the end of the job's time.

    Raises:
        SparringError: See ``work.take_part``; with a cluster also ``ray.hold_on_cluster``.
    """
    if job.engine == "ray":
        from sparring.batch.ray import hold_on_cluster  # noqa: PLC0415 -- it needs an optional package

        return await hold_on_cluster(app, job, notify)
    return await take_part(app, job, watch, notify)


def run(job: Job, watch: Watch = lambda _: None, *, folder: Path | None = None) -> Manifest:
    """Judge the batch, and return its manifest; what came of each row stands in the shards (``shards.read_rows``).

    What code alone checks is checked by fresh processes, which import the program that calls this: there it has to
    stand behind ``if __name__ == "__main__":``, as ``multiprocessing`` wants it.

    Args:
        job: What is asked of which table.
        watch: Is told how far it has come, after every block of rows.
        folder: The project, and what paths are seen from; by default the folder of this process.

    Raises:
        SparringError: See ``hold``.
    """
    app = App(Settings.read(os.environ, folder or Path.cwd()))
    return anyio.run(hold, app, job, watch)
