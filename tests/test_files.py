"""Files that are written whole, read within limits, and shared under a lock."""

import errno
import gzip
import os
import signal
import stat
import subprocess
import sys
import threading
import time
import tracemalloc

import pytest

from marginboost import files
from marginboost.files import TooLarge, locked, same_file, unpack, write_whole

POSIX = pytest.mark.skipif(os.name != "posix", reason="devices, pipes and modes of POSIX")


@pytest.fixture(params=["without a name", "with a name"])
def temporary(request, monkeypatch):
    """Both ways to write beside a file: that of Linux, and that of all other systems."""
    if request.param == "with a name":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


@POSIX
@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_new_files_have_the_mode_of_new_files(temporary, tmp_path, umask):
    before = os.umask(umask)
    try:
        write_whole(tmp_path / "new", b"content")
    finally:
        os.umask(before)
    assert mode(tmp_path / "new") == 0o666 & ~umask
    assert (tmp_path / "new").read_bytes() == b"content"
    assert os.listdir(tmp_path) == ["new"]


@POSIX
@pytest.mark.parametrize("kept", [0o600, 0o640, 0o664])
def test_old_files_keep_their_mode(temporary, tmp_path, kept):
    path = tmp_path / "old"
    path.write_bytes(b"old")
    path.chmod(kept)
    write_whole(path, b"new")
    assert mode(path) == kept
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["old"]


@POSIX
@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="needs another owner")
def test_old_files_keep_their_owner(temporary, tmp_path):
    path = tmp_path / "old"
    path.write_bytes(b"old")
    os.chown(path, 1234, 2345)
    write_whole(path, b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


@POSIX
def test_links_stay(temporary, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "link").symlink_to(folder / "file")
    for content in (b"first", b"second"):
        write_whole(tmp_path / "link", content)
        assert (tmp_path / "link").is_symlink()
        assert (folder / "file").read_bytes() == content


@POSIX
def test_pipes_are_written_to(tmp_path):
    pipe, heard = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, b"content")
    reader.join(20)
    assert heard == [b"content"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is full")
def test_devices_are_written_to(tmp_path):
    link = tmp_path / "full"
    link.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left on device") as caught:
        write_whole(link, b"content")
    assert caught.value.filename == str(link)
    assert caught.value.errno == errno.ENOSPC
    assert stat.S_ISCHR(os.stat("/dev/full").st_mode)


def test_errors_name_the_file_that_was_asked_for(temporary, tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(tmp_path / "no" / "file", b"")
    assert caught.value.filename == str(tmp_path / "no" / "file")
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, b"")
    assert os.listdir(tmp_path) == []


def test_a_full_disk_leaves_the_old_file(temporary, tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without a name are Linux's")
def test_a_killed_process_leaves_nothing(tmp_path):
    program = (
        "import os, signal, sys\nfrom marginboost.files import write_whole\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "write_whole(sys.argv[1], b'new')"
    )
    child = subprocess.run([sys.executable, "-c", program, tmp_path / "file"], check=False)
    assert child.returncode == -signal.SIGKILL
    assert os.listdir(tmp_path) == []


def test_a_file_in_the_way_is_never_opened(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    monkeypatch.setattr(files.secrets, "token_hex", lambda n: "x" * n)
    (tmp_path / "precious").write_bytes(b"precious")
    (tmp_path / ".marginboost-xxxxxxxx.tmp").symlink_to(tmp_path / "precious")
    with pytest.raises(FileExistsError):
        write_whole(tmp_path / "file", b"new")
    assert (tmp_path / "precious").read_bytes() == b"precious"
    assert not (tmp_path / "file").exists()


def test_same_file(tmp_path):
    first, other = tmp_path / "first", tmp_path / "other"
    first.write_bytes(b"")
    other.write_bytes(b"")
    (tmp_path / "link").symlink_to(first)
    os.link(first, tmp_path / "twin")
    for same in (first, tmp_path / "link", tmp_path / "twin", tmp_path / "." / "first"):
        assert same_file(same, first)
    assert not same_file(first, other)
    assert not same_file(first, tmp_path / "none")
    assert same_file(tmp_path / "none", str(tmp_path) + "//none")


# -- within limits ---------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 999, 1000])
def test_unpack(size):
    assert unpack(gzip.compress(b"x" * size), 1000) == b"x" * size


def test_parts_count_together():
    packed = gzip.compress(b"x" * 600)
    assert unpack(packed, 600) == b"x" * 600
    with pytest.raises(TooLarge, match="unpacks to more than 1199 bytes"):
        unpack(packed * 2, 1199)


def test_no_more_than_the_limit_is_unpacked():
    bomb = gzip.compress(b"\0" * (1 << 25))
    tracemalloc.start()
    with pytest.raises(TooLarge):
        unpack(bomb, 1 << 20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 23


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-3], lambda b: b[:30], lambda b: b[:20] + b"\xff" * 9 + b[29:]]
)
def test_damaged_compression(damage):
    packed = gzip.compress(bytes(range(256)) * 9)
    with pytest.raises(ValueError, match="damaged compression") as caught:
        unpack(damage(packed), 10_000)
    assert not isinstance(caught.value, TooLarge)


# -- one at a time ---------------------------------------------------------------------------------


def test_locked_blocks_keep_each_other_out(tmp_path):
    path = tmp_path / "count"
    path.write_text("0")

    def add():
        for _ in range(10):
            with locked(path):
                number = int(path.read_text())
                time.sleep(0.0005)
                path.write_text(str(number + 1))

    threads = [threading.Thread(target=add) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() == "50"
    assert os.listdir(tmp_path) == ["count"]


def test_a_lock_is_let_go_of_after_an_error(tmp_path):
    with pytest.raises(KeyError), locked(tmp_path / "file"):
        raise KeyError
    with locked(tmp_path / "file"):
        pass
    assert os.listdir(tmp_path) == []


def test_a_lock_file_that_nobody_holds_is_no_obstacle(tmp_path):
    (tmp_path / ".file.lock").touch()
    with locked(tmp_path / "file"):
        pass
    assert os.listdir(tmp_path) == []
