"""Prints the messages of a Connect stream in JSON from the standard input, one per line, as they arrive."""
import sys

stream = sys.stdin.buffer
while prefix := stream.read(5):
    print(stream.read(int.from_bytes(prefix[1:], "big")).decode(), flush=True)
