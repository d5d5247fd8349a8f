"""Runs the unary interoperability cases in the Connect protocol with curl, over HTTP/1.1 and HTTP/2.

Usage: connect.py ADDRESS [ROOTS-FILE]   (ROOTS-FILE - for plain text)
Prints a line for each failure, and the number of passed and failed cases.
"""
import json
import subprocess
import sys
import tempfile

import testing_pb2 as pb

passed, failed = 0, 0


def check_equal(value, expected, what):
    global passed, failed
    if value == expected:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {what}: {expected!r} expected, not {value!r}")


class Client:
    def __init__(self, address, roots, version):
        host, port = address.rsplit(":", 1)
        if roots == "-":
            self._options = [f"--http{version}" if version == "1.1" else "--http2-prior-knowledge"]
            self._url = f"http://{address}"
        else:
            self._options = [f"--http{version}", "--cacert", roots, "--resolve", f"localhost:{port}:{host}"]
            self._url = f"https://localhost:{port}"
        self._version = version

    def call(self, request, *fields, content_type="application/proto"):
        """Returns the status, the header fields and the body of the response."""
        with tempfile.NamedTemporaryFile() as body, tempfile.NamedTemporaryFile() as header:
            options = [option for field in (f"Content-Type: {content_type}", *fields) for option in ("-H", field)]
            result = subprocess.run(
                ["curl", "-sS", "-o", body.name, "-D", header.name, "-w", "%{http_code} %{http_version}",
                 *self._options, *options, "--data-binary", "@-", f"{self._url}/grpc.testing.TestService/UnaryCall"],
                input=request.SerializeToString(), stdout=subprocess.PIPE, timeout=60, check=False)
            status, version = result.stdout.decode().split()
            check_equal(version, self._version, "version of HTTP")
            lines = [line.decode().split(": ", 1) for line in header.read().split(b"\r\n") if b": " in line]
            return int(status), {name.lower(): value for name, value in lines}, body.read()

    def run(self):
        large = pb.SimpleRequest(response_size=314159, payload=pb.Payload(body=bytes(271828)))
        status, header, body = self.call(
            large, "x-grpc-test-echo-initial: test_initial_metadata_value", "x-grpc-test-echo-trailing-bin: q6ur")
        check_equal((status, header.get("content-type")), (200, "application/proto"), "large_unary")
        check_equal(pb.SimpleResponse.FromString(body).payload.body, bytes(314159), "large_unary: payload")
        check_equal(header.get("x-grpc-test-echo-initial"), "test_initial_metadata_value", "custom_metadata: header")
        check_equal(header.get("trailer-x-grpc-test-echo-trailing-bin"), "q6ur", "custom_metadata: trailer")
        for message in ["test status message",
                        "\t\ntest with whitespace\r\nand Unicode BMP \u263a and non-BMP \U0001f608\t\n"]:
            request = pb.SimpleRequest(response_status=pb.EchoStatus(code=2, message=message))
            status, header, body = self.call(request)
            check_equal((status, header.get("content-type")), (500, "application/json"), "status_code_and_message")
            check_equal(json.loads(body), {"code": "unknown", "message": message}, "status_code_and_message")
        status, _, _ = self.call(pb.SimpleRequest(), content_type="application/connect+proto")
        check_equal(status, 415, "a unary call as a stream")


address, roots = (sys.argv[1:] + ["-"])[:2]
for version in ["1.1", "2"]:
    Client(address, roots, version).run()
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
