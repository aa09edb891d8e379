"""The batch as a function, for programs: what ``sparring batch`` does, without a terminal."""

import os
from pathlib import Path

import anyio

from sparring.app import App
from sparring.batch.job import Job
from sparring.batch.work import Watch, hold
from sparring.schema.batch import Manifest
from sparring.settings import Settings


def run(job: Job, watch: Watch = lambda _: None, *, folder: Path | None = None) -> Manifest:
    """Hold the batch, and return its manifest; what came of each row stands in the shards (``shards.read_rows``).

    What code alone checks is checked by fresh processes, which import the program that calls this: there it has to
    stand behind ``if __name__ == "__main__":``, as ``multiprocessing`` wants it.

    Args:
        job: What is asked of which table.
        watch: Is told how far it has come, after every block of rows.
        folder: The project, and what paths are seen from; by default the folder of this process.

    Raises:
        SparringError: See ``work.hold``.
    """
    app = App(Settings.read(os.environ, folder or Path.cwd()))
    return anyio.run(hold, app, job, watch)
