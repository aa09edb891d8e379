"""Debates, reviews and second opinions across AI coding tools, with every citation checked by code."""

__all__ = ["__version__"]

__version__ = "0.1.0"
