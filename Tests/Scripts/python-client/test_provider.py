"""The timelines of a provider whose stream ends because of them, and those that the server refuses for the moment."""
import asyncio
import contextlib
import pickle
import time
import unittest
import unittest.mock
from collections.abc import AsyncIterator
from datetime import datetime, timedelta, timezone
from typing import Any

import grpc
from marquee_client import (
    Content, Entry, Family, InvalidArgument, MarqueeError, NotFound, Operator, Provider, ReloadRequest,
    ResourceExhausted, Timeline, Unavailable, Widget, translated_errors)
from marquee_client.v1 import admin_pb2, provider_pb2, widget_pb2
from server import Server

APP = "com.example.weather"
FORECAST, RADAR, MAP = Widget(APP, "Forecast"), Widget(APP, "Radar"), Widget(APP, "Map")


def timeline(text: str) -> Timeline:
    return Timeline([Entry(datetime.now(timezone.utc), Content.plain(text))], reload="never")


class ScriptedServer:
    """A server that ends its streams at certain texts, and delays the responses on the stream number `silent`."""

    def __init__(self) -> None:
        self.server = grpc.aio.server()
        self.target = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.ending: dict[str, grpc.StatusCode] = {}
        # The codes with which certain texts are rejected, and the delays in milliseconds; 0 for those without one.
        self.rejecting: dict[str, grpc.StatusCode] = {}
        self.delays: dict[str, int] = {}
        self.silent: int | None = None
        # The texts of `ending` that only end one stream.
        self.single: set[str] = set()
        self._delayed: list[tuple[int, Any]] = []
        # The texts that each stream received.
        self.streams: list[list[str]] = []
        self.requests: asyncio.Queue[provider_pb2.ProviderEvent] = asyncio.Queue()
        methods: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
            "RegisterKinds": grpc.unary_unary_rpc_method_handler(
                self._register, provider_pb2.RegisterKindsRequest.FromString,
                provider_pb2.RegisterKindsResponse.SerializeToString),
            "Provide": grpc.stream_stream_rpc_method_handler(
                self._provide, provider_pb2.ProviderMessage.FromString,
                provider_pb2.ProviderEvent.SerializeToString)}
        handler = grpc.method_handlers_generic_handler("marquee.v1.Provider", methods)
        self.server.add_generic_rpc_handlers((handler,))

    async def _register(self, request: Any, context: Any) -> Any:
        return provider_pb2.RegisterKindsResponse()

    async def _provide(self, messages: Any, context: Any) -> Any:
        texts: list[str] = []
        number = len(self.streams)
        self.streams.append(texts)
        await context.write(provider_pb2.ProviderEvent(attached=provider_pb2.Attached()))
        sending = asyncio.create_task(self._send(context))
        try:
            async for message in messages:
                if message.WhichOneof("message") != "timeline":
                    continue
                text = message.timeline.entries[0].content.data.decode()
                texts.append(text)
                if text in self.ending:
                    code = self.ending.pop(text) if text in self.single else self.ending[text]
                    await context.abort(code, f"{text} ends the stream")
                if number == self.silent:
                    self._delayed.append((message.timeline.publish_id, context))
                else:
                    await self._respond(text, message.timeline.publish_id, context)
        finally:
            sending.cancel()

    async def _respond(self, text: str, number: int, context: Any) -> None:
        if text in self.rejecting:
            rejected = provider_pb2.TimelineRejected(
                publish_id=number, code=self.rejecting[text].value[0], message="refused",
                retry_delay_ms=self.delays.get(text, 0))
            await context.write(provider_pb2.ProviderEvent(rejected=rejected))
        else:
            accepted = provider_pb2.TimelineAccepted(publish_id=number)
            await context.write(provider_pb2.ProviderEvent(accepted=accepted))

    async def respond(self) -> None:
        """Sends the delayed responses."""
        self.silent = None
        for number, context in self._delayed:
            await self._respond("", number, context)

    async def _send(self, context: Any) -> None:
        while True:
            await context.write(await self.requests.get())

    def reload(self, widget: Widget) -> None:
        request = provider_pb2.ReloadRequest(
            widget=widget.message, family=widget_pb2.WIDGET_FAMILY_SYSTEM_SMALL,
            reason=provider_pb2.RELOAD_REASON_USER)
        self.requests.put_nowait(provider_pb2.ProviderEvent(reload=request))


