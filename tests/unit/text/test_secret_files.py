import pytest

from sparring.text.secret_shapes import may_hold_secrets

MADE_FOR_SECRETS = r"""
.env .env.production .envrc config/prod.env .ENV certs/server.pem server.key signing.p12 id_rsa keys/id_ed25519
deploy_rsa .npmrc .netrc _netrc .pypirc .git-credentials .git/config sub/.git/config sub\.git\config .ssh/config
.ssh/old/keys/config .aws/config credentials credentials.json aws-credentials.ini client_secret.json secrets.yaml
app.secrets.toml passwords.txt service-account-prod.json terraform.tfstate terraform.tfstate.backup prod.tfvars
"""
HARMLESS = """
README.md .env.example .env.sample secrets.example.yaml id_rsa.pub src/credentials.py src/secrets/__init__.py
docs/secrets.md src/password_reset.ts .gitignore .github/workflows/ci.yml environment.yml src/keyboard.c monkey.txt
package-lock.json secretary.txt
"""


@pytest.mark.parametrize("path", [*MADE_FOR_SECRETS.split(), *HARMLESS.split()])
def test_a_file_that_is_made_for_secrets_is_told_by_its_name(path: str) -> None:
    assert may_hold_secrets(path) is (path in MADE_FOR_SECRETS.split())
