"""From rows, labels and weights to a fitted model: one way, as functions of plain values.

    read the rows (`reading`)             -> TrainingRows
    bin them, make samples (`problem`)    -> Problem, one for each run
    run the algorithm (`fit`)             -> Run
    keep what was found (`fit`)           -> Model
    turn votes into probabilities (`calibrate`)

An estimator says by an :class:`~.algorithm.Algorithm` what its parameters mean. Nothing here calls
an estimator.
"""
