"""The page of an audit: template, style, script and data in one file that needs no network."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..audit import LabelAudit
from ..files import write_whole
from .payload import MOST_SUSPECTS, audit_payload


def audit_page(payload: dict[str, Any]) -> str:
    """HTML of a payload.

    Everything that came from the data is in one JSON block and reaches the page as text, never as
    markup. The policy admits this page's own style and script by their hashes and no others, and no
    request but one to where decisions are saved.
    """
    kind = "targets" if payload.get("page") == "targets" else "page"
    style, script = asset("page.css"), asset(f"{kind}.js")
    policy = "; ".join(
        [
            "default-src 'none'",
            f"style-src '{digest(style)}'",
            f"script-src '{digest(script)}'",
            "img-src data:",  # the empty icon, which spares a request for one
            "connect-src 'self'" if "save" in payload else "connect-src 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    parts = {
        "policy": policy,
        "title": html.escape(payload["title"]),
        "style": style,
        "data": _json(payload),
        "script": script,
    }
    # One pass: what is put in is not searched again.
    return re.sub(
        "{(" + "|".join(parts) + ")}", lambda match: parts[match[1]], asset(f"{kind}.html")
    )


def write_audit_report(
    audit: LabelAudit,
    path: str | Path,
    *,
    title: str = "Label audit",
    ids: Sequence[Any] | None = None,
    row_numbers: Sequence[int] | None = None,
    feature_names: Sequence[Any] | None = None,
    most: int = MOST_SUSPECTS,
) -> None:
    """Write the report of a fitted audit, one HTML file that needs no network.

    Parameters
    ----------
    audit : LabelAudit
        Fitted.
    path : str or path-like
        Where to.
    title : str
        Headline, say the name of the file.
    ids : sequence, optional
        What to call each row; None is its name in the index of a pandas frame, else its number.
    row_numbers : sequence of int, optional
        Number of each row, as decisions name it; None counts from 0.
    feature_names : sequence, optional
        What to call each feature; None is its name in the data, x0, x1, … for an array.
    most : int
        Suspects shown in full.
    """
    payload = audit_payload(
        audit,
        title=title,
        ids=ids,
        row_numbers=row_numbers,
        feature_names=feature_names,
        most=most,
    )
    write_whole(path, audit_page(payload).encode())


def asset(name: str) -> str:
    """Text of a file that belongs to the pages."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def digest(content: str) -> str:
    """Hash by which a policy admits a style or script."""
    found = hashlib.sha256(content.encode()).digest()
    return f"sha256-{base64.b64encode(found).decode()}"


def _json(payload: dict[str, Any]) -> str:
    """JSON that can stand in a script element: no tag can begin or end inside it."""
    text = json.dumps(payload, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
