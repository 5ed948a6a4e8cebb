"""Saved models as one number: what "the same bytes" means in tests."""

import hashlib
import json
import tempfile
from pathlib import Path

LEFT_OUT = ("n_jobs",)
"""Threads."""


def digest(model):
    """SHA-256 of a saved model, but for what is left out."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save(path)
        text = json.dumps(_kept(json.loads(path.read_text())))
    return hashlib.sha256(text.encode()).hexdigest()


def _kept(data):
    if isinstance(data, dict):
        return {key: _kept(value) for key, value in data.items() if key not in LEFT_OUT}
    return [_kept(value) for value in data] if isinstance(data, list) else data
