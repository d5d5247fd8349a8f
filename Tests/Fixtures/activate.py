"""Starts a program with systemd's socket activation, with sockets at each unix:PATH and tcp:HOST:PORT before "--".

A "-" before "--" is a file that is not a socket. The program and its arguments follow "--".
"""

import os
import socket
import sys

split = sys.argv.index("--")
opened = []
for endpoint in sys.argv[1:split]:
    if endpoint == "-":
        opened.append(os.open("/dev/null", os.O_RDONLY))
        continue
    kind, address = endpoint.split(":", 1)
    if kind == "unix":
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(address)
    else:
        host, port = address.rsplit(":", 1)
        listener = socket.socket(socket.AF_INET)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, int(port)))
    listener.listen()
    opened.append(listener.detach())
# First to high numbers, so that dup2 overwrites none of them.
high = [os.dup2(descriptor, 100 + index) for index, descriptor in enumerate(opened)]
for index, descriptor in enumerate(high):
    os.dup2(descriptor, 3 + index)
    os.set_inheritable(3 + index, True)
os.closerange(3 + len(high), 256)
os.environ["LISTEN_FDS"] = str(len(high))
os.environ["LISTEN_PID"] = str(os.getpid())
os.execv(sys.argv[split + 1], sys.argv[split + 1 :])
