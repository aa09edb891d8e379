"""The last audits of this user's judges, in the user's own configuration folder and signed with the user's key.

They decide the default seats, so no file of a project may count: a configuration folder that lies in
the project has none.
"""

from sparring.errors import SparringError, StateCorruptError
from sparring.processes.children import home_folder
from sparring.providers.known import is_users_own
from sparring.schema.audit import KnownAudit, KnownAudits
from sparring.settings import Settings
from sparring.store.files import parsed_record, read_bounded, replace_file
from sparring.store.hosts import Place

AUDITS_NAME = "audits.json"
_KIND = "audits"


def known_audits(settings: Settings, place: Place) -> KnownAudits:
    """Return the audits that this user has made; none where the file is another's, damaged or too large."""
    path = settings.provider_dir.parent / AUDITS_NAME
    if not _is_own(settings, place):
        return KnownAudits()
    try:
        content = read_bounded(path)
        opened = place.provenance.key.opened(_KIND, content) if content is not None else None
        return parsed_record(path, opened.content, KnownAudits) if opened and opened.is_own else KnownAudits()
    except SparringError:
        return KnownAudits()


def keep_audit(audit: KnownAudit, settings: Settings, place: Place) -> None:
    """Keep ``audit`` in the place of an earlier one of the same seat, tool and model.

    Raises:
        SparringError: It cannot be written, or would lie in the project.
    """
    path = settings.provider_dir.parent / AUDITS_NAME
    if not _is_own(settings, place):
        raise StateCorruptError(f"{path.parent} lies in the project: no audit is kept there, and none decides.")
    place.provenance.key.ensure()
    kept = known_audits(settings, place).with_audit(audit)
    replace_file(path, place.provenance.key.sealed(_KIND, kept.model_dump_json(indent=2).encode() + b"\n"))


def _is_own(settings: Settings, place: Place) -> bool:
    return is_users_own(settings.provider_dir.parent, place.project, home_folder(settings.environment))
