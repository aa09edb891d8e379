"""The exchange ledger: what was asked of models and answered, paid once and limited before it is asked.

Reading order: ``tables`` are what is kept; ``steps`` (exchanges), ``workers`` (with their limits), ``provider_batches``
and ``row_steps`` what is done to them, each step as one transaction that is decided before it begins (``database``).
``worker`` does that for one process, is patient with the store (``spill``) and buries the dead; ``ledger`` is what
others use. ``sqlite`` and ``postgres`` are the two places where a ledger can be.
"""
