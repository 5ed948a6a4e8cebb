"""Values that no argument may have end in a ValueError or TypeError that names the argument."""

import json
import math
import re
import subprocess
import sys
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import marginboost
from marginboost import (
    AdaBoostClassifier,
    Batches,
    BinnedMatrix,
    LabelAudit,
    LSBoostRegressor,
    TargetAudit,
    algorithms,
    capacity,
    oracles,
)
from marginboost.audit.audit import check_probabilities
from marginboost.audit.folds import make_folds
from marginboost.core import Oracle
from marginboost.estimators.base import BaseBooster, algorithm_to_fit
from marginboost.on_demand import import_all
from marginboost.validation import check_choice, check_number, random_numbers, read_numbers, shown

import_all(algorithms)
import_all(oracles)

HUGE = 10**400
"""A whole number beyond floating point."""
HOSTILE = {
    "huge": HUGE,
    "minus huge": -HUGE,
    "text": "a",
    "NaN": math.nan,
    "infinity": math.inf,
    "list": [],
    "dict": {},
    "object": object(),
    "array": np.array([np.nan, 1.0]),
    "masked": np.ma.masked_all(3),
    "complex": 1j,
}
RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
Y = X[:, 0] > 0


def assert_named(argument, call):
    """Either the value is fine, or the error is the package's and names the argument."""
    error: Exception | None = None
    try:
        call()
    except (TypeError, ValueError) as raised:
        error = raised
    assert error is None or argument in str(error), error


# -- settings --------------------------------------------------------------------------------------


def subclasses(kind):
    return {kind, *(c for child in kind.__subclasses__() for c in subclasses(child))}


def public(kind):
    found = (k for k in subclasses(kind) if k.__name__ in (*marginboost.__all__, *oracles.__all__))
    return sorted(found, key=lambda k: k.__name__)


def made(kind):
    """Estimator or base learner with the settings that it has by itself; None if it needs more."""
    try:
        return kind()
    except TypeError:
        return None


@pytest.mark.parametrize("value", HOSTILE)
def test_settings_of_every_estimator(value):
    n_tried = 0
    for kind in public(BaseBooster):
        if made(kind) is None:
            continue
        for name in kind().get_params(deep=False):
            model = kind().set_params(**{name: HOSTILE[value]})
            assert_named(name, partial(algorithm_to_fit, model))
            n_tried += 1
    assert n_tried > 300


def test_flags_of_every_estimator():
    """What is on or off, and ``verbose``: no array, which has no truth value, and no text."""
    n_tried = 0
    for kind in filter(made, public(BaseBooster)):
        settings = kind().get_params(deep=False)
        for name in (
            name for name in settings if isinstance(settings[name], bool) or name == "verbose"
        ):
            for value in (np.array([True, False]), "yes", 2.5):
                with pytest.raises((TypeError, ValueError), match=rf"^{name}: got "):
                    algorithm_to_fit(kind().set_params(**{name: value}))
                n_tried += 1
    assert n_tried > 150


@pytest.mark.parametrize("value", HOSTILE)
def test_settings_of_every_base_learner(value):
    n_tried = 0
    for kind in public(Oracle):
        if made(kind) is None:
            continue
        for name in kind().get_params(deep=False):
            oracle = kind().set_params(**{name: HOSTILE[value]})
            assert_named(name, oracle.check)
            n_tried += 1
    assert n_tried > 30


def test_numbers_beyond_floating_point():
    for value, text in ((HUGE, "above 1.8e308"), (-HUGE, "below -1.8e308")):
        assert shown(value) == f"a number {text}"
        for number in (value, Fraction(value)):
            message = f"x: got a number {text}, expected a number"
            with pytest.raises(ValueError, match=re.escape(message)):
                check_number("x", number)
    check_number("x", 10**300, integer=True)


def test_arrays_are_no_choice():
    for value in (np.array([1, 2]), np.array([1]), [1], pd.Series([1])):
        with pytest.raises(ValueError, match="x: got "):
            check_choice("x", value, (1, 2))


def test_seeds_are_named():
    for value in (*HOSTILE.values(), -1, 2**32, 2.5):
        with pytest.raises(ValueError, match=r"(?s)^random_state: got .*, expected None"):
            random_numbers(value)
        with pytest.raises(ValueError, match=r"^random_state: got "):
            make_folds(3, Y, value)
    for value in (None, 0, np.int64(3), 2**32 - 1, np.random.RandomState(0)):
        assert isinstance(random_numbers(value), np.random.RandomState)


# -- rows, labels, weights -------------------------------------------------------------------------


