"""Every error that Counterfold raises on purpose: one sentence that says what is wrong.

The command line turns any of them into that sentence and exit code 2.
"""

__all__ = [
    "CounterfoldError",
    "FileError",
    "MismatchError",
    "MissingExtraError",
    "NumericError",
    "ParameterError",
    "RulesError",
    "SpecError",
    "TreeTooLargeError",
    "UnsupportedError",
]


class CounterfoldError(Exception):
    """The parent of all errors that are raised on purpose."""


class SpecError(CounterfoldError):
    """A game or method name that cannot be understood."""


class ParameterError(CounterfoldError):
    """A parameter outside the range where it means something."""


class NumericError(CounterfoldError):
    """Numbers that have left the range of floating point, so that nothing can be certified."""


class RulesError(CounterfoldError):
    """A game whose rules break the contract of ``Game``."""


class TreeTooLargeError(CounterfoldError):
    """A game tree that would not fit into the memory at hand."""


class FileError(CounterfoldError):
    """A file that is missing, damaged, or not what it should be."""


class MismatchError(CounterfoldError):
    """A strategy or checkpoint that belongs to another game."""


class MissingExtraError(CounterfoldError):
    """An optional package that is needed here and not installed."""


class UnsupportedError(CounterfoldError):
    """A request that is not defined for this game."""
