"""The exchange ledger: questions to models and their answers, paid once and limited before they are asked.

Reading order: ``tables`` has the schema; ``steps`` (exchanges), ``workers`` (with their limits), ``provider_batches``
and ``row_steps`` have the operations, each a transaction that is decided before it begins (``database``). ``worker``
executes them for one process, retries while the store does not answer (``spill``) and buries dead workers; ``ledger``
is the interface for other packages. ``sqlite`` and ``postgres`` are the two kinds of databases.
"""
