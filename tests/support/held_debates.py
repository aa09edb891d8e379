"""A debate that was held once, for the many tests that only look at it, or do something to a copy of it."""

from pathlib import Path

from msgspec import Struct

from support.workbench import DEBATE, Result, Workbench


class Held(Struct, frozen=True):
    """A project in which one debate was held, and what was said of it then."""

    bench: Workbench
    done: Result

    @classmethod
    def below(cls, root: Path, **tools: list[dict[str, object]]) -> "Held":
        """Hold it, where ``tools`` say something else than usual."""
        bench = Workbench.below(root)
        for name, replies in tools.items():
            bench.add_tool(name, replies)
        return cls(bench, bench.run(*DEBATE))

    @property
    def folder(self) -> Path:
        """Folder of the run."""
        (folder,) = self.bench.state.glob("debate/runs/debate-*")
        return folder

    def copied(self, root: Path) -> "Held":
        """The same below ``root``, to be changed."""
        return Held(self.bench.copied(root), self.done)

    def broken_off(self, lines: int) -> None:
        """Leave so many lines of its journal, or all but so many, as if it had been interrupted then."""
        journal = self.folder / "journal.jsonl"
        journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:lines]))
