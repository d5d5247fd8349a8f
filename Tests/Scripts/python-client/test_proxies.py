"""The provider and the display of the package behind a proxy that resets their streams."""
import asyncio
import time
import unittest
from datetime import timedelta

import grpc
from marquee_client import Display, MarqueeError, NotFound, Provider
from marquee_client._connection import is_transient
from marquee_client.v1 import display_pb2, provider_pb2
from relay import Relay
from server import Server
from test_client import APP, FORECAST, Home, timeline

# The codes of the server for permanent causes.
PERMANENT = {
    grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND, grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.OUT_OF_RANGE, grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.DATA_LOSS}


class ProxyTests(unittest.IsolatedAsyncioTestCase):
    async def relay(self, silence: float = float("inf")) -> tuple[Server, Relay]:
        """Returns a server whose clients connect through a relay."""
        server = Server("tcp")
        self.addCleanup(server.kill)
        server.start()
        relay = Relay(server.port, silence)
        server.target = await relay.start()
        self.addAsyncCleanup(relay.close)
        return server, relay

    def test_transient_codes(self) -> None:
        for code in grpc.StatusCode:
            error = MarqueeError.of(code, "the end of a stream")
            self.assertEqual(is_transient(error), code not in PERMANENT, code)
        # The server says whether a timeline that it rejects may be accepted later.
        self.assertFalse(is_transient(MarqueeError.of(grpc.StatusCode.INTERNAL, "rejected", timedelta())))
        self.assertTrue(is_transient(MarqueeError.of(grpc.StatusCode.NOT_FOUND, "rejected", timedelta(1))))

    async def test_streams_that_a_proxy_resets_open_again(self) -> None:
        server, relay = await self.relay()
        home = Home(server)
        async with home.open():
            await home.display.add_widget("home", FORECAST)
            await home.shows("Forecast text 1")
            codes = []
            # NO_ERROR, PROTOCOL_ERROR, INTERNAL_ERROR, REFUSED_STREAM, CANCEL and ENHANCE_YOUR_CALM.
            for number, code in enumerate((0, 1, 2, 7, 8, 11), 1):
                home.losses.clear()
                self.assertEqual(relay.reset(code), 2)
                await home.wait(lambda: home.states == number + 1)
                await asyncio.wait_for(home.provider.publish(FORECAST, timeline(f"After {code}")), 30)
                await home.shows(f"After {code}")
                self.assertEqual(len(home.losses), 2, (code, home.losses))
                codes += [loss.code for loss in home.losses]
            self.assertLessEqual({grpc.StatusCode.INTERNAL, grpc.StatusCode.CANCELLED}, set(codes))

    async def test_a_stream_that_a_proxy_resets_at_first_is_refused(self) -> None:
        server, relay = await self.relay()
        home = Home(server)
        home.create_device()

        async def reset() -> None:
            while not relay.reset(2):
                await asyncio.sleep(0)

        async with home.display:
            resetting = asyncio.create_task(reset())
            with self.assertRaises(MarqueeError) as caught:
                await anext(home.display.watch())
            self.assertEqual(caught.exception.code, grpc.StatusCode.INTERNAL)
            await resetting

    async def test_a_permanent_status_of_the_server_ends_a_provider(self) -> None:
        server, _ = await self.relay()
        home = Home(server)
        with self.assertRaises(NotFound):
            async with home.open():
                await home.display.stub.RemoveApp(display_pb2.RemoveAppRequest(device="kitchen", app=APP))
                await asyncio.sleep(20)
        self.assertEqual(home.losses, [])

    async def test_heartbeats_keep_silent_streams_open(self) -> None:
        """A proxy that ends silent streams ends those without heartbeats, and no others."""
        server, _ = await self.relay(silence=2.5)
        home = Home(server)
        home.create_device()
        events: list[str | None] = []
        updates: list[str | None] = []
        losses: list[MarqueeError] = []
        ends: list[MarqueeError] = []

        def note(event: provider_pb2.ProviderEvent) -> None:
            events.append(event.WhichOneof("event"))

        display = Display(server.target, device="kitchen", heartbeat=1, on_disconnect=losses.append)
        provider = Provider(
            server.target, device="kitchen", app=APP, heartbeat=1, on_disconnect=losses.append, on_event=note)
        silent_display = Display(server.target, device="kitchen", heartbeat=None, on_disconnect=ends.append)
        silent_provider = Provider(
            server.target, device="kitchen", app=APP, heartbeat=None, on_disconnect=ends.append)

        async def watch(display: Display, updates: list[str | None]) -> None:
            async for update in display.watch():
                updates.append(update.message.WhichOneof("update"))

        async with display, provider, silent_display, silent_provider:
            watches = [asyncio.create_task(watch(display, updates)),
                       asyncio.create_task(watch(silent_display, []))]
            end = time.monotonic() + 30
            while len(ends) < 2 and time.monotonic() < end:
                await asyncio.sleep(0.1)
            await asyncio.sleep(3)
            for task in watches:
                task.cancel()
            await asyncio.gather(*watches, return_exceptions=True)
        self.assertGreaterEqual(len(ends), 2)
        self.assertEqual({error.code for error in ends}, {grpc.StatusCode.INTERNAL})
        self.assertEqual((losses, updates), ([], ["state"]))
        self.assertNotIn("heartbeat", events)

    def test_invalid_intervals(self) -> None:
        for heartbeat in (0, -1, float("nan"), float("inf")):
            with self.assertRaisesRegex(ValueError, "^heartbeat: "):
                Display("127.0.0.1:7400", device="kitchen", heartbeat=heartbeat)
            with self.assertRaisesRegex(ValueError, "^heartbeat: "):
                Provider("127.0.0.1:7400", device="kitchen", app=APP, heartbeat=heartbeat)
