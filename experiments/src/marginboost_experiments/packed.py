"""Results on record: plain data as JSON, packed where the name of the file ends in ``.gz``."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from marginboost.files import write_whole


def write_json(path: Path, data: Any) -> None:
    """Write plain data: text with a line per entry, or packed; equal data give equal bytes."""
    if path.suffix == ".gz":
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        content = gzip.compress(f"{text}\n".encode(), mtime=0)  # no time of day in the bytes
    else:
        content = f"{json.dumps(data, ensure_ascii=False, indent=1)}\n".encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, content)


def read_json(path: Path) -> Any:
    """Read what :func:`write_json` wrote."""
    content = path.read_bytes()
    return json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)
