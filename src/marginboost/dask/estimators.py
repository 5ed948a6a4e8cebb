"""Estimators on a cluster: one class for all algorithms that run on parts."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar, Self

import dask.array
import numpy as np
from distributed import Client, default_client
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.validation import check_is_fitted

from dask import delayed, is_dask_collection

from ..estimators.base import BaseBooster, algorithm_for_parts, fit_parts, restored
from ..types import Array
from .holders import DaskParts
from .partitions import bin_table


class DaskBooster(BaseEstimator):
    """An algorithm on a cluster; subclasses are made by :func:`on_cluster`.

    Attributes
    ----------
    local_ : estimator
        The fitted model of one machine.
    """

    local_type: ClassVar[type[BaseBooster]]
    client: Client | None
    local_: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : Dask array or data frame
            Rows. NaN is a missing value.
        y : Dask array, data frame or series
            Labels or targets, in as many partitions.
        sample_weight : Dask array or series, optional
            Nonnegative weights, in as many partitions.

        Returns
        -------
        self
        """
        local, client = self._make_local(), client_of(self.client)
        algorithm_for_parts(local)  # bad settings end here, before a row is read
        table = bin_table(client, local, X, y, sample_weight)
        parts = DaskParts(client, table.sources)
        try:
            fit_parts(local, table.features, table.layout, table.classes, parts, table.held)
        finally:
            parts.close()
        self.local_ = local
        return self

    def _make_local(self) -> Any:
        params = self.get_params(deep=False)
        params.pop("client")
        return self.local_type(**params)

    def to_local(self) -> Any:
        """Fitted model of one machine, which can be saved, explained and checked."""
        check_is_fitted(self, "local_")
        return self.local_

    def __getattr__(self, name: str) -> Any:
        if name.endswith("_") and not name.startswith("_") and "local_" in vars(self):
            return getattr(self.local_, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __sklearn_is_fitted__(self) -> bool:
        return "local_" in vars(self)

    def predict(self, X: Any) -> Any:
        """Predictions; of a Dask collection a Dask array that is not computed yet."""
        like = self.classes_ if is_classifier(self.to_local()) else np.empty(0)
        return self._lazily("predict", X, like[:0])

    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the classes, as :meth:`predict`."""
        return self._lazily("predict_proba", X, np.empty((0, len(self.classes_))))

    def decision_function(self, X: Any) -> Any:
        """Scores, as :meth:`predict`."""
        n_classes = len(self.classes_)
        like = np.empty(0) if n_classes == 2 else np.empty((0, n_classes))
        return self._lazily("decision_function", X, like)

    def _lazily(self, method: str, X: Any, like: Array) -> Any:
        """What a method of the local model returns, partition by partition."""
        local = self.to_local()
        if not is_dask_collection(X):
            return getattr(local, method)(X)
        sizes: Any = [np.nan] * getattr(X, "npartitions", 0)
        if isinstance(X, dask.array.Array):
            X = X.rechunk({1: -1})
            sizes = X.chunks[0]
        # Callbacks may hold what cannot be sent, such as a client.
        settings = {**local.get_params(deep=False), "callbacks": None}
        model = delayed(restored(self.local_type(**settings), local.model_))
        return dask.array.concatenate(
            [
                dask.array.from_delayed(
                    delayed(_call)(model, method, piece), (size, *like.shape[1:]), meta=like
                )
                for piece, size in zip(np.ravel(X.to_delayed()), sizes, strict=True)
            ]
        )


def client_of(given: Client | None) -> Client:
    """The client given, or the one of this process."""
    if given is not None:
        return given
    try:
        return default_client()
    except ValueError:
        raise ValueError(
            "client: got None and there is no Dask client, expected one: "
            "client = distributed.Client(...)"
        ) from None


def _call(model: Any, method: str, X: Any) -> Array:
    """Call a method of a model on some rows, perhaps none."""
    if len(X) == 0:
        empty = np.zeros((1, X.shape[1]))
        return np.asarray(getattr(model, method)(empty))[:0]
    return np.asarray(getattr(model, method)(X))


def on_cluster(local: type[BaseBooster]) -> type[DaskBooster]:
    """Class that fits an estimator on a cluster; its parameters and a client.

    Parameters
    ----------
    local : type
        An estimator whose algorithm and base learner run on parts.
    """
    signature = inspect.signature(local)
    last = inspect.Parameter("client", inspect.Parameter.KEYWORD_ONLY, default=None)
    names = [*signature.parameters, "client"]

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = inspect.signature(type(self)).bind(*args, **kwargs)
        bound.apply_defaults()
        for name in names:
            setattr(self, name, bound.arguments[name])

    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [own, *signature.parameters.values(), last]
    __init__.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    name = f"Dask{local.__name__}"
    text = (
        f"{local.__name__} on a Dask cluster: the same model, bit for bit.\n\n"
        f"Parameters are those of :class:`~marginboost.{local.__name__}`, and ``client``, the\n"
        "Dask client; None is the one of this process. ``fit`` takes Dask arrays or data frames.\n"
        "See docs/cluster.md."
    )
    members = {
        "__init__": __init__,
        "__doc__": text,
        "local_type": local,
        "__module__": __package__,
    }
    return type(name, (DaskBooster,), members)
