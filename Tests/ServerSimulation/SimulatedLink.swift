import NIOCore
import NIOEmbedded

/// A simulated connection between a client and a server: two ends, and the data in flight.
///
/// Writes arrive late, and some of them in parts.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
final class SimulatedLink: @unchecked Sendable {
  /// The number of bytes in flight in one direction at which the sender must wait.
  private static let windowSize = 65_536
  /// The time after which TCP keepalive closes a connection whose data is lost.
  private static let keepaliveTime = Duration.seconds(60)

  /// A side of the link.
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
  /// The data in flight to each side, with its arrival time.
  private var underWay: [CircularBuffer<(due: Duration, packet: Packet)>] = [.init(), .init()]
  private var lastDue: [Duration] = [.zero, .zero]
  private var underWaySize = [0, 0]
  private var isReading = [false, false]
  /// The time until which each side does not read.
  private var stalledUntil: [Duration] = [.zero, .zero]
  /// Whether data to each side is lost.
  private var isLost = [false, false]
  /// Whether data to the server was lost or delayed, so that the server may end the connection for want of it.
  private(set) var hasKeptDataFromServer = false

  /// Whether the systems of both sides detect that data is lost. Only the protocols with PING do so themselves.
  private let isKeptAlive: Bool

  init(_ world: World, keepingAlive isKeptAlive: Bool = false) {
    self.world = world
    self.isKeptAlive = isKeptAlive
  }

  /// Adds a wire and, with `fill`, handlers to a channel of each side, and activates both.
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

  /// Whether the channel is the client's end.
  func isOfClient(_ channel: any Channel) -> Bool { channels[Side.client.rawValue] === channel }

  /// Breaks the connection: both sides soon observe that it is closed, and data in flight is lost.
  func cut() {
    for side in Side.allCases {
      lose(to: side)
      let channel = channels[side.rawValue]
      world.after(world.milliseconds(0...50)) { channel.close(promise: nil) }
    }
  }

  /// Silently drops all further data to a side.
  func lose(to side: Side) {
    if isKeptAlive, !isLost[side.rawValue] { world.after(Self.keepaliveTime) { self.cut() } }
    isLost[side.rawValue] = true
    if side == .server { hasKeptDataFromServer = true }
    underWay[side.rawValue].removeAll()
  }

  /// Stops a side from reading for a while.
  func stall(_ side: Side, for span: Duration) {
    stalledUntil[side.rawValue] = world.elapsed + span
    if side == .server { hasKeptDataFromServer = true }
    world.after(span) { self.deliver(to: side) }
  }

  /// Simulates the exit of the server's process: its side is closed immediately; the client is notified or not.
  func serverDied(tellingClient isTold: Bool) {
    lose(to: .server)
    channels[Side.server.rawValue].close(promise: nil)
    if isTold { send(.end, to: .client) } else { lose(to: .client) }
  }

  // MARK: Wire events

  fileprivate func send(_ buffer: ByteBuffer, from side: Side) {
    var rest = buffer
    while rest.readableBytes > 1, world.once(in: 6),
      let part = rest.readSlice(length: world.number(1...rest.readableBytes - 1))
    {
      send(.bytes(part), to: side.other)
    }
    send(.bytes(rest), to: side.other)
  }

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
      max(first.due, stalledUntil[side.rawValue]) <= world.elapsed
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

  /// Updates the number of bytes in flight to a side; the other side can write only below the limit.
  private func change(_ side: Side, by size: Int) {
    underWaySize[side.rawValue] += size
    let writer = channels[side.other.rawValue]
    let isWritable = underWaySize[side.rawValue] < Self.windowSize
    guard writer.isWritable != isWritable else { return }
    writer.isWritable = isWritable
    world.loop.execute { writer.pipeline.fireChannelWritabilityChanged() }
  }
}

/// The handler at the end of a channel's pipeline.
///
/// `@unchecked Sendable`: accessed only on the world's thread.
private final class Wire: ChannelOutboundHandler, @unchecked Sendable {
  typealias OutboundIn = ByteBuffer

  private let link: SimulatedLink
  private let side: SimulatedLink.Side

  init(_ link: SimulatedLink, _ side: SimulatedLink.Side) {
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
