"""The page of an audit: template, style, script and data in one file that needs no network."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..audit import LabelAudit
from ..files import write_whole
from .payload import audit_payload


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


def write_audit_report(audit: LabelAudit, path: str | Path, **details: Any) -> None:
    """Write the report of a fitted audit; details as in :func:`audit_payload`."""
    write_whole(path, audit_page(audit_payload(audit, **details)).encode())


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
