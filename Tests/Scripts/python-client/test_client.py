"""The provider, display and operator of the package with real servers."""
import asyncio
import contextlib
import logging
import pickle
import signal
import unittest
import unittest.mock
from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta, timezone

import grpc
from marquee_client import (
    TLS, Content, DeviceView, Display, Entry, Family, InvalidArgument, MarqueeError, NotFound, Operator,
    PermissionDenied, Provider, Relevance, ReloadReason, ReloadRequest, ResourceExhausted, Stack, Timeline,
    Unauthenticated, Unavailable, Widget, translated_errors)
from marquee_client._connection import Reconnection
from marquee_client.v1 import admin_pb2, provider_pb2
from server import Server

logging.getLogger("marquee_client").setLevel(logging.ERROR)
APP = "com.example.weather"
FORECAST, RADAR = Widget(APP, "Forecast"), Widget(APP, "Radar")


def now() -> datetime:
    return datetime.now(timezone.utc)


def timeline(text: str, score: float = 50) -> Timeline:
    return Timeline([Entry(now(), Content.plain(text), Relevance(score, timedelta(hours=1)))], reload="never")


class Home:
    """A provider and a display of one device, with the events that they received."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.texts = iter(f"text {number}" for number in range(1, 1000))
        self.requests: list[ReloadRequest] = []
        self.losses: list[MarqueeError] = []
        self.view = DeviceView()
        self.states = 0
        self._changed = asyncio.Event()
        self.display = Display(
            server.target, device="kitchen", on_disconnect=self.losses.append, **server.options("display"))
        self.provider = Provider(
            server.target, device="kitchen", app=APP, on_disconnect=self.losses.append, **server.options("provider"))
        for kind in ("Forecast", "Radar"):
            self.provider.kind(kind, families=[Family.SYSTEM_SMALL])(self._timeline)

    async def _timeline(self, request: ReloadRequest) -> Timeline:
        self.requests.append(request)
        return timeline(f"{request.widget.kind} {next(self.texts)}")

    async def _watch(self) -> None:
        async for update in self.display.watch():
            self.view = update.view
            self.states += update.message.HasField("state")
            self._changed.set()

    async def wait(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(30):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    def text(self) -> str | None:
        content = self.view.content("home")
        return content.text if content is not None else None

    async def shows(self, text: str) -> None:
        await self.wait(lambda: self.text() == text)

    def create_device(self) -> None:
        self.server.command("device", "add", "kitchen", "--time-zone", "Europe/Berlin")
        self.server.command("stack", "create", "kitchen/home", "--family", "systemSmall")

    @contextlib.asynccontextmanager
    async def open(self, new: bool = True) -> AsyncIterator[None]:
        if new:
            self.create_device()
        async with self.display, self.provider:
            watch = asyncio.create_task(self._watch())
            try:
                await self.wait(lambda: self.states > 0)
                yield
            finally:
                watch.cancel()
                await asyncio.gather(watch, return_exceptions=True)


class DelayTests(unittest.IsolatedAsyncioTestCase):
    async def test_delays(self) -> None:
        """The delays between attempts grow from 0.5 to 15 seconds, at random, without an end."""
        delays: list[float] = []
        losses: list[MarqueeError] = []

        async def sleep(delay: float) -> None:
            delays.append(delay)

        channel = unittest.mock.Mock()
        channel.get_state.return_value = grpc.ChannelConnectivity.READY
        reconnection = Reconnection(channel, losses.append)
        lost = MarqueeError.of(grpc.StatusCode.UNAVAILABLE, "lost")
        with self.assertRaises(Unavailable):
            await reconnection.wait(lost)
        reconnection.opened()
        by_proxy = MarqueeError.of(grpc.StatusCode.INTERNAL, "stream removed")
        with unittest.mock.patch("asyncio.sleep", sleep):
            for number in range(100):
                await reconnection.wait(by_proxy if number % 2 else lost)
        for number, delay in enumerate(delays):
            longest = min(15, 2**number)
            self.assertTrue(longest / 2 <= delay <= longest, (number, delay))
        self.assertEqual(len(set(delays)), len(losses))
        with self.assertRaises(NotFound):
            await reconnection.wait(MarqueeError.of(grpc.StatusCode.NOT_FOUND, "removed"))


class ServerTests(unittest.IsolatedAsyncioTestCase):
    placed = provider_pb2.ListPlacedWidgetsRequest(device="kitchen", app=APP)

    def serve(self, kind: str = "unix") -> Server:
        server = Server(kind)
        self.addCleanup(server.kill)
        server.start()
        return server

    async def stacks(self, operator: Operator) -> list[Stack]:
        """Calls until gRPC has connected again."""
        async with asyncio.timeout(20):
            while True:
                try:
                    return await operator.stacks("kitchen")
                except Unavailable:
                    await asyncio.sleep(0.1)

    async def walk(self, kind: str) -> None:
        server = self.serve(kind)
        home = Home(server)
        async with home.open(), Operator(server.target, **server.options("operator")) as operator:
            # The server requests the timeline of a widget that is placed, and of one that the user reloads.
            await home.display.stack_shown("home")
            await home.display.add_widget("home", FORECAST)
            await home.shows("Forecast text 1")
            self.assertEqual(home.requests[0].reason, ReloadReason.PLACED)
            self.assertEqual((home.requests[0].widget, home.requests[0].family), (FORECAST, Family.SYSTEM_SMALL))
            self.assertLess(abs(home.requests[0].requested - now()), timedelta(minutes=1))
            await home.display.reload(FORECAST)
            await home.shows("Forecast text 2")
            self.assertEqual(home.requests[1].reason, ReloadReason.USER)
            await home.display.tapped("home", FORECAST)
            # A timeline that the provider publishes by itself.
            await home.provider.publish("Forecast", timeline("Rain"))
            await home.shows("Rain")
            await home.display.add_widget("home", RADAR)
            self.assertEqual([device async for device in operator.devices()], ["kitchen"])
            why = await operator.why_not("kitchen", "home", RADAR)
            self.assertTrue(why.obstacles and why.summary, why)
            self.assertEqual(why.time_zone, "Europe/Berlin")
            self.assertIsNotNone(why.obstacles[0].kind)
            explanation = await operator.explain("kitchen", "home", at=now() + timedelta(minutes=5))
            self.assertEqual((explanation.front, explanation.time_zone), (FORECAST, "Europe/Berlin"))
            self.assertGreater(explanation.at, now())

            # The server is killed while a timeline waits; the clients reconnect by themselves.
            server.kill()
            waiting = asyncio.create_task(home.provider.publish(FORECAST, timeline("Snow")))
            await asyncio.sleep(0.3)
            self.assertFalse(waiting.done())
            with self.assertRaises(Unavailable):
                await operator.explain("kitchen", "home")
            server.start()
            await asyncio.wait_for(waiting, 30)
            await home.wait(lambda: home.states == 2)
            await home.shows("Snow")
            self.assertEqual({type(loss) for loss in home.losses}, {Unavailable})
            await home.display.reload(FORECAST)
            await home.wait(lambda: "Forecast text" in (home.text() or ""))
            self.assertEqual(home.view.front("home"), FORECAST)
            self.assertEqual(home.view.stacks["home"].members, [FORECAST, RADAR])
            self.assertEqual((await self.stacks(operator))[0].members, [FORECAST, RADAR])

    async def test_tcp(self) -> None:
        await self.walk("tcp")

    async def test_tls_with_tokens(self) -> None:
        await self.walk("tls")

    async def test_unix_socket(self) -> None:
        await self.walk("unix")

    async def wait_for_timeline(self, server: Server) -> None:
        request = admin_pb2.GetTimelineRequest(device="kitchen", widget=FORECAST.message)
        async with Operator(server.target) as operator, asyncio.timeout(30):
            while True:
                with contextlib.suppress(NotFound), translated_errors():
                    if (await operator.stub.GetTimeline(request)).has_timeline:
                        return
                await asyncio.sleep(0.1)

    async def test_last_timeline_is_published_again(self) -> None:
        """A server that lost its data receives the kinds and the last timeline of each widget again."""
        server = self.serve()
        home = Home(server)
        home.create_device()
        server.kill()
        server.keep_data()
        server.start()
        async with home.open(new=False):
            await home.display.add_widget("home", FORECAST)
            await home.shows("Forecast text 1")
            await home.provider.publish(FORECAST, timeline("Old"))
            await home.provider.publish(FORECAST, timeline("Last"))
            await home.shows("Last")
            server.kill()
            server.restore_data()
            server.start()
            await home.wait(lambda: home.states == 2)
            self.assertEqual((home.view.stacks["home"].members, home.view.entries), ([], {}))
            await self.wait_for_timeline(server)
            await home.display.add_widget("home", FORECAST)
            await home.shows("Last")
            self.assertEqual(len(home.requests), 1)

    async def test_shutdown(self) -> None:
        """A server that shuts down ends its streams; the clients reconnect to the next one."""
        server = self.serve()
        home = Home(server)
        async with home.open():
            await home.display.add_widget("home", FORECAST)
            await home.shows("Forecast text 1")
            await asyncio.to_thread(server.kill, signal.SIGTERM)
            server.start()
            await home.provider.publish(FORECAST, timeline("After the restart"), timeout=30)
            await home.shows("After the restart")

    async def test_invalid_values(self) -> None:
        server = self.serve()
        home = Home(server)
        async with home.open():
            with self.assertRaises(InvalidArgument) as caught:
                await home.display.add_widget("home", Widget("", "Forecast"))
            self.assertEqual(caught.exception.field, "add.widget.kind.app")
            error = pickle.loads(pickle.dumps(caught.exception))
            self.assertEqual((type(error), error.field), (InvalidArgument, "add.widget.kind.app"))
            early = Entry(datetime(1960, 1, 1, tzinfo=timezone.utc), Content.plain("x"))
            with self.assertRaises(InvalidArgument) as caught:
                await home.provider.publish(FORECAST, Timeline([early]))
            self.assertEqual(caught.exception.field, "timeline.entries[0].date_ms")
            with self.assertRaisesRegex(ValueError, r"^entries\[1\]\.date: naive"):
                await home.provider.publish(FORECAST, Timeline([early, Entry(datetime(2026, 1, 1), early.content)]))
            with self.assertRaisesRegex(ValueError, r"^reload: naive"):
                await home.provider.publish(FORECAST, Timeline([], reload=datetime(2026, 1, 1)))
            with self.assertRaisesRegex(ValueError, r"^entries\[0\]\.relevance\.duration: "):
                relevance = Relevance(1, timedelta(microseconds=1))
                await home.provider.publish(FORECAST, Timeline([Entry(now(), early.content, relevance)]))
            with self.assertRaisesRegex(TypeError, r"^entries\[0\]\.date: int"):
                await home.provider.publish(FORECAST, Timeline([Entry(0, early.content)]))  # type: ignore[arg-type]
            with self.assertRaises(MarqueeError):
                await home.provider.publish(Widget(APP, "Unknown"), timeline("x"))
            # The stream is the same afterwards.
            await home.provider.publish(FORECAST, timeline("Valid"), timeout=5)
            self.assertEqual(home.losses, [])
            # A message over the server's limit ends the stream, which opens again without the timeline. gRPC loses the
            # status if the stream ends during the write.
            large = Timeline([Entry(now(), Content(bytes(5 << 20)))])
            with self.assertRaisesRegex((ResourceExhausted, Unavailable), "message-size-max|during a write"):
                await home.provider.publish(FORECAST, large)
            await home.provider.publish(FORECAST, timeline("Small"), timeout=30)

    async def test_long_timeline(self) -> None:
        """A timeline is sent in parts, and entries keep all their values."""
        server = self.serve()
        home = Home(server)
        async with home.open():
            await home.display.add_widget("home", FORECAST)
            await home.shows("Forecast text 1")
            start = now().replace(microsecond=123_000)
            entries = [Entry(start + timedelta(days=day), Content(bytes(900))) for day in range(1, 4000)]
            current = Entry(
                start, Content(b"{}", "application/json"), Relevance(3, timedelta(hours=2)),
                expiry=start + timedelta(days=1), is_private=True, redacted=Content.plain("Private"),
                link="https://example.com/")
            await home.provider.publish(FORECAST, Timeline([current, *entries], reload="never"))
            await home.shows("{}")
            self.assertEqual(home.view.entries[FORECAST, Family.SYSTEM_SMALL], current)
            async for update in home.display.watch("home", screen="locked"):
                if (content := update.view.content("home")) is not None:
                    self.assertEqual(content, Content.plain("Private"))
                    break

    async def test_outdated_content(self) -> None:
        """An entry that expires without a fallback is marked, in changes and in the state, until the next one."""
        server = self.serve()
        home = Home(server)
        key = (FORECAST, Family.SYSTEM_SMALL)
        async with home.open():
            await home.display.add_widget("home", FORECAST)
            await home.shows("Forecast text 1")
            self.assertFalse(home.view.is_outdated("home") or home.view.is_outdated("nowhere"))
            bus = Entry(now(), Content.plain("Bus in 1 min"), expiry=now() + timedelta(seconds=1))
            await home.provider.publish(FORECAST, Timeline([bus], reload="never"))
            await home.wait(lambda: home.view.is_outdated("home"))
            self.assertEqual((home.text(), home.view.outdated), ("Bus in 1 min", {key}))
            update = await anext(home.display.watch("home"))
            self.assertTrue(update.view.is_outdated("home"))
            await home.provider.publish(FORECAST, timeline("Bus in 9 min"))
            await home.shows("Bus in 9 min")
            self.assertEqual(home.view.outdated, set())
            await home.provider.publish(FORECAST, Timeline([bus], reload="never"))
            await home.wait(lambda: home.view.is_outdated("home"))
            await home.display.remove_widget("home", FORECAST)
            await home.wait(lambda: not home.view.entries)
            self.assertEqual(home.view.outdated, set())

    async def test_permanent_errors(self) -> None:
        """The first attempt, and a permanent error later, raise the error."""
        server = self.serve()
        provider = Provider(server.target, device="nowhere", app=APP)
        with self.assertRaises(NotFound):
            await provider.run()
        with self.assertRaises(NotFound):
            async with Display(server.target, device="nowhere") as display:
                await anext(display.watch())
        home = Home(server)
        with self.assertRaises(NotFound):
            async with home.open():
                async with Operator(server.target) as operator:
                    await operator.stub.RemoveDevice(admin_pb2.RemoveDeviceRequest(device="kitchen"))
                await asyncio.sleep(20)
        server.kill()
        with self.assertRaises(Unavailable):
            await Provider(server.target, device="kitchen", app=APP).run()

    async def test_handler_errors(self) -> None:
        """An error of a handler ends the provider with this error."""
        server = self.serve()
        home = Home(server)
        async with home.open():
            await home.display.add_widget("home", RADAR)
            await home.shows("Radar text 1")
            provider = Provider(server.target, device="kitchen", app=APP)
            with self.assertRaisesRegex(ValueError, "^families: "):
                provider.kind("Radar", families=[])

            @provider.kind("Radar", families=[Family.SYSTEM_SMALL])
            async def radar(request: ReloadRequest) -> Timeline:
                raise ArithmeticError(request.widget.kind)

            with self.assertRaisesRegex(ArithmeticError, "Radar"):
                async with provider:
                    await home.display.reload(RADAR)
                    await asyncio.sleep(20)

    async def test_timeouts_and_cancellation(self) -> None:
        server = self.serve()
        home = Home(server)
        async with home.open():
            server.kill()
            with self.assertRaises(TimeoutError):
                await home.provider.publish(FORECAST, timeline("Late"), timeout=0.2)
            waiting = asyncio.create_task(home.provider.publish(FORECAST, timeline("Cancelled")))
            await asyncio.sleep(0)
            waiting.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await waiting
            waiting = asyncio.create_task(home.provider.publish(FORECAST, timeline("Unsent")))
            await asyncio.sleep(0)
        with self.assertRaises(Unavailable):
            await waiting
        with self.assertRaises(RuntimeError):
            await home.provider.publish(FORECAST, timeline("Closed"))

    async def test_access(self) -> None:
        server = self.serve("tls")
        async with Operator(server.target, **server.options("operator") | {"token": "no.token.at-all"}) as operator:
            with self.assertRaises(Unauthenticated):
                await operator.stacks("kitchen")
        async with Operator(server.target, **server.options("display")) as operator:
            with self.assertRaises(PermissionDenied):
                await anext(operator.devices())
        async with Operator(server.target, tls=True, timeout=5) as operator:
            with self.assertRaises(Unavailable):
                await operator.stacks("kitchen")
        for target in ("example.com:7400", "127.example.com:7400", "10.0.0.1:7400"):
            with self.assertRaisesRegex(ValueError, "^token: requires TLS"):
                Operator(target, token="x")
        with self.assertRaisesRegex(ValueError, "^certificate, key: "):
            TLS(certificate="client.pem")

    async def test_generated_stub(self) -> None:
        """All other methods are called by the generated stub, with the same errors."""
        server = self.serve("tcp")
        home = Home(server)
        async with home.open():
            await home.display.add_widget("home", FORECAST)
            placed = await home.provider.stub.ListPlacedWidgets(self.placed)
            self.assertEqual([Widget.of(widget.widget) for widget in placed.widgets], [FORECAST])
            with self.assertRaises(NotFound), translated_errors():
                await home.provider.stub.ListPlacedWidgets(
                    provider_pb2.ListPlacedWidgetsRequest(device="nowhere", app=APP))
