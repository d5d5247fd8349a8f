"""A provider: registers a widget kind, and publishes a timeline whenever the server requests one.

Usage: provider.py ADDRESS [TOKEN-FILE ROOTS-FILE]
"""
import asyncio
import itertools
import time

from connection import connect_by_arguments
from marquee.v1 import provider_grpc, provider_pb2, widget_pb2

DEVICE, APP = "kitchen", "com.example.weather"


async def main():
    async with connect_by_arguments() as channel:
        provider = provider_grpc.ProviderStub(channel)
        await provider.RegisterKinds(provider_pb2.RegisterKindsRequest(device=DEVICE, app=APP, kinds=[
            widget_pb2.WidgetDescriptor(
                name="Forecast", display_name="Forecast", families=[widget_pb2.WIDGET_FAMILY_SYSTEM_SMALL])]))
        numbers = itertools.count(1)
        async with provider.Provide.open() as stream:
            await stream.send_message(
                provider_pb2.ProviderMessage(attach=provider_pb2.Attach(device=DEVICE, app=APP)))
            async for event in stream:
                match event.WhichOneof("event"):
                    case "attached":
                        print("attached", flush=True)
                    case "reload":
                        await stream.send_message(provider_pb2.ProviderMessage(
                            timeline=timeline(next(numbers), event.reload.widget)))
                    case "accepted":
                        print("accepted", event.accepted.publish_id, flush=True)
                    case "rejected":
                        print("rejected", event.rejected.message, flush=True)


def timeline(number, widget):
    entry = widget_pb2.TimelineEntry(
        date_ms=time.time_ns() // 1_000_000,
        relevance=widget_pb2.TimelineEntryRelevance(score=50, duration_ms=3_600_000),
        content=widget_pb2.EntryContent(media_type="text/plain", data=b"Rain until noon"))
    return provider_pb2.TimelinePart(
        publish_id=number, widget=widget, entries=[entry], commit=True,
        policy=widget_pb2.TimelineReloadPolicy(never=True))


asyncio.run(main())
