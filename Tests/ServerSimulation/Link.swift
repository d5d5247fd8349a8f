import NIOCore
import NIOEmbedded

/// A connection between a client and a server: two ends, and what is on its way between them.
///
/// `@unchecked Sendable`: touched on the world's thread alone.
final class Link: @unchecked Sendable {
  /// Bytes on their way in one direction after which the sender has to wait.
  private static let windowSize = 65_536

  /// One end.
  enum Side: Int, CaseIterable {
    case client, server

    var other: Side { self == .client ? .server : .client }
  }

  private enum Packet {
    case bytes(ByteBuffer)
    case end
  }

  private let world: World
  private var channels: [EmbeddedChannel] = []
  /// What goes to each side, with when it arrives.
  private var underWay: [CircularBuffer<(due: Duration, packet: Packet)>] = [.init(), .init()]
  private var lastDue: [Duration] = [.zero, .zero]
  private var underWaySize = [0, 0]
  private var isReading = [false, false]
  /// Whether what goes to each side is lost.
  private var isLost = [false, false]

  init(_ world: World) {
    self.world = world
  }

  /// Puts a wire and, by `fill`, handlers on a channel of each side, and makes both active.
  func connect(_ fill: (Side, EmbeddedChannel) throws -> Void) throws -> EmbeddedChannel {
    channels = [EmbeddedChannel(loop: world.loop), EmbeddedChannel(loop: world.loop)]
    do {
      for side in Side.allCases {
        let channel = channels[side.rawValue]
        try channel.pipeline.syncOperations.addHandler(Wire(self, side))
        try fill(side, channel)
      }
    } catch {
      for channel in channels { channel.close(promise: nil) }
      throw error
    }
    let address = try SocketAddress(unixDomainSocketPath: "simulated")
    for side in [Side.server, .client] {
      let channel = channels[side.rawValue]
      channel.connect(to: address, promise: nil)
      if channel.isActive { channel.pipeline.syncOperations.read() }
    }
    return channels[Side.client.rawValue]
  }

  /// Breaks the connection: both sides soon find it closed, and what is on its way is lost.
  func cut() {
    for side in Side.allCases {
      lose(to: side)
      let channel = channels[side.rawValue]
      world.after(world.milliseconds(0...50)) { channel.close(promise: nil) }
    }
  }

  /// From now on nothing comes to that side, and nobody tells it.
  func lose(to side: Side) {
    isLost[side.rawValue] = true
    underWay[side.rawValue].removeAll()
  }

  /// The server's process is gone: its side is closed at once; the client is told, or not.
  func serverDied(tellingClient isTold: Bool) {
    lose(to: .server)
    channels[Side.server.rawValue].close(promise: nil)
    if isTold { send(.end, to: .client) } else { lose(to: .client) }
  }

  // MARK: From the wires

  fileprivate func send(_ buffer: ByteBuffer, from side: Side) { send(.bytes(buffer), to: side.other) }

  fileprivate func closed(_ side: Side) { send(.end, to: side.other) }

  fileprivate func read(_ side: Side) {
    isReading[side.rawValue] = true
    deliver(to: side)
  }

  private func send(_ packet: Packet, to side: Side) {
    guard !isLost[side.rawValue] else { return }
    let due = max(lastDue[side.rawValue], world.elapsed + world.milliseconds(world.once(in: 20) ? 0...800 : 0...20))
    lastDue[side.rawValue] = due
    underWay[side.rawValue].append((due, packet))
    if case .bytes(let buffer) = packet { change(side, by: buffer.readableBytes) }
    world.after(due - world.elapsed) { self.deliver(to: side) }
  }

  private func deliver(to side: Side) {
    let channel = channels[side.rawValue]
    while channel.isActive, isReading[side.rawValue], let first = underWay[side.rawValue].first,
      first.due <= world.elapsed
    {
      underWay[side.rawValue].removeFirst()
      switch first.packet {
      case .bytes(let buffer):
        isReading[side.rawValue] = false
        change(side, by: -buffer.readableBytes)
        channel.pipeline.syncOperations.fireChannelRead(NIOAny(buffer))
        channel.pipeline.syncOperations.fireChannelReadComplete()
        if channel.isActive { channel.pipeline.syncOperations.read() }
      case .end:
        channel.close(promise: nil)
      }
    }
  }

  /// Notes how much is on its way to that side; the other one writes only while that is not too much.
  private func change(_ side: Side, by size: Int) {
    underWaySize[side.rawValue] += size
    let writer = channels[side.other.rawValue]
    let isWritable = underWaySize[side.rawValue] < Self.windowSize
    guard writer.isWritable != isWritable else { return }
    writer.isWritable = isWritable
    world.loop.execute { writer.pipeline.fireChannelWritabilityChanged() }
  }
}

/// The end of a link in a channel's pipeline.
///
/// `@unchecked Sendable`: touched on the world's thread alone.
private final class Wire: ChannelOutboundHandler, @unchecked Sendable {
  typealias OutboundIn = ByteBuffer

  private let link: Link
  private let side: Link.Side

  init(_ link: Link, _ side: Link.Side) {
    self.link = link
    self.side = side
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    link.send(unwrapOutboundIn(data), from: side)
    promise?.succeed()
  }

  func flush(context: ChannelHandlerContext) {}

  func read(context: ChannelHandlerContext) { link.read(side) }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    link.closed(side)
    context.close(mode: mode, promise: promise)
  }
}
