"""Providers: apps that publish the timelines of their widgets."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Self

import grpc

from ._connection import (
    TLS, Connection, Reconnection, Token, ended, first_message, heartbeat_milliseconds, is_transient, logger,
)
from ._errors import MarqueeError, ResourceExhausted, translated_errors
from ._model import Family, ReloadRequest, Timeline, TimelineWarning, Widget
from .v1 import provider_pb2, provider_pb2_grpc, widget_pb2

Handler = Callable[[ReloadRequest], Awaitable[Timeline | None]]
"""Returns a widget's next timeline; `None` leaves the present one in force, until the next request."""

_ATTEMPT_COUNT_MAX = 5
# The delays in seconds before a handler is called again, because its timeline was not accepted. A longer one of the
# server counts.
_REPEAT_DELAY_MIN, _REPEAT_DELAY_MAX = 15.0, 900.0
_CODES = {code.value[0]: code for code in grpc.StatusCode}


@dataclass(slots=True, eq=False)
class _Publication:
    """A timeline that was or is to be published."""

    key: tuple[Widget, Family | None]
    parts: list[provider_pb2.TimelinePart]
    # Absent if the timeline was accepted before, and nothing waits for the response.
    response: asyncio.Future[list[TimelineWarning]] | None
    # The number of streams on which it was sent since it was last accepted.
    attempt_count: int = 0

    @property
    def is_abandoned(self) -> bool:
        """Whether the call that waited for the response was cancelled."""
        return self.response is not None and self.response.done()


class _Stream:
    """A stream, the timelines to send on it, and those that were sent and have no response.

    A timeline that was lost with an earlier stream is sent alone: if it ends this stream as well, no other one is lost.
    """

    def __init__(self, stub: provider_pb2_grpc.ProviderAsyncStub, attach: provider_pb2.ProviderMessage) -> None:
        self._attach = attach
        self._outbox: asyncio.Queue[tuple[int, _Publication] | None] = asyncio.Queue()
        self.unanswered: dict[int, _Publication] = {}
        self._is_closed = False
        self._changed = asyncio.Event()
        self._call = stub.Provide(self._requests())
        self.events = aiter(self._call)

    def send(self, number: int, publication: _Publication) -> None:
        self._outbox.put_nowait((number, publication))

    def answer(self, number: int) -> _Publication:
        """Notes the response to a timeline, and returns it."""
        self._changed.set()
        return self.unanswered.pop(number)

    def close(self) -> None:
        self._is_closed = True
        self._changed.set()
        # gRPC does not end the iteration of requests when the call ends.
        self._outbox.put_nowait(None)
        self._call.cancel()

    async def _requests(self) -> AsyncIterator[provider_pb2.ProviderMessage]:
        yield self._attach
        while (item := await self._outbox.get()) is not None:
            number, publication = item
            while not self._is_closed and self._must_wait(publication):
                self._changed.clear()
                await self._changed.wait()
            if self._is_closed or publication.is_abandoned:
                continue
            publication.attempt_count += 1
            self.unanswered[number] = publication
            for part in publication.parts:
                message = provider_pb2.ProviderMessage(timeline=part)
                message.timeline.publish_id = number
                yield message

    def _must_wait(self, publication: _Publication) -> bool:
        is_alone = publication.attempt_count > 0 or any(sent.attempt_count > 1 for sent in self.unanswered.values())
        return is_alone and bool(self.unanswered)


