"""scikit-learn's fitted attributes and predictions, all read from the fitted model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..core.ensemble import Ensemble
from ..fitting.inputs import known_positions, read_labels
from ..model import ClassModel, FittedRun, Model, ReducedModel
from ..model.features import FeatureRows
from ..types import Array
from .capabilities import Capable, refusal

if TYPE_CHECKING:
    from ..model.shap import ShapValues


class FittedAttributes(Capable):
    """What is known of an estimator once it is fitted.

    ``model_`` is set by fit, or by :func:`marginboost.load`; all else is read from it.
    """

    __model_type__: ClassVar[type[Model]]
    """What a fit leaves, of two classes where the estimator is one of classes."""
    __registry__: ClassVar[dict[str, type[Any]]] = {}
    """Classes that a model file can name."""
    model_: Model

    @abstractmethod
    def __read_rows__(self, X: Any) -> FeatureRows:
        """Read rows other than the training rows, checked as scikit-learn does it."""

    def _learnt(self, name: str) -> Any:
        """Return the model, for the fitted attribute of this name."""
        try:
            return vars(self)["model_"]
        except KeyError:
            raise AttributeError(
                f"no attribute {name!r}: this {type(self).__name__} is not fitted yet"
            ) from None

    def _of_runs(self, name: str, values: list[Any]) -> Any:
        """One value, or a list of one per problem where there are several."""
        return values if self._learnt(name).reduced else values[0]

    def _runs(self, name: str) -> tuple[FittedRun, ...]:
        runs: tuple[FittedRun, ...] = self._learnt(name).runs
        return runs

    @property
    def ensemble_(self) -> Ensemble:
        """The hypotheses and coefficients of a model of one run."""
        ensemble: Ensemble = self._learnt("ensemble_").ensemble
        return ensemble

    @property
    def estimators_(self) -> list[Any]:
        """The hypotheses; a list of them for each problem, with several classes.

        Of scikit-learn base learners the fitted estimators themselves, which know the classes
        -1 and +1.
        """
        runs = self._runs("estimators_")
        members = [[member.fitted for member in run.ensemble.members] for run in runs]
        found: list[Any] = self._of_runs("estimators_", members)
        return found

    @property
    def estimator_weights_(self) -> Any:
        """Coefficients of the hypotheses; a list of arrays with several classes."""
        name = "estimator_weights_"
        return self._of_runs(name, [run.ensemble.coef for run in self._runs(name)])

    @property
    def history_(self) -> Any:
        """What happened in every round; a list with several classes."""
        return self._of_runs("history_", [run.history for run in self._runs("history_")])

    @property
    def certificate_(self) -> Any:
        """Bounds on the best possible value; a list with several classes."""
        name = "certificate_"
        return self._of_runs(name, [run.certificate for run in self._runs(name)])

    @property
    def certified_(self) -> bool:
        """Whether the bounds are proven."""
        return all(run.certificate.certified for run in self._runs("certified_"))

    @property
    def stop_reason_(self) -> Any:
        """Why the run ended; a list with several classes."""
        return self._of_runs("stop_reason_", [run.stop for run in self._runs("stop_reason_")])

    @property
    def n_iter_(self) -> int:
        """Rounds made; the largest number of them, with several classes."""
        return max(len(run.history) for run in self._runs("n_iter_"))

    @property
    def intercept_(self) -> float:
        """Always 0: a constant is a hypothesis like any other."""
        self._learnt("intercept_")
        return 0.0

    @property
    def feature_importances_(self) -> Array:
        """Share of each feature in what moves the votes; the mean over problems.

        Of stumps, and trees of depth 1, the mean size of its contribution over the training rows,
        which :meth:`explain` reports too; of others the share of the coefficients that it carries.
        """
        shares: Array = self._learnt("feature_importances_").importances()
        return shares

    # -- the model -------------------------------------------------------------------------------

    def explain(self) -> Any:
        """Explain a model of stumps, or of trees of depth 1, exactly: a step function per feature.

        The vote of a row (the prediction of a regressor) is the intercept, the mean vote of the
        training rows, and the step functions at the row's values, each of mean 0 over the training
        rows; nothing else. With more than two classes a list, one explanation per problem; of
        hypotheses that answer for all labels at once, one per label.
        """
        check_is_fitted(self)
        try:
            found = self.model_.explain()
        except TypeError as error:
            raise TypeError(refusal(type(self), "explains", str(error))) from error
        return found if self.model_.reduced or len(found) != 1 else found[0]

    def shap_values(
        self,
        X: Any,
        background: Any,
        *,
        method: str = "interventional",
        max_background: int = 200,
    ) -> ShapValues:
        """Share out the scores of rows between the features: exact Shapley values.

        For stumps and trees of any kind. The values of a row and the base value sum up to its score
        ``Σ α h(x)``: the prediction of a regressor, the log-odds of gradient boosting.

        Parameters
        ----------
        X : array, sparse matrix or data frame
            Rows to explain.
        background : array, sparse matrix or data frame
            Rows that a feature's absence is measured by, such as the training rows.
        method : {"interventional", "path"}
            Absent features have the values of the rows of the background; or they take each branch
            of a split with the share of the background that did, which is quicker.
        max_background : int
            Rows of the background that "interventional" uses, evenly spaced ones if there are more.

        Returns
        -------
        ShapValues
            ``values`` (rows, features), with a third axis for several classes, and ``base``.
        """
        from ..model.shap import shap_values  # here, not above: few models are explained so

        check_is_fitted(self)
        return shap_values(
            self.model_,
            X,
            background,
            method=method,
            max_background=max_background,
            n_jobs=getattr(self, "n_jobs", None),
        )

    def to_onnx(self) -> Any:
        """ONNX model; needs the extra ``onnx``.

        Outputs of a classifier are ``label``, ``probabilities`` and ``vote``, that of a regressor
        is ``prediction``.
        """
        check_is_fitted(self)
        feature = "exports_several_classes" if self.model_.reduced else "exports"
        try:
            return self.model_.to_onnx()
        except TypeError as error:
            raise TypeError(refusal(type(self), feature, str(error))) from error

    def save(self, path: Any) -> None:
        """Write a JSON file that :func:`marginboost.load` reads (see docs/model-file.md).

        Predictions of the loaded model are the same, bit for bit.
        """
        from ..model.file import save_model  # here, not above: few models are saved

        check_is_fitted(self)
        save_model(self, path)

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in vars(self)


class ClassifierOutputs(FittedAttributes):
    """Predictions of a fitted model of classes."""

    model_: ClassModel

    @property
    def classes_(self) -> Array:
        """The labels."""
        classes: Array = self._learnt("classes_").classes
        return classes

    @property
    def code_(self) -> Array:
        """Side of each class in each problem, with more than two classes."""
        model = self._learnt("code_")
        if not isinstance(model, ReducedModel):
            raise AttributeError(f"this {type(self).__name__} solves one problem, without a code")
        return model.code

    @property
    def estimator_errors_(self) -> Any:
        """Weighted errors of the hypotheses, one per round; a list with several classes."""
        name = "estimator_errors_"
        return self._of_runs(name, [run.history["error"] for run in self._runs(name)])

    @abstractmethod
    def _n_jobs(self) -> int | None:
        """Threads for predictions."""

    def _read_labelled(self, X: Any, y: Any) -> tuple[FeatureRows, Array]:
        """Rows and the position of each label among the classes."""
        rows = self.__read_rows__(X)
        return rows, known_positions(self.model_.classes, read_labels(y, rows.n_rows))

    def decision_function(self, X: Any) -> Array:
        """Normalised vote ``Σ α h(x) / Σ|α|``, in [-1, 1]; positive for the second class.

        With more than two classes one column per class: the vote of the class against all others.
        """
        rows = self.__read_rows__(X)
        return self.model_.votes(rows, self._n_jobs())

    def predict(self, X: Any) -> Array:
        """Class of each row, that with the largest vote; a tie goes to the first class.

        That is scikit-learn's convention; Rätsch's thesis gives a tie to the positive class
        (R1-X01).
        """
        votes = self.decision_function(X)
        return self.model_.labels(votes)

    def predict_proba(self, X: Any) -> Array:
        """Probabilities by the link of the algorithm's loss.

        By default that of the exponential loss, ``P(second) = 1 / (1 + exp(-2F))``, where
        ``F = Σ α h(x)`` is the score before normalising: the loss is smallest where F is half the
        log-odds. A model that maximises margins pushes F far out, and its probabilities towards 0
        and 1, which none ever is.
        ``sklearn.calibration.CalibratedClassifierCV`` works on the votes. With more than two
        classes the odds of each class are those of its vote; where hypotheses answer for all
        classes, probabilities are in proportion to ``exp F(x, l)``, F the score of class l.
        """
        rows = self.__read_rows__(X)
        return self.model_.probabilities(rows, self._n_jobs())

    def predict_log_proba(self, X: Any) -> Array:
        """Logarithm of :meth:`predict_proba`."""
        return np.log(self.predict_proba(X))

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """Normalised votes after 1, 2, … hypotheses (of each problem, with several classes)."""
        rows = self.__read_rows__(X)
        yield from self.model_.staged_votes(rows)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Classes after 1, 2, … hypotheses."""
        for votes in self.staged_decision_function(X):
            yield self.model_.labels(votes)

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """Probabilities after 1, 2, … hypotheses."""
        rows = self.__read_rows__(X)
        yield from self.model_.staged_probabilities(rows)

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Accuracy after 1, 2, … hypotheses."""
        labels = np.asarray(y)
        for predicted in self.staged_predict(X):
            yield float(np.average(predicted == labels, weights=sample_weight))

    def margins(self, X: Any, y: Any) -> Array:
        """Margin ``y F(x) / Σ|α|`` of each row, in [-1, 1]; positive if it is classified right.

        With more than two classes half the lead of the own class's vote over the best other one.
        """
        rows, index = self._read_labelled(X, y)
        return self.model_.margins(rows, index, self._n_jobs())
