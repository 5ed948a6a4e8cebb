"""Every public name of an estimator is documented, and there are few."""

import importlib.util
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import is_regressor

import marginboost

ROOT = Path(__file__).parent.parent
SPEC = importlib.util.spec_from_file_location("walk", ROOT / "tools" / "walk.py")
assert SPEC is not None
assert SPEC.loader is not None
walk = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(walk)

MOST_NAMES = 35
PAGES = "\n".join(page.read_text() for page in [*ROOT.glob("docs/*.md"), ROOT / "README.md"])
SECTION = re.compile(
    r"^    (Parameters|Attributes|Methods)\n    -+\n(.*?)(?=^    \w+\n    -+$|\Z)", re.M | re.S
)
ENTRY = re.compile(r"^    (\w[\w, ]*?)(?: :.*)?$", re.M)


def names_in_docstring(kind):
    """Names that the sections on parameters, attributes and methods are about."""
    sections = [found.group(2) for found in SECTION.finditer(f"    {kind.__doc__}")]
    return {
        name.strip()
        for section in sections
        for entry in ENTRY.findall(section)
        for name in entry.split(",")
    }


def documented(name, kind):
    """Whether a page shows the name as code, or the docstring has an entry for it."""
    return bool(re.search(rf"[`.]{name}\b", PAGES)) or name in names_in_docstring(kind)


def undocumented(model):
    return [name for name in walk.public_names(model) if not documented(name, type(model))]


def fitted(kind):
    """Fitted to two classes or to targets, in a few rounds."""
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = kind()
    quick = {"n_estimators": 3, "cv": 2}
    model.set_params(**{k: v for k, v in quick.items() if k in model.get_params()})
    numeric = is_regressor(model) or kind.__name__ == "TargetAudit"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, X[:, 0] if numeric else (X[:, 0] > 0).astype(int))


@pytest.mark.parametrize("kind", walk.estimators(), ids=lambda kind: kind.__name__)
def test_public_names_are_documented_and_few(kind):
    model = fitted(kind)
    assert undocumented(model) == []
    assert len(walk.public_names(model)) <= MOST_NAMES


def test_a_name_that_nothing_documents_is_found():
    class Hooked(marginboost.AdaBoostClassifier):
        __doc__ = marginboost.AdaBoostClassifier.__doc__
        __module__ = "_hooked"  # which keeps it out of the registry

        def make_something(self):
            """Do what no page documents."""

    assert undocumented(fitted(Hooked)) == ["make_something"]
    assert {"estimator", "target_margin", "estimators_"} <= names_in_docstring(Hooked)