class Provider(Connection):
    """The widgets of an app on a device.

    Entering the context registers the kinds and attaches the provider, or raises the error of the first attempt. Within
    it, the provider answers reload requests, and opens its stream again whenever it ends: it then registers its kinds
    and publishes the last timeline of each widget again. An error of a handler, a timeline of a handler that the server
    can never accept, and a permanent error of the server end the context with this error. If the timeline of a handler
    is not accepted for a reason that passes, such as an exhausted budget, a warning is logged, and the handler is
    called again later.

    Args:
        target: The server's address: `HOST:PORT` or `unix:PATH`. The remaining arguments are those of `Connection`.
        device: The device.
        app: The app's bundle identifier, such as `com.example.weather`.
        on_event: Called with each event that the provider does not handle itself: `placed` has the app's visible
            widgets or those that changed, `language` and `time_zone` the device's new one. A provider whose texts are
            in the device's language, or have local times, then publishes them again. An error of the function ends the
            provider.
        heartbeat: The time in seconds without a message on a stream after which the server sends a heartbeat, so that
            no proxy ends the stream because it is silent; `None` for no heartbeats.
    """

    def __init__(
        self,
        target: str,
        *,
        device: str,
        app: str,
        token: Token | None = None,
        tls: TLS | bool | None = None,
        timeout: float = 10.0,
        on_disconnect: Callable[[MarqueeError], None] | None = None,
        on_event: Callable[[provider_pb2.ProviderEvent], None] | None = None,
        heartbeat: float | None = 30.0,
    ) -> None:
        super().__init__(target, token=token, tls=tls, timeout=timeout, on_disconnect=on_disconnect)
        self.device, self.app = device, app
        self._on_event = on_event
        self._heartbeat = heartbeat_milliseconds(heartbeat)
        self._kinds: dict[str, widget_pb2.WidgetDescriptor] = {}
        self._handlers: dict[str, Handler] = {}
        self._numbers = itertools.count(1)
        # The accepted timelines, and those that await their response, in the order of the calls.
        self._accepted: dict[tuple[Widget, Family | None], _Publication] = {}
        self._pending: dict[int, _Publication] = {}
        self._stream: _Stream | None = None
        self._serving: asyncio.Task[None] | None = None
        # The running handlers.
        self._reloads: dict[tuple[Widget, Family | None], asyncio.Task[None]] = {}

    @property
    def stub(self) -> provider_pb2_grpc.ProviderAsyncStub:
        """The generated stub, for all other methods. Its errors are those of gRPC; see `translated_errors`."""
        return provider_pb2_grpc.ProviderStub(self.channel)

    def kind(
        self,
        name: str,
        *,
        families: Sequence[Family],
        display_name: str = "",
        description: str = "",
        intent_type: str = "",
    ) -> Callable[[Handler], Handler]:
        """Declares a widget kind. The decorated function returns the timelines of its widgets when they are requested.

        A newer request for the same widget and family cancels the function's earlier call.
        """
        if self._open_channel is not None:
            raise RuntimeError("kinds are declared before the provider is entered")
        if name in self._kinds:
            raise ValueError(f"name: the kind {name} is declared already")
        if not families:
            raise ValueError("families: at least one is required")

        def declare(handler: Handler) -> Handler:
            self._handlers[name] = handler
            self._kinds[name] = widget_pb2.WidgetDescriptor(
                name=name, display_name=display_name or name, families=[family.message for family in families],
                description=description, intent_type=intent_type,
            )
            return handler

        return declare

    async def publish(
        self, widget: Widget | str, timeline: Timeline, *, family: Family | None = None, timeout: float | None = None
    ) -> list[TimelineWarning]:
        """Publishes a timeline, and returns the server's warnings once it is durable.

        Without a connection, the timeline is published as soon as there is one. After a timeout or a cancellation, it
        is not sent again; it may be in force.

        Args:
            widget: The widget, or the name of its kind if that has no configuration.
            timeline: The timeline.
            family: The family that the content is made for; `None` for every family of the kind.
            timeout: The time to wait for the response, in seconds; `None` for no limit.

        Raises:
            ValueError: A value cannot be sent, such as a naive `datetime`; the message begins with its name.
            MarqueeError: The server rejected the timeline; the previous one is unchanged. Or the provider has ended.
            TimeoutError: There was no response in time.
        """
        if self._open_channel is None:
            raise RuntimeError("the provider is not open: use 'async with'")
        if self._serving is not None and self._serving.done():
            raise self._end(self._serving)
        widget = Widget(self.app, widget) if isinstance(widget, str) else widget
        response: asyncio.Future[list[TimelineWarning]] = asyncio.get_running_loop().create_future()
        publication = _Publication((widget, family), list(timeline.parts(widget, family)), response)
        number = next(self._numbers)
        self._pending[number] = publication
        try:
            if self._stream is not None:
                self._stream.send(number, publication)
            async with asyncio.timeout(timeout):
                return await response
        finally:
            self._pending.pop(number, None)

    async def request_reload(self, kind: str = "", *, timeout: float | None = None) -> None:
        """Notifies the server of new data. It requests the timelines of a kind, or of all, as the budget allows."""
        request = provider_pb2.RequestReloadRequest(device=self.device, app=self.app, kind=kind)
        await self._call(self.stub.RequestReload, request, timeout)

    async def run(self) -> None:
        """Answers reload requests until the task is cancelled or an error ends the provider."""
        async with self:
            assert self._serving is not None
            await self._serving

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        self._serving = None
        try:
            reconnection = Reconnection(self.channel, self._on_disconnect)
            stream = await self._open(reconnection)
            self._tasks = await asyncio.TaskGroup().__aenter__()
        except BaseException as error:
            self._reject_pending(error)
            await super().__aexit__()
            raise
        self._serving = self._tasks.create_task(self._serve(stream, reconnection))
        # Also runs if the task is cancelled before it begins.
        self._serving.add_done_callback(lambda serving: self._reject_pending(self._end(serving)))
        return self

    async def __aexit__(self, *exception: Any) -> bool | None:
        assert self._serving is not None
        for task in (self._serving, *self._reloads.values()):
            task.cancel()
        try:
            await self._tasks.__aexit__(*exception)
        except BaseExceptionGroup as group:
            # The body's own error is raised as it is, and so is a single error of the provider.
            body = exception[1]
            errors = [error for error in group.exceptions if error is not body]
            if not errors:
                return None
            if len(errors) > 1:
                raise
            raise errors[0] from (body if isinstance(body, Exception) else None)
        finally:
            if self._stream is not None:
                self._stream.close()
            self._stream = None
            await super().__aexit__(*exception)
        return None

    async def _open(self, reconnection: Reconnection) -> _Stream:
        """Registers the kinds, attaches a stream, and sends the timelines."""
        if self._kinds:
            kinds = provider_pb2.RegisterKindsRequest(device=self.device, app=self.app, kinds=self._kinds.values())
            await self._call(self.stub.RegisterKinds, kinds, None)
        attach = provider_pb2.Attach(device=self.device, app=self.app)
        stream = _Stream(self.stub, provider_pb2.ProviderMessage(attach=attach, heartbeat_ms=self._heartbeat))
        try:
            await first_message(stream.events, self._timeout)
        except BaseException:
            stream.close()
            raise
        reconnection.opened()
        waiting = {publication.key for publication in self._pending.values()}
        for key, publication in self._accepted.items():
            if key not in waiting:
                stream.send(next(self._numbers), publication)
        for number, publication in self._pending.items():
            stream.send(number, publication)
        self._stream = stream
        return stream

    async def _serve(self, stream: _Stream | None, reconnection: Reconnection) -> None:
        try:
            while True:
                try:
                    stream = stream or await self._open(reconnection)
                    with translated_errors():
                        async for event in stream.events:
                            self._handle(event, stream)
                    raise ended()
                except MarqueeError as error:
                    if stream is not None:
                        self._reject_lost(stream, error)
                        stream.close()
                    self._stream = stream = None
                    await reconnection.wait(error)
        finally:
            if stream is not None:
                stream.close()

    @staticmethod
    def _end(serving: asyncio.Task[None]) -> MarqueeError:
        """Returns the error with which the provider ended."""
        error = None if serving.cancelled() else serving.exception()
        if isinstance(error, MarqueeError):
            return error.copy()
        return MarqueeError.of(grpc.StatusCode.UNAVAILABLE, "the provider was closed")

    def _reject_pending(self, error: BaseException) -> None:
        """Raises an error in the calls that wait for a response."""
        if not isinstance(error, MarqueeError):
            error = MarqueeError.of(grpc.StatusCode.UNAVAILABLE, "the provider was closed")
        for publication in self._pending.values():
            if publication.response is not None and not publication.response.done():
                publication.response.set_exception(error.copy())

    def _reject_lost(self, stream: _Stream, error: MarqueeError) -> None:
        """Rejects the timeline that has probably ended the stream, and would also end the next one.

        The status of a stream that ends during a write is lost in gRPC, so that attempts are counted as well. From the
        second attempt on, a timeline is the only one that is lost.
        """
        is_single = len(stream.unanswered) == 1
        for number, publication in list(stream.unanswered.items()):
            is_at_fault = is_single and isinstance(error, ResourceExhausted)
            if is_at_fault or publication.attempt_count >= _ATTEMPT_COUNT_MAX:
                self._complete(stream, number, error.copy())

    def _handle(self, event: provider_pb2.ProviderEvent, stream: _Stream) -> None:
        match event.WhichOneof("event"):
            case "reload":
                self._reload(ReloadRequest.of(event.reload))
            case "accepted":
                warnings = [TimelineWarning.of(warning) for warning in event.accepted.warnings]
                self._complete(stream, event.accepted.publish_id, warnings)
            case "rejected":
                code = _CODES.get(event.rejected.code, grpc.StatusCode.UNKNOWN)
                delay = timedelta(milliseconds=event.rejected.retry_delay_ms)
                error = MarqueeError.of(code, event.rejected.message, delay)
                self._complete(stream, event.rejected.publish_id, error)
            case "heartbeat":
                pass
            case _:
                if self._on_event is not None:
                    self._on_event(event)

    def _complete(self, stream: _Stream, number: int, outcome: list[TimelineWarning] | MarqueeError) -> None:
        publication = stream.answer(number)
        response, publication.response = publication.response, None
        self._pending.pop(number, None)
        if isinstance(outcome, list):
            publication.attempt_count = 0
            self._accept(publication)
            if response is not None and not response.done():
                response.set_result(outcome)
        elif response is None:
            self._drop(publication, outcome)
        elif not response.done():
            response.set_exception(outcome)

    def _drop(self, publication: _Publication, error: MarqueeError) -> None:
        """Drops a timeline that was accepted before, but is not accepted again. Raises an error that is permanent."""
        if self._accepted.get(publication.key) is publication:
            del self._accepted[publication.key]
        if not is_transient(error):
            raise error
        widget, family = publication.key
        logger.warning(
            "%s: the last timeline of %s was not accepted again, and is not repeated: %s",
            self._target, _name(widget, family), error,
        )

    def _accept(self, publication: _Publication) -> None:
        """Keeps the last timeline of each instance, in the order in which they were accepted."""
        widget, family = publication.key
        self._accepted = {
            key: earlier
            for key, earlier in self._accepted.items()
            if key != publication.key and (family is not None or key[0] != widget)
        }
        self._accepted[publication.key] = publication

    def _reload(self, request: ReloadRequest) -> None:
        handler = self._handlers.get(request.widget.kind)
        if handler is None:
            logger.warning("no handler of the kind %s, whose timeline is requested", request.widget.kind)
            return
        key = (request.widget, request.family)
        if (earlier := self._reloads.get(key)) is not None:
            earlier.cancel()
        self._reloads[key] = task = self._tasks.create_task(self._answer(handler, request))
        task.add_done_callback(lambda task: self._reloads.pop(key) if self._reloads.get(key) is task else None)

    async def _answer(self, handler: Handler, request: ReloadRequest) -> None:
        shortest = _REPEAT_DELAY_MIN
        while (timeline := await handler(request)) is not None:
            try:
                await self.publish(request.widget, timeline, family=request.family)
                return
            except MarqueeError as error:
                if not is_transient(error):
                    raise
                delay = max(shortest, error.retry_delay.total_seconds() if error.retry_delay else 0)
                logger.warning(
                    "%s: the timeline of %s was not accepted: %s; calling its handler again in %.0f s",
                    self._target, _name(request.widget, request.family), error, delay,
                )
            await asyncio.sleep(delay)
            shortest = min(2 * shortest, _REPEAT_DELAY_MAX)


def _name(widget: Widget, family: Family | None) -> str:
    """Returns the name of a widget in the log; values of its configuration are private."""
    return f"{widget.app}/{widget.kind}" + (f" ({family.name})" if family is not None else "")
