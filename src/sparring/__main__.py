"""``python -m sparring`` is the ``sparring`` script."""

import sys


def main() -> None:
    """Serve a host, which must not wait for the command line to be imported, or do what was typed."""
    if sys.argv[1:] == ["serve"]:
        from sparring.server.__main__ import main as run  # noqa: PLC0415 -- one of the two doors
    else:
        from sparring.cli import run  # noqa: PLC0415 -- the other
    run()


if __name__ == "__main__":
    main()
