"""``python -m sparring`` is the ``sparring`` script."""

from sparring.cli import main

if __name__ == "__main__":
    main()