@pytest.mark.parametrize("container", [list, lambda X: np.array(X, object), pd.DataFrame])
def test_huge_numbers_among_rows(container):
    rows = X.tolist()
    rows[3][1] = HUGE
    for read in (
        lambda: AdaBoostClassifier().fit(container(rows), Y),
        lambda: BinnedMatrix.from_data(container(rows)),
    ):
        with pytest.raises(ValueError, match=r"^X: "):
            read()


HOSTILE_WEIGHTS = {
    "huge": [HUGE] * 30,
    "a huge number": HUGE,
    "text": ["a"] * 30,
    "None": [None, *[1.0] * 29],
    "objects": [object()] * 30,
    "complex": [1j] * 30,
    "ragged": [[1.0], *[1.0] * 29],
}


@pytest.mark.parametrize("case", HOSTILE_WEIGHTS)
def test_weights_and_targets(case):
    values = HOSTILE_WEIGHTS[case]
    for model, y in ((AdaBoostClassifier(), Y), (LSBoostRegressor(), X[:, 0])):
        with pytest.raises(ValueError, match=r"^sample_weight: "):
            model.fit(X, y, sample_weight=values)
    with pytest.raises(ValueError, match=r"^sample_weight: "):
        BinnedMatrix.from_data(X, sample_weight=values)
    if case not in ("a huge number", "complex", "ragged"):  # scikit-learn refuses these
        with pytest.raises(ValueError, match=r"^y: "):
            LSBoostRegressor().fit(X, values)


def test_masked_weights_of_a_binned_matrix():
    masked = np.ma.masked_array(np.ones(30), mask=np.arange(30) == 4)
    with pytest.raises(ValueError, match="sample_weight: row 4 is masked"):
        BinnedMatrix.from_data(X, sample_weight=masked)


def test_probabilities_of_a_model_of_ones_own():
    classes, labels = np.array([0, 1]), np.zeros(30, int)
    mask = np.zeros((30, 2), bool)
    mask[7, 1] = True
    for given, message in (
        ([["a", "b"]] * 30, "pred_probs: expected numbers"),
        ([[HUGE, 1]] * 30, "pred_probs: expected numbers"),
        (np.ma.masked_all((30, 2)), "pred_probs: row 0 is masked"),
        (np.ma.masked_array(np.full((30, 2), 0.5), mask), "pred_probs: row 7 is masked"),
    ):
        with pytest.raises(ValueError, match=message):
            check_probabilities(given, classes, labels)


def test_numbers_are_read_as_they_are():
    for given in ([1, 2.5], np.array([1, 2], np.float32), pd.Series([1, 2]), 3, "2.5"):
        np.testing.assert_array_equal(read_numbers("x", given), np.asarray(given, float))
    exact = np.arange(3.0)
    assert read_numbers("x", exact) is exact


def test_columns_that_are_left_out_of_the_categorical_ones():
    columns = {"category": pd.Categorical(list("ababab")), "text": list("ababab")}
    for column in columns.values():
        frame = pd.DataFrame({"a": np.arange(6.0), "b": column})
        with pytest.raises(
            ValueError, match=r"column 'b' is not numeric .*, and no categorical"
        ) as e:
            AdaBoostClassifier(categorical_features=None).fit(frame, [0, 1] * 3)
        assert "expected a categorical type" not in str(e.value)
        AdaBoostClassifier(n_estimators=1, categorical_features=["b"]).fit(frame, [0, 1] * 3)


# -- batches and files -----------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["label", "weight"])
def test_falsy_names_of_columns(role):
    """0 and "" are names, and None is none."""
    values = np.array([1.0, 2.0, 1.0])
    for name in (0, ""):
        frame = pd.DataFrame({name: values, "b": [3.0, 4.0, 5.0]})
        bins = BinnedMatrix.from_batches([frame[:2], frame[2:]], **{role: name})
        assert bins.names == ["b"]
        np.testing.assert_array_equal(getattr(bins, f"{role}s"), values)


def test_columns_that_there_are_not():
    for value in HOSTILE.values():
        for role in ("label", "weight"):
            with pytest.raises(ValueError, match=rf"^{role}: got "):
                BinnedMatrix.from_batches([X], **{role: value})
        if isinstance(value, np.ndarray):
            with pytest.raises(ValueError, match=r"^columns: got "):
                Batches([X], columns=[value])


@pytest.mark.parametrize("suffix", ["arrows", "parquet", "arrow"])
def test_a_cut_file_is_named(tmp_path, suffix):
    import pyarrow.parquet as pq

    table, path = pa.table({"a": np.arange(1000.0), "b": np.arange(1000.0)}), tmp_path / "t.arrow"
    if suffix == "parquet":
        pq.write_table(table, path)
    else:
        make = pa.ipc.new_stream if suffix == "arrows" else pa.ipc.new_file
        with make(path, table.schema) as writer:
            for batch in table.to_batches(max_chunksize=100):
                writer.write_batch(batch)
    content = path.read_bytes()
    for share in (0.1, 0.3, 0.5, 0.77, 0.99):
        path.write_bytes(content[: int(share * len(content))])
        with pytest.raises(ValueError, match=re.escape(str(path))):
            BinnedMatrix.from_batches(path)


