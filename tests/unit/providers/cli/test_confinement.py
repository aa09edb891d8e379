"""What is made to hold secrets, in the form that the rules of programs take."""

import fnmatch

from sparring.providers.cli.confinement import FILES, FOLDERS, in_any_case
from sparring.text.secret_shapes import may_hold_secrets

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
