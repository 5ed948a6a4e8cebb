"""Which labels are wrong, why, and what to do about it.

Classifiers that err in different ways vote on every row without having seen its label (CH-A11); the
votes are stacked under a model of label noise, which gives each label a probability of being right,
an estimate of how many are wrong, and a list of suspects with a chosen share of false alarms. What
else is known of a row (soft-margin weights and slack, influence, volumes, neighbours) is computed
for the rows when it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from ..data import BinnedMatrix, Table
from ..data.table import check_not_lazy, frame_names, is_frame, read_array
from ..fitting.inputs import distinct_labels, read_labels
from ..kernels.parallel import one_algebra_thread, resolve_n_jobs
from ..types import Array
from ..validation import (
    check_choice,
    check_number,
    check_unused,
    random_numbers,
    read_numbers,
)
from .cleaning import POLICIES, changed_labels, other_labels, rows_to_act_on, some_labels
from .evidence import Evidence
from .flagging import flag
from .folds import SEED, Fold, alone_in_class, check_classifier, folds_of_classes, take_rows
from .reasons import Reasons
from .soft_labels import soft_rows
from .stacking import Stack, stack_votes
from .votes import (
    FEW_ROWS,
    LEARNING_ROWS,
    STUMPS,
    Views,
    default_folds,
    default_voters,
    fold_votes,
    soft_votes,
)

SECOND_VOTE = 100
"""Rows from which on the default voters vote a second time: fewer teach them nothing new."""


class LabelAudit(BaseEstimator):
    """Find the rows whose label is probably wrong.

    Parameters
    ----------
    voters : classifier, mapping of name to classifier, or None
        Who votes: any classifiers of this package or of scikit-learn. None is gradient trees,
        boosted stumps and a linear model, and a forest of random trees up to 5,000 rows: between
        them they cope with interactions, missing values, categories, and most shapes of data. From
        100 to 5,000 rows they vote twice, the second time after learning from the labels as the
        first vote weighs them.
    cv : int, splitter, iterable of (train, test) or None
        Folds; every row is judged by voters that learnt from the other folds, and so must be in one
        test fold. An integer makes that many shuffled, stratified ones, or as many as the rarest
        class has rows if those are fewer; None is 5 up to 5,000 rows, 3 up to 10,000, and 2 above.
        A row that is alone in its class keeps its label, unjudged.
    fdr : float
        Share of false alarms allowed among the flagged rows, in [0, 1): the larger, the more rows
        are flagged, but none whose label is more likely right than wrong.
    categorical_features : "from_dtype", None, or sequence of int or str
        Which columns of a data frame hold categories: those of text and of categorical types, none,
        or these.
    n_jobs : int or None
        Threads; None is all cores.
    random_state : int or None
        Seed of folds and default voters; None is a fixed one.

    Attributes
    ----------
    classes_ : array
        The labels.
    score_ : array in [0, 1]
        Probability that each row's label is right; 0 is the most suspect.
    suggested_ : array
        The most likely label of each row: another than the given one only where it is more likely,
        all evidence and the given label taken into account.
    codes_, suggested_codes_ : array of int
        Given and suggested labels as positions in ``classes_``.
    rank_ : array of int
        Place of each row in the list of suspects, from 1.
    flagged_ : array of bool
        The suspects: rows for which another label is more likely and whose own is more likely
        wrong than right, as many of them as the allowed share of false alarms admits.
    noise_rate_ : float
        Estimated share of wrong labels.
    class_noise_rates_ : array
        The same among the rows that carry each label.
    belief_ : array (n_rows, n_classes)
        Probability of each class before the given label is taken into account.
    margin_ : array in [-1, 1]
        Probability that the given label is right minus that of the most likely other label: below
        zero where another is suggested.
    votes_ : dict
        Out-of-fold class probabilities of each voter, when it voted last.
    stack_ : Stack
        How they were combined, and the noise that was found.
    first_stack_, last_stack_ : Stack
        The combination of the first votes alone, and of the last. Voters of the first did not know
        a row's label even by way of other rows, so its probabilities are as sure as they may be.
        The last is bolder than ``stack_``, and on average nearer to the truth where much is wrong,
        but its probabilities are too sure.
    voter_weights_ : dict
        Weight of each voter in the combination.
    disagreement_ : array
        Share of the voters whose own class for a row is not the given one.
    n_features_in_ : int
        Columns of the table.
    index_ : pandas index or None
        Names of the rows, if they came in a pandas frame.

    Examples
    --------
    >>> import numpy as np
    >>> from marginboost.datasets import circle_2d, flip_labels
    >>> X, y = circle_2d(400)
    >>> noisy, flipped = flip_labels(y, 0.1)
    >>> audit = LabelAudit().fit(X, noisy)
    >>> bool(flipped[audit.suspects()[:20]].mean() > 0.8)
    True
    """

    def __init__(
        self,
        voters: Any = None,
        *,
        cv: Any = None,
        fdr: float = 0.2,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.voters = voters
        self.cv = cv
        self.fdr = fdr
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    # -- fit -------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, *, pred_probs: Any = None) -> Self:
        """Audit the labels.

        Parameters
        ----------
        X : array, sparse matrix, data frame or BinnedMatrix
            Rows. NaN is a missing value. Of a BinnedMatrix, such as that of a table larger than
            memory, the middle of a bin stands for its values.
        y : array-like
            Given labels, of two or more classes.
        pred_probs : array (n_rows, n_classes), optional
            Class probabilities of a model of your own, for each row from a fit without it, such as
            scikit-learn's ``cross_val_predict(…, method="predict_proba")`` gives; columns in the
            order of the sorted labels. They take the place of all voters.

        Returns
        -------
        self
        """
        check_number("fdr", self.fdr, at_least=0.0, below=1.0)
        resolve_n_jobs(self.n_jobs)
        random_numbers(self.random_state)
        self._check_voters()
        if pred_probs is not None:
            check_unused(self, "pred_probs", "voters", "cv")
        table = self._read_table(X)
        return self.__fit_table__(X, table, read_labels(y, table.n_rows), pred_probs)

    @one_algebra_thread()
    def __fit_table__(
        self, X: Any, table: Table | BinnedMatrix, labels: Array, pred_probs: Any = None
    ) -> Self:
        """Audit rows that are already read; ``X`` is what voters of the caller's own are given."""
        self._check_voters()
        self.index_ = X.index if hasattr(X, "iloc") else None
        self.classes_ = distinct_labels(labels)
        if len(self.classes_) < 2:
            only = self.classes_.tolist()[0]
            raise ValueError(f"y: got one class ({only!r}), expected at least two")
        self.codes_ = np.searchsorted(self.classes_, labels)
        views, reasons = Views(X, table, self.n_jobs), Reasons()
        if pred_probs is None:
            self._vote(views, reasons)
        else:
            self.votes_ = {"pred_probs": check_probabilities(pred_probs, self.classes_, labels)}
            self.stack_ = self.first_stack_ = self.last_stack_ = self._combined()
        self._judge()
        self._evidence = Evidence(views, self.codes_, self.score_, reasons)
        return self

    def __take_votes__(
        self, views: Views, classes: Array, codes: Array, votes: dict[str, Array], stack: Stack
    ) -> Self:
        """Judge rows by votes that were made elsewhere, and combined in this way."""
        self.index_, self.classes_, self.codes_ = None, classes, codes
        self.votes_, self.stack_ = votes, stack
        self.first_stack_ = self.last_stack_ = stack
        self.n_features_in_ = views.table.n_features
        self._judge()
        self._evidence = Evidence(views, self.codes_, self.score_)
        return self

    def _check_voters(self) -> dict[str, Any] | None:
        """Voters of the caller by name; None for the default ones."""
        if self.voters is None:
            return None
        given = self.voters
        named = dict(given) if isinstance(given, Mapping) else {type(given).__name__: given}
        for name, voter in named.items():
            check_classifier(f"voters[{name!r}]", voter)
        if not named:
            raise ValueError("voters: got none, expected at least one classifier")
        return named

    def _read_table(self, X: Any) -> Table | BinnedMatrix:
        if isinstance(X, BinnedMatrix):
            self.n_features_in_ = X.n_features
            return X
        check_not_lazy(X)
        if is_frame(X):
            validate_data(self, X=X, skip_check_array=True)
            names = [str(name) for name in frame_names(X)]
        else:
            X = validate_data(
                self,
                X=read_array(X),
                accept_sparse=["csc", "csr"],
                dtype=[np.float64, np.float32],
                ensure_all_finite="allow-nan",
                ensure_min_samples=2,
            )
            names = [f"x{j}" for j in range(X.shape[1])]
        chosen = self.categorical_features
        if isinstance(chosen, str) and chosen == "from_dtype":
            return Table.learn(X, names, None)
        items = [] if chosen is None else np.atleast_1d(chosen).tolist()
        return Table.learn(X, names, [_position(item, names) for item in items])

    def _vote(self, views: Views, reasons: Reasons) -> None:
        """Ask all voters; the default ones twice, where the table is small and a label is doubted.

        Of the last vote of boosted stumps the reasons are kept.
        """
        given, folds = self._check_voters(), self._make_folds()
        n_rows, n_classes = len(self.codes_), len(self.classes_)
        seed = SEED if self.random_state is None else self.random_state
        ours = given is None
        twice = ours and SECOND_VOTE <= n_rows <= FEW_ROWS
        voters = given or default_voters(n_rows, n_classes, self.n_jobs, seed)
        self.votes_ = {}
        for name, voter in voters.items():
            most = LEARNING_ROWS.get(name) if ours else None
            watch = reasons.add if ours and not twice and name == STUMPS else None
            rows = views.of(voter, ours)
            self.votes_[name] = fold_votes(voter, rows, self.codes_, n_classes, folds, most, watch)
        self.stack_ = self.first_stack_ = self.last_stack_ = self._combined()
        if twice and self.stack_.noise_rate > 0.0:
            soft = soft_rows(self.codes_, self.stack_.trust(self.codes_), self.stack_.belief)
            self.votes_ = {
                name: soft_votes(
                    voter,
                    views.of(voter, ours),
                    soft,
                    n_classes,
                    folds,
                    reasons.add if name == STUMPS else None,
                )
                for name, voter in voters.items()
            }
            self.last_stack_ = self._combined(self.stack_)
            self.stack_ = self.stack_.after(self.last_stack_)

    def _combined(self, before: Stack | None = None) -> Stack:
        """Combine the votes; a row that is alone in its class keeps its label, unjudged.

        ``before`` is what an earlier vote of the same voters led to.
        """
        alone = np.flatnonzero(alone_in_class(self.codes_))
        own = np.eye(len(self.classes_))[self.codes_[alone]]
        for votes in self.votes_.values():
            votes[alone] = own
        stack = stack_votes(list(self.votes_.values()), self.codes_, before)
        stack.belief[alone] = own
        return stack

    def _make_folds(self) -> list[Fold]:
        """Folds; no more of them than rows of the rarest class, if only their number is given."""
        cv: Any = default_folds(len(self.codes_)) if self.cv is None else self.cv
        return folds_of_classes(cv, self.codes_, self.random_state)

    def _judge(self) -> None:
        """Scores, suggestions, flags and noise rates from the votes."""
        stack = self.stack_
        self.voter_weights_ = dict(zip(self.votes_, stack.weights.tolist(), strict=True))
        self.belief_ = stack.belief
        self.score_ = stack.trust(self.codes_)
        likely = stack.posterior(self.codes_)
        self.margin_ = _lead(likely, self.codes_)
        self.suggested_codes_ = np.where(self.margin_ < 0.0, likely.argmax(axis=1), self.codes_)
        self.suggested_ = self.classes_[self.suggested_codes_]
        self.noise_rate_ = float(np.mean(1.0 - self.score_))
        wrong = np.bincount(self.codes_, 1.0 - self.score_, len(self.classes_))
        self.class_noise_rates_ = wrong / np.bincount(self.codes_, minlength=len(self.classes_))
        order = np.argsort(self.score_, kind="stable")
        self.rank_ = np.empty(len(order), dtype=int)
        self.rank_[order] = np.arange(1, len(order) + 1)
        self.flagged_ = flag(self.score_, self.suggested_codes_ != self.codes_, self.fdr)

    # -- what to do with it ----------------------------------------------------------------------

    def suspects(self, most: int | None = None, *, by_index: bool = False) -> Array:
        """Row numbers, most suspect first: the flagged ones, or the first ``most`` of all rows.

        Parameters
        ----------
        most : int, optional
            How many; None is as many as were flagged. :meth:`trade_off` says what to expect.
        by_index : bool
            Whether to name rows by the index of the pandas frame that was audited.
        """
        check_is_fitted(self, "score_")
        check_number("most", most, at_least=0, integer=True, optional=True)
        order = np.argsort(self.rank_)
        chosen = order[self.flagged_[order]] if most is None else order[:most]
        if not by_index:
            return chosen
        if self.index_ is None:
            raise ValueError("by_index: X was no pandas frame, so its rows have numbers only")
        return np.asarray(self.index_[chosen])

    def trade_off(self) -> dict[str, Array]:
        """What to expect of the first rows of the list, for every length of it.

        Returns
        -------
        dict
            ``rows``: lengths 1, 2, …; ``precision``: expected share of wrong labels among so many;
            ``recall``: expected share of all wrong labels that are among them.
        """
        check_is_fitted(self, "score_")
        wrong = np.cumsum(1.0 - self.score_[np.argsort(self.rank_)])
        rows = np.arange(1, len(wrong) + 1)
        total = wrong[-1] if wrong[-1] > 0.0 else 1.0
        return {"rows": rows, "precision": wrong / rows, "recall": wrong / total}

    @property
    def disagreement_(self) -> Array:
        """Share of the voters whose own class for a row is not the given one (CH-A11)."""
        check_is_fitted(self, "score_")
        wrong = [votes.argmax(axis=1) != self.codes_ for votes in self.votes_.values()]
        return np.mean(wrong, axis=0)

    @property
    def evidence(self) -> Evidence:
        """Why rows are suspect; computed when first asked for."""
        check_is_fitted(self, "score_")
        return self._evidence

    def clean(
        self,
        X: Any,
        y: Any,
        policy: str = "drop",
        *,
        decisions: Mapping[int, str] | None = None,
        undecided: str = "act",
    ) -> tuple[Any, Any, Array]:
        """Rows, labels and weights to train with, in the types they came in.

        Parameters
        ----------
        X, y
            What was audited.
        policy : {"drop", "relabel", "downweight"}
            Leave suspects out, give them the most likely label, or weigh every row by the
            probability that its label is right.
        decisions : mapping of int to {"wrong", "right"}, optional
            What people said about rows, by number from 0. Rows that are wrong are acted on whether
            they were flagged or not, rows that are right are never touched.
        undecided : {"act", "keep"}
            Whether flagged rows without a decision are acted on.

        Returns
        -------
        X, y, sample_weight
        """
        check_is_fitted(self, "score_")
        check_choice("policy", policy, POLICIES)
        labels = read_labels(y, len(self.score_))
        if not np.array_equal(labels, self.classes_[self.codes_]):
            raise ValueError("y: got other labels than those audited, expected the same")
        act, wrong, right = rows_to_act_on(self.flagged_, decisions, undecided)
        ones = np.ones(len(labels))
        if policy == "relabel":
            better = self.classes_[other_labels(self.belief_, self.codes_)]
            return X, changed_labels(y, np.flatnonzero(act), better), ones
        if policy == "downweight":
            doubted = self.score_ if undecided == "act" else ones
            return X, y, np.where(wrong, 0.0, np.where(right, 1.0, doubted))
        kept = np.flatnonzero(~act)
        return take_rows(X, kept), some_labels(y, kept), ones[kept]

    def to_frame(self) -> Any:
        """One line per row as a pandas data frame, with the index of the rows that were audited.

        Columns: ``given``, ``suggested``, ``score`` (probability that the label is right),
        ``rank``, ``flagged``, ``disagreement``, and what :attr:`Evidence.similar` finds:
        ``copies``, ``conflicting`` (copies with other labels), ``near_duplicate`` (row number, -1
        for none), ``near_conflicting``, ``outlier``.
        """
        import pandas as pd

        check_is_fitted(self, "score_")
        return pd.DataFrame(
            {
                "given": self.classes_[self.codes_],
                "suggested": self.suggested_,
                "score": self.score_,
                "rank": self.rank_,
                "flagged": self.flagged_,
                "disagreement": self.disagreement_,
                **self.__similar_columns__(),
            },
            index=self.index_,
        )

    def __similar_columns__(self) -> dict[str, Array]:
        """Duplicates and outliers, one entry per row."""
        return self.evidence.similar.columns()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def check_probabilities(given: Any, classes: Array, labels: Array) -> Array:
    """Class probabilities of somebody's own model, one line per row; lines are made to sum to one.

    >>> check_probabilities([[3, 1], [0, 2]], np.array(["a", "b"]), np.array(["a", "b"])).tolist()
    [[0.75, 0.25], [0.0, 1.0]]
    """
    found = read_numbers("pred_probs", given)
    if found.shape != (len(labels), len(classes)):
        raise ValueError(
            f"pred_probs: got shape {found.shape}, expected {(len(labels), len(classes))}: one "
            f"line per row, one column per class ({', '.join(map(repr, classes.tolist()))})"
        )
    total = found.sum(axis=1)
    wrong = ~(np.isfinite(found).all(axis=1) & (found >= 0.0).all(axis=1) & (total > 0.0))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"pred_probs: row {row} is {found[row].tolist()}, expected probabilities of the classes"
        )
    return np.asarray(found / total[:, None])


def _lead(likely: Array, labels: Array) -> Array:
    """Probability of each given class minus that of the most likely other one."""
    rows, others = np.arange(len(labels)), likely.copy()
    others[rows, labels] = -1.0
    return np.asarray(likely[rows, labels] - others.max(axis=1))


def _position(item: Any, names: list[str]) -> int:
    """Column number of a name or number."""
    if item in names:
        return names.index(item)
    if (
        isinstance(item, bool)
        or not isinstance(item, int | np.integer)
        or not 0 <= item < len(names)
    ):
        raise ValueError(
            f"categorical_features: got {item!r}, expected a column name or a number below "
            f"{len(names)}"
        )
    return int(item)
