"""Runs a batch with the chosen engine: in this process, or in workers on a cluster."""

import os
from pathlib import Path

import anyio

from sparring.app import App
from sparring.batch.job import Job
from sparring.batch.table_output import Watch
from sparring.batch.work import Notify, take_part
from sparring.schema.batch import Manifest
from sparring.settings import Settings


async def judge_batch(app: App, job: Job, watch: Watch = lambda _: None, notify: Notify = lambda _: None) -> Manifest:
    """Judge the batch, and return its manifest.

    If it is cancelled or its time ends, it leaves a ledger with which the next call continues.

    Raises:
        SparringError: See ``work.take_part``; with a cluster also ``ray.judge_on_cluster``.
    """
    if job.engine == "ray":
        from sparring.batch.ray import judge_on_cluster  # noqa: PLC0415 -- it needs an optional package

        return await judge_on_cluster(app, job, notify)
    return await take_part(app, job, watch, notify)


def run(job: Job, watch: Watch = lambda _: None, *, folder: Path | None = None) -> Manifest:
    """Judge the batch, and return its manifest; the results of the rows are in the shards (``shards.read_rows``).

    Checks by code alone run in new processes, which import the calling program: there the call must be guarded by
    ``if __name__ == "__main__":``, as ``multiprocessing`` requires.

    Args:
        job: The batch: table, question, output and limits.
        watch: Receives the progress after every block of rows.
        folder: The project, and the folder that relative paths start from; by default the working directory.

    Raises:
        SparringError: See ``judge_batch``.
    """
    app = App(Settings.read(os.environ, folder or Path.cwd()))
    return anyio.run(judge_batch, app, job, watch)
