"""What is made to hold secrets, in the form that the permission rules of programs take.

``text.secret_files`` decides about files that we read ourselves, and knows templates and source code from secrets. A
rule of a program can only be a list of names, so this is the coarser of the two.
"""

FOLDERS = (".aws", ".azure", ".docker", ".gcloud", ".git", ".gnupg", ".kube", ".password-store", ".ssh")
"""Names of folders in which nothing is read. In ``.git`` lie remote addresses with tokens, and all that ever was."""

_SUFFIXES = (
    "env", "pem", "key", "p8", "p12", "pfx", "pkcs12", "ppk", "jks", "keystore", "kdb", "kdbx", "asc", "gpg", "pgp",
    "agekey", "ovpn", "tfvars", "tfstate", "tfstate.backup",
)  # fmt: skip
_NAMES = (
    ".env.*", ".env-*", ".env_*", ".envrc", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "*_rsa", "*_dsa",
    "*_ecdsa", "*_ed25519", "authorized_keys", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".htpasswd",
    ".my.cnf", ".boto", ".s3cfg", ".dockercfg", ".git-credentials", ".yarnrc.yml", ".vault-token", "auth.json",
    "*service*account*.json", "credentials", "secrets",
)  # fmt: skip
_DATA = ("conf", "csv", "ini", "json", "properties", "toml", "txt", "xml", "yaml", "yml")

FILES = (
    *(f"*.{suffix}" for suffix in _SUFFIXES),
    *_NAMES,
    *(f"*{word}*.{suffix}" for word in ("credential", "password", "secret") for suffix in _DATA),
)
"""Names of files, in lower case, with ``*`` for anything."""


def in_any_case(name: str) -> str:
    """The glob that matches ``name`` in capital and small letters alike."""
    return "".join(f"[{letter}{letter.upper()}]" if letter.isalpha() else letter for letter in name)
