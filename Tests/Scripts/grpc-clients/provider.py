"""A provider: registers a widget kind, and publishes a timeline whenever the server requests one.

Usage: provider.py ADDRESS [TOKEN-FILE ROOTS-FILE]
"""
import itertools
import queue
import time

from connection import connect_by_arguments
from marquee.v1 import provider_pb2, provider_pb2_grpc, widget_pb2

DEVICE, APP = "kitchen", "com.example.weather"

provider = provider_pb2_grpc.ProviderStub(connect_by_arguments())
provider.RegisterKinds(provider_pb2.RegisterKindsRequest(device=DEVICE, app=APP, kinds=[
    widget_pb2.WidgetDescriptor(
        name="Forecast", display_name="Forecast", families=[widget_pb2.WIDGET_FAMILY_SYSTEM_SMALL])]))

requests = queue.SimpleQueue()
requests.put(provider_pb2.ProviderMessage(attach=provider_pb2.Attach(device=DEVICE, app=APP)))
numbers = itertools.count(1)
for event in provider.Provide(iter(requests.get, None)):
    match event.WhichOneof("event"):
        case "attached":
            print("attached", flush=True)
        case "reload":
            now = time.time_ns() // 1_000_000
            entry = widget_pb2.TimelineEntry(
                date_ms=now, relevance=widget_pb2.TimelineEntryRelevance(score=50, duration_ms=3_600_000),
                content=widget_pb2.EntryContent(media_type="text/plain", data=b"Rain until noon"))
            requests.put(provider_pb2.ProviderMessage(timeline=provider_pb2.TimelinePart(
                publish_id=next(numbers), widget=event.reload.widget, entries=[entry], commit=True,
                policy=widget_pb2.TimelineReloadPolicy(never=True))))
        case "accepted":
            print("accepted", event.accepted.publish_id, flush=True)
        case "rejected":
            print("rejected", event.rejected.message, flush=True)
