"""Pages to look at: one self-contained HTML file, or the same served on this machine."""

from .evaluation import evaluation_page
from .explanation import explanation_page
from .page import audit_page, write_audit_report
from .payload import audit_payload, verdict
from .server import serve_audit
from .similar import similar_counts
from .targets import target_payload, target_verdict

__all__ = [
    "audit_page",
    "audit_payload",
    "evaluation_page",
    "explanation_page",
    "serve_audit",
    "similar_counts",
    "target_payload",
    "target_verdict",
    "verdict",
    "write_audit_report",
]
