"""Connects to a Marquee server with connectrpc: ADDRESS [TOKEN-FILE ROOTS-FILE] are the arguments of each client."""
import http.client
import socket
import sys

from connectrpc.client import ConnectClientSync
from connectrpc.compat import google_protobuf_binary_codec
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from google.protobuf.message_factory import GetMessageClass
from pyqwest import Headers, HTTPVersion, SyncClient, SyncHTTPTransport, SyncResponse


class UnixTransport:
    """Sends requests over a Unix socket, which connectrpc's own transport cannot; each has a connection."""

    def __init__(self, path):
        self._path = path

    def execute_sync(self, request):
        connection = http.client.HTTPConnection("localhost")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(self._path)
        body = request.content if isinstance(request.content, bytes) else b"".join(request.content)
        connection.request("POST", request.url.removeprefix("http://localhost"), body, dict(request.headers.items()))
        response = connection.getresponse()
        content = iter(lambda: response.read1(65536), b"")
        return SyncResponse(status=response.status, http_version=HTTPVersion.HTTP1,
                            headers=Headers(response.getheaders()), content=content)


class Service:
    """A service's methods, as functions of a request; those of streams return an iterator."""

    def __init__(self, service, address, token_file=None, roots_file=None, codec=google_protobuf_binary_codec()):
        transport, self._headers, url = SyncHTTPTransport(), {}, f"http://{address}"
        if address.startswith("unix:"):
            transport, url = UnixTransport(address.removeprefix("unix:")), "http://localhost"
        if token_file is not None:
            with open(token_file) as token, open(roots_file, "rb") as roots:
                self._headers = {"authorization": f"Bearer {token.read().strip()}"}
                transport, url = SyncHTTPTransport(tls_ca_cert=roots.read()), f"https://{address}"
        self._service = service
        # The server accepts no compression, which this client uses by default.
        self._client = ConnectClientSync(
            url, codec=codec, send_compression=None, accept_compression=[], http_client=SyncClient(transport))

    def __getattr__(self, name):
        method = self._service.methods_by_name[name]
        kind = StreamType.SERVER_STREAM if method.server_streaming else StreamType.UNARY
        info = MethodInfo(
            name=name, service_name=self._service.full_name, input=GetMessageClass(method.input_type),
            output=GetMessageClass(method.output_type), stream_type=kind, idempotency_level=IdempotencyLevel.UNKNOWN)
        execute = self._client.execute_server_stream if method.server_streaming else self._client.execute_unary
        return lambda request: execute(request=request, method=info, headers=self._headers)


def connect_by_arguments(module, name):
    """Returns a service of a module with generated messages."""
    return Service(module.DESCRIPTOR.services_by_name[name], *sys.argv[1:4])
