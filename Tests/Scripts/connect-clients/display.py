"""A display: adds a widget to a stack, watches the stack, and reports a tap on the first content that it shows.

Usage: display.py ADDRESS [TOKEN-FILE ROOTS-FILE]
"""
from connection import connect_by_arguments
from marquee.v1 import display_pb2, widget_pb2

DEVICE, STACK = "kitchen", "home"
WIDGET = widget_pb2.Widget(kind=widget_pb2.WidgetKind(app="com.example.weather", name="Forecast"))

display = connect_by_arguments(display_pb2, "Display")
for update in display.Watch(display_pb2.WatchRequest(device=DEVICE, heartbeat_ms=30_000)):
    match update.WhichOneof("update"):
        case "state":
            print("watching", [stack.id for stack in update.state.stacks], flush=True)
            display.Report(display_pb2.ReportRequest(device=DEVICE, stack_shown=STACK))
            display.EditStack(display_pb2.EditStackRequest(
                device=DEVICE, stack=STACK, add=display_pb2.AddWidget(widget=WIDGET)))
        case "entry" if update.entry.HasField("entry"):
            print("shows", update.entry.entry.content.data.decode(), flush=True)
            tap = display_pb2.WidgetReport(stack=STACK, widget=WIDGET)
            display.Report(display_pb2.ReportRequest(device=DEVICE, tapped=tap))
            break
