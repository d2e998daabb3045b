"""Exceptions for the error codes of the C interface."""
from __future__ import annotations


class Error(Exception):
    """An operation of spress failed. The text says what is wrong and what would be right.

    `code` is the name of the error in docs/library.md. Each code has a subclass that is also a built-in exception:

    >>> import spress
    >>> try:
    ...     spress.read("missing.mtx")
    ... except FileNotFoundError as error:
    ...     print(error.code)
    not_found
    """

    code = "error"

    def __str__(self) -> str:  # OSError has one of its own
        return str(self.args[0]) if self.args else ""


class UsageError(Error, ValueError):
    """An argument, option or name does not exist or does not fit."""

    code = "usage"


class NotFoundError(Error, FileNotFoundError):
    """The file does not exist."""

    code = "not_found"


class UnreadableError(Error, OSError):
    """The file exists, but cannot be read."""

    code = "unreadable"


class UnwritableError(Error, OSError):
    """The file cannot be written."""

    code = "unwritable"


class FileSyntaxError(Error, ValueError):
    """A text file does not follow its format."""

    code = "syntax"


class OutOfRangeError(Error, ValueError):
    """An index, offset or size is outside its bounds."""

    code = "out_of_range"


class TruncatedError(Error, ValueError):
    """The file ends too early."""

    code = "truncated"


class DamagedError(Error, ValueError):
    """A checksum or a rule of the file does not hold."""

    code = "damaged"


class NotRepresentableError(Error, ValueError):
    """The value type cannot hold a number exactly."""

    code = "not_representable"


class NotApplicableError(Error, ValueError):
    """The operation has no meaning for this matrix."""

    code = "not_applicable"


class UnsupportedError(Error, NotImplementedError):
    """This build or version does not handle it."""

    code = "unsupported"


class TooLargeError(Error, MemoryError):
    """Ids need more than 32 bits, or memory is too small."""

    code = "too_large"


#: In the order of spress_result, which begins with SPRESS_OK.
BY_STATUS = (None, UsageError, NotFoundError, UnreadableError, UnwritableError, FileSyntaxError, OutOfRangeError,
             TruncatedError, DamagedError, NotRepresentableError, NotApplicableError, UnsupportedError, TooLargeError)


def error_of(status: int, text: str) -> Error:
    """The exception for a status that is not SPRESS_OK."""
    kind = BY_STATUS[status] if 0 < status < len(BY_STATUS) else None
    return (kind or Error)(text)
