"""A package index on the loopback: our own wheel, and the packages of this environment packed as wheels again."""

import base64
import hashlib
import re
import threading
import zipfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the name in the standard library
        """Print nothing."""


@contextmanager
def local_index(folder: Path, wheel: Path, *others: str) -> Generator[str]:
    """Serve an index that has ``wheel``, all that it needs, and ``others``; yields the address of the index.

    It has what this environment has installed, so that nothing is fetched from elsewhere.
    """
    names = _closure({"sparring", *others}) - {"sparring"}
    for name in names:
        _packed(metadata.distribution(name), folder / "simple" / name)
    (folder / "simple" / "sparring").mkdir(parents=True)
    (folder / "simple" / "sparring" / wheel.name).write_bytes(wheel.read_bytes())
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/simple"
        finally:
            server.shutdown()
            thread.join()


def _closure(names: Iterable[str]) -> set[str]:
    """Those packages and what they need here, without what is not installed: another system needs it."""
    found, seen, pending = set[str](), set[str](), [Requirement(name) for name in names]
    while pending:
        wanted = pending.pop()
        wanted_as = f"{canonicalize_name(wanted.name)}{sorted(wanted.extras)}"
        try:
            required = () if wanted_as in seen else map(Requirement, metadata.requires(wanted.name) or [])
        except metadata.PackageNotFoundError:
            continue
        seen.add(wanted_as)
        found.add(canonicalize_name(wanted.name))
        extras = ("", *wanted.extras)
        pending += [
            each
            for each in required
            if each.marker is None or any(each.marker.evaluate({"extra": extra}) for extra in extras)
        ]
    return found


def _packed(package: metadata.Distribution, folder: Path) -> None:
    """Write the wheel of an installed package."""
    # Not what the installation made: compiled files, and programs outside of the folder of packages.
    files = [
        file
        for file in package.files or ()
        if ".." not in file.parts
        and file.suffix != ".pyc"
        and file.name not in {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"}
    ]
    root = next(file.parent for file in files if file.parent.suffix == ".dist-info" and file.name == "METADATA")
    tags = re.findall(r"(?m)^Tag: (\S+)", package.read_text("WHEEL") or "")
    parts = [sorted({tag.split("-")[place] for tag in tags}) for place in range(3)]
    folder.mkdir(parents=True)
    name = f"{root.name.removesuffix('.dist-info')}-{'-'.join('.'.join(part) for part in parts)}.whl"
    record = list[str]()
    with zipfile.ZipFile(folder / name, "w") as wheel:
        for file in files:
            content = Path(str(file.locate())).read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            wheel.writestr(file.as_posix(), content)
            record.append(f"{file.as_posix()},sha256={digest},{len(content)}\n")
        wheel.writestr(f"{root}/RECORD", "".join(record) + f"{root}/RECORD,,\n")
