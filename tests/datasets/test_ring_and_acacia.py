"""The data of Barnes 1999: ring and acacia (BA-D1, BA-D2, BA-P26)."""

import math

import numpy as np
import pytest

from marginboost import AdaBoostClassifier
from marginboost.datasets import acacia_stand_in, load_acacia, ring


def test_ring_has_the_share_of_its_disc_and_clean_labels():
    X, y = ring(40_000, seed=1)
    share = float(np.mean(y > 0))
    assert abs(share - math.pi / 8.0) < 4.0 * math.sqrt(0.24 / 40_000)
    assert X.min() >= 0.0
    assert X.max() <= 1.0
    np.testing.assert_array_equal(y > 0, np.hypot(*(X - 0.5).T) < math.sqrt(1.0 / 8.0))


@pytest.mark.parametrize(("noise", "flips"), [(0.0, 0), (0.1, 5), (0.2, 10), (0.3, 15)])
def test_exact_noise_flips_exactly(noise, flips):
    for seed in range(5):
        (X, clean), (same, noisy) = ring(seed=seed), ring(noise=noise, seed=seed)
        np.testing.assert_array_equal(X, same)
        assert (clean != noisy).sum() == flips


def test_random_noise_flips_as_many_as_chance_says():
    flips = [
        int((ring(50, seed=s)[1] != ring(50, 0.2, mode="bernoulli", seed=s)[1]).sum())
        for s in range(200)
    ]
    assert abs(np.mean(flips) - 10.0) < 4.0 * math.sqrt(8.0 / 200)
    assert np.std(flips) > 1.5


def test_bad_noise_is_refused():
    with pytest.raises(ValueError, match="noise: got"):
        ring(noise=1.5)
    with pytest.raises(ValueError, match="mode: got"):
        ring(mode="some")


def write(path, separator=",", header=True, rows=3):
    names = separator.join(f"c{k}" for k in range(1, 22))
    lines = [names] if header else []
    for row in range(rows):
        values = [f"{100 * row + k}" for k in range(1, 22)]
        values[17] = "1" if row % 2 else "0"
        lines.append(separator.join(values))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("separator", [",", " ", "\t"])
@pytest.mark.parametrize("header", [True, False])
def test_acacia_file_has_sixteen_features_and_the_eighteenth_column_as_target(
    tmp_path, separator, header
):
    X, y = load_acacia(write(tmp_path / "acacia.txt", separator, header))
    assert X.shape == (3, 16)
    assert X[0].tolist() == [1.0, 2.0, *range(4, 18)]
    assert y.tolist() == [-1, 1, -1]


def test_damaged_acacia_files_are_refused(tmp_path):
    path = write(tmp_path / "acacia.txt")
    path.write_text(path.read_text() + "1,2,3\n")
    with pytest.raises(ValueError, match="line 5: got 3 columns, expected 21"):
        load_acacia(path)
    path.write_text("a,b\n")
    with pytest.raises(ValueError, match="no complete row"):
        load_acacia(path)


def test_rows_with_missing_values_are_left_out(tmp_path):
    path = write(tmp_path / "acacia.txt")
    path.write_text(path.read_text().replace("104", "?"))
    assert len(load_acacia(path)[0]) == 2


def test_stand_in_is_as_hard_as_published():
    errors = []
    for seed in range(12):
        X, y = acacia_stand_in(seed)
        assert X.shape == (204, 16)
        assert ((y > 0).sum(), (y < 0).sum()) == (119, 85)
        model = AdaBoostClassifier(n_estimators=60).fit(X[:102], y[:102])
        errors.append(min(np.mean(answer != y[102:]) for answer in model.staged_predict(X[102:])))
    assert abs(np.mean(errors) - 0.2816) < 0.03
