"""Connects to a Marquee server with grpclib: ADDRESS [TOKEN-FILE ROOTS-FILE] are the arguments of each client."""
import ssl
import sys

from grpclib.client import Channel
from grpclib.config import Configuration
from grpclib.events import SendRequest, listen


def connect(address, token_file=None, roots_file=None):
    """Returns a channel: in plain text, or with TLS and a bearer token on every call."""
    if address.startswith("unix:"):
        return Channel(path=address.removeprefix("unix:"))
    host, port = address.rsplit(":", 1)
    if token_file is None:
        return Channel(host, int(port))
    tls = ssl.create_default_context(cafile=roots_file)
    tls.set_alpn_protocols(["h2"])
    channel = Channel(host, int(port), ssl=tls, config=Configuration(ssl_target_name_override="localhost"))
    with open(token_file) as file:
        token = file.read().strip()

    async def authorize(event):
        event.metadata["authorization"] = f"Bearer {token}"

    listen(channel, SendRequest, authorize)
    return channel


def connect_by_arguments():
    return connect(*sys.argv[1:4])
