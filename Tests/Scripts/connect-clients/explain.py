"""An operator: asks why a stack shows its front, and what keeps a widget from the front.

Usage: explain.py ADDRESS [TOKEN-FILE ROOTS-FILE]
"""
from connection import connect_by_arguments
from marquee.v1 import admin_pb2

admin = connect_by_arguments(admin_pb2, "Admin")
stack = admin.Explain(admin_pb2.ExplainRequest(device="kitchen", stack="home")).explanation
print("front", f"{stack.front.kind.app}/{stack.front.kind.name}")
print("explanation", stack.summary)
question = admin_pb2.WhyNotRequest(device="kitchen", stack="home", widget=stack.front)
print("why not:", admin.WhyNot(question).summary)
