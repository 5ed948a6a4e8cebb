"""Contract checks for rules, oracles and losses, the package's own and yours.

Each function yields checks with a name; a check is called without arguments and raises
AssertionError. With pytest::

    @pytest.mark.parametrize("check", check_rule(MyRule), ids=lambda check: check.name)
    def test_contract(check):
        check()
"""

from .contract import Check
from .losses import check_loss
from .oracles import check_oracle
from .rules import check_rule

__all__ = ["Check", "check_loss", "check_oracle", "check_rule"]
