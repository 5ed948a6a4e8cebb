"""From many classes to two and back: which binary problems to solve, and what their votes say."""

from ..model.codes import CODES, make_code
from ..model.decoding import (
    DECODINGS,
    Decoder,
    class_probabilities,
    class_shares,
    multiclass_margins,
)

__all__ = [
    "CODES",
    "DECODINGS",
    "Decoder",
    "class_probabilities",
    "class_shares",
    "make_code",
    "multiclass_margins",
]
