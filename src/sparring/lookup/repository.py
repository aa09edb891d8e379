"""A project's git repository, read without following its configuration.

An unpacked archive, a shared folder or a cloned project brings its own ``.git``, whose configuration may name programs
to start, servers to ask and folders to read. So git never sees it: each call gets a git folder made for that
call, with our configuration. It uses the index, the objects and the current commit of the repository,
all of which must lie where the project does. Without drivers, remotes, hooks and references there is nothing to start,
to fetch or to follow; attributes and ``.gitignore`` can then only describe. Everything else is refused.
"""

import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from sparring.errors import UsageError
from sparring.processes.children import home_folder
from sparring.text.tidying import one_line

_GIT_FILE_LIMIT = 64 * 1024
_CONFIG_LIMIT = 1024 * 1024
_REFERENCES_LIMIT = 128 * 1024 * 1024
_INDEX_LIMIT = 256 * 1024 * 1024
_MOST_OBJECT_FILES = 1_000_000
_MOST_LINKS_OF_REFERENCES = 5
_HEADS = frozenset({"HEAD", "ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD"})
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_PLAIN_VALUES = {
    "autocrlf": ("true", "false", "input"),
    "eol": ("lf", "crlf", "native"),
    **dict.fromkeys(("filemode", "ignorecase", "precomposeunicode", "symlinks"), ("true", "false")),
}
"""The settings that are taken over into ours: comparison of a file's content and name."""

_OF_THE_USER = ("autocrlf", "eol")
_EXTENSIONS = frozenset(
    {"noop", "objectformat", "partialclone", "preciousobjects", "relativeworktrees", "worktreeconfig"}
)
"""Repository extensions that do not change how objects are read, other than the format of hashes."""

