"""The errors of calls."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import ClassVar

import grpc

_FIELD = re.compile(r"([A-Za-z_]\w*(?:\[\d+\])?(?:\.[A-Za-z_]\w*(?:\[\d+\])?)*): ")

_FIELD_CODES = (
    grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND, grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.OUT_OF_RANGE,
)
# The status that grpc.aio gives a call whose message could not be written, because the stream had ended.
_FAILED_WRITE = "Internal error from Core"


class MarqueeError(Exception):
    """A call that failed: the status of the server, or of gRPC if the server could not be reached.

    Attributes:
        code: The status code.
        message: The condition, in the server's words.
        field: The path of the request's field that was refused, such as `entries[0].date_ms`; `None` if the error is
            not about a field.
        retry_delay: If the server rejected a timeline, the time after which it may accept the same one; zero if
            publishing it again cannot succeed. `None` for all other errors.
    """

    status: ClassVar[grpc.StatusCode | None] = None

    def __init__(self, code: grpc.StatusCode, message: str, retry_delay: timedelta | None = None) -> None:
        super().__init__(f"{code.name}: {message}")
        self.code = code
        self.message = message
        self.retry_delay = retry_delay
        found = _FIELD.match(message) if code in _FIELD_CODES else None
        self.field = found[1] if found else None

    def __reduce__(self) -> tuple[type[MarqueeError], tuple[grpc.StatusCode, str, timedelta | None]]:
        return type(self), (self.code, self.message, self.retry_delay)

    def copy(self) -> MarqueeError:
        """Returns an error of its own for another waiting task, which adds its frames to the traceback."""
        return type(self)(self.code, self.message, self.retry_delay)

    @staticmethod
    def of(code: grpc.StatusCode, message: str, retry_delay: timedelta | None = None) -> MarqueeError:
        """Returns an error of the class for the code."""
        classes = {error.status: error for error in MarqueeError.__subclasses__()}
        return classes.get(code, MarqueeError)(code, message, retry_delay)


class InvalidArgument(MarqueeError):
    """A field of the request is invalid; `field` names it."""

    status = grpc.StatusCode.INVALID_ARGUMENT


class NotFound(MarqueeError):
    """The device, stack or widget does not exist."""

    status = grpc.StatusCode.NOT_FOUND


class Unauthenticated(MarqueeError):
    """The token or certificate is missing or invalid."""

    status = grpc.StatusCode.UNAUTHENTICATED


class PermissionDenied(MarqueeError):
    """The token or certificate does not permit the call."""

    status = grpc.StatusCode.PERMISSION_DENIED


class FailedPrecondition(MarqueeError):
    """The state of the server does not permit the call."""

    status = grpc.StatusCode.FAILED_PRECONDITION


class ResourceExhausted(MarqueeError):
    """A limit is exceeded; the message names it."""

    status = grpc.StatusCode.RESOURCE_EXHAUSTED


class DeadlineExceeded(MarqueeError):
    """The server did not respond in time. The call may have taken effect."""

    status = grpc.StatusCode.DEADLINE_EXCEEDED


class Unavailable(MarqueeError):
    """The server cannot be reached, or is shutting down."""

    status = grpc.StatusCode.UNAVAILABLE


@contextlib.contextmanager
def translated_errors() -> Iterator[None]:
    """Raises the errors of calls of a generated stub as instances of `MarqueeError`."""
    try:
        yield
    except grpc.aio.AioRpcError as error:
        if error.code() is grpc.StatusCode.INTERNAL and error.details() == _FAILED_WRITE:
            raise MarqueeError.of(grpc.StatusCode.UNAVAILABLE, "the stream ended during a write") from error
        raise MarqueeError.of(error.code(), error.details() or "") from error
