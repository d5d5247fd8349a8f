"""An operator: asks why a stack shows its front, and why it does not show a widget.

Usage: explain.py ADDRESS [TOKEN-FILE ROOTS-FILE]
"""
from connection import connect_by_arguments
from marquee.v1 import admin_pb2, admin_pb2_grpc

admin = admin_pb2_grpc.AdminStub(connect_by_arguments())
stack = admin.Explain(admin_pb2.ExplainRequest(device="kitchen", stack="home")).explanation
print("front", f"{stack.front.kind.app}/{stack.front.kind.name}")
print("explanation", stack.summary)
