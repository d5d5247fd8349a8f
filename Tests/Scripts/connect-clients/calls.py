"""Calls a server with connectrpc, in both codecs: explains a stack, watches it, and expects errors.

Usage: calls.py URL
Prints a line for each failure, and the number of passed and failed checks.
"""
import sys

from connectrpc.client import ConnectClientSync
from connectrpc.compat import google_protobuf_binary_codec, google_protobuf_json_codec
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from marquee.v1 import admin_pb2, display_pb2

passed, failed = 0, 0


def expect(condition, text):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print("FAILED:", text)


def method(service, name, stream_type, request, response):
    return MethodInfo(name=name, service_name=service, input=request, output=response, stream_type=stream_type,
                      idempotency_level=IdempotencyLevel.UNKNOWN)


EXPLAIN = method(
    "marquee.v1.Admin", "Explain", StreamType.UNARY, admin_pb2.ExplainRequest, admin_pb2.ExplainResponse)
WATCH = method(
    "marquee.v1.Display", "Watch", StreamType.SERVER_STREAM, display_pb2.WatchRequest, display_pb2.DisplayUpdate)

for codec in [google_protobuf_binary_codec(), google_protobuf_json_codec()]:
    # The server accepts no compression, which this client uses by default.
    client = ConnectClientSync(sys.argv[1], codec=codec, send_compression=None, accept_compression=[])
    explained = client.execute_unary(
        request=admin_pb2.ExplainRequest(device="kitchen", stack="home"), method=EXPLAIN)
    expect(explained.HasField("explanation"), f"{codec.name()}: no explanation")
    updates = client.execute_server_stream(request=display_pb2.WatchRequest(device="kitchen"), method=WATCH)
    state = next(iter(updates)).state
    expect([stack.id for stack in state.stacks] == ["home"], f"{codec.name()}: watched {state.stacks}")
    try:
        client.execute_unary(request=admin_pb2.ExplainRequest(device="nobody", stack="home"), method=EXPLAIN)
        expect(False, f"{codec.name()}: an error expected")
    except ConnectError as error:
        expect(error.code.value == "not_found", f"{codec.name()}: not_found expected, not {error}")
    try:
        list(client.execute_server_stream(request=display_pb2.WatchRequest(device="nobody"), method=WATCH))
        expect(False, f"{codec.name()}: an error expected")
    except ConnectError as error:
        expect(error.code.value == "not_found", f"{codec.name()}: not_found expected, not {error}")

print(f"{passed} passed, {failed} failed")