DAMAGED = """
import sys
from marginboost.data.bins_file import read_bins

for path in sys.argv[1:]:
    try:
        read_bins(path, mmap=True)
    except ValueError as error:
        print(error)
"""


def test_a_damaged_header_without_assertions(tmp_path):
    """Checks of input are no assertions: ``python -O`` leaves those out."""
    from marginboost.data import bins_file

    paths = []
    for number, arrays in enumerate(([], {}, {"codes": {}}, None, "codes cuts", 7)):
        path = tmp_path / f"{number}.bins"
        paths.append(str(path))
        text = json.dumps({"version": bins_file.VERSION, "arrays": arrays}).encode()
        digest = bins_file.hashlib.sha256(text).digest()
        path.write_bytes(bins_file.MAGIC + len(text).to_bytes(8, "little") + digest + text)
        with pytest.raises(ValueError, match="a damaged header"):
            BinnedMatrix.load(path)
    command = [sys.executable, "-O", "-c", DAMAGED, *paths]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.count("a damaged header") == len(paths), done.stderr


# -- audits and bounds -----------------------------------------------------------------------------


@pytest.mark.parametrize("audit", [LabelAudit, TargetAudit])
def test_suspects(audit):
    found = audit()
    found.score_ = found.rank_ = np.arange(4.0)
    found.flagged_ = np.arange(4) < 2
    assert [len(found.suspects(most)) for most in (None, 0, 3, 9, 10**300)] == [2, 0, 3, 4, 4]
    for value in (2.5, -1, *HOSTILE.values()):
        with pytest.raises((TypeError, ValueError), match=r"^most: got "):
            found.suspects(value)


def test_bounds_at_their_ends():
    assert capacity.hoeffding_tail(10, 0.0) == 1.0
    assert capacity.hoeffding_tail(10, 1e-200) == 1.0
    assert capacity.hoeffding_tail(10**300, 1e200) == capacity.hoeffding_tail(10, 1e308) == 0.0
    assert capacity.binomial_tail(100, 0.5, 1e308) == 0.0
    assert capacity.binomial_tail(10**30, 0.5, 0.0) == pytest.approx(0.5)
    assert capacity.linear_capacity(1e200, 1e-200) == pytest.approx(2.0)
    assert capacity.linear_capacity(1e308, 1.0) == math.inf
    only_delta = math.sqrt(math.log2(20) / 100)
    for norm, radius in ((5e-324, 1.0), (1e-200, 1e-200), (1.0, 5e-324)):
        assert float(capacity.svm_bound(100, norm, radius)) == pytest.approx(only_delta)
    assert float(capacity.svm_bound(100, 1e308, 1e308)) == math.inf


NUMBERS = {
    "binomial_tail": {"n_examples": 100, "p": 0.5, "epsilon": 0.1},
    "boosting_sample_size": {"vc_dimension": 3, "edge": 0.2, "epsilon": 0.1, "delta": 0.05},
    "erm_excess_bound": {"n_examples": 100, "size": 10, "delta": 0.05},
    "finite_class_sample_size": {"size": 10, "epsilon": 0.1, "delta": 0.05},
    "hoeffding_tail": {"n_examples": 100, "epsilon": 0.1},
    "linear_capacity": {"norm": 1.0, "radius": 2.0},
    "line_table": {"noisy": False},
    "pac_sample_size": {"vc_dimension": 3, "epsilon": 0.1, "delta": 0.05},
    "svm_bound": {"n_examples": 100, "norm": 1.0, "radius": 2.0, "delta": 0.05},
    "union_bound": {"probabilities": [0.1]},
}


@pytest.mark.parametrize("name", NUMBERS)
def test_arguments_of_bounds(name):
    bound, given = getattr(capacity, name), NUMBERS[name]
    bound(**given)
    for argument in given:
        for value in (*HOSTILE.values(), 5e-324, 1e-200, 1e200, 1e308, 10**30, 10**300, -1, None):
            assert_named(argument, lambda v=value, a=argument: bound(**{**given, a: v}))


def test_points_that_are_no_numbers():
    for value in ("a", HUGE, [[HUGE]], object(), {}, 1j):
        with pytest.raises(ValueError, match=r"^X: "):
            capacity.enclosing_radius(value)
    with pytest.raises(ValueError, match="y: got 1 labels for 30 rows"):
        capacity.perceptron(X, [1])
