"""Calls a server with connectrpc, in both codecs: explains a stack, watches it, and expects errors.

Usage: calls.py ADDRESS
Prints a line for each failure, and the number of passed and failed checks.
"""
import sys

from connection import Service
from connectrpc.compat import google_protobuf_binary_codec, google_protobuf_json_codec
from connectrpc.errors import ConnectError
from marquee.v1 import admin_pb2, display_pb2

passed, failed = 0, 0


def expect(condition, text):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print("FAILED:", text)


def expect_not_found(codec, call):
    try:
        call()
        expect(False, f"{codec.name()}: an error expected")
    except ConnectError as error:
        expect(error.code.value == "not_found", f"{codec.name()}: not_found expected, not {error}")


for codec in [google_protobuf_binary_codec(), google_protobuf_json_codec()]:
    admin = Service(admin_pb2.DESCRIPTOR.services_by_name["Admin"], sys.argv[1], codec=codec)
    display = Service(display_pb2.DESCRIPTOR.services_by_name["Display"], sys.argv[1], codec=codec)
    explained = admin.Explain(admin_pb2.ExplainRequest(device="kitchen", stack="home"))
    expect(explained.HasField("explanation"), f"{codec.name()}: no explanation")
    state = next(iter(display.Watch(display_pb2.WatchRequest(device="kitchen")))).state
    expect([stack.id for stack in state.stacks] == ["home"], f"{codec.name()}: watched {state.stacks}")
    expect_not_found(codec, lambda: admin.Explain(admin_pb2.ExplainRequest(device="nobody", stack="home")))
    expect_not_found(codec, lambda: list(display.Watch(display_pb2.WatchRequest(device="nobody"))))

print(f"{passed} passed, {failed} failed")
