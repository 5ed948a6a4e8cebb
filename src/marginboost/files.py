"""Files, written whole and read within limits.

Everything that the package writes goes through :func:`write_whole`, everything compressed that it
reads through :func:`unpack`, and files that two processes change go through :func:`locked`.
"""

from __future__ import annotations

import gzip
import io
import os
import secrets
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

GZIP = b"\x1f\x8b"
"""First bytes of what gzip wrote."""
BLOCK = 1 << 20
"""Bytes unpacked at a time."""

Buffer = bytes | memoryview
Content = bytes | Iterable[Buffer]


class TooLarge(ValueError):
    """More bytes than may be read."""


# -- writing -------------------------------------------------------------------------------------


def write_whole(path: str | os.PathLike[str], content: Content) -> None:
    """Write a file, all of it or nothing.

    The content goes into a new file that takes the place of the old one once it is safely on the
    disk: nobody ever sees half a file, and a full disk leaves what was there. A link stays, and
    the file that it names is written. The new file has the permissions and, where that is allowed,
    the owner of the old one; without an old one those that the system gives to new files. What is
    no plain file, a device or a pipe, cannot be replaced and is written to.

    Parameters
    ----------
    path : str or path-like
        Where to write.
    content : bytes, or iterable of them
        What to write; parts that come one after the other need not fit in memory together. An error
        that stops them leaves what was there.

    Raises
    ------
    OSError
        If that is not possible; it names ``path``.
    """
    try:
        old = _status(path)
        if old is not None and not stat.S_ISREG(old.st_mode):
            _write_in_place(path, content)
        else:
            _replace(Path(os.path.realpath(path)), content, old)
    except OSError as error:
        why = error.strerror or str(error)
        raise OSError(error.errno, why, os.fspath(path)) from error


def _status(path: str | os.PathLike[str]) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _parts(content: Content) -> Iterable[Buffer]:
    return [content] if isinstance(content, bytes) else content


def _write_in_place(path: str | os.PathLike[str], content: Content) -> None:
    with open(os.open(path, os.O_WRONLY), "wb") as file:  # no flag that could create or empty it
        for part in _parts(content):
            file.write(part)


def _replace(target: Path, content: Content, old: os.stat_result | None) -> None:
    beside = target.with_name(f".marginboost-{secrets.token_hex(8)}.tmp")
    descriptor, named = _new_file(beside)
    try:
        with open(descriptor, "wb") as file:
            if old is not None:
                _take_over(descriptor, beside, old)
            for part in _parts(content):
                file.write(part)
            file.flush()
            os.fsync(descriptor)
            if not named:
                _give_name(descriptor, beside)
        os.replace(beside, target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _new_file(beside: Path) -> tuple[int, bool]:
    """Open a new file, and say whether it has a name.

    A file without one vanishes with its process, even if that is killed. Not all systems know it.
    """
    if hasattr(os, "O_TMPFILE"):
        with suppress(OSError):
            return os.open(beside.parent, os.O_TMPFILE | os.O_WRONLY, 0o666), False
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return os.open(beside, flags, 0o666), True


def _give_name(descriptor: int, beside: Path) -> None:
    folder = os.open(beside.parent, os.O_RDONLY)
    try:  # with a folder given, os.link follows the link that /proc has for an open file
        source = f"/proc/self/fd/{descriptor}"
        os.link(source, beside.name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)


def _take_over(descriptor: int, beside: Path, old: os.stat_result) -> None:
    """Give a new file the owner, as far as that is allowed, and the permissions of an old one."""
    if not hasattr(os, "fchown"):
        os.chmod(beside, stat.S_IMODE(old.st_mode))
        return
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with suppress(OSError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode) & 0o777)


def same_file(first: str | os.PathLike[str], second: str | os.PathLike[str]) -> bool:
    """Whether two paths lead to one file, through links or not, there already or not."""
    if os.path.realpath(first) == os.path.realpath(second):
        return True
    try:
        return os.path.samefile(first, second)
    except OSError:
        return False


def is_standard_input(path: str | os.PathLike[str]) -> bool:
    """Whether a path leads to the plain file that standard input is read from."""
    if sys.stdin is None:
        return False
    try:
        read = os.fstat(sys.stdin.fileno())
        return stat.S_ISREG(read.st_mode) and os.path.samestat(read, os.stat(path))
    except (OSError, ValueError):  # closed, nothing of the system's, or no such file
        return False


@contextmanager
def locked(path: str | os.PathLike[str]) -> Iterator[None]:
    """Wait until no other process is inside this block for the same file.

    The lock is a file beside it that is there only as long as somebody holds or waits for it, and
    that a process which is killed lets go of.
    """
    target = Path(os.path.realpath(path))
    lock = target.with_name(f".{target.name}.lock")
    while True:
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise OSError(error.errno, error.strerror, os.fspath(path)) from error
        try:
            _lock(descriptor)
            status = _status(lock)
            if status is not None and os.path.samestat(status, os.fstat(descriptor)):
                try:
                    yield
                finally:
                    with suppress(OSError):
                        lock.unlink()
                return
        finally:  # whoever held it before has removed the file: begin anew with a fresh one
            os.close(descriptor)


def _lock(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX)


# -- reading -------------------------------------------------------------------------------------


def unpack(content: bytes, most: int) -> bytes:
    """Unpack what gzip packed, but no more than ``most`` bytes.

    Raises
    ------
    TooLarge
        If there is more; no more than a little above ``most`` was kept by then.
    ValueError
        If the content is damaged.
    """
    parts, size = [], 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
            while part := stream.read(BLOCK):
                parts.append(part)
                size += len(part)
                if size > most:
                    raise TooLarge(f"unpacks to more than {most} bytes")
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"damaged compression: {error}") from error
    return b"".join(parts)
