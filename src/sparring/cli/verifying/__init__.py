"""``sparring verify``: rows of claims and quotes (``rows``, ``lines``), and a text for people (``texts``)."""
