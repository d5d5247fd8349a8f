"""A provider: registers a widget kind, and publishes a timeline whenever the server requests one.

Usage: provider.py ADDRESS [TOKEN-FILE ROOTS-FILE]
"""
import time

from connection import connect_by_arguments
from marquee.v1 import provider_pb2, widget_pb2

APP = {"device": "kitchen", "app": "com.example.weather"}

provider = connect_by_arguments(provider_pb2, "Provider")
provider.RegisterKinds(provider_pb2.RegisterKindsRequest(**APP, kinds=[
    widget_pb2.WidgetDescriptor(
        name="Forecast", display_name="Forecast", families=[widget_pb2.WIDGET_FAMILY_SYSTEM_SMALL])]))

# The Connect protocol has no streams of requests here: the timelines are published by unary calls.
for event in provider.WatchReloads(provider_pb2.WatchReloadsRequest(**APP, heartbeat_ms=30_000)):
    match event.WhichOneof("event"):
        case "attached":
            print("attached", flush=True)
        case "reload":
            entry = widget_pb2.TimelineEntry(
                date_ms=time.time_ns() // 1_000_000,
                relevance=widget_pb2.TimelineEntryRelevance(score=50, duration_ms=3_600_000),
                content=widget_pb2.EntryContent(media_type="text/plain", data=b"Rain until noon"))
            published = provider.PublishTimeline(provider_pb2.PublishTimelineRequest(
                **APP, widget=event.reload.widget, entries=[entry],
                policy=widget_pb2.TimelineReloadPolicy(never=True)))
            print("accepted with", len(published.warnings), "warnings", flush=True)
