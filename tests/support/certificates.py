"""Certificates that servers on loopback show."""

import ssl
import subprocess
from pathlib import Path


def self_signed(folder: Path, name: str, alternative: str) -> tuple[Path, ssl.SSLContext]:
    """A self-signed certificate for ``name``, with its key, and what a server needs to show it."""
    file = folder / "certificate.pem"
    made = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    names = ("-subj", f"/CN={name}", "-addext", f"subjectAltName={alternative}")
    done = subprocess.run([*made, *names, "-keyout", "-", "-out", "-"], check=True, capture_output=True)
    file.write_bytes(done.stdout)
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(file)
    return file, serving
