"""Rules, oracles and losses that break one promise each, on purpose.

They show that the checks can fail, and how the usual mistakes look to them. The name of this module
begins with an underscore, so that nothing in it is registered.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from marginboost.algorithms._example import SmallSteps
from marginboost.algorithms.gradient_boost import GradientBoost
from marginboost.algorithms.leveraging import Leveraging
from marginboost.algorithms.lpboost import LPBoost
from marginboost.algorithms.ls_boost import LSBoost
from marginboost.core.hypothesis import Hypothesis
from marginboost.core.oracle import Candidate, Oracle
from marginboost.core.rule import Rule
from marginboost.core.sample import Sample
from marginboost.core.state import State
from marginboost.core.stop import Stop
from marginboost.core.weights import Weights
from marginboost.losses import Logistic, Loss, MarginLoss, Quantile, Savage
from marginboost.oracles.finite import FiniteOracle
from marginboost.oracles.gradient_trees import GradientTreeOracle
from marginboost.oracles.stumps import Stump, StumpOracle
from marginboost.oracles.trees import TreeOracle
from marginboost.oracles.wrapper import OracleWrapper
from marginboost.types import Array

# -- rules ---------------------------------------------------------------------------------------


def _unweighted(sample: Sample) -> Sample:
    """The sample with all rows equal."""
    n_rows = len(sample.y)
    return replace(sample, prior=np.full(n_rows, 1.0 / n_rows), total=float(n_rows))


class IgnoresWeights(SmallSteps):
    """Forgets the weights of the rows."""

    def start(self, state: State) -> None:
        """Begin with equal weights."""
        state.sample = _unweighted(state.sample)
        super().start(state)


class GradientIgnoresWeights(GradientBoost):
    """Forgets the weights of the rows."""

    def start(self, state: State) -> None:
        """Begin with equal weights."""
        state.sample = _unweighted(state.sample)
        super().start(state)


class LeveragingIgnoresWeights(Leveraging):
    """Forgets the weights of the rows."""

    def start(self, state: State) -> None:
        """Begin with equal weights."""
        state.sample = _unweighted(state.sample)
        super().start(state)


class LSBoostIgnoresWeights(LSBoost):
    """Forgets the weights of the rows."""

    def start(self, state: State) -> None:
        """Begin with equal weights."""
        state.sample = _unweighted(state.sample)
        super().start(state)


class LPIgnoresWeights(LPBoost):
    """Forgets the weights of the rows."""

    def start(self, state: State) -> None:
        """Begin with equal weights."""
        state.sample = _unweighted(state.sample)
        super().start(state)


class LPGivesUpOnWeights(LPBoost):
    """Stops a weighted run after its second round, and claims that nothing better can be had."""

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Close the bounds where the rows differ in weight."""
        stop = super().update(state, found)
        if state.sample.uniform or state.round < 2:
            return stop
        state.rebracket(upper=self.value(state))
        return Stop.GAP


class BoundTooTight(SmallSteps):
    """Claims more than an edge proves."""

    def upper(self, state: State, edge: float) -> float:
        """Half the edge."""
        return edge - 0.5


class TrustsRounding(LPBoost):
    """Takes what is left below one of a weight that rounds to one for nothing."""

    def upper(self, state: State, edge: float) -> float:
        """A millionth too small, where one row has nearly all of the weight."""
        bound = super().upper(state, edge)
        return bound - 1e-6 if state.sample.prior.max() > 1.0 - 1e-9 else bound


class WrongValue(SmallSteps):
    """Says the margin is smaller than it is."""

    def value(self, state: State) -> float:
        """Too small, so no bound is broken."""
        return state.min_margin - 0.1


class WrongSign(SmallSteps):
    """Steps away from what the labels want."""

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Take the negative of the hypothesis."""
        best = found[0]
        turned = replace(best, hypothesis=best.hypothesis.negated(), column=-best.column)
        return super().update(state, [turned])


class NegativeWeights(SmallSteps):
    """Gives rows that are right a weight for the wrong label."""

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Turn the smallest weight round."""
        stop = super().update(state, found)
        state.dual[np.argmin(np.abs(state.dual))] *= -1.0
        return stop


