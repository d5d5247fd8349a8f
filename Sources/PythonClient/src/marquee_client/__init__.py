"""Providers, displays and operators of Marquee, a Smart Stack engine.

The package is asynchronous only, on `grpc.aio`: each role holds a stream open while it makes calls and waits, which
asyncio expresses without threads, and cancels and times out like everything else.
"""

from ._connection import TLS, Connection, Token
from ._display import DeviceView, Display, Screen, Update
from ._errors import (
    DeadlineExceeded,
    FailedPrecondition,
    InvalidArgument,
    MarqueeError,
    NotFound,
    PermissionDenied,
    ResourceExhausted,
    Unauthenticated,
    Unavailable,
    translated_errors,
)
from ._model import Content, Entry, Family, Relevance, ReloadReason, ReloadRequest, Stack, Timeline, TimelineWarning
from ._model import Widget
from ._operator import Explanation, Obstacle, Operator, WhyNot
from ._provider import Handler, Provider

__all__ = [
    "TLS",
    "Connection",
    "Content",
    "DeadlineExceeded",
    "DeviceView",
    "Display",
    "Entry",
    "Explanation",
    "FailedPrecondition",
    "Family",
    "Handler",
    "InvalidArgument",
    "MarqueeError",
    "NotFound",
    "Obstacle",
    "Operator",
    "PermissionDenied",
    "Provider",
    "Relevance",
    "ReloadReason",
    "ReloadRequest",
    "ResourceExhausted",
    "Screen",
    "Stack",
    "Timeline",
    "TimelineWarning",
    "Token",
    "Unauthenticated",
    "Unavailable",
    "Update",
    "WhyNot",
    "Widget",
    "translated_errors",
]