class ProviderTests(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        # Short delays: the tests end streams repeatedly.
        for name, value in (("_connection._DELAY_MIN", 0.02), ("_connection._DELAY_MAX", 0.1),
                            ("_provider._REPEAT_DELAY_MIN", 0.1), ("_provider._REPEAT_DELAY_MAX", 0.2)):
            patch = unittest.mock.patch(f"marquee_client.{name}", value)
            patch.start()
            self.addCleanup(patch.stop)
        self.losses: list[MarqueeError] = []

    def provider(self, target: str) -> Provider:
        return Provider(target, device="kitchen", app=APP, on_disconnect=self.losses.append)

    @contextlib.asynccontextmanager
    async def scripted(self) -> AsyncIterator[ScriptedServer]:
        server = ScriptedServer()
        await server.server.start()
        try:
            yield server
        finally:
            await server.server.stop(None)

    async def wait(self, condition: Any) -> None:
        async with asyncio.timeout(20):
            while not condition():
                await asyncio.sleep(0.01)

    async def test_only_the_timeline_that_ends_the_stream_is_rejected(self) -> None:
        async with self.scripted() as server, self.provider(server.target) as provider:
            server.ending = {"Large": grpc.StatusCode.RESOURCE_EXHAUSTED}
            server.silent = 0
            first = asyncio.create_task(provider.publish(FORECAST, timeline("First")))
            await self.wait(lambda: server.streams == [["First"]])
            large = asyncio.create_task(provider.publish(RADAR, timeline("Large")))
            last = asyncio.create_task(provider.publish(MAP, timeline("Last")))
            await self.wait(lambda: server.streams[0] == ["First", "Large"])
            with self.assertRaisesRegex(ResourceExhausted, "Large ends"):
                await asyncio.wait_for(large, 20)
            await asyncio.wait_for(asyncio.gather(first, last), 20)
            # First is sent alone; then Large ends the stream alone.
            self.assertEqual(server.streams[:2], [["First", "Large"], ["First", "Large"]])
            self.assertEqual([sorted(texts) for texts in server.streams[2:]], [["First", "Last"]])

    async def test_timelines_lost_with_streams_are_sent_one_at_a_time(self) -> None:
        """The fifth loss rejects only the timeline that was sent on all five streams."""
        async with self.scripted() as server, self.provider(server.target) as provider:
            server.ending = {"Broken": grpc.StatusCode.UNAVAILABLE}
            broken = asyncio.create_task(provider.publish(FORECAST, timeline("Broken")))
            other = asyncio.create_task(provider.publish(RADAR, timeline("Other")))
            cancelled = asyncio.create_task(provider.publish(MAP, timeline("Cancelled")))
            await self.wait(lambda: len(server.streams) > 2)
            cancelled.cancel()
            with self.assertRaisesRegex(Unavailable, "Broken ends"):
                await asyncio.wait_for(broken, 20)
            await asyncio.wait_for(other, 20)
            self.assertEqual(server.streams, [["Broken"]] * 5 + [["Other"]])
            self.assertEqual(len(self.losses), 5)

    async def test_a_cancelled_timeline_is_not_sent_later(self) -> None:
        async with self.scripted() as server, self.provider(server.target) as provider:
            server.ending, server.single = {"First": grpc.StatusCode.UNAVAILABLE}, {"First"}
            server.silent = 1
            first = asyncio.create_task(provider.publish(FORECAST, timeline("First")))
            await self.wait(lambda: server.streams[1:] == [["First"]])
            # They wait for the response to First, which was lost before.
            with self.assertRaises(TimeoutError):
                await provider.publish(RADAR, timeline("Cancelled"), timeout=0.1)
            last = asyncio.create_task(provider.publish(MAP, timeline("Last")))
            await asyncio.sleep(0.1)
            await server.respond()
            await asyncio.wait_for(asyncio.gather(first, last), 20)
            self.assertEqual(server.streams[1:], [["First", "Last"]])

    async def test_a_lost_timeline_of_a_handler_does_not_end_the_provider(self) -> None:
        async with self.scripted() as server:
            texts = iter(["Large", "Small"])
            provider = self.provider(server.target)

            @provider.kind("Forecast", families=[Family.SYSTEM_SMALL])
            async def forecast(request: ReloadRequest) -> Timeline:
                return timeline(next(texts))

            server.ending = {"Large": grpc.StatusCode.RESOURCE_EXHAUSTED}
            async with provider:
                with self.assertLogs("marquee_client", "WARNING") as logs:
                    server.reload(FORECAST)
                    await self.wait(lambda: server.streams == [["Large"], ["Small"]])
                self.assertRegex(logs.output[0], r"/Forecast \(SYSTEM_SMALL\) was not accepted: RESOURCE_EXHAUSTED")
                await asyncio.wait_for(provider.publish(RADAR, timeline("Radar")), 20)
                self.assertEqual(server.streams[1:], [["Small", "Radar"]])

    async def test_a_permanent_error_of_a_handlers_timeline_ends_the_provider(self) -> None:
        async with self.scripted() as server:
            provider = self.provider(server.target)

            @provider.kind("Forecast", families=[Family.SYSTEM_SMALL])
            async def forecast(request: ReloadRequest) -> Timeline:
                return timeline("Invalid")

            # A delay of 0 is that of a timeline that can never be accepted.
            for code, error in ((grpc.StatusCode.INVALID_ARGUMENT, InvalidArgument),
                                (grpc.StatusCode.RESOURCE_EXHAUSTED, ResourceExhausted)):
                server.rejecting = {"Invalid": code}
                with self.assertRaises(error) as caught:
                    async with provider:
                        server.reload(FORECAST)
                        await asyncio.sleep(20)
                self.assertEqual(caught.exception.retry_delay, timedelta())
                self.assertEqual(server.streams.pop(), ["Invalid"])

    async def test_a_handler_is_called_again_after_the_delay_of_the_server(self) -> None:
        async with self.scripted() as server:
            provider = self.provider(server.target)
            called: list[float] = []

            @provider.kind("Forecast", families=[Family.SYSTEM_SMALL])
            async def forecast(request: ReloadRequest) -> Timeline:
                called.append(time.monotonic())
                return timeline("Late" if len(called) < 3 else "Accepted")

            server.rejecting = {"Late": grpc.StatusCode.INTERNAL}
            server.delays = {"Late": 700}
            async with provider:
                with self.assertLogs("marquee_client", "WARNING"):
                    server.reload(FORECAST)
                    await self.wait(lambda: server.streams == [["Late", "Late", "Accepted"]])
                for earlier, later in zip(called, called[1:]):
                    self.assertGreater(later - earlier, 0.69)
                with self.assertRaises(MarqueeError) as caught:
                    await provider.publish(RADAR, timeline("Late"), timeout=20)
                error = pickle.loads(pickle.dumps(caught.exception.copy()))
                self.assertEqual(error.retry_delay, timedelta(milliseconds=700))

    async def test_a_handler_that_returns_none_is_called_for_each_request(self) -> None:
        async with self.scripted() as server:
            provider = self.provider(server.target)
            answers = iter([timeline("First"), None, None, timeline("Last")])
            count = 0

            @provider.kind("Forecast", families=[Family.SYSTEM_SMALL])
            async def forecast(request: ReloadRequest) -> Timeline | None:
                nonlocal count
                count += 1
                return next(answers)

            async with provider:
                for number in range(1, 5):
                    server.reload(FORECAST)
                    await self.wait(lambda: count == number)
                await self.wait(lambda: server.streams == [["First", "Last"]])

    async def test_an_accepted_timeline_that_ends_streams_is_dropped(self) -> None:
        async with self.scripted() as server, self.provider(server.target) as provider:
            for widget, text in ((FORECAST, "Small"), (RADAR, "Large"), (MAP, "Last")):
                await provider.publish(widget, timeline(text))
            # As after a restart with a lower limit.
            server.ending = {"Large": grpc.StatusCode.RESOURCE_EXHAUSTED, "End": grpc.StatusCode.RESOURCE_EXHAUSTED}
            with self.assertLogs("marquee_client", "WARNING") as logs:
                with self.assertRaises(ResourceExhausted):
                    await asyncio.wait_for(provider.publish(FORECAST, timeline("End")), 20)
                await self.wait(lambda: sorted(server.streams[-1]) == ["Last", "Small"])
            self.assertEqual(len(logs.output), 1)
            self.assertRegex(logs.output[0], "com.example.weather/Radar was not accepted again")
            count = len(server.streams)
            await asyncio.sleep(0.5)
            self.assertEqual(len(server.streams), count)
            # The accepted timelines are published on every stream, however many have ended.
            server.ending = {"End": grpc.StatusCode.RESOURCE_EXHAUSTED}
            for _ in range(6):
                with self.assertRaises(ResourceExhausted):
                    await asyncio.wait_for(provider.publish(MAP, timeline("End")), 20)
                await self.wait(lambda: sorted(server.streams[-1]) == ["Last", "Small"])
            server.ending["Small"], server.single = grpc.StatusCode.UNAVAILABLE, {"Small"}
            count = len(server.streams)
            with self.assertRaises(ResourceExhausted):
                await asyncio.wait_for(provider.publish(MAP, timeline("End")), 20)
            await self.wait(lambda: len(server.streams) > count and "Small" in server.streams[count])
            await self.wait(lambda: len(server.streams) > count + 1 and "Small" in server.streams[-1])

    async def test_an_accepted_timeline_with_a_permanent_error_ends_the_provider(self) -> None:
        async with self.scripted() as server:
            server.ending = {"End": grpc.StatusCode.RESOURCE_EXHAUSTED}
            for code, error in ((grpc.StatusCode.INVALID_ARGUMENT, InvalidArgument),
                                (grpc.StatusCode.RESOURCE_EXHAUSTED, ResourceExhausted)):
                server.rejecting = {}
                with self.assertRaisesRegex(error, "refused"):
                    async with self.provider(server.target) as provider:
                        await provider.publish(FORECAST, timeline("Old"))
                        server.rejecting = {"Old": code}
                        with self.assertRaises(ResourceExhausted):
                            await asyncio.wait_for(provider.publish(RADAR, timeline("End")), 20)
                        await asyncio.sleep(20)

    async def test_a_timeline_over_a_limit_ends_the_provider(self) -> None:
        server = self.serve()
        provider = self.provider(server.target)

        @provider.kind("Forecast", families=[Family.SYSTEM_SMALL])
        async def forecast(request: ReloadRequest) -> Timeline:
            return timeline("x" * 70_000)

        with self.assertRaisesRegex(ResourceExhausted, r"content-size-max") as caught:
            async with provider:
                server.command("stack", "add", "kitchen/home", f"{APP}/Forecast")
                await asyncio.sleep(20)
        self.assertEqual(caught.exception.retry_delay, timedelta())

    async def test_publishing_after_the_end_raises_the_error_of_the_end(self) -> None:
        server = self.serve()
        provider = self.provider(server.target)
        late: list[BaseException | list[Any]] = []
        with self.assertRaises(NotFound):
            async with provider:
                try:
                    async with Operator(server.target) as operator:
                        await operator.stub.RemoveDevice(admin_pb2.RemoveDeviceRequest(device="kitchen"))
                    await asyncio.sleep(20)
                finally:
                    publications = [provider.publish(FORECAST, timeline("Late"), timeout=5) for _ in range(2)]
                    late = await asyncio.gather(*publications, return_exceptions=True)
        self.assertEqual([type(error) for error in late], [NotFound, NotFound])
        self.assertIsNot(late[0], late[1])

    async def test_publishing_while_the_provider_is_entered_or_left(self) -> None:
        async with self.scripted() as server:
            provider = self.provider(server.target)
            entering = asyncio.create_task(provider.__aenter__())
            await asyncio.sleep(0)
            await asyncio.wait_for(provider.publish(FORECAST, timeline("Early")), 20)
            await entering
            waiting = asyncio.create_task(provider.publish(FORECAST, timeline("Late")))
            await provider.__aexit__(None, None, None)
            with contextlib.suppress(Unavailable):
                await asyncio.wait_for(waiting, 5)
            # The same provider can be entered again; its task does not begin if it is left at once.
            entering = asyncio.create_task(provider.__aenter__())
            await asyncio.sleep(0)
            await asyncio.wait_for(provider.publish(FORECAST, timeline("Early")), 20)
            await entering
            await provider.__aexit__(None, None, None)
            async with provider:
                waiting = asyncio.create_task(provider.publish(FORECAST, timeline("Late")))
            with self.assertRaises((Unavailable, RuntimeError)):
                await asyncio.wait_for(waiting, 5)
        entering = asyncio.create_task(provider.__aenter__())
        await asyncio.sleep(0)
        waiting = asyncio.create_task(provider.publish(FORECAST, timeline("Unsent")))
        with self.assertRaises(Unavailable):
            await entering
        with self.assertRaises(Unavailable):
            await asyncio.wait_for(waiting, 5)

    def serve(self) -> Server:
        server = Server("unix")
        self.addCleanup(server.kill)
        server.start()
        server.command("device", "add", "kitchen", "--time-zone", "Europe/Berlin")
        server.command("stack", "create", "kitchen/home", "--family", "systemSmall")
        return server

    async def test_exhausted_budget(self) -> None:
        """A server with an exhausted budget refuses the last timeline of a widget again, and that of a handler."""
        server = self.serve()
        provider = self.provider(server.target)
        texts = iter(["x" * 2000, "Small"])
        called: list[float] = []
        # After the first 2 timelines, the budget for the next one is refilled in about 5 seconds.
        limits = {"app_write_size_burst": 3000, "app_write_size_hourly": 3600 * 200}

        @provider.kind("Radar", families=[Family.SYSTEM_SMALL])
        async def radar(request: ReloadRequest) -> Timeline:
            called.append(time.monotonic())
            return timeline(next(texts))

        @provider.kind("Forecast", families=[Family.SYSTEM_SMALL])
        async def forecast(request: ReloadRequest) -> Timeline | None:
            return None

        @provider.kind("Map", families=[Family.SYSTEM_SMALL])
        async def map_(request: ReloadRequest) -> Timeline | None:
            return None

        async with provider, Operator(server.target) as operator:
            for widget in (FORECAST, MAP):
                await provider.publish(widget, timeline("y" * 2000), timeout=20)
            with self.assertLogs("marquee_client", "WARNING") as logs:
                server.kill()
                server.start(**limits)
                await self.wait(lambda: logs.output)
                count = len(self.losses)
                self.assertRegex(logs.output[0], "Map was not accepted again.*app-write-size-burst")
                await asyncio.to_thread(server.command, "stack", "add", "kitchen/home", f"{APP}/Radar")
                request = admin_pb2.GetTimelineRequest(device="kitchen", widget=RADAR.message)
                async with asyncio.timeout(30):
                    while True:
                        with contextlib.suppress(NotFound, Unavailable), translated_errors():
                            if (await operator.stub.GetTimeline(request)).has_timeline:
                                break
                        await asyncio.sleep(0.1)
            self.assertEqual([line.count("was not accepted:") for line in logs.output], [0, 1])
            self.assertRegex(logs.output[1], r"Radar \(SYSTEM_SMALL\).*app-write-size-burst")
            # The handler was called again once the server's delay had passed, which is longer than those of the test.
            self.assertGreater(called[1] - called[0], 1)
            # The stream is the same, and the next one does not repeat the refused timeline.
            self.assertEqual(len(self.losses), count)
            with self.assertNoLogs("marquee_client", "WARNING"):
                server.kill()
                server.start(**limits)
                await provider.publish(RADAR, timeline("Last"), timeout=20)
