"""One file an algorithm: its rule and its classifier."""

from .adaboost import AdaBoost, AdaBoostClassifier
