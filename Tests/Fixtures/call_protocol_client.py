"""A client of the call protocol, written only from the article "The call protocol".

Usage: call_protocol_client.py PORT. It makes a unary and a bidirectional call on 127.0.0.1 and prints the responses.
"""

import socket
import struct
import sys

PREFACE = bytes.fromhex("89 4D 52 51 0D 0A 1A 0A 01 00 00 00")
SETTINGS, OPEN, HEADER, MESSAGE, STATUS, CANCEL, CREDIT, PING, GOAWAY = range(1, 10)
END_STREAM, MORE, NO_MESSAGE = 1, 2, 8


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def field(number, value):
    """A protobuf field: an integer or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def fields(data):
    """The fields of a protobuf message of integers and bytes, in order."""
    position = 0

    def number():
        nonlocal position
        value = shift = 0
        while True:
            byte = data[position]
            position += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while position < len(data):
        tag = number()
        value = number()
        if tag & 7 == 2:
            value, position = data[position : position + value], position + value
        yield tag >> 3, value


class Client:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.next_stream = 1
        self.send_credit = {}
        self.socket.sendall(PREFACE)
        self.frame(SETTINGS)
        assert self.read(12)[:9] == PREFACE[:9]
        kind, _, _, payload = self.receive()
        assert kind == SETTINGS
        given = dict(fields(payload))
        self.frame_size_max = given.get(1, 65536)
        self.stream_credit = given.get(3, 65536)
        self.send_credit[0] = given.get(4, 1 << 20)

    def read(self, count):
        data = b""
        while len(data) < count:
            chunk = self.socket.recv(count - len(data))
            assert chunk, "the server closed"
            data += chunk
        return data

    def frame(self, kind, flags=0, stream=0, payload=b""):
        self.socket.sendall(struct.pack(">IBBI", len(payload), kind, flags, stream) + payload)

    def receive(self):
        length, kind, flags, stream = struct.unpack(">IBBI", self.read(10))
        return kind, flags, stream, self.read(length)

    def open(self, method, timeout_us=None, metadata=()):
        stream, self.next_stream = self.next_stream, self.next_stream + 2
        payload = field(1, method.encode())
        if timeout_us is not None:
            payload += field(2, timeout_us)
        for key, value in metadata:
            payload += field(3, field(1, key.encode()) + field(2, value.encode()))
        self.send_credit[stream] = self.stream_credit
        self.frame(OPEN, 0, stream, payload)
        return stream

    def send(self, stream, message, flags=0):
        while True:
            room = min(self.send_credit[0], self.send_credit[stream]) - 10
            size = min(len(message), self.frame_size_max, room)
            if room >= 0 and (size == len(message) or size >= 1024):
                last = size == len(message)
                self.frame(MESSAGE, flags if last else MORE, stream, message[:size])
                self.send_credit[0] -= size + 10
                self.send_credit[stream] -= size + 10
                message = message[size:]
                if last:
                    return
            else:
                event = self.event()
                assert event is None, event

    def event(self):
        """Handles one frame; returns an event for the caller, or None."""
        kind, flags, stream, payload = self.receive()
        if kind == CREDIT:
            self.send_credit[stream] = self.send_credit.get(stream, 0) + struct.unpack(">I", payload)[0]
        elif kind == PING and not flags & 1:
            self.frame(PING, 1, 0, payload)
        elif kind == MESSAGE:
            for account in (0, stream):
                self.frame(CREDIT, 0, account, struct.pack(">I", len(payload) + 10))
            return "message", stream, flags, payload
        elif kind == HEADER:
            pairs = [dict(fields(value)) for number, value in fields(payload) if number == 1]
            return "header", stream, {pair[1].decode(): pair[2].decode() for pair in pairs}
        elif kind == STATUS:
            status = dict(fields(payload))
            return "status", stream, status.get(1, 0), status.get(2, b"").decode()
        elif kind == GOAWAY:
            raise SystemExit("goaway: %r" % dict(fields(payload)))
        elif kind < 128 and kind != PING:
            raise SystemExit("unexpected frame type %d" % kind)
        return None

    def next(self):
        while True:
            event = self.event()
            if event:
                return event

    def message(self):
        """The next complete message."""
        whole = b""
        while True:
            kind, _, flags, payload = self.next()
            assert kind == "message"
            whole += payload
            if not flags & MORE:
                return whole


def main():
    client = Client(int(sys.argv[1]))

    stream = client.open("test.Echo/Unary", timeout_us=5_000_000)
    request = bytes(range(256)) * 2000
    client.send(stream, request, END_STREAM)
    print("unary", client.message() == request, client.next()[2:])

    stream = client.open("test.Echo/Chat", metadata=[("greeting", "from Python")])
    print("header", client.next()[2])
    for text in (b"one", b"", b"three"):
        client.send(stream, text)
        print("chat", client.message().decode())
    client.frame(MESSAGE, END_STREAM | NO_MESSAGE, stream)
    print("status", client.next()[2:])

    stream = client.open("test.Echo/None")
    client.send(stream, b"", END_STREAM)
    print("unknown", client.next()[2])


main()
