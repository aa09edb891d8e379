"""Which files are made to hold secrets, told by their names. What a secret looks like stands in ``secret_rules``."""

import re

_MADE_FOR_SECRETS = re.compile(
    r"\.env(?:rc|[._-].*)?|.*\.env|"
    r".*\.(?:pem|key|p12|pfx|pkcs12|p8|ppk|jks|keystore|kdbx?|asc|gpg|pgp|agekey|ovpn|tfvars|tfstate(?:\.backup)?)|"
    r"id_[a-z0-9_]+|.*_(?:rsa|dsa|ecdsa|ed25519)|authorized_keys|"
    r"[._](?:netrc|npmrc|pypirc|pgpass|htpasswd|my\.cnf|boto|s3cfg|dockercfg|git-credentials|yarnrc\.yml|vault-token)",
    re.IGNORECASE,
)
_NAMED_AFTER_THEM = re.compile(
    r"(?:.*[._-])?(?:credentials?|secrets?|passwords?)(?:[._-].*)?|service[._-]?account.*\.json|auth\.json",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(r".*[._-](?:example|sample|template|dist)(?:\.[a-z]+)?|.*\.pub", re.IGNORECASE)
_SOURCE = re.compile(
    r".*\.(?:c|cc|cpp|cs|css|go|h|hpp|html|java|jsx?|[cm]js|kt|md|php|pyi?|rb|rs|rst|sh|sql|swift|tsx?|vue)",
    re.IGNORECASE,
)
"""A module that deals with credentials is named after them and holds none."""

_FOLDER = re.compile(r"\.(?:git|ssh|gnupg|aws|azure|kube|docker|gcloud|password-store)", re.IGNORECASE)


def may_hold_secrets(path: str) -> bool:
    """Whether a file of that name is made to hold secrets: ``.env``, keys, credentials, what lies in ``.git``.

    ``path`` may have folders, with slashes or backslashes. Templates such as ``.env.example`` and public keys hold
    none, nor does source code that is only named after them.
    """
    *folders, name = path.replace("\\", "/").split("/")
    if any(_FOLDER.fullmatch(folder) for folder in folders):
        return True
    if _TEMPLATE.fullmatch(name):
        return False
    return bool(
        _MADE_FOR_SECRETS.fullmatch(name) or (_NAMED_AFTER_THEM.fullmatch(name) and not _SOURCE.fullmatch(name))
    )
