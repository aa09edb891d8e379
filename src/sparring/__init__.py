"""Debates, reviews and second opinions across AI coding tools, with every citation checked by code."""

__all__ = ["__version__"]

__version__: str


def __getattr__(name: str) -> str:
    """``__version__``, looked up when it is asked for: that takes longer than importing a check."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version  # noqa: PLC0415

    return version("sparring")
