"""A relay of HTTP/2 connections that resets streams, as proxies do."""
import asyncio
import time
from collections.abc import AsyncIterator, Coroutine

_HEADERS, _RST_STREAM = 1, 3
_END_STREAM = 1
_PREFACE_SIZE = 24
_CANCEL = 8


class Relay:
    """Relays connections to a port in plain text.

    Args:
        silence: The time in seconds without a frame of the server after which a stream is reset, as by nginx.
    """

    def __init__(self, port: int, silence: float = float("inf")) -> None:
        self._port, self._silence = port, silence
        # The open streams of each connection, with the time of their last frame from the server.
        self._streams: dict[tuple[asyncio.StreamWriter, asyncio.StreamWriter], dict[int, float]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> str:
        """Returns the target of clients."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self._run(self._end_silent_streams())
        return f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def reset(self, code: int, since: float = float("inf")) -> int:
        """Resets the streams without a frame of the server after a time, with a code, and returns their number."""
        count = 0
        for (client, server), streams in self._streams.items():
            for stream in [stream for stream, last in streams.items() if last <= since]:
                del streams[stream]
                client.write(self._reset_frame(stream, code))
                server.write(self._reset_frame(stream, _CANCEL))
                count += 1
        return count

    @staticmethod
    def _reset_frame(stream: int, code: int) -> bytes:
        return b"\0\0\x04" + bytes([_RST_STREAM, 0]) + stream.to_bytes(4, "big") + code.to_bytes(4, "big")

    def _run(self, body: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(body)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _end_silent_streams(self) -> None:
        while True:
            await asyncio.sleep(0.1)
            # The code of nginx.
            self.reset(2, since=time.monotonic() - self._silence)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server = await asyncio.open_connection("127.0.0.1", self._port)
        streams = self._streams[writer, server] = {}
        server.write(await reader.readexactly(_PREFACE_SIZE))
        self._run(self._forward_requests(reader, server, streams))
        self._run(self._forward_responses(server_reader, writer, streams))

    async def _forward_requests(
        self, reader: asyncio.StreamReader, server: asyncio.StreamWriter, streams: dict[int, float]
    ) -> None:
        try:
            async for kind, _, stream, frame in self._frames(reader):
                if kind == _HEADERS:
                    streams.setdefault(stream, time.monotonic())
                if kind == _RST_STREAM:
                    streams.pop(stream, None)
                server.write(frame)
        finally:
            server.close()

    async def _forward_responses(
        self, reader: asyncio.StreamReader, client: asyncio.StreamWriter, streams: dict[int, float]
    ) -> None:
        try:
            async for kind, flags, stream, frame in self._frames(reader):
                if stream in streams:
                    streams[stream] = time.monotonic()
                if kind == _RST_STREAM or (kind in (0, _HEADERS) and flags & _END_STREAM):
                    streams.pop(stream, None)
                client.write(frame)
        finally:
            streams.clear()
            client.close()

    @staticmethod
    async def _frames(reader: asyncio.StreamReader) -> AsyncIterator[tuple[int, int, int, bytes]]:
        """Yields the type, flags, stream and bytes of each frame until the connection ends."""
        try:
            while True:
                head = await reader.readexactly(9)
                content = await reader.readexactly(int.from_bytes(head[:3], "big"))
                yield head[3], head[4], int.from_bytes(head[5:], "big") & 0x7FFFFFFF, head + content
        except (asyncio.IncompleteReadError, ConnectionError):
            return
