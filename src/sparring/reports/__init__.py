"""SHOW: a run for people, as Markdown and on a terminal."""
