"""scikit-learn's contract, once: what classifiers and regressors of the package share."""