class StaleScores(SmallSteps):
    """Changes scores behind the state's back."""

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Add a little to a score."""
        stop = super().update(state, found)
        state.scores[0] += 1e-3
        return stop


class LooseBounds(SmallSteps):
    """Puts worse bounds in the place of better ones."""

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Forget the bounds every third round."""
        if state.round % 3 == 0:
            state.rebracket(upper=1.0)
        return super().update(state, found)


class Growing(SmallSteps):
    """Its steps grow with the rounds."""

    def __init__(self) -> None:
        super().__init__()
        self._rounds = 0

    def update(self, state: State, found: list[Candidate]) -> Stop | None:
        """Take a longer step than the last one."""
        self._rounds += 1
        self.epsilon = 0.01 * self._rounds
        stop = super().update(state, found)
        self.epsilon = 0.01
        return stop


class ForgetsState(Growing):
    """Does not write down how far it is."""


class KeepsState(Growing):
    """Writes down how far it is, but takes it for an addition to what it knows."""

    def get_state(self) -> dict[str, Any]:
        """Return the count of rounds too."""
        return {**super().get_state(), "rounds": self._rounds}

    def set_state(self, saved: dict[str, Any]) -> None:
        """Right in a fresh object only."""
        super().set_state(saved)
        self._rounds += int(saved["rounds"])


class Moody(SmallSteps):
    """Remembers over the runs of all its objects."""

    runs = 0

    def start(self, state: State) -> None:
        """Take longer steps with every run."""
        Moody.runs += 1
        self.epsilon = 0.01 * Moody.runs
        super().start(state)


BROKEN_RULES: dict[type[Rule], str] = {
    IgnoresWeights: "a_weight_of_two_is_two_rows",
    GradientIgnoresWeights: "a_weight_of_two_is_two_rows",
    LeveragingIgnoresWeights: "a_weight_of_two_is_two_rows",
    LSBoostIgnoresWeights: "a_weight_of_two_is_two_rows",
    LPIgnoresWeights: "a_weight_of_two_is_two_rows",
    LPGivesUpOnWeights: "a_weight_of_two_is_two_rows",
    BoundTooTight: "bounds_hold_in_every_round",
    TrustsRounding: "a_certificate_is_never_false",
    WrongValue: "the_value_is_that_of_the_model",
    WrongSign: "a_model_agrees_with_most_labels",
    NegativeWeights: "weights_are_a_signed_distribution",
    StaleScores: "scores_are_the_vote_of_the_members",
    LooseBounds: "history_has_a_row_a_round",
    ForgetsState: "an_interrupted_run_goes_on",
    KeepsState: "a_used_rule_remembers_nothing_else",
    Moody: "runs_repeat",
}
"""Rules, and the check that catches each."""

# -- oracles -------------------------------------------------------------------------------------


class Misreports(FiniteOracle):
    """Says that edges are larger than they are."""

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """Add a hundredth."""
        return [replace(c, edge=c.edge + 0.01) for c in super().find(weights, k, round)]


class Unsorted(FiniteOracle):
    """Returns the largest edge last."""

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """Turn the list round."""
        return super().find(weights, k, round)[::-1]


class Unbounded(StumpOracle):
    """Has outputs beyond 1."""

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """Double them."""
        found = super().find(weights, k, round)
        return [replace(c, column=2.0 * c.column, edge=2.0 * c.edge) for c in found]


class OtherColumn(StumpOracle):
    """Its columns are not what its hypotheses say."""

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """Change one output."""
        found = super().find(weights, k, round)
        for candidate in found:
            candidate.column[0] *= -1
        return [replace(c, edge=float(weights.dual @ c.column)) for c in found]


