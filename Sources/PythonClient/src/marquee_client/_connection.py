"""Channels: TLS, tokens, and reconnection."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Self, TypeVar

import grpc
import grpc.aio

from ._errors import DeadlineExceeded, MarqueeError, translated_errors

logger = logging.getLogger("marquee_client")
_Response = TypeVar("_Response")

Token = str | Callable[[], str]
"""A bearer token, or a function that returns the present one. It is called for each call and each reconnection."""

_DELAY_MIN, _DELAY_MAX = 0.5, 15.0
# The statuses that the server gives for permanent causes: a stream that was open is not opened again. All others can be
# those of a lost connection or a proxy. gRPC reports a stream that a proxy resets as INTERNAL, CANCELLED or UNKNOWN.
_PERMANENT = frozenset(
    {
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.ALREADY_EXISTS,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.OUT_OF_RANGE,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.DATA_LOSS,
    }
)
_OPTIONS: list[tuple[str, Any]] = [
    # gRPC's own delays between attempts to connect, with a jitter of 20 %.
    ("grpc.initial_reconnect_backoff_ms", int(_DELAY_MIN * 1000)),
    ("grpc.max_reconnect_backoff_ms", int(_DELAY_MAX * 1000)),
    # Detects a connection that was lost in silence.
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.max_receive_message_length", 16 << 20),
]


@dataclass(frozen=True, slots=True)
class TLS:
    """The client's side of TLS.

    Attributes:
        roots: The file of the trusted certificate authorities, in PEM; `None` for those of gRPC.
        certificate: The file of the client's certificate chain, in PEM.
        key: The file of the private key of the client's certificate, in PEM.
        server_name: The name in the server's certificate, if it differs from the target.
    """

    roots: str | Path | None = None
    certificate: str | Path | None = None
    key: str | Path | None = None
    server_name: str | None = None

    def __post_init__(self) -> None:
        if (self.certificate is None) != (self.key is None):
            raise ValueError("certificate, key: only one of them is set")

    def credentials(self) -> grpc.ChannelCredentials:
        contents = (Path(file).read_bytes() if file else None for file in (self.roots, self.key, self.certificate))
        return grpc.ssl_channel_credentials(*contents)


class _Authorization:
    """Adds the bearer token to the metadata of calls."""

    def __init__(self, token: Token) -> None:
        self._token = token

    def _authorized(self, details: grpc.aio.ClientCallDetails) -> grpc.aio.ClientCallDetails:
        token = self._token if isinstance(self._token, str) else self._token()
        metadata = grpc.aio.Metadata(*(details.metadata or ()), ("authorization", f"Bearer {token.strip()}"))
        return grpc.aio.ClientCallDetails(
            details.method, details.timeout, metadata, details.credentials, details.wait_for_ready
        )


class _UnaryUnary(_Authorization, grpc.aio.UnaryUnaryClientInterceptor):
    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return await continuation(self._authorized(client_call_details), request)


class _UnaryStream(_Authorization, grpc.aio.UnaryStreamClientInterceptor):
    async def intercept_unary_stream(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return await continuation(self._authorized(client_call_details), request)


class _StreamStream(_Authorization, grpc.aio.StreamStreamClientInterceptor):
    async def intercept_stream_stream(self, continuation: Any, client_call_details: Any, request_iterator: Any) -> Any:
        return await continuation(self._authorized(client_call_details), request_iterator)


def _is_local(target: str) -> bool:
    """Returns whether no network carries the connection."""
    host = target.rpartition(":")[0].strip("[]")
    if target.startswith("unix:") or host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Connection:
    """A connection to a server, as an asynchronous context manager: the base of each role's client.

    Unary calls fail with `Unavailable` while the server cannot be reached. Streams open again by themselves.

    Args:
        target: The server's address: `HOST:PORT`, or `unix:PATH` for a Unix socket.
        token: The bearer token of each call, or a function that returns it. Without TLS, a token is only sent to this
            machine.
        tls: `True` for TLS with gRPC's certificate authorities, or the files to use; `None` for plain text.
        timeout: The deadline of unary calls, and of the first message of a stream, in seconds.
        on_disconnect: Called with the error each time that a stream ends or cannot be opened again, before the delay;
            by default, the error is logged as a warning.
    """

    def __init__(
        self,
        target: str,
        *,
        token: Token | None = None,
        tls: TLS | bool | None = None,
        timeout: float = 10.0,
        on_disconnect: Callable[[MarqueeError], None] | None = None,
    ) -> None:
        if timeout <= 0:
            raise ValueError("timeout: must be positive")
        target = target.removeprefix("tcp:")
        self._tls = TLS() if tls is True else tls or None
        if token is not None and self._tls is None and not _is_local(target):
            raise ValueError("token: requires TLS, unless the target is a Unix socket or a loopback address")
        self._target, self._token, self._timeout = target, token, timeout
        self._on_disconnect = on_disconnect or self._warn
        self._open_channel: grpc.aio.Channel | None = None

    def _warn(self, error: MarqueeError) -> None:
        logger.warning("%s: %s; reconnecting", self._target, error)

    @property
    def channel(self) -> grpc.aio.Channel:
        """The channel, for generated stubs. It is the same until the connection is closed."""
        if self._open_channel is None:
            raise RuntimeError("the connection is not open: use 'async with'")
        return self._open_channel

    async def __aenter__(self) -> Self:
        if self._open_channel is not None:
            raise RuntimeError("the connection is already open")
        interceptors = [kind(self._token) for kind in (_UnaryUnary, _UnaryStream, _StreamStream) if self._token]
        if self._tls is None:
            self._open_channel = grpc.aio.insecure_channel(self._target, _OPTIONS, interceptors=interceptors)
        else:
            name = self._tls.server_name
            options = [*_OPTIONS, ("grpc.ssl_target_name_override", name)] if name else _OPTIONS
            self._open_channel = grpc.aio.secure_channel(
                self._target, self._tls.credentials(), options, interceptors=interceptors
            )
        return self

    async def __aexit__(self, *exception: object) -> bool | None:
        channel, self._open_channel = self._open_channel, None
        if channel is not None:
            await channel.close()
        return None

    async def _call(
        self, method: Callable[..., Awaitable[_Response]], request: Any, timeout: float | None
    ) -> _Response:
        with translated_errors():
            return await method(request, timeout=timeout or self._timeout)


def is_transient(error: MarqueeError) -> bool:
    """Returns whether a stream is opened again after an error, or a timeline may be accepted later."""
    return error.code not in _PERMANENT if error.retry_delay is None else error.retry_delay > timedelta()


def heartbeat_milliseconds(heartbeat: float | None) -> int:
    """Returns the value of a request's field."""
    if heartbeat is None:
        return 0
    if not 0.001 <= heartbeat < float("inf"):
        raise ValueError("heartbeat: must be positive")
    return round(heartbeat * 1000)


