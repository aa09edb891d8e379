"""Somebody on loopback whom nobody should ask, and who counts those who do."""

from support.pages import Site


class Sentinel(Site):
    """Listens while the block lasts."""

    @property
    def asked(self) -> list[str]:
        """A line for each connection that was opened, and the path of each request."""
        return ["a connection"] * self.opened + self.paths
