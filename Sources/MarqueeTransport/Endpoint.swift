import NIOCore
import NIOPosix
import NIOSSL
import Logging

