"""Experiments and figures of the literature that no command reproduces, and why."""

from __future__ import annotations

WITHOUT_COMMAND = {
    "SF-E11": "Word rules for spam: the book has no data. Needed: labelled mails with their words.",
    "SF-E13": "Some classes are hard to learn for want of time: a remark, nothing is measured.",
    "CH-E5c": "Figs 2-6 and 3-1 are schematic drawings: there is nothing to compute.",
}
"""By id of docs/catalogue; every other id of an experiment is named by one."""
