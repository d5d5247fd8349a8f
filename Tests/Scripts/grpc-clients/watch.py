"""Watches that outlast a connection, a restart of the server, and a client that reads too slowly."""
import random
import time

import grpc

RETRIED = {
    grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.ABORTED,
    # Those of a stream that a proxy resets.
    grpc.StatusCode.INTERNAL, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN}


def watch(method, request):
    """Yields the messages of a stream, and calls the method again when the stream ends."""
    pause = 0.5
    while True:
        call = method(request)
        try:
            for message in call:
                pause = 0.5
                yield message
        except grpc.RpcError as error:
            if error.code() not in RETRIED:
                raise
        finally:
            call.cancel()
        time.sleep(pause * random.uniform(0.5, 1))
        pause = min(2 * pause, 30)
