"""Warnings of soft margins whose votes say next to nothing, and of what would help."""

from __future__ import annotations

from typing import Protocol

from ..core.run import Run
from ..warning import warn_user

NEARLY_CONSTANT = 0.5
"""Share of the rarest class's weight that has to get another class than all the others."""


UNEQUAL = 0.7
"""Twice the share of the rarest class below which weights of classes make room for a larger ν."""


class SoftMarginRule(Protocol):
    """What is asked of the rule of a run."""

    nu: float | None
    C: float | None

    def rarest(self, run: Run) -> tuple[float, float]:
        """Share of the rarest class, and of the rows that get it."""


def warn_of_votes(rule: SoftMarginRule, run: Run, least: float, chosen: bool = False) -> None:
    """Warn where the model is empty, or the same for nearly all rows, or its margin too small.

    ``chosen`` says that ν was not given, but chosen among several.
    """
    if not len(run.ensemble):
        message = (
            f"C={rule.C!r} is more than any hypothesis is worth: the empty model is optimal, and "
            "predicts the first class"
        )
        warn_user(message)
        return
    if rule.C is not None:
        return
    nu, value = rule.nu, run.certificate.value
    rare, answers = rule.rarest(run)
    if nu is not None and nu > 2.0 * rare and answers < NEARLY_CONSTANT * rare:
        warn_user(
            f"nu={nu!r}: nearly all rows get the same class, which has a soft margin where nu is "
            f"more than twice the share of the rarest class, {rare:.3g}. Use a smaller nu, below "
            f'{2.0 * rare:.3g}, or class_weight="balanced"'
        )
    elif value <= least:
        reached = round(value, 6) + 0.0  # no minus zero
        warn_user(
            f"nu={nu!r}: the soft margin reached is {reached:.3g}, about zero or less, so the "
            f"votes say next to nothing. {_way_out(2.0 * rare, chosen)}"
        )


def _way_out(limit: float, chosen: bool) -> str:
    """Say what helps where no soft margin worth having exists, up to a limit of ν or not."""
    balance = (
        f"Below {limit:.3g}, twice the share of the rarest class, none may have one: use "
        'class_weight="balanced"'
    )
    if chosen:
        return balance if limit < UNEQUAL else "No value of nus that was tried has a better one"
    larger = (
        "Try a larger nu: more than twice the share of rows that cannot be got right "
        "(LPBoostClassifierCV finds one)"
    )
    return f"{larger}. {balance}" if limit < UNEQUAL else larger
