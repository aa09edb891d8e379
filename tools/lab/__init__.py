"""Finds out how the command lines behave, and writes it down: ``make lab``."""
