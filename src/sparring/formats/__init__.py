"""The five formats, one folder each. None knows another, and none does I/O (``engine.format``)."""
