"""Checks deadlines, cancellation, limits, metadata, statuses and shutdown with gRPC's Python client.

Usage: checks.py plain ADDRESS METRICS-URL LOG-FILE PROCESS-ID
       checks.py access ADDRESS DIRECTORY
       checks.py watches
Prints a line for each failure, and the number of passed and failed checks.
"""
import http.client
import os
import queue
import signal
import sys
import time
import urllib.request
from concurrent import futures

import grpc
from connection import connect
from grpc_health.v1 import health_pb2, health_pb2_grpc
from marquee.v1 import admin_pb2, admin_pb2_grpc, display_pb2, display_pb2_grpc, provider_pb2, provider_pb2_grpc
from marquee.v1 import widget_pb2
from watch import watch

passed, failed = 0, 0


def expect(condition, text):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print("FAILED:", text)


def expect_status(code, words, body):
    """Expects that `body` raises an error with this code and these words in the details."""
    try:
        body()
        expect(False, f"{code} expected, not success")
    except grpc.RpcError as error:
        text = f"{code} with '{words}' expected, not {error.code()}: {error.details()}"
        expect(error.code() == code and words in error.details(), text)


def wait_until(condition, text):
    end = time.monotonic() + 10
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    expect(condition(), text)


def stream(stub, *messages, **options):
    """Opens a provider's stream that stays open after its messages."""
    requests = queue.SimpleQueue()
    for message in messages:
        requests.put(message)
    return requests, stub.Provide(iter(requests.get, None), **options)


ATTACH = provider_pb2.ProviderMessage(attach=provider_pb2.Attach(device="kitchen", app="com.example.weather"))
FORECAST = widget_pb2.Widget(kind=widget_pb2.WidgetKind(app="com.example.weather", name="Forecast"))


