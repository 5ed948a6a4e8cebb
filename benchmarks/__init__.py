"""Speed and memory of marginboost beside its peers, as ratios measured in one run.

Run ``python -m benchmarks``; see README.md in this folder.
"""
