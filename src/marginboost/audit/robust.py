"""One line for noisy labels: audit, choose a model that suits the table, fit it to what is trusted.

Problem: which labels are wrong, and which model to fit to the others, when all there is to judge by
are those labels? An audit (:mod:`marginboost.audit.audit`) says how far each label can be trusted,
and what its voters said of rows that they had not seen. Two models can be fitted:

committee
    Gradient trees, a random forest and, where it helps, a linear model, all classes jointly, on
    soft labels (:mod:`marginboost.audit.committee`). Sees interactions; nothing is certified.
soft margin
    LPBoost on stumps (R2-A3), with a ν that leaves room for wrong labels, each row weighing as much
    as it is trusted; several classes one against all others. Additive, so it can be explained
    exactly, and certified for the weights that the audit gave the rows.

Rule: with the loss of a given label under the noise model, -log Σ_j p_j T_jy, compare the
votes of the boosted stumps with those of the committee, row by row. The soft margin is chosen if
its mean loss is less by more than two standard errors, less than a quarter of the labels seems
wrong (with more, no soft margin is worth having) and its ν is less than the share of the rarest
class (with more, a whole class may fall short, and the same answer for every row has a margin);
else the committee. No further fit of either is needed: the votes are the audit's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from ..algorithms.bagged_vote import BaggedVote
from ..algorithms.lpboost import (
    LPBoostClassifier,
    make_rule,
    rule_settings,
    soft_margin_facts,
)
from ..core.rule import Rule
from ..data import BinnedMatrix
from ..estimators.classifier import BaseMarginClassifier, document
from ..estimators.constructors import forward
from ..fitting.algorithm import Algorithm, Choice, Chosen, Outcome
from ..fitting.fit import fit
from ..fitting.inputs import read_weights, weigh_classes
from ..fitting.problem import Problem
from ..fitting.reduction import ONE_VS_REST, Reduction
from ..fitting.rows import TrainingRows
from ..fitting.runs import Fitted
from ..kernels.parallel import one_algebra_thread
from ..model import Link, Model, VoteLink
from ..model.features import FeatureRows
from ..oracles.gradient_trees import GradientTreeOracle
from ..types import Array
from ..validation import Constraints, Effects, Where, check_choice, check_number
from ..warning import warn_user
from .audit import LabelAudit
from .committee import (
    AuditedRows,
    Mixture,
    as_sure_as,
    choose_mixture,
    fit_committee,
    kind_and_link,
    uncertified,
)
from .soft_labels import SoftRows, soft_rows
from .votes import FEW_ROWS, MAX_BINS

POLICIES = ("soft", "downweight", "drop", "relabel", "keep")
MODELS = ("auto", "committee", "soft-margin")
SOFT_MARGINS = ("auto", "soft-margin")
"""Models of which a soft margin may come."""
SAME_NOISE = 1e-6
"""Difference of two estimates of noise up to which the audits are the same."""
MOST_NOISE = 0.25
"""Share of wrong labels from which on the soft margin is not chosen: its ν would admit nearly all
rows, and the votes would say next to nothing."""
STANDARD_ERRORS = 2.0
"""By how many standard errors stumps must be better for the soft margin to be chosen."""


class Option(NamedTuple):
    """A model that was considered; ``choice_`` is a list of these, one line of a table each.

    Attributes
    ----------
    model : str
        "committee" or "soft-margin".
    loss : float
        Mean loss of its votes on rows not learnt from, under the noise model.
    error : float
        Share of those rows that it would get wrong, by the audit's opinion of the true labels.
    chosen : bool
        Whether it was taken.
    why : str
        The reason.
    what : str
        What it is made of, and for how much of the log-odds each member stands.
    """

    model: str
    loss: float
    error: float
    chosen: bool
    why: str
    what: str


@dataclass(frozen=True)
class Room:
    """How many rows a soft margin may miss, beside what the rarest class has.

    ``weights`` are those of the rows that keep their label, after the policy.
    """

    audit: LabelAudit
    estimator: Any
    weights: Array

    @cached_property
    def nu(self) -> float:
        """ν of the soft margin; it takes boosted stumps on all rows to know it."""
        return self.audit.evidence.nu_for(self.estimator, self.weights)

    @property
    def rarest(self) -> float:
        """Share of the rarest class in the weight."""
        shares = np.bincount(self.audit.codes_, self.weights, len(self.audit.classes_))
        return float(shares.min() / shares.sum())


@document
class RobustBoostClassifier(BaseMarginClassifier):
    """A noise-robust default: audits its labels, chooses a model that suits them, and fits it.

    Parameters
    ----------
    estimator : Oracle, scikit-learn estimator or None
        Base learner of a soft-margin model, which is then what is fitted; None is the exact stump,
        with which the bounds are proven.
    n_estimators : int
        Most rounds; gradient trees make 150 at most, 300 in tables of more than 5,000 rows and
        where nearly all labels seem right.
    model : {"auto", "committee", "soft-margin"}
        What is fitted to the audited rows: gradient trees, a random forest and, where it helps, a
        linear model, or the certified soft-margin program over stumps. "auto" chooses by what the
        audit's voters said of rows that they had not seen: the soft margin where stumps alone are
        better by two standard errors, less than a quarter of the labels seems wrong, and its ν is
        less than the share of the rarest class.
    policy : {"soft", "downweight", "drop", "relabel", "keep"}
        What happens to suspect rows: every row stands for its label as far as that is trusted, and
        else for the most likely other one; or it only weighs as much as its label is trusted; or
        the flagged ones are left out, or get the suggested label; or all stay as they are. To the
        soft margin the first two are the same.
    fdr : float
        Share of false alarms allowed among the flagged rows.
    cv : int or None
        Folds of the audit; None is 5 up to 5,000 rows, 3 up to 10,000, and 2 above.
    solver : {"auto", "simplex", "interior", "smooth"}
        Master problem, as in :class:`~marginboost.LPBoostClassifier`.
    solver_time_limit : float or None
        Most seconds for one master problem.
    tol : float or None
        Gap at which to stop.
    {common}

    Attributes
    ----------
    noise_rate_ : float
        Estimated share of wrong labels.
    choice_ : list of Option
        The models considered, their loss and error on rows not learnt from, which one was chosen
        and why. Not in a model file.
    nu_ : float
        Of a soft margin: the ν that follows from the audit: three times the share of wrong
        labels that is left after the policy, or of rows that the base learner cannot fit where
        that is more; both by weight, and ν within 0.05 and 0.9.
    trust_ : array
        Probability that each row's label is right; 1 for rows of weight 0.
    rho_ : float
        Of a soft margin: the margin ρ that all rows but those bought off reach.
    {fitted}

    Examples
    --------
    >>> from marginboost import RobustBoostClassifier
    >>> from marginboost.datasets import circle_2d, flip_labels
    >>> X, y = circle_2d(300)
    >>> noisy, flipped = flip_labels(y, 0.2)
    >>> model = RobustBoostClassifier().fit(X, noisy)
    >>> bool(model.trust_[flipped].mean() < 0.5 < model.trust_[~flipped].mean())
    True
    """

    __capabilities__: ClassVar[dict[str, bool]] = {
        "certifies": False,
        "explains": False,
        "exports_several_classes": True,
    }
    __summary__: ClassVar[dict[str, str]] = {
        "problem": "audits its labels, then fits trees or a soft margin, whichever suits",
        "guarantee": "of a soft margin as LPBoost, for the weights that the audit gives",
        "reference": "Rätsch 2001, eq. 4.12; Chan 2015",
    }
    __constraints__: ClassVar[Constraints] = {
        name: LPBoostClassifier.__constraints__[name] for name in ("solver", "solver_time_limit")
    }
    __effects__: ClassVar[Effects] = {
        **dict.fromkeys(("solver", "solver_time_limit", "tol"), Where("model", SOFT_MARGINS)),
        "fdr": Where("policy", ("drop", "relabel")),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 1000,
        model: str = "auto",
        policy: str = "soft",
        fdr: float = 0.2,
        cv: int | None = None,
        solver: str = "auto",
        solver_time_limit: float | None = None,
        tol: float | None = 1e-3,
        class_weight: Any = None,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        callbacks: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        forward(super().__init__, locals())
        self.model = model
        self.policy = policy
        self.fdr = fdr
        self.cv = cv
        self.solver = solver
        self.solver_time_limit = solver_time_limit

    def _algorithm(self) -> Algorithm:
        """Check the parameters; make the algorithm of the soft margin, or of a fitted committee."""
        check_choice("model", self.model, MODELS)
        if self.model == "committee" and self.estimator is not None:
            raise ValueError(
                f"estimator: got {self.estimator!r}, expected None with model='committee', which "
                "has base learners of its own"
            )
        check_choice("policy", self.policy, POLICIES)
        check_number("fdr", self.fdr, at_least=0.0, below=1.0)
        if self.cv is not None:
            check_number("cv", self.cv, at_least=2, integer=True)
        made = self._make_algorithm(
            self._rule,
            link=VoteLink(),
            facts=self._soft_margin_facts,
            chosen_names=("nu_", "noise_rate_"),
            check_chosen=_check_nu,
        )
        if is_committee(vars(self).get("model_")):  # nothing is proven of it
            made = replace(made, oracle=GradientTreeOracle())
        return RobustAlgorithm(**vars(made))

    def _rule(self, problem: Problem, chosen: Chosen) -> Rule:
        """LPBoost with the ν that suits the labels; of a committee a plain vote."""
        if not chosen.get("nu_"):
            return BaggedVote()
        return make_rule(problem, chosen["nu_"], None, self.solver, **rule_settings(self))

    def _soft_margin_facts(self, outcome: Outcome) -> dict[str, Any]:
        """ρ of a soft margin."""
        return soft_margin_facts(outcome, self.tol or 0.0, chosen=True)

    # -- fit -------------------------------------------------------------------------------------

    @one_algebra_thread()
    def _fit_rows(
        self,
        algorithm: Algorithm,
        rows: TrainingRows,
        reduction: Reduction = ONE_VS_REST,
        **given: Any,
    ) -> Self:
        """Audit the labels, choose, then learn from what the policy makes of them."""
        if reduction is not ONE_VS_REST and self.model == "committee":
            raise ValueError(
                "model: got 'committee' with a code of several classes, expected 'auto' or "
                "'soft-margin': a committee knows all classes at once"
            )
        codes = rows.truth
        used, audit = self._audit(rows.rows, rows.labels[codes], rows.weights)
        mixture, believed = choose_mixture(audit.votes_, audit.stack_, audit.codes_)
        mixture = mixture.times(as_sure_as(audit.first_stack_.belief, believed))
        labels, weights = self._cleaned(used, audit, codes, rows.weights)
        room = Room(audit, self.estimator, np.where(labels == codes, weights, 0.0)[used])
        options = self._choose(audit, (mixture, believed), reduction, room)
        trust = np.ones(len(codes))
        trust[used] = audit.score_
        if any(option.model == "committee" and option.chosen for option in options):
            fitted = self._fit_committee(algorithm, rows, used, audit, mixture)
        else:
            numbers = {"nu_": room.nu, "noise_rate_": audit.noise_rate_}
            own = replace(algorithm, choose=lambda problem, oracle: Choice(numbers))
            fitted = fit(own, replace(rows, codes=labels, weights=weights), reduction)
            model = replace(fitted.model, chosen=own.kept(numbers))
            fitted = replace(fitted, model=model, facts={**fitted.facts, **numbers})
        self._forget()
        self._keep(fitted)
        self.choice_, self.trust_ = options, trust
        return self

    def _choose(
        self,
        audit: LabelAudit,
        committee: tuple[Mixture, Array],
        reduction: Reduction,
        room: Room,
    ) -> list[Option]:
        """Compare both models, the committee with its votes, by the audit's votes."""
        stack, labels = audit.stack_, audit.codes_
        mixture, votes = committee
        made_of = {"committee": str(mixture), "soft-margin": "stumps"}
        believed = {"committee": votes, "soft-margin": audit.votes_["boosted stumps"]}
        losses = {name: stack.losses(vote, labels) for name, vote in believed.items()}
        excess = losses["soft-margin"] - losses["committee"]
        spread = float(excess.std()) / math.sqrt(len(excess))
        lead = float(excess.mean()) / spread if spread > 0.0 else 0.0
        chosen, why = self._verdict(lead, audit.noise_rate_, reduction, room)
        truth = stack.posterior(labels)
        return [
            Option(
                name,
                float(losses[name].mean()),
                float(1.0 - truth[np.arange(len(labels)), vote.argmax(axis=1)].mean()),
                name == chosen,
                why if name == chosen else "",
                made_of[name],
            )
            for name, vote in believed.items()
        ]

    def _verdict(
        self, lead: float, noise: float, reduction: Reduction, room: Room
    ) -> tuple[str, str]:
        """Which model, and why."""
        if self.estimator is not None or reduction is not ONE_VS_REST:
            given = "base learner" if self.estimator is not None else "code of several classes"
            return "soft-margin", f"a {given} was given"
        if self.model != "auto":
            return self.model, "asked for"
        if lead >= 0.0:
            return "committee", f"better than stumps by {lead:.1f} standard errors"
        why = f"stumps alone are better by {-lead:.1f} standard errors"
        if -lead <= STANDARD_ERRORS:
            return "committee", f"{why} only"
        if noise >= MOST_NOISE:
            return "committee", f"{why} but too many labels seem wrong for them"
        if room.nu >= room.rarest:
            return "committee", (
                f"{why} but a soft margin may miss a share of {room.nu:.2g}, and the rarest class "
                f"has {room.rarest:.2g}"
            )
        return "soft-margin", why

    def _fit_committee(
        self,
        algorithm: Algorithm,
        data: TrainingRows,
        used: Array,
        audit: LabelAudit,
        mixture: Mixture,
    ) -> Fitted:
        """Fit gradient trees, a forest and perhaps a linear model to the audited labels."""
        table, bins = audit.evidence.table, audit.evidence.bins
        if self.max_bins != MAX_BINS and not isinstance(table, BinnedMatrix):
            bins = algorithm.settings.bin(table, data.weights[used])
        # Least weights of leaves are in rows: weights that sum to one must not forbid all splits.
        weights = data.weights[used]
        same = bool((weights == weights[0]).all())
        weights = np.ones(len(weights)) if same else weights / weights.mean()
        soft = self._soft(audit, weights)
        settings = {
            **{name: getattr(self, name) for name in ("n_estimators", "n_jobs", "random_state")},
            **{"callbacks": self.callbacks, "verbose": self.verbose},
            **{"name": algorithm.name, "chosen": {"noise_rate_": float(audit.noise_rate_)}},
            "noise_rate": audit.noise_rate_,
        }
        for_forest = self._for_forest(audit, soft, weights)
        rows = AuditedRows(
            table, bins, soft, for_forest, data.features, data.labels, data.read_more
        )
        model, last = fit_committee(rows, mixture, settings)
        dual = np.zeros((len(data.truth), *last.shape[1:]))
        np.add.at(dual, used[soft.rows], last)
        margins = model.margins(data.rows, data.truth, self.n_jobs)
        run = replace(model.runs[0], certificate=uncertified(float(margins[used].min())))
        facts = {"noise_rate_": audit.noise_rate_}
        return Fitted(algorithm, replace(model, run=run), dual, margins, facts)

    def _for_forest(self, audit: LabelAudit, soft: SoftRows, weights: Array) -> SoftRows:
        """What the forest learns from: in large tables the labels as given, if noise is even."""
        told = self.policy != "soft" or len(weights) <= FEW_ROWS or audit.stack_.by_class
        return soft if told else SoftRows(np.arange(len(weights)), audit.codes_, weights)

    def _soft(self, audit: LabelAudit, weights: Array) -> SoftRows:
        """Labels and weights to learn from, after the policy, times the weights of the rows."""
        if self.policy == "soft":
            last = audit.last_stack_
            soft = soft_rows(audit.codes_, last.trust(audit.codes_), last.belief)
            return soft._replace(weights=soft.weights * weights[soft.rows])
        everyone = np.arange(len(weights))
        labels, weights = self._cleaned(everyone, audit, audit.codes_, weights)
        kept = np.flatnonzero(weights > 0)
        return SoftRows(kept, labels[kept], weights[kept])

    def _audit(self, rows: FeatureRows, labels: Array, weights: Array) -> tuple[Array, LabelAudit]:
        """Rows with weight, and the audit of their labels."""
        used = np.flatnonzero(weights > 0)
        table = rows if len(used) == len(labels) else rows.take(used)
        source = table if isinstance(table, BinnedMatrix) else table.source
        audit = LabelAudit(
            cv=self.cv, fdr=self.fdr, n_jobs=self.n_jobs, random_state=self.random_state
        )
        return used, audit.__fit_table__(source, table, labels[used])

    def _cleaned(
        self, used: Array, audit: LabelAudit, index: Array, weights: Array
    ) -> tuple[Array, Array]:
        """Labels and weights after the policy."""
        index, weights = index.copy(), weights.copy()
        if self.policy in ("soft", "downweight"):
            weights[used] *= audit.score_
        elif self.policy in ("drop", "relabel"):
            # A class that is flagged altogether stays: a model would forget it.
            acted_on = audit.flagged_ & np.isin(audit.codes_, audit.codes_[~audit.flagged_])
            if self.policy == "drop":
                weights[used[acted_on]] = 0.0
            else:
                index[used] = np.where(acted_on, audit.suggested_codes_, index[used])
        return index, weights

    def __training_set__(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Array, Array]:
        """Labels and weights that a fit to these rows learns from: the audit is made again.

        It repeats with the same releases of the libraries, and a ``random_state`` that is no
        object. A warning says if it does not agree with the audit of the fit.
        """
        rows, index = self._read_labelled(X, y)
        weights = read_weights(sample_weight, rows.n_rows)
        weights = weigh_classes(self.class_weight, self.classes_[index], weights)
        used, audit = self._audit(rows, self.classes_[index], weights)
        if abs(audit.noise_rate_ - self.noise_rate_) > SAME_NOISE:
            warn_user(
                f"the audit of these rows estimates a noise of {audit.noise_rate_:.4g}, that of "
                f"the fit {self.noise_rate_:.4g}: these are other rows or labels, or the libraries "
                "have changed; weights are not those of the fit"
            )
        index, weights = self._cleaned(used, audit, index, weights)
        return self.classes_[index], weights

    def __restore__(self, model: Model) -> None:
        """Take up a fitted model; files of old releases say 0 for the ν of a committee."""
        chosen = {name: value for name, value in model.chosen.items() if value or name != "nu_"}
        super().__restore__(replace(model, chosen=chosen))


class RobustAlgorithm(Algorithm):
    """LPBoost with a ν that the audit chose, or a committee, which has no ν."""

    @property
    def required_names(self) -> tuple[str, ...]:
        """Numbers that every model file has."""
        return ("noise_rate_",)

    def model_parts(self, n_classes: int, chosen: Chosen) -> tuple[type[Model], Link]:
        """Type and link of a model in which fit chose this."""
        if chosen.get("nu_"):
            return super().model_parts(n_classes, chosen)
        return kind_and_link(n_classes)


def is_committee(model: Model | None) -> bool:
    """Whether a fitted model is a committee: a soft margin has a ν."""
    return model is not None and "nu_" not in model.chosen


def _check_nu(chosen: Chosen) -> None:
    """Raise for a ν that is no share."""
    if "nu_" in chosen:
        check_number("nu", chosen["nu_"], at_least=0.0, at_most=1.0)
