import CMarqueeProtos
import CProtobufC
import MarqueeRPC
import MarqueeTransport
import NIOCore
import NIOPosix

/// The lower bound of the cost of a call: length-prefixed messages, decoded and encoded with libprotobuf-c, over bare
/// sockets.
///
/// One message is one call. There are no methods, deadlines or errors.
enum BareEcho: EchoPeer {
  static func serve(_ endpoint: Endpoint, bound: (Endpoint) -> Void, until end: () async -> Void) async throws {
    let memory = BareMemory()
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: 1))
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(BareServer(memory)) }
      }
    switch endpoint {
    case .tcp(let host, let port):
      let channel = try await bootstrap.childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .bind(host: host, port: port).get()
      bound(.tcp(host: host, port: channel.localAddress?.port ?? port))
    case .unix(let path):
      _ = try await bootstrap.bind(unixDomainSocketPath: path).get()
      bound(endpoint)
    }
    await end()
  }

  static func load(_ load: EchoLoad) async throws -> LoadMeter.Report {
    let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()
    let work = BareWork(load, loop.makePromise(of: LoadMeter.Report.self))
    let bootstrap = ClientBootstrap(group: loop).channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(BareClient(work)) }
    }
    for _ in 0..<load.connections {
      switch load.endpoint {
      case .tcp(let host, let port): _ = try await bootstrap.connect(host: host, port: port).get()
      case .unix(let path): _ = try await bootstrap.connect(unixDomainSocketPath: path).get()
      }
    }
    return try await work.promise.futureResult.get()
  }
}

/// The echoed message, as a libprotobuf-c structure.
private struct BareMessage {
  private let payload: EchoPayload
  private let message: UnsafePointer<ProtobufCMessage>

  /// Decodes a message in the arena, which the next one reuses. The first byte is the message's kind.
  init?(_ frame: UnsafeRawBufferPointer, _ arena: DecodeArena) {
    let bytes = UnsafeRawBufferPointer(rebasing: frame[BareFrames.headerSize...])
    payload = frame[0] == 0 ? .small : .timeline
    do {
      switch payload {
      case .small: message = try Self.unpack(bytes, grpc__health__v1__health_check_request__init, \.base, arena)
      case .timeline: message = try Self.unpack(bytes, marquee__v1__provider_message__init, \.base, arena)
      }
    } catch {
      return nil
    }
  }

  private static func unpack<Message>(
    _ bytes: UnsafeRawBufferPointer, _ initialize: (UnsafeMutablePointer<Message>?) -> Void,
    _ base: KeyPath<Message, ProtobufCMessage>, _ arena: DecodeArena
  ) throws(RPCStatus) -> UnsafePointer<ProtobufCMessage> {
    let descriptor = withUnsafeTemporaryAllocation(of: Message.self, capacity: 1) { space in
      initialize(space.baseAddress)
      return space[0][keyPath: base].descriptor
    }
    guard let descriptor else { preconditionFailure("unknown message kind") }
    let message = try arena.unpack(descriptor, bytes, as: Message.self)
    return UnsafeRawPointer(message).assumingMemoryBound(to: ProtobufCMessage.self)
  }

  /// Encodes the message with its header of kind and length.
  func append(to buffer: inout ByteBuffer) {
    let size = protobuf_c_message_get_packed_size(message)
    buffer.writeInteger(UInt32(size) | (payload == .small ? 0 : 1 << 24))
    buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: size) { space in
      guard let start = space.baseAddress else { return 0 }
      return protobuf_c_message_pack(message, start.assumingMemoryBound(to: UInt8.self))
    }
  }
}

/// A parser of messages with a header of one byte for the kind and three for the length.
private struct BareFrames {
  static let headerSize = 4
  private var unread: ByteBuffer?

  /// Calls `body` with each complete message, including its header.
  mutating func take(_ buffer: ByteBuffer, _ body: (UnsafeRawBufferPointer) -> Void) {
    var buffer = buffer
    if var kept = unread {
      unread = nil
      kept.writeBuffer(&buffer)
      buffer = kept
    }
    let taken = buffer.withUnsafeReadableBytes { bytes in
      var offset = 0
      while bytes.count - offset >= Self.headerSize {
        let header = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        let end = offset + Self.headerSize + Int(header & 0xFF_FFFF)
        guard bytes.count >= end else { break }
        body(UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
        offset = end
      }
      return offset
    }
    buffer.moveReaderIndex(forwardBy: taken)
    if buffer.readableBytes > 0 {
      buffer.discardReadBytes()
      unread = buffer
    }
  }
}

/// The arena shared by a server's connections.
///
/// `@unchecked Sendable`: accessed only on the one event loop.
private final class BareMemory: @unchecked Sendable {
  let arena = DecodeArena()
}

/// Decodes each message and sends it back, with one write per read.
private final class BareServer: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let memory: BareMemory
  private var frames = BareFrames()
  private var output = ByteBuffer()

  init(_ memory: BareMemory) {
    self.memory = memory
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    frames.take(unwrapInboundIn(data)) { frame in
      guard let message = BareMessage(frame, memory.arena) else { return context.close(promise: nil) }
      message.append(to: &output)
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    guard output.readableBytes > 0 else { return }
    context.writeAndFlush(wrapOutboundOut(output), promise: nil)
    output = context.channel.allocator.buffer(capacity: 16_384)
  }
}

/// The state shared by the connections of one load.
///
/// `@unchecked Sendable`: everything but the promise is accessed only on the event loop.
private final class BareWork: @unchecked Sendable {
  let load: EchoLoad
  let promise: EventLoopPromise<LoadMeter.Report>
  let arena = DecodeArena()
  /// The message that is sent repeatedly.
  private let messageArena = DecodeArena()
  let message: BareMessage
  let size: Int
  var meter: LoadMeter
  private var isOver = false

  init(_ load: EchoLoad, _ promise: EventLoopPromise<LoadMeter.Report>) {
    self.load = load
    self.promise = promise
    meter = load.meter
    let frame = [load.payload == .small ? 0 : 1, 0, 0, 0] + load.payload.encoded
    size = frame.count
    guard let message = frame.withUnsafeBytes({ [messageArena] in BareMessage($0, messageArena) }) else {
      preconditionFailure("the message to send is invalid")
    }
    self.message = message
  }

  /// Completes the measurement, once.
  func end() {
    guard !isOver else { return }
    isOver = true
    promise.succeed(meter.report)
  }
}

/// Keeps messages in flight and measures their latencies.
private final class BareClient: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let work: BareWork
  private var frames = BareFrames()
  private var begins = CircularBuffer<UInt64>()
  private var output = ByteBuffer()
  private var isOver = false

  init(_ work: BareWork) {
    self.work = work
  }

  func channelActive(context: ChannelHandlerContext) {
    for _ in 0..<work.load.inFlight { send() }
    channelReadComplete(context: context)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    frames.take(unwrapInboundIn(data)) { frame in
      let isSame = BareMessage(frame, work.arena) != nil && frame.count == work.size
      precondition(isSame, "the echo differs from the message")
      if work.meter.ended(begins.removeFirst()) { send() } else { end(context) }
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    guard output.readableBytes > 0 else { return }
    context.writeAndFlush(wrapOutboundOut(output), promise: nil)
    output = context.channel.allocator.buffer(capacity: 16_384)
  }

  private func send() {
    begins.append(LoadMeter.now)
    work.message.append(to: &output)
  }

  private func end(_ context: ChannelHandlerContext) {
    guard !isOver else { return }
    isOver = true
    work.end()
    context.close(promise: nil)
  }
}
