"""``sparring demo``."""

from sparring.cli.commands.options import Json


def demo(*, as_json: Json = False) -> None:
    """Show a debate: scripted speakers about a small example project; nothing is asked, nothing is left behind."""
    from sparring.cli.demo import demonstrate

    demonstrate(as_json=as_json)
