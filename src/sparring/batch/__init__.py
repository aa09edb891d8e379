"""Many rows: tables in, an answer ledger under them, and shards of results out."""