_FIXED = {
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_OUR_SETTINGS = (
    "bare = false",
    "bigFileThreshold = 16m",
    "commitGraph = false",
    "fsmonitor = false",
    "untrackedCache = false",
    f"hooksPath = {os.devnull}",
    "multiPackIndex = true",
    "packedGitLimit = 256m",
    "packedGitWindowSize = 32m",
    "quotePath = false",
)

HINT = "Reading changes and commits needs git, and a repository that it can read."


def not_read(folder: Path, why: str) -> UsageError:
    """Build the error for a repository that exists and cannot be used."""
    return UsageError(f"The git repository of {one_line(str(folder), 200)} is not read: {why}.", hint=HINT)


class Repository(Struct, frozen=True):
    """Repository as far as its files show.

    Attributes:
        top: The working tree.
        folder: The git directory of the working tree.
        common: The folder of the objects; ``folder`` itself except for a further working tree of one repository.
        settings: The configuration that git gets.
        head: The commit that is checked out; None if there is none yet.
        index: The index that git reads: while git makes a commit, the one that it names to its hooks.
        foreign_index: The index that the environment names outside of ``folder``; None without one.
    """

    top: Path
    folder: Path
    common: Path
    settings: str
    head: str | None
    index: Path
    foreign_index: Path | None = None

    @property
    def is_shallow(self) -> bool:
        """Return whether the history is truncated."""
        return (self.common / "shallow").is_file()

    def reference(self, name: str) -> str | None:
        """Return the hash of the branch, tag or other reference of that name, in git's order; None if there is none."""
        spellings = [f"{kind}{name}" for kind in ("", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/")]
        spellings.append(f"refs/remotes/{name}/HEAD")
        for spelled in spellings:
            with suppress(OSError, ValueError):  # a folder, a link, or nothing that leads to a commit
                content = None
                if _is_reference(spelled):
                    content = f"ref: {spelled}".encode()
                elif spelled in _HEADS:
                    content = _content(self.folder / spelled, _GIT_FILE_LIMIT, self.folder)
                commit = _followed(content, self.folder, self.common) if content else None
                if commit:
                    return commit
        return None

    def view(self, made: Path) -> Mapping[str, str]:
        """Make ``made``, an empty folder, what git takes for its git directory; return the variables that say so."""
        (made / "refs").mkdir()
        (made / "info").mkdir()
        (made / "config").write_text(self.settings, encoding="utf-8", errors="surrogateescape")
        (made / "HEAD").write_text(f"{self.head or 'ref: refs/heads/none'}\n", encoding="ascii")
        for name in ("shallow", "info/exclude"):
            content = _content(self.common / name, _CONFIG_LIMIT, self.common)
            if content is not None:
                (made / name).write_bytes(content)
        for shared in self.folder.glob("sharedindex.*"):
            _check_file(shared, _INDEX_LIMIT, self.folder)
            (made / shared.name).symlink_to(shared)
        return _FIXED | {
            "GIT_DIR": str(made),
            "GIT_INDEX_FILE": str(self.index),
            "GIT_OBJECT_DIRECTORY": str(self.common / "objects"),
            "GIT_WORK_TREE": str(self.top),
            "HOME": str(made),
        }


def find_repository(project: Path, environment: Mapping[str, str]) -> Repository | None:
    """Return the repository that contains ``project``; None if there is none. Starts no program.

    Raises:
        UsageError: There is one that cannot be read safely; the message is one sentence.
    """
    root = project.resolve()
    if not root.is_dir():
        return None
    for top in (root, *root.parents):
        entry = top / ".git"
        if not os.path.lexists(entry) or not _is_trusted(entry, root):
            continue
        try:
            if (folder := _git_folder(entry)) is not None:
                return _looked_into(top, folder, environment)
        except (OSError, RuntimeError, ValueError) as error:
            raise not_read(top, f"{entry} cannot be read ({one_line(str(error), 160)})") from error
    return None


def _is_trusted(entry: Path, project: Path) -> bool:
    """Return whether a trusted user owns it: us, the system, or the owner of the project."""
    if not hasattr(os, "geteuid"):
        return True  # pragma: no cover -- Windows
    return entry.lstat().st_uid in (os.geteuid(), 0, project.stat().st_uid)


def _git_folder(entry: Path) -> Path | None:
    """Return the folder that ``entry`` is or leads to; None if git would pass it over."""
    if entry.is_dir():
        folder = entry.resolve()
        return folder if _is_git_folder(folder) else None
    text = os.fsdecode(_content(entry.resolve(), _GIT_FILE_LIMIT, None) or b"")
    if not text.startswith("gitdir: "):
        raise ValueError("it is not a git folder and does not point to one")
    folder = (entry.resolve().parent / text.removeprefix("gitdir: ").rstrip("\r\n")).resolve()
    if not folder.is_dir():
        raise ValueError("it names a folder that is not there")
    return folder


def _is_git_folder(folder: Path) -> bool:
    return os.path.lexists(folder / "HEAD") and (folder / "objects").exists() and (folder / "refs").exists()


def _looked_into(top: Path, folder: Path, environment: Mapping[str, str]) -> Repository:
    """Check the repository of ``top``, and read what git needs of it; raises ``ValueError`` or ``OSError``."""
    common = folder
    named = _content(folder / "commondir", _GIT_FILE_LIMIT, folder)
    if named is not None:  # a further working tree of one repository
        common = (folder / os.fsdecode(named).rstrip("\r\n")).resolve()
    configured = {**_configuration(common / "config", common), **_configuration(folder / "config.worktree", folder)}
    _check_place(top, folder, common, configured)
    _check_objects(common)
    index, foreign_index = _indexes(top, folder, environment)
    _check_file(index, _INDEX_LIMIT, folder)
    settings = _settings(configured, environment)
    # The commit is found by hand: git gets no references, which may lead anywhere.
    content = _content(folder / "HEAD", _GIT_FILE_LIMIT, folder)
    if content is None:
        raise ValueError("it has no HEAD")
    head = _followed(content, folder, common)
    return Repository(top, folder, common, settings, head, index, foreign_index)


def _indexes(top: Path, folder: Path, environment: Mapping[str, str]) -> tuple[Path, Path | None]:
    """Return the index to read, and the one that the environment names where that lies outside of ``folder``.

    git makes the commit of ``git commit -a`` or ``git commit FILE`` in a temporary index next to the usual one, and
    passes its name to hooks; a relative name begins at the working tree.
    """
    named = environment.get("GIT_INDEX_FILE", "")
    if not named:
        return folder / "index", None
    place = top / named
    index = place.parent.resolve() / place.name
    return (index, None) if index.is_relative_to(folder) else (folder / "index", place)


def _check_place(top: Path, folder: Path, common: Path, settings: Mapping[str, str]) -> None:
    """A repository is read if it lies in its working tree, or else names that tree as its own.

    A file or link ``.git`` can name any folder of this machine; only that folder's owner can have it point back.
    """
    worktree = settings.get("core.worktree")
    if worktree is not None and (folder / worktree).resolve() != top:
        raise ValueError("its core.worktree is another folder")
    inside = folder.is_relative_to(top) and common.is_relative_to(top)
    if inside or (worktree is not None and common == folder):
        return
    back = _content(folder / "gitdir", _GIT_FILE_LIMIT, folder)
    named = None if back is None else (folder / os.fsdecode(back).rstrip("\r\n"))
    if named is None or named.name != ".git" or named.parent.resolve() != top or folder.parent.parent != common:
        raise ValueError(f"it leads to {folder}, which does not name this folder as its own")


def _check_objects(common: Path) -> None:
    objects = common / "objects"
    if objects.resolve() != objects:
        raise ValueError(f"{_named(objects)} leads out of it")
    alternates = _content(objects / "info/alternates", _CONFIG_LIMIT, common) or b""
    if any(line.strip() and not line.startswith(b"#") for line in alternates.splitlines()):
        raise ValueError(
            "it borrows objects of another one; `git repack -a -d` and removing objects/info/alternates ends that"
        )
    seen = 0
    folders = [objects]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                seen += 1
                if entry.is_dir(follow_symlinks=False):
                    folders.append(Path(entry.path))
                elif not entry.is_file(follow_symlinks=False):
                    raise ValueError(f"{_named(entry.path)} is not a regular file")
        if seen > _MOST_OBJECT_FILES:
            raise ValueError("it has too many objects; `git gc` packs them")


def _followed(content: bytes, folder: Path, common: Path) -> str | None:
    """Return the commit, or the tag, that a reference with this content leads to; None if it leads to none yet."""
    for _ in range(_MOST_LINKS_OF_REFERENCES):
        text = os.fsdecode(content).strip()
        if _HASH.fullmatch(text):
            return text
        name = text.removeprefix("ref:").strip()
        if not text.startswith("ref:") or not _is_reference(name):
            raise ValueError("its HEAD is neither a commit nor a branch")
        target = _content(folder / name, _GIT_FILE_LIMIT, folder) or _content(common / name, _GIT_FILE_LIMIT, common)
        if not target:
            return _packed(name, common)
        content = target
    raise ValueError("its HEAD goes in a circle")


def _is_reference(name: str) -> bool:
    return name.startswith("refs/") and all(part not in ("", ".", "..") for part in name.split("/"))


def _packed(name: str, common: Path) -> str | None:
    """Return the hash of the reference ``name`` among the packed ones, of which each line has a hash and a name."""
    content = b"\n" + (_content(common / "packed-refs", _REFERENCES_LIMIT, common) or b"")
    end = content.find(b" " + os.fsencode(name) + b"\n")
    if end < 0:
        return None
    start = content.rfind(b"\n", 0, end) + 1
    candidate = content[start:end].decode("ascii", errors="replace")
    return candidate if _HASH.fullmatch(candidate) else None


def _named(path: str | Path) -> str:
    """Return the end of a path on one line: a message must have room for what is wrong with it."""
    name = one_line(str(path), _LONGEST_PATH)
    return name if len(name) <= _PATH_SHOWN else f"…{name[-_PATH_SHOWN:]}"


_LONGEST_PATH, _PATH_SHOWN = 4096, 100


def _check_file(path: Path, limit: int, root: Path | None) -> bool:
    """Return whether there is such a file.

    Raises:
        ValueError: It is a link, leads out of ``root``, is no regular file, or is too large.
    """
    if not os.path.lexists(path):
        return False
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode):
        raise ValueError(f"{_named(path)} is not a regular file")
    if root is not None and not path.parent.resolve().is_relative_to(root):
        raise ValueError(f"{_named(path)} leads out of it")
    if status.st_size > limit:
        raise ValueError(f"{_named(path)} is larger than {limit:,} bytes")
    return True


def _content(path: Path, limit: int, root: Path | None) -> bytes | None:
    return path.read_bytes() if _check_file(path, limit, root) else None


_CONFIG_LINE = re.compile(
    r"""\s*(?:\[\s*(?P<section>[\w.-]+)\s*(?P<more>"(?:[^"\\]|\\.)*")?\s*\]\s*)?"""
    r"""(?:(?P<key>[A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<plain>[^#;"]*)))?)?"""
)


def _configuration(path: Path, root: Path | None) -> dict[str, str]:
    """Return the settings of the sections ``core`` and ``extensions``; nothing is included from other files."""
    text = (_content(path, _CONFIG_LIMIT, root) or b"").decode("utf-8", errors="surrogateescape")
    section, settings = "", dict[str, str]()
    for line in text.splitlines():
        match = _CONFIG_LINE.match(line)
        if match is None:  # pragma: no cover -- everything in it may be left out
            continue
        if match["section"]:
            section = "" if match["more"] else match["section"].lower()
        if match["key"] and section in ("core", "extensions"):
            quoted, plain = match["quoted"], match["plain"]
            value = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else (plain or "").strip()
            settings[f"{section}.{match['key'].lower()}"] = value if "=" in line else "true"
    return settings


def _settings(configured: Mapping[str, str], environment: Mapping[str, str]) -> str:
    """Return our configuration; of the repository's own, and of the user's, what compares names and contents."""
    extensions = {
        name.removeprefix("extensions."): value for name, value in configured.items() if name.startswith("extensions.")
    }
    unknown = set(extensions) - _EXTENSIONS
    if extensions.get("refstorage") == "files":  # the usual form, spelled out
        unknown.discard("refstorage")
    if unknown:
        raise ValueError(f"it has the extension {one_line(min(unknown), 40)}, which sparring does not know")
    if configured.get("core.repositoryformatversion", "0") not in ("0", "1"):
        raise ValueError("it has a form that sparring does not know")
    hashes = extensions.get("objectformat", "sha1").lower()
    if hashes not in ("sha1", "sha256"):
        raise ValueError("its hashes are of a kind that sparring does not know")

    users = _users_settings(environment)
    kept = {name: users[f"core.{name}"] for name in _OF_THE_USER if f"core.{name}" in users}
    kept |= {name: configured[f"core.{name}"] for name in _PLAIN_VALUES if f"core.{name}" in configured}
    version, extension_lines = "0", ""
    if hashes != "sha1":
        version, extension_lines = "1", f"[extensions]\n\tobjectFormat = {hashes}\n"
    core = [f"repositoryFormatVersion = {version}", *_OUR_SETTINGS]
    for name, value in kept.items():
        if value.lower() in _PLAIN_VALUES[name]:  # any other value could name a program or a file
            core.append(f"{name} = {value.lower()}")
    excludes = users.get("core.excludesfile")
    if excludes:
        core.append(f"excludesFile = {_quoted(excludes)}")
    core_lines = "".join(f"\t{line}\n" for line in core)
    return f"[core]\n{core_lines}[protocol]\n\tallow = never\n[diff]\n\tignoreSubmodules = dirty\n{extension_lines}"


def _users_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the user's settings that decide which files count; their includes are ignored."""
    home = home_folder(environment)
    folder = Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "git"
    settings = {"core.excludesfile": str(folder / "ignore")}
    for file in (folder / "config", home / ".gitconfig"):
        with suppress(OSError, ValueError, RuntimeError):
            settings |= _configuration(file.resolve(), None)
    excludes = settings["core.excludesfile"]
    if excludes.startswith("~/"):
        settings["core.excludesfile"] = str(home / excludes.removeprefix("~/"))
    return settings


def _quoted(value: str) -> str:
    if "\n" in value or not Path(value).is_absolute():
        return '""'
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
