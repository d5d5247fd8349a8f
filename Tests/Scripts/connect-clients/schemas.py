"""Calls a server in JSON, and validates requests, responses, streams and errors with the OpenAPI description.

Usage: schemas.py URL OPENAPI-FILE
Prints a line for each failure, and the number of passed and failed checks.
"""
import http.client
import json
import sys
import time
import urllib.parse

from jsonschema import Draft202012Validator

with open(sys.argv[2]) as file:
    document = json.load(file)
# Clients must ignore unknown fields, but this server sends none.
for schema in document["components"]["schemas"].values():
    if "properties" in schema:
        schema["additionalProperties"] = False
now = time.time_ns() // 1_000_000
DEVICE = f"schemas-{now}"
connection = http.client.HTTPConnection(urllib.parse.urlsplit(sys.argv[1]).netloc, timeout=60)
passed, failed, called = 0, 0, set()


def validate(value, schema, text):
    global passed, failed
    root = {"components": document["components"], **schema}
    errors = list(Draft202012Validator(root).iter_errors(value))
    passed, failed = passed + (not errors), failed + bool(errors)
    for error in errors[:3]:
        print(f"FAILED: {text}: {error.json_path}: {error.message[:300]}")


def post(method, body, content_type):
    """Posts a call of a method that the document describes; returns its operation and the response."""
    called.add(method)
    connection.request("POST", f"/{method}", body, {"Content-Type": content_type})
    return document["paths"][f"/{method}"]["post"], connection.getresponse()


def call(method, request, status=200):
    """Makes a unary call; the schema of a request that the server is to reject is not checked."""
    operation, response = post(method, json.dumps(request), "application/json")
    answer = json.loads(response.read())
    if response.status != status:
        raise SystemExit(f"FAILED: {method}: status {response.status}: {answer}")
    if status == 200:
        validate(request, operation["requestBody"]["content"]["application/json"]["schema"], f"request of {method}")
        answers = operation["responses"]["200"]
    else:
        answers = document["components"]["responses"]["Error"]
    validate(answer, answers["content"]["application/json"]["schema"], f"response of {method}")
    return answer


def stream(method, request, count=None):
    """Makes a streaming call, and reads its messages until the last one, or at most `count`."""
    body = json.dumps(request).encode()
    operation, response = post(method, bytes([0]) + len(body).to_bytes(4, "big") + body, "application/connect+json")
    content = operation["responses"]["200"]["content"]["application/connect+json"]
    messages = []
    while count is None or len(messages) < count:
        flags, size = response.read(1)[0], int.from_bytes(response.read(4), "big")
        message = json.loads(response.read(size))
        if flags == 2:
            validate(message, content["x-end-of-stream"], f"end of {method}")
            response.read()
            break
        validate(message, content["x-message"], f"message of {method}")
        messages.append(message)
    if count is not None:
        connection.close()
    return messages


def provider(method, **request):
    return call(f"marquee.v1.Provider/{method}", {"device": DEVICE, "app": "com.example.weather", **request})


def display(method, status=200, **request):
    return call(f"marquee.v1.Display/{method}", {"device": DEVICE, **request}, status)


def operator(method, status=200, **request):
    return call(f"marquee.v1.Admin/{method}", request, status)


forecast = {"kind": {"app": "com.example.weather", "name": "Forecast"}}
city = {"type": "SelectCity", "parameters": [{"name": "city", "values": [{"stringValue": "Berlin"}]}]}
display("RegisterDevice", timeZone="Europe/Berlin")
provider("RegisterKinds", kinds=[
    {"name": "Forecast", "displayName": "Forecast", "families": ["WIDGET_FAMILY_SYSTEM_SMALL"]}])
provider("RegisterIntentTypes", intentTypes=[{
    "type": "SelectCity", "parameters": [{"name": "city", "type": "INTENT_VALUE_TYPE_STRING"}],
    "combinations": [{"parameters": ["city"], "texts": {"title": "Weather in ${city}"}}],
    "eligibleForSuggestions": True}])
display("EditStack", stack="home", create={"family": "WIDGET_FAMILY_SYSTEM_SMALL"})
display("EditStack", stack="home", add={"widget": forecast})
display("EditStack", stack="home", setPin={
    "widget": forecast, "pin": {"times": {"weekdays": ["WEEKDAY_MONDAY"], "startMinute": 420, "endMinute": 480}}})
provider("PublishTimeline", widget=forecast, policy={"never": True}, entries=[
    {"dateMs": str(now - 1000), "relevance": {"score": 50.5, "durationMs": "3600000"},
     "content": {"mediaType": "text/plain", "data": "UmFpbg=="}, "details": {"link": "weather:today"}},
    {"dateMs": str(now + 3_600_000), "content": {"data": "U3Vu"}}])
provider("SetRelevantShortcuts", shortcuts=[{
    "kind": "Forecast", "providers": [{"date": {"startMs": str(now)}}, {"dailyRoutine": "ROUTINE_SITUATION_HOME"}]}])
provider("Donate", donations=[{"id": "1", "dateMs": str(now - 60_000), "intent": city}])
provider("GetStatistics")
provider("ListPlacedWidgets")
display("Report", stackShown="home")
display("Report", place={"latitude": 52.5, "longitude": 13.4, "display": "Berlin"})
display("GetDeviceTime")
display("ListSuggestions", surface="SUGGESTION_SURFACE_SEARCH")
display("ListBlockedSuggestions")
for method in ["ListStacks", "ListWidgets", "ListDecisions", "ListShortcuts", "GetPolicy", "ListDonations", "Predict",
               "ListStatistics", "ListWatchFace", "Foresee", "GetLimits"]:
    operator(method, device=DEVICE)
operator("ListDevices")
operator("ListSessions")
operator("ListStreams", device=DEVICE)
operator("CreateSession", role="SESSION_ROLE_DISPLAY", device=DEVICE, lifetimeMs="60000", name="tablet")
operator("RevokeSession", id="none")
operator("GetClock")
operator("GetCluster", 400)
operator("DrainNode", 400, node="kitchen")
operator("MoveShard", 400, shard=7, node="kitchen")
operator("Simulate", text="device: a\ntime-zone: UTC\nbegin: 2021-06-07\nstacks: {home: {family: systemSmall}}\n")
operator("Lint", text="entries: [[0, 1, 60]]")
operator("Lint", 400, text="entries: 1")
operator("InspectStack", device=DEVICE, stack="home")
operator("GetTimeline", device=DEVICE, widget=forecast, withContent=True)
operator("Explain", device=DEVICE, stack="home", atMs=str(now + 60_000))
operator("WhyNot", device=DEVICE, stack="home", widget=forecast)
call("grpc.health.v1.Health/Check", {})
call("grpc.health.v1.Health/List", {})
operator("Explain", 404, device="nobody", stack="home")
operator("Explain", 400, device=DEVICE, stack="home", atMs="soon")
display("EditStack", 400, stack="home")

records = stream("marquee.v1.Admin/ExportDevice", {"device": DEVICE})
if len(records) < 8:
    raise SystemExit(f"FAILED: {len(records)} records of the device's history")
stream("marquee.v1.Admin/ExportDevice", {"device": "nobody"})
stream("marquee.v1.Display/Watch", {"device": DEVICE}, count=1)
stream("marquee.v1.Provider/WatchReloads", {"device": DEVICE, "app": "com.example.weather"}, count=1)

print(f"{len(called)} methods have answered as the OpenAPI description says")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
