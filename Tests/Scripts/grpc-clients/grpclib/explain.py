"""An operator: asks why a stack shows its front, and what keeps a widget from the front.

Usage: explain.py ADDRESS [TOKEN-FILE ROOTS-FILE]
"""
import asyncio

from connection import connect_by_arguments
from grpclib.exceptions import GRPCError
from marquee.v1 import admin_grpc, admin_pb2


async def main():
    async with connect_by_arguments() as channel:
        admin = admin_grpc.AdminStub(channel)
        try:
            request = admin_pb2.ExplainRequest(device="kitchen", stack="home")
            stack = (await admin.Explain(request)).explanation
            print("front", f"{stack.front.kind.app}/{stack.front.kind.name}")
            question = admin_pb2.WhyNotRequest(device="kitchen", stack="home", widget=stack.front)
            print("why not:", (await admin.WhyNot(question)).summary)
        except GRPCError as error:
            print("error", error.status.name, error.message)


asyncio.run(main())
