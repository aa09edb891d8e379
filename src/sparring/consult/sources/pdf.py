"""The text of a PDF, if the extra is there."""

import json
import re
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio.to_thread

from sparring.consult.process import Command, Finished, run_child
from sparring.consult.sources.limits import Limits
from sparring.consult.sources.problems import failed

PDF_PACKAGE = "pypdf"
"""What is imported when the extra ``pdf`` was asked for."""

_PROGRAM = Path(__file__).with_name("pdf_program.py")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_HYPHENATED = re.compile(r"(?<=[^\W\d_])[-\u2010\u00ad]\n(?=[^\W\d_])")


class PdfReading:
    """Reads PDFs by a program, if there is the package that it needs."""

    def __init__(
        self, limits: Limits, *, package: str = PDF_PACKAGE, program: Path = _PROGRAM, python: str = sys.executable
    ) -> None:
        self._limits = limits
        self._package = package
        self._program = program
        self._python = python

    async def read(self, body: bytes) -> tuple[str, str, bool]:
        """The title, the text, and whether that is all of it. A word that a line end cuts in two is whole again.

        Raises:
            NoPageError: It cannot be read, not in time, or not without the extra.
        """
        if find_spec(self._package) is None:
            raise failed("reading a PDF needs the extra: pip install 'sparring[pdf]'")
        try:
            finished = await self._run(body)
        except OSError as error:
            raise failed("the PDF cannot be read here: no program could be started for it") from error
        if finished.timed_out:
            raise failed(f"the PDF could not be read within {self._limits.reading_s:g} s")
        if finished.exit_code != 0 or finished.overflowed:
            raise failed("the PDF cannot be read")
        found = json.loads(finished.stdout)
        if "error" in found:
            raise failed(str(found["error"]))
        text = _HYPHENATED.sub("", str(found["text"]).translate(_LIGATURES))
        return str(found["title"]), text, bool(found["is_whole"])

    async def _run(self, body: bytes) -> Finished:
        command = (self._python, "-I", str(self._program), str(self._limits.text_characters))
        with TemporaryDirectory(prefix="sparring-") as folder:
            file = Path(folder) / "page.pdf"
            await anyio.to_thread.run_sync(file.write_bytes, body)
            return await run_child(
                Command(command, env={}, cwd=file.parent),
                prompt=file,
                timeout_s=self._limits.reading_s,
                output_limit=16 * self._limits.text_characters,
            )
