"""Calls a server with connectrpc, in both codecs, as provider, display and operator, and expects errors.

Usage: calls.py URL [DIRECTORY]
DIRECTORY has the certificate of the authority and a token of each role, for a server with TLS.
Prints a line for each failure, and the number of passed and failed checks.
"""
import pathlib
import sys
import time

from connectrpc.client import ConnectClientSync
from connectrpc.compat import google_protobuf_binary_codec, google_protobuf_json_codec
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from marquee.v1 import admin_pb2, display_pb2, provider_pb2, widget_pb2
from pyqwest import HTTPVersion, SyncClient, SyncHTTPTransport

DEVICE, APP = "kitchen", "com.example.weather"
FORECAST = widget_pb2.Widget(kind=widget_pb2.WidgetKind(app=APP, name="Forecast"))
credentials = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
passed, failed = 0, 0


def expect(condition, text):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print("FAILED:", text)


def method(service, name, module, response=None, streams=False):
    """Describes a method, whose messages have its name unless `response` is another one."""
    response = response or getattr(module, f"{name}Response")
    return MethodInfo(
        name=name, service_name=f"marquee.v1.{service}", input=getattr(module, f"{name}Request"), output=response,
        stream_type=StreamType.SERVER_STREAM if streams else StreamType.UNARY,
        idempotency_level=IdempotencyLevel.UNKNOWN)


REGISTER = method("Provider", "RegisterKinds", provider_pb2)
PUBLISH = method("Provider", "PublishTimeline", provider_pb2)
WATCH_RELOADS = method("Provider", "WatchReloads", provider_pb2, provider_pb2.ProviderEvent, streams=True)
WATCH = method("Display", "Watch", display_pb2, display_pb2.DisplayUpdate, streams=True)
REPORT = method("Display", "Report", display_pb2)
EXPLAIN = method("Admin", "Explain", admin_pb2)
WHY_NOT = method("Admin", "WhyNot", admin_pb2)
ROLES = {"Provider": "provider", "Display": "display", "Admin": "operator"}


def headers(called):
    """Returns the header fields of a call: the token of the role that may make it."""
    if credentials is None:
        return {}
    role = ROLES[called.service_name.rsplit(".", 1)[1]]
    return {"authorization": f"Bearer {(credentials / f'{role}.token').read_text().strip()}"}


def call(client, called, **request):
    return client.execute_unary(request=called.input(**request), method=called, headers=headers(called))


def stream(client, called, **request):
    return client.execute_server_stream(request=called.input(**request), method=called, headers=headers(called))


def expect_error(code, text, action):
    try:
        action()
        expect(False, f"{text}: an error expected")
    except ConnectError as error:
        expect(error.code.value == code, f"{text}: {code} expected, not {error}")


transport = None
if credentials is not None:
    transport = SyncHTTPTransport(
        tls_ca_cert=(credentials / "authority.pem").read_bytes(), http_version=HTTPVersion.HTTP2)
for codec in [google_protobuf_binary_codec(), google_protobuf_json_codec()]:
    name = codec.name()
    # The server accepts no compression, which this client uses by default.
    client = ConnectClientSync(
        sys.argv[1], codec=codec, send_compression=None, accept_compression=[],
        http_client=SyncClient(transport) if transport else None)

    call(client, REGISTER, device=DEVICE, app=APP, kinds=[widget_pb2.WidgetDescriptor(
        name="Forecast", display_name="Forecast", families=[widget_pb2.WIDGET_FAMILY_SYSTEM_SMALL])])
    event = next(iter(stream(client, WATCH_RELOADS, device=DEVICE, app=APP)))
    expect(event.WhichOneof("event") is not None, f"{name}: reloads began with {event}")
    entry = widget_pb2.TimelineEntry(
        date_ms=time.time_ns() // 1_000_000,
        relevance=widget_pb2.TimelineEntryRelevance(score=50, duration_ms=3_600_000),
        content=widget_pb2.EntryContent(media_type="text/plain", data=f"Rain in {name}".encode()))
    published = call(client, PUBLISH, device=DEVICE, app=APP, widget=FORECAST,
                     policy=widget_pb2.TimelineReloadPolicy(never=True), entries=[entry])
    expect(not published.warnings, f"{name}: warnings {published.warnings}")
    entry.date_ms = -1
    expect_error("invalid_argument", f"{name}: a timeline before 1970", lambda: call(
        client, PUBLISH, device=DEVICE, app=APP, widget=FORECAST,
        policy=widget_pb2.TimelineReloadPolicy(never=True), entries=[entry]))

    state = next(iter(stream(client, WATCH, device=DEVICE))).state
    expect([stack.id for stack in state.stacks] == ["home"], f"{name}: watched {state.stacks}")
    shown = [entry.entry.content.data for entry in state.entries]
    expect(f"Rain in {name}".encode() in shown, f"{name}: {shown} are shown")
    call(client, REPORT, device=DEVICE, stack_shown="home")

    expect(call(client, EXPLAIN, device=DEVICE, stack="home").HasField("explanation"), f"{name}: no explanation")
    reasons = call(client, WHY_NOT, device=DEVICE, stack="home", widget=FORECAST)
    expect(reasons.widget == FORECAST and reasons.summary, f"{name}: why not {reasons}")

    # A display may not know which other devices there are.
    missing = "permission_denied" if credentials else "not_found"
    expect_error("not_found", name, lambda: call(client, EXPLAIN, device="nobody", stack="home"))
    expect_error(missing, name, lambda: list(stream(client, WATCH, device="nobody")))
    if credentials:
        expect_error("unauthenticated", name, lambda: client.execute_unary(
            request=admin_pb2.ExplainRequest(device=DEVICE, stack="home"), method=EXPLAIN))

print(f"{passed} passed, {failed} failed")
