"""Write the golden files: what every estimator answers on the fixed problems.

Run from the repository root, at the commit whose behaviour is to be kept:
``python tests/golden/write.py``.
"""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

from problems import cases, estimators, problems

HERE = Path(__file__).parent


def outcome(model: Any, more: Any) -> dict[str, Any]:
    """Answers, certificates and reasons to stop of a fitted model, as plain data."""
    certificates, stops = model.certificate_, model.stop_reason_
    if not isinstance(certificates, list):
        certificates, stops = [certificates], [stops]
    answers = model.decision_function if hasattr(model, "decision_function") else model.predict
    chances = model.predict_proba(more).tolist() if hasattr(model, "predict_proba") else None
    return {
        "answers": answers(more).tolist(),
        "predictions": model.predict(more).tolist(),
        "chances": chances,
        "certificates": [
            [str(c.lower), str(c.upper), str(c.value), bool(c.certified)] for c in certificates
        ],
        "stops": [str(stop) for stop in stops],
    }


def main() -> None:
    """Fit everything once and write two compressed documents."""
    data, outcomes, documents = problems(), {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for name, problem in cases():
            rows = data[problem]
            model = estimators()[name].fit(rows["X"], rows["y"], rows["weight"])
            path = Path(folder) / "model.json"
            model.save(path)
            outcomes[f"{name} | {problem}"] = outcome(model, rows["more"])
            documents[f"{name} | {problem}"] = json.loads(path.read_text())
    for stem, content in (("outcomes", outcomes), ("documents", documents)):
        text = json.dumps(content, separators=(",", ":")).encode()
        (HERE / f"{stem}.json.gz").write_bytes(gzip.compress(text, mtime=0))


if __name__ == "__main__":
    main()
