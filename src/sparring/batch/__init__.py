"""Many rows: a table in, a verdict for each row out, and no answer paid for twice.

Reading order: ``job`` is what can be asked for; ``tables`` reads rows, wherever ``addresses`` lead; ``rows`` says what
one gives its format, and its key in the ledger; ``engine`` judges rows in this process through the ledger of exchanges
(``app.exchanges``), with ``answers`` for what is kept of a run, and ``checks`` has code alone look at them; ``blocks``
takes blocks of the table from the ledger, and ``shards`` writes their ``results``; ``work`` does all of that in one
process, ``ray`` places such processes on many machines, and ``running`` chooses. ``estimate`` judges a sample first or
plans without asking, and ``judging`` reports rows as they come.
"""

from sparring.batch.job import Job
from sparring.batch.running import run

__all__ = ["Job", "run"]
