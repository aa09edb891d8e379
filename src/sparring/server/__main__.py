"""``python -m sparring.server``: the server without the command line around it."""

from sparring.server import main

main()
