"""A display that only watches: prints the number of each state that it receives, the first one of each stream.

Usage: follow.py ADDRESS [TOKEN-FILE ROOTS-FILE]
"""
from connection import connect_by_arguments
from marquee.v1 import display_pb2, display_pb2_grpc
from watch import watch

display = display_pb2_grpc.DisplayStub(connect_by_arguments())
count = 0
for update in watch(display.Watch, display_pb2.WatchRequest(device="kitchen")):
    if update.HasField("state"):
        count += 1
        print("state", count, flush=True)
