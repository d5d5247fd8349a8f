"""Runs gRPC's published interoperability cases with gRPC's Python client.

Usage: cases.py ADDRESS [ROOTS-FILE [CASE...]]   (ROOTS-FILE - for plain text; default: all cases)
Prints a line for each failure, and the number of passed and failed cases.

The cases of compressed messages, which the server does not support, expect that they are refused as the protocol
demands; those of Google's credentials and of caching proxies are left out.
"""
import queue
import sys

import grpc
import testing_pb2 as pb
import testing_pb2_grpc as stubs

OPTIONS = [("grpc.ssl_target_name_override", "localhost"), ("grpc.enable_http_proxy", 0)]
REQUEST_SIZES = [27182, 8, 1828, 45904]
RESPONSE_SIZES = [31415, 9, 2653, 58979]
TIMEOUT = 60


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def check_equal(value, expected, what):
    check(value == expected, f"{what}: {expected!r} expected, not {value!r}")


def zeros(size):
    return pb.Payload(body=bytes(size))


def check_payload(payload, size):
    check_equal(len(payload.body), size, "size of the payload")
    check(not any(payload.body), "the payload is not zero")


def check_fails(call, code, details=None):
    """Checks that `call` raises an error with this code, and these details if given; returns the error."""
    try:
        call()
    except grpc.RpcError as error:
        check_equal(error.code(), code, f"code ({error.details()})")
        if details is not None:
            check_equal(error.details(), details, "message")
        return error
    raise AssertionError(f"{code} expected, not success")


def large_request(**fields):
    return pb.SimpleRequest(response_size=314159, payload=zeros(271828), **fields)


def output_request(size, payload_size):
    parameters = [pb.ResponseParameters(size=size)]
    return pb.StreamingOutputCallRequest(response_parameters=parameters, payload=zeros(payload_size))


class Exchange:
    """A full-duplex call to which requests are sent one at a time."""

    def __init__(self, service, **options):
        self.requests = queue.SimpleQueue()
        self.responses = service.FullDuplexCall(iter(self.requests.get, None), **options)

    def send(self, request):
        self.requests.put(request)

    def half_close(self):
        self.requests.put(None)


