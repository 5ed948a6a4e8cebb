"""Compile the kernels that most fits need, on two cores, before tests share them out.

Test workers that start with an empty cache would each compile the same kernels; afterwards both
find them compiled. Nothing is lost where this is left out but time; what fails will fail again, and
more clearly, in the tests.
"""

from marginboost.cli.warm_up import compile_ahead

if __name__ == "__main__":
    compile_ahead()