@dataclass(frozen=True)
class Stubborn(Hypothesis):
    """A stump that cannot be turned round, nor read back."""

    stump: Stump
    kind = "stubborn"

    def __call__(self, rows: Array) -> Array:
        """As the stump."""
        return self.stump(rows)

    def negated(self) -> Stubborn:
        """Stay as it is."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """Write the stump down."""
        return {"kind": self.kind, "stump": self.stump.to_dict()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Stubborn:
        """Read it the wrong way round."""
        return cls(Stump.from_dict(data["stump"]).negated())


del Hypothesis.__registry__["stubborn"]


class CannotTurn(StumpOracle):
    """Its hypotheses cannot be negated."""

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """Wrap the stumps."""
        found = super().find(weights, k, round)
        return [replace(c, hypothesis=Stubborn(c.hypothesis)) for c in found]


class CannotBeRead(CannotTurn):
    """Its hypotheses cannot be read back."""


class FalselyExact(TreeOracle):
    """A greedy learner that says it misses nothing."""

    exact = True


class HalfTheFeatures(StumpOracle):
    """Says that it is exact, and looks at some features only, others in other rounds."""

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """Pass the best one over, where the first row pulls up."""
        found = super().find(weights, 4, round)
        return found[1:] if weights.dual[0] > 0.0 else found[:k]


class DropsCurvature(OracleWrapper):
    """A wrapper that passes the signed weights on, and nothing else."""

    def __init__(self, oracle: Oracle | None = None) -> None:
        super().__init__(GradientTreeOracle(max_leaf_nodes=4) if oracle is None else oracle)

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """Ask without curvature."""
        return self.base.best(weights.dual, k, round=round)


class DropsState(OracleWrapper):
    """A wrapper that remembers what it found, and does not write it down."""

    def __init__(self, oracle: Oracle | None = None) -> None:
        super().__init__(StumpOracle() if oracle is None else oracle)

    def prepare(self) -> None:
        """Begin with nothing."""
        super().prepare()
        self._found: list[Candidate] = []

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """Return the first candidate ever found again, if another one is no better by much."""
        new = self.base.best(weights, 1, round=round)[0]
        self._found.append(new)
        old = self._found[0]
        return [replace(old, edge=float(weights.dual @ old.column))]


class Fickle(FiniteOracle):
    """Draws random numbers of its own."""

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """Take some column."""
        return [super().find(weights, 40, round)[np.random.default_rng().integers(4)]]


class NeedsBinsInSecret(StumpOracle):
    """Does not say that it reads binned rows."""

    needs_bins = False


class TrustsChanges(StumpOracle):
    """Takes a known change for a reason to return the last hypothesis again."""

    def prepare(self) -> None:
        """Begin with nothing."""
        super().prepare()
        self._last: list[Candidate] = []

    def find(self, weights: Weights, k: int, round: int) -> list[Candidate]:
        """Look at the weights in the first round only."""
        if weights.change is None:
            self._last = super().find(weights, k, round)
        return [replace(c, edge=float(weights.dual @ c.column)) for c in self._last]


BROKEN_ORACLES: dict[type[Oracle], str] = {
    Misreports: "edges_are_those_of_the_columns",
    Unsorted: "candidates_come_largest_edge_first",
    Unbounded: "outputs_are_bounded",
    OtherColumn: "columns_are_the_outputs_on_the_rows",
    CannotTurn: "negated_hypotheses_are_negated",
    CannotBeRead: "hypotheses_survive_as_data",
    FalselyExact: "an_exact_oracle_misses_nothing",
    HalfTheFeatures: "an_exact_oracle_misses_nothing",
    DropsCurvature: "curvature_matters_if_it_says_so",
    DropsState: "only_its_state_is_remembered",
    Fickle: "calls_repeat",
    NeedsBinsInSecret: "bins_are_needed_if_it_says_so",
    TrustsChanges: "known_changes_make_no_difference",
}
"""Oracles, and the check that catches each."""

# -- losses --------------------------------------------------------------------------------------


class WrongShape(Logistic):
    """Returns flat arrays."""

    def value(self, t: Array) -> Array:
        """Flatten."""
        return super().value(t).ravel()


class WrongSlope(Logistic):
    """Its dual is not the derivative."""

    def dual(self, t: Array) -> Array:
        """One percent too much."""
        return 1.01 * super().dual(t)


class WrongCurvature(Logistic):
    """Its curvature is not the second derivative."""

    def curvature(self, t: Array) -> Array:
        """One percent too much."""
        return 1.01 * super().curvature(t)


class FalselyConvex(Savage):
    """Says that it is convex."""

    convex = True

    def conjugate(self, d: Array) -> Array:
        """Something."""
        return np.zeros(np.shape(d))

    inverse = conjugate


class FalselySymmetric(Quantile):
    """Costs more above than below, and does not say so."""

    symmetric = True

    def __init__(self) -> None:
        super().__init__(0.9)


class WrongRange(Logistic):
    """Says that duals reach 2."""

    dual_range = (0.0, 2.0)


class PullsAway(Logistic):
    """A loss of -m: small where the label is missed."""

    def value(self, t: Array) -> Array:
        """Turn the margin round."""
        return super().value(-t)

    def dual(self, t: Array) -> Array:
        """Turn the margin round."""
        return -super().dual(-t)


class ForgetsLabels(Logistic):
    """Its signed weights go uphill for one label."""

    def signed(self, y: Array | float, d: Array) -> Array:
        """Forget the label."""
        return d


class Overflows(Logistic):
    """The formula of the textbook."""

    def value(self, t: Array) -> Array:
        """Too large an exponential for large margins."""
        return np.log(1.0 + np.exp(np.asarray(t, dtype=float))) - t


class WrongProbability(Logistic):
    """That of the other label."""

    def probability(self, scores: Array) -> Array:
        """Turn the score round."""
        return super().probability(-scores)


class Changeable(MarginLoss):
    """A plain object: copies are not equal."""

    name = "changeable"

    def value(self, t: Array) -> Array:
        """As the logistic loss."""
        return Logistic().value(t)

    def dual(self, t: Array) -> Array:
        """As the logistic loss."""
        return Logistic().dual(t)

    def curvature(self, t: Array) -> Array:
        """As the logistic loss."""
        return Logistic().curvature(t)


class PretendsDual(Savage):
    """Has a conjugate, though it is not convex."""

    def conjugate(self, d: Array) -> Array:
        """Something."""
        return np.zeros(np.shape(d))


class WrongConjugate(Logistic):
    """Its conjugate is a little too small."""

    def conjugate(self, d: Array) -> Array:
        """Take some off."""
        return super().conjugate(d) - 1e-6


class WrongInverse(Logistic):
    """Its inverse is off."""

    def inverse(self, d: Array) -> Array:
        """One percent too much."""
        return 1.01 * super().inverse(d)


class WrongDivergence(Logistic):
    """Half a divergence is one too, but not that of the conjugate."""

    def divergence(self, d: Array, e: Array) -> Array:
        """Halve it."""
        return 0.5 * super().divergence(d, e)


class WrongDualValue(Logistic):
    """Bounds more than it can."""

    def dual_value(self, y: Array, d: Array) -> Array:
        """Add some."""
        return super().dual_value(y, d) + 1e-6


BROKEN_LOSSES: dict[type[Loss], str] = {
    WrongShape: "shapes_are_kept",
    WrongSlope: "the_dual_is_the_slope",
    WrongCurvature: "the_curvature_is_the_slope_of_the_dual",
    FalselyConvex: "a_convex_loss_is_convex_and_no_other",
    FalselySymmetric: "symmetry_is_as_declared",
    WrongRange: "duals_fill_their_range",
    PullsAway: "labels_pull_scores_their_way",
    ForgetsLabels: "signed_weights_descend",
    Overflows: "extreme_arguments_are_no_trouble",
    WrongProbability: "probabilities_follow_the_score",
    Changeable: "losses_are_plain_settings",
    PretendsDual: "it_says_that_it_has_no_dual",
    WrongConjugate: "conjugates_keep_fenchel_and_young",
    WrongInverse: "the_inverse_undoes_the_dual",
    WrongDivergence: "divergences_are_those_of_bregman",
    WrongDualValue: "the_dual_value_bounds_the_loss",
}
"""Losses, and the check that catches each."""