class Cases:
    def __init__(self, channel):
        self.service = stubs.TestServiceStub(channel)
        self.unknown = stubs.UnimplementedServiceStub(channel)

    def empty_unary(self):
        check_equal(self.service.EmptyCall(pb.Empty(), timeout=TIMEOUT), pb.Empty(), "response")

    def large_unary(self):
        check_payload(self.service.UnaryCall(large_request(), timeout=TIMEOUT).payload, 314159)

    def concurrent_large_unary(self):
        # The server limits the bytes of incomplete requests on a connection to 16 MiB.
        calls = [self.service.UnaryCall.future(large_request(), timeout=TIMEOUT) for _ in range(50)]
        for call in calls:
            check_payload(call.result().payload, 314159)

    def client_streaming(self):
        requests = (pb.StreamingInputCallRequest(payload=zeros(size)) for size in REQUEST_SIZES)
        response = self.service.StreamingInputCall(requests, timeout=TIMEOUT)
        check_equal(response.aggregated_payload_size, 74922, "aggregated size")

    def server_streaming(self):
        parameters = [pb.ResponseParameters(size=size) for size in RESPONSE_SIZES]
        request = pb.StreamingOutputCallRequest(response_parameters=parameters)
        self.check_responses(self.service.StreamingOutputCall(request, timeout=TIMEOUT))

    def check_responses(self, responses):
        responses = list(responses)
        check_equal(len(responses), len(RESPONSE_SIZES), "number of responses")
        for response, size in zip(responses, RESPONSE_SIZES):
            check_payload(response.payload, size)

    def ping_pong(self):
        exchange = Exchange(self.service, timeout=TIMEOUT)
        for size, request_size in zip(RESPONSE_SIZES, REQUEST_SIZES):
            exchange.send(output_request(size, request_size))
            check_payload(next(exchange.responses).payload, size)
        exchange.half_close()
        check_equal(list(exchange.responses), [], "further responses")
        check_equal(exchange.responses.code(), grpc.StatusCode.OK, "code")

    def half_duplex(self):
        requests = (output_request(*sizes) for sizes in zip(RESPONSE_SIZES, REQUEST_SIZES))
        self.check_responses(self.service.HalfDuplexCall(requests, timeout=TIMEOUT))

    def empty_stream(self):
        exchange = Exchange(self.service, timeout=TIMEOUT)
        exchange.half_close()
        check_equal(list(exchange.responses), [], "responses")
        check_equal(exchange.responses.code(), grpc.StatusCode.OK, "code")

    def custom_metadata(self):
        initial = ("x-grpc-test-echo-initial", "test_initial_metadata_value")
        trailing = ("x-grpc-test-echo-trailing-bin", b"\xab\xab\xab")
        metadata = [initial, trailing]

        def check_metadata(call):
            for expected, received in [(initial, call.initial_metadata()), (trailing, call.trailing_metadata())]:
                check(expected in [tuple(pair) for pair in received], f"{expected} is not in {received}")

        response, call = self.service.UnaryCall.with_call(large_request(), metadata=metadata, timeout=TIMEOUT)
        check_payload(response.payload, 314159)
        check_metadata(call)
        exchange = Exchange(self.service, metadata=metadata, timeout=TIMEOUT)
        exchange.send(output_request(314159, 271828))
        exchange.half_close()
        for response in exchange.responses:
            check_payload(response.payload, 314159)
        check_metadata(exchange.responses)

    def check_status(self, code, message, expected):
        status = pb.EchoStatus(code=code, message=message)
        check_fails(lambda: self.service.UnaryCall(
            pb.SimpleRequest(response_status=status), timeout=TIMEOUT), expected, message)
        exchange = Exchange(self.service, timeout=TIMEOUT)
        exchange.send(pb.StreamingOutputCallRequest(response_status=status))
        exchange.half_close()
        check_fails(lambda: list(exchange.responses), expected, message)

    def status_code_and_message(self):
        self.check_status(2, "test status message", grpc.StatusCode.UNKNOWN)

    def every_status_code(self):
        for code in grpc.StatusCode:
            if code != grpc.StatusCode.OK:
                self.check_status(code.value[0], f"as {code.name}", code)

    def special_status_message(self):
        message = "\t\ntest with whitespace\r\nand Unicode BMP \u263a and non-BMP \U0001f608\t\n"
        self.check_status(2, message, grpc.StatusCode.UNKNOWN)

    def unimplemented_method(self):
        check_fails(lambda: self.service.UnimplementedCall(
            pb.Empty(), timeout=TIMEOUT), grpc.StatusCode.UNIMPLEMENTED)

    def unimplemented_service(self):
        check_fails(lambda: self.unknown.UnimplementedCall(
            pb.Empty(), timeout=TIMEOUT), grpc.StatusCode.UNIMPLEMENTED)

    def cancel_after_begin(self):
        requests = queue.SimpleQueue()
        call = self.service.StreamingInputCall.future(iter(requests.get, None), timeout=TIMEOUT)
        call.cancel()
        check(call.cancelled(), "not cancelled")
        check_equal(call.code(), grpc.StatusCode.CANCELLED, "code")
        requests.put(None)

    def cancel_after_first_response(self):
        exchange = Exchange(self.service, timeout=TIMEOUT)
        exchange.send(output_request(31415, 27182))
        check_payload(next(exchange.responses).payload, 31415)
        exchange.responses.cancel()
        check_fails(lambda: next(exchange.responses), grpc.StatusCode.CANCELLED)
        exchange.half_close()

    def timeout_on_sleeping_server(self):
        exchange = Exchange(self.service, timeout=0.001)
        exchange.send(pb.StreamingOutputCallRequest(payload=zeros(27182)))
        check_fails(lambda: next(exchange.responses), grpc.StatusCode.DEADLINE_EXCEEDED)
        exchange.half_close()

    def timeout_during_interval(self):
        """The deadline passes while the server waits between two responses."""
        parameters = [pb.ResponseParameters(size=1), pb.ResponseParameters(size=1, interval_us=30_000_000)]
        responses = self.service.StreamingOutputCall(
            pb.StreamingOutputCallRequest(response_parameters=parameters), timeout=0.5)
        check_payload(next(responses).payload, 1)
        check_fails(lambda: next(responses), grpc.StatusCode.DEADLINE_EXCEEDED)

    # Compression is refused: a compressed request with UNIMPLEMENTED, and the probe of a client for servers that
    # support it with INVALID_ARGUMENT.

    def client_compressed_unary(self):
        probe = large_request(expect_compressed=pb.BoolValue(value=True))
        check_fails(lambda: self.service.UnaryCall(probe, timeout=TIMEOUT), grpc.StatusCode.INVALID_ARGUMENT)
        for compression in [grpc.Compression.Gzip, grpc.Compression.Deflate]:
            error = check_fails(lambda: self.service.UnaryCall(
                probe, compression=compression, timeout=TIMEOUT), grpc.StatusCode.UNIMPLEMENTED)
            check("identity" in error.details(), f"the encoding is not named: {error.details()}")
        plain = large_request(expect_compressed=pb.BoolValue(value=False))
        check_payload(self.service.UnaryCall(
            plain, compression=grpc.Compression.NoCompression, timeout=TIMEOUT).payload, 314159)

    def client_compressed_streaming(self):
        probe = pb.StreamingInputCallRequest(expect_compressed=pb.BoolValue(value=True), payload=zeros(27182))
        check_fails(lambda: self.service.StreamingInputCall(
            iter([probe]), timeout=TIMEOUT), grpc.StatusCode.INVALID_ARGUMENT)
        check_fails(lambda: self.service.StreamingInputCall(
            iter([probe]), compression=grpc.Compression.Gzip, timeout=TIMEOUT), grpc.StatusCode.UNIMPLEMENTED)
        plain = pb.StreamingInputCallRequest(expect_compressed=pb.BoolValue(value=False), payload=zeros(45904))
        response = self.service.StreamingInputCall(iter([plain]), timeout=TIMEOUT)
        check_equal(response.aggregated_payload_size, 45904, "aggregated size")

    def server_compressed_unary(self):
        request = large_request(response_compressed=pb.BoolValue(value=True))
        check_fails(lambda: self.service.UnaryCall(request, timeout=TIMEOUT), grpc.StatusCode.UNIMPLEMENTED)
        request = large_request(response_compressed=pb.BoolValue(value=False))
        check_payload(self.service.UnaryCall(request, timeout=TIMEOUT).payload, 314159)

    def server_compressed_streaming(self):
        parameters = [pb.ResponseParameters(size=31415, compressed=pb.BoolValue(value=True))]
        request = pb.StreamingOutputCallRequest(response_parameters=parameters)
        check_fails(lambda: list(self.service.StreamingOutputCall(
            request, timeout=TIMEOUT)), grpc.StatusCode.UNIMPLEMENTED)


NAMES = [name for name in vars(Cases) if not name.startswith("_") and not name.startswith("check_")]


def main(address, roots="-", *names):
    if roots == "-":
        channel = grpc.insecure_channel(address, OPTIONS)
    else:
        with open(roots, "rb") as file:
            channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(file.read()), OPTIONS)
    failed = 0
    names = names or NAMES
    with channel:
        cases = Cases(channel)
        for name in names:
            try:
                getattr(cases, name)()
            except (AssertionError, grpc.RpcError, StopIteration) as error:
                failed += 1
                print(f"FAILED: {name}: {error!r}")
    print(f"{len(names) - failed} passed, {failed} failed")
    return failed > 0


sys.exit(main(*sys.argv[1:]))
