"""What is made to hold secrets, in the form that the rules of programs take; and how long sessions are kept."""

import fnmatch
import os
from pathlib import Path

from sparring.providers.cli.confinement import FILES, FOLDERS, KEPT_DAYS, in_any_case, kept_sessions
from sparring.text.secret_shapes import may_hold_secrets
from support.desk import write

SECRET = (
    ".env", ".ENV", ".env.local", ".env-prod", ".envrc", "prod.env", "server.pem", "Server.KEY", "id_rsa", "id_ed25519",
    "deploy_rsa", "AuthKey_1.p8", "store.jks", "terraform.tfstate", "x.tfvars", ".netrc", ".npmrc", ".pypirc",
    "credentials", "Credentials.json", "aws-credentials.ini", "secrets.yaml", "app-secrets.toml", "passwords.txt",
    "service-account.json", "auth.json", ".git-credentials", ".htpasswd", ".vault-token", "my.kdbx",
)  # fmt: skip
HARMLESS = (
    "README.md", "environment.py", "main.rs", "keyboard.ts", "monkey.txt", "secrets.py", "credentials.go", "id.txt",
    "package.json", "Makefile", ".gitignore", "authors.json",
)  # fmt: skip


def denied(name: str) -> bool:
    return any(fnmatch.fnmatchcase(name, in_any_case(pattern)) for pattern in FILES)


def test_what_is_made_to_hold_secrets_is_denied_and_other_files_are_not() -> None:
    assert [name for name in SECRET if not (denied(name) and may_hold_secrets(name))] == []
    assert [name for name in HARMLESS if denied(name) or may_hold_secrets(name)] == []
    assert [folder for folder in FOLDERS if not may_hold_secrets(f"{folder}/anything")] == []


DAY_S = 24 * 60 * 60
NOW = 100 * DAY_S


def aged(file: Path, days: float) -> None:
    write(file, "said")
    os.utime(file, (0, NOW - days * DAY_S))
    os.utime(file.parent, (0, NOW - days * DAY_S))


def test_only_what_was_not_continued_for_long_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    aged(folder / "old" / "said.jsonl", KEPT_DAYS + 1)
    aged(folder / "continued" / "first.jsonl", KEPT_DAYS + 1)
    aged(folder / "continued" / "last.jsonl", KEPT_DAYS - 1)
    (folder / "link").symlink_to(tmp_path)
    assert kept_sessions(folder, now=NOW) == folder
    assert sorted(path.name for path in folder.iterdir()) == ["continued", "link"]
    assert folder.stat().st_mode & 0o777 == 0o700


def test_what_belongs_to_one_session_may_be_a_file_deep_below(tmp_path: Path) -> None:
    aged(tmp_path / "2026" / "01" / "old.jsonl", KEPT_DAYS + 1)
    aged(tmp_path / "2026" / "02" / "new.jsonl", KEPT_DAYS - 1)
    kept_sessions(tmp_path, "*/*/*.jsonl", now=NOW)
    assert [path.name for path in tmp_path.rglob("*.jsonl")] == ["new.jsonl"]
