"""The first minute: audit, fit, certify and picture the embedded data set.

Run with ``make demo`` or ``python -m marginboost.demo``.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from textwrap import fill
from typing import Any

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from .algorithms import AdaBoostClassifier, LPBoostClassifier
from .audit import LabelAudit, plant_flips
from .diagnostics import EdgeDisplay, MarginDisplay
from .reports import verdict, write_audit_report

ROUNDS = 1000
FLIPPED = 0.05
"""Share of the labels that are made wrong before the audit."""


def audit_labels(path: Path) -> None:
    """Make some labels wrong, look for them, and write the report."""
    data = load_breast_cancer()
    noisy, flipped = plant_flips(data.target_names[data.target], FLIPPED)
    audit = LabelAudit().fit(data.data, noisy)
    found, planted = int((flipped & audit.flagged_).sum()), int(flipped.sum())
    print(f"Label audit: {planted} of the {len(noisy)} labels are flipped on purpose, to be found.")
    print(fill(verdict(audit), 90))
    print(f"{found} of the {planted} flipped labels are among them.")
    title = f"Breast cancer, {planted} labels flipped on purpose"
    write_audit_report(audit, path, title=title, feature_names=data.feature_names)
    print(f"Report: {path}\n")


def split_rows() -> list[Any]:
    """Rows to learn from and to test on, then their labels."""
    X, y = load_breast_cancer(return_X_y=True)
    split: list[Any] = train_test_split(X, y, test_size=0.3, random_state=0)
    return split


def fit_models(X: Any, y: Any) -> dict[str, Any]:
    """AdaBoost beside the certified maximum-margin model."""
    return {
        "AdaBoost": AdaBoostClassifier(n_estimators=ROUNDS).fit(X, y),
        "LPBoost": LPBoostClassifier(nu=None, tol=1e-4).fit(X, y),
    }


def report(models: dict[str, Any], X_test: Any, y_test: Any) -> str:
    """Margins, bounds and test error as a table."""
    lines = [
        f"{'model':<10}{'rounds':>8}{'min margin':>12}{'bounds on the best margin':>30}"
        f"{'gap':>9}{'test error':>12}"
    ]
    for name, model in models.items():
        proof = model.certificate_
        bounds = f"[{proof.lower:.4f}, {proof.upper:.4f}]"
        lines.append(
            f"{name:<10}{model.n_iter_:>8}{proof.value:>12.4f}{bounds:>30}"
            f"{proof.gap:>9.4f}{1 - model.score(X_test, y_test):>11.1%}"
        )
    return "\n".join(lines)


def picture(models: dict[str, Any], path: Path) -> None:
    """Draw the margin distributions and the closing gap."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    curves = {name: model.margins_ for name, model in models.items()}
    MarginDisplay.from_margins(curves).plot(ax=left)
    left.set_title("How sure is each vote? Training margins")
    EdgeDisplay.from_estimator(models["LPBoost"]).plot(ax=right)
    right.set_title("LPBoost: edges and margins meet at the best margin")
    figure.savefig(path, dpi=130)
    plt.close(figure)


def main(arguments: list[str] | None = None) -> None:
    """Run the demonstration."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=Path("demo-output"), help="folder to write to")
    folder = parser.parse_args(arguments).out
    folder.mkdir(parents=True, exist_ok=True)

    audit_labels(folder / "report.html")
    X_train, X_test, y_train, y_test = split_rows()
    print(f"Breast cancer data: {len(X_train)} rows to learn from, {len(X_test)} to test on.\n")
    models = fit_models(X_train, y_train)
    print(report(models, X_test, y_test))
    plain, proof = models["AdaBoost"].certificate_, models["LPBoost"].certificate_
    print(
        f"""
LPBoost found a vote of stumps whose smallest margin is {proof.value:.4f}, and proves
that none has more than {proof.upper:.4f}. AdaBoost's {plain.value:.4f} falls short of it, which its
own weights could not tell: they prove no better bound than {plain.upper:.4f}.
The proof is duality; it needs no trust in the algorithm that found it."""
    )
    path = folder / "margins.png"
    picture(models, path)
    print(f"\nPicture: {path}")


if __name__ == "__main__":
    main()
