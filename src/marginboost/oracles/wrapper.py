"""Base learners in front of another one."""

from __future__ import annotations

from typing import Any

from ..core.oracle import Oracle


class OracleWrapper(Oracle):
    """What every base learner in front of another one passes on: what it needs, is and remembers.

    A subclass writes ``find``, in which it asks ``self.base``, and changes what else it must.

    Parameters
    ----------
    oracle : Oracle
        The base learner.

    Attributes
    ----------
    base : Oracle
        The base learner, bound to the sample.
    """

    base: Oracle

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle

    @property
    def needs_bins(self) -> bool:  # type: ignore[override]
        """As its base learner."""
        return self.oracle.needs_bins

    @property
    def reads_curvature(self) -> bool:  # type: ignore[override]
        """As its base learner."""
        return self.oracle.reads_curvature

    @property
    def offers_one(self) -> bool:  # type: ignore[override]
        """As its base learner."""
        return self.oracle.offers_one

    def check(self, *, drawn: bool = False) -> None:
        """Check the settings, and the base learner."""
        super().check(drawn=drawn)
        self.oracle.check(drawn=drawn)

    def check_asked(self, n_columns: int) -> None:
        """Ask the base learner."""
        self.oracle.check_asked(n_columns)

    def prepare(self) -> None:
        """Bind the base learner."""
        self.base = self.oracle.bind(self.sample)
        self.exact, self.closed = self.base.exact, self.base.closed
        self.class_name = self.base.class_name

    def get_state(self) -> dict[str, Any]:
        """Return what the base learner must know."""
        return {"oracle": self.base.get_state()}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Hand it back."""
        self.base.set_state(saved["oracle"])
