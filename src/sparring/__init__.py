"""Somebody for a coding agent to argue with: debates and second opinions between AI tools."""

from importlib.metadata import version

__all__ = ["__version__"]

__version__ = version("sparring")