def part(size, number, commit):
    """Returns a part of a timeline with contents of `size` bytes in all."""
    content = widget_pb2.EntryContent(media_type="text/plain", data=b"x" * (size // 10))
    entry = widget_pb2.TimelineEntry(date_ms=time.time_ns() // 1_000_000, content=content)
    return provider_pb2.ProviderMessage(timeline=provider_pb2.TimelinePart(
        publish_id=number, widget=FORECAST, entries=[entry] * 10, commit=commit,
        policy=widget_pb2.TimelineReloadPolicy(never=True)))


def plain(address, metrics, log, process):
    channel = connect(address)
    admin = admin_pb2_grpc.AdminStub(channel)
    display = display_pb2_grpc.DisplayStub(channel)
    provider = provider_pb2_grpc.ProviderStub(channel)
    health = health_pb2_grpc.HealthStub(channel)

    def running():
        with urllib.request.urlopen(metrics) as response:
            lines = response.read().decode().splitlines()
        return next(float(line.split()[1]) for line in lines if line.startswith("marquee_calls_running "))

    # The health of the server as a whole, of a service, and of an unknown one.
    serving = health_pb2.HealthCheckResponse.SERVING
    for service in ["", "marquee.v1.Provider"]:
        expect(health.Check(health_pb2.HealthCheckRequest(service=service)).status == serving, f"health of '{service}'")
    expect_status(grpc.StatusCode.NOT_FOUND, "unknown service", lambda: health.Check(
        health_pb2.HealthCheckRequest(service="nothing")))

    # Statuses name the field; an unknown method is unimplemented.
    expect_status(grpc.StatusCode.INVALID_ARGUMENT, "device", lambda: admin.ListStacks(admin_pb2.ListStacksRequest()))
    expect_status(grpc.StatusCode.NOT_FOUND, "", lambda: admin.ListStacks(admin_pb2.ListStacksRequest(device="none")))
    unknown = channel.unary_unary("/marquee.v1.Admin/Nothing")
    expect_status(grpc.StatusCode.UNIMPLEMENTED, "unknown method", lambda: unknown(b""))
    calls = [admin.ListDevices.future(admin_pb2.ListDevicesRequest()) for _ in range(300)]
    expect(all(call.result().devices for call in calls), "300 concurrent calls")

    # Deadlines and cancellation end the handlers on the server.
    before = running()
    _, events = stream(provider, ATTACH, timeout=0.5)
    expect_status(grpc.StatusCode.DEADLINE_EXCEEDED, "", lambda: list(events))
    # A deadline that is only just ahead is rounded up, and such a call may be answered in time.
    expect_status(grpc.StatusCode.DEADLINE_EXCEEDED, "", lambda: admin.ListDevices(
        admin_pb2.ListDevicesRequest(), timeout=-1))
    wait_until(lambda: running() == before, "the handler runs after the deadline")
    updates = display.Watch(display_pb2.WatchRequest(device="kitchen"))
    expect(next(updates).HasField("state"), "the first update is the state")
    expect(running() == before + 1, "the watch is not counted")
    updates.cancel()
    expect_status(grpc.StatusCode.CANCELLED, "", lambda: next(updates))
    wait_until(lambda: running() == before, "the handler runs after the cancellation")

    # A message over the limit ends its call only; much more than a flow-control window passes on one stream.
    requests, events = stream(provider, ATTACH, part(5 << 20, 1, False))
    expect_status(grpc.StatusCode.RESOURCE_EXHAUSTED, "size", lambda: list(events))
    requests, events = stream(provider, ATTACH)
    for number in range(2, 52):
        requests.put(part(200_000, number, False))
        requests.put(provider_pb2.ProviderMessage(abandon=provider_pb2.AbandonTimeline(publish_id=number)))
    requests.put(part(10, 99, True))
    accepted = next(event for event in events if event.HasField("accepted") or event.HasField("rejected"))
    expect(accepted.accepted.publish_id == 99, f"10 MB on one stream: {accepted}")
    requests.put(None)
    expect(not [event for event in events if event.HasField("rejected")] and events.code() == grpc.StatusCode.OK,
           f"the half-closed stream ends with {events.code()}")

    # Metadata: a trace in the log; binary values are accepted.
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    metadata = [("traceparent", f"00-{trace}-00f067aa0ba902b7-01"), ("note-bin", b"\x00\xff")]
    admin.ListDevices(admin_pb2.ListDevicesRequest(), metadata=metadata)
    with open(log) as file:
        lines = [line for line in file if trace in line]
    expect(any("protocol=grpc" in line for line in lines), f"the trace is not logged: {lines}")

    # HTTP/1.1 is answered in its own form, which has no GET of methods.
    host, port = address.rsplit(":", 1)
    connection = http.client.HTTPConnection(host, int(port), timeout=10)
    connection.request("GET", "/marquee.v1.Admin/ListDevices")
    expect(connection.getresponse().status == 405, "GET of a method in HTTP/1.1 is not answered with 405")

    # A shutdown ends open streams; the process exits within the grace period.
    updates = display.Watch(display_pb2.WatchRequest(device="kitchen"))
    expect(next(updates).HasField("state"), "the watch before the shutdown")
    os.kill(int(process), signal.SIGTERM)
    expect_status(grpc.StatusCode.UNAVAILABLE, "shutting down", lambda: list(updates))


def access(address, directory):
    roots = f"{directory}/authority.pem"
    request = admin_pb2.ListDevicesRequest()

    def admin(role):
        return admin_pb2_grpc.AdminStub(connect(address, f"{directory}/{role}.token", roots))

    expect(len(admin("operator").ListDevices(request).devices) == 1, "the operator lists devices")
    for role in ["forger", "late", "garbage"]:
        expect_status(grpc.StatusCode.UNAUTHENTICATED, "token", lambda: admin(role).ListDevices(request))
    for role in ["provider", "display"]:
        expect_status(grpc.StatusCode.PERMISSION_DENIED, "", lambda: admin(role).ListDevices(request))
    with open(roots, "rb") as file:
        tls = grpc.ssl_channel_credentials(file.read())
    anonymous = grpc.secure_channel(address, tls, [("grpc.ssl_target_name_override", "localhost")])
    expect_status(grpc.StatusCode.UNAUTHENTICATED, "unauthenticated", lambda: admin_pb2_grpc.AdminStub(
        anonymous).ListDevices(request))
    health = health_pb2_grpc.HealthStub(anonymous).Check(health_pb2.HealthCheckRequest())
    expect(health.status == health_pb2.HealthCheckResponse.SERVING, "health without a token")
    with open(roots, "rb") as file, open(f"{directory}/operator.key", "rb") as key:
        with open(f"{directory}/operator.pem", "rb") as certificate:
            tls = grpc.ssl_channel_credentials(file.read(), key.read(), certificate.read())
    certified = grpc.secure_channel(address, tls, [("grpc.ssl_target_name_override", "localhost")])
    devices = admin_pb2_grpc.AdminStub(certified).ListDevices(request).devices
    expect(len(devices) == 1, "the operator's certificate")


class EndingDisplay(display_pb2_grpc.DisplayServicer):
    """Ends each watch after an update: first in ways that are retried, then in one that is not."""

    def __init__(self):
        self.ends = [
            grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL, None,
            grpc.StatusCode.PERMISSION_DENIED]

    def Watch(self, request, context):
        yield display_pb2.DisplayUpdate(at_ms=len(self.ends))
        end = self.ends.pop(0)
        if end is not None:
            context.abort(end, "as requested")


def watches():
    server = grpc.server(futures.ThreadPoolExecutor(2))
    display_pb2_grpc.add_DisplayServicer_to_server(EndingDisplay(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    display = display_pb2_grpc.DisplayStub(connect(f"127.0.0.1:{port}"))
    numbers = []

    def follow():
        for update in watch(display.Watch, display_pb2.WatchRequest(device="kitchen")):
            numbers.append(update.at_ms)

    expect_status(grpc.StatusCode.PERMISSION_DENIED, "as requested", follow)
    expect(numbers == [5, 4, 3, 2, 1], f"a watch that is retried after each end but the last one: {numbers}")
    server.stop(None)


{"plain": plain, "access": access, "watches": watches}[sys.argv[1]](*sys.argv[2:])
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
