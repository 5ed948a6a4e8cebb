"""Saved models as one number: what "the same bytes" means in tests."""

import hashlib
import json
import tempfile
from pathlib import Path

LEFT_OUT = ("seconds", "link", "n_jobs")
"""Times of rounds; how votes are calibrated, which is not done on parts; threads."""


def digest(model):
    """SHA-256 of a saved model, but for what is left out."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save(path)
        text = json.dumps(_timeless(json.loads(path.read_text())))
    return hashlib.sha256(text.encode()).hexdigest()


def _timeless(data):
    if isinstance(data, dict):
        return {key: _timeless(value) for key, value in data.items() if key not in LEFT_OUT}
    return [_timeless(value) for value in data] if isinstance(data, list) else data
