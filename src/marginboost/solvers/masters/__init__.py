"""Masters: soft-margin programs over the hypotheses found so far, and pools of their columns."""