class Reconnection:
    """The delays between the attempts to open a stream: they grow from 0.5 to 15 seconds, with a random part."""

    def __init__(self, channel: grpc.aio.Channel, on_disconnect: Callable[[MarqueeError], None]) -> None:
        self._channel, self._on_disconnect = channel, on_disconnect
        self._attempt = 0
        self._opened: float | None = None
        self.was_open = False

    def opened(self) -> None:
        """Notes that the stream is open."""
        self.was_open = True
        self._opened = time.monotonic()

    async def wait(self, error: MarqueeError) -> None:
        """Waits before the next attempt. Raises the error if it is permanent, or the stream was never open."""
        if not self.was_open or not is_transient(error):
            raise error
        self._on_disconnect(error)
        if self._opened is not None and time.monotonic() - self._opened >= _DELAY_MAX:
            self._attempt = 0
        self._opened = None
        delay = min(_DELAY_MAX, 2 * _DELAY_MIN * 2**self._attempt) * random.uniform(0.5, 1)
        self._attempt = min(self._attempt + 1, 10)
        if self._channel.get_state() is grpc.ChannelConnectivity.READY:
            # The server ended the stream but not the connection.
            await asyncio.sleep(delay)
            return
        shortest = min(delay, random.uniform(_DELAY_MIN, 2 * _DELAY_MIN))
        await asyncio.sleep(shortest)
        # gRPC connects with delays of its own. A failed attempt is reported when this delay is over.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(delay - shortest):
                await self._ready()

    async def _ready(self) -> None:
        while (state := self._channel.get_state(try_to_connect=True)) is not grpc.ChannelConnectivity.READY:
            await self._channel.wait_for_state_change(state)


async def first_message(messages: AsyncIterator[_Response], timeout: float) -> _Response:
    """Returns the first message of a stream."""
    try:
        async with asyncio.timeout(timeout):
            with translated_errors():
                async for message in messages:
                    return message
    except TimeoutError:
        raise DeadlineExceeded(grpc.StatusCode.DEADLINE_EXCEEDED, f"no message within {timeout} s") from None
    raise ended()


def ended() -> MarqueeError:
    """Returns the error of a stream that the server ended without one."""
    return MarqueeError.of(grpc.StatusCode.UNAVAILABLE, "the server ended the stream")
