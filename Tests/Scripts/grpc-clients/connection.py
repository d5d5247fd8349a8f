"""Connects to a Marquee server: ADDRESS [TOKEN-FILE ROOTS-FILE] are the first arguments of each client."""
import sys

import grpc


def connect(address, token_file=None, roots_file=None):
    """Returns a channel: in plain text, or with TLS and a bearer token on every call."""
    if token_file is None:
        return grpc.insecure_channel(address)
    with open(token_file) as file:
        token = grpc.access_token_call_credentials(file.read().strip())
    with open(roots_file, "rb") as file:
        tls = grpc.ssl_channel_credentials(file.read())
    options = [("grpc.ssl_target_name_override", "localhost")]
    return grpc.secure_channel(address, grpc.composite_channel_credentials(tls, token), options)


def connect_by_arguments():
    return connect(*sys.argv[1:4])
