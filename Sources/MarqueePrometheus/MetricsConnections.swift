import NIOCore
import Synchronization

/// The open connections of the metrics endpoint, with limits of their number and times.
///
/// A connection over a limit is accepted, and the connection that has been idle for longest is evicted instead, so that
/// open connections cannot lock out new clients. A connection that exceeds a time limit is closed.
final class MetricsConnections: Sendable {
  /// The phase of a connection.
  private enum Phase {
    /// Receiving the header of a request, from connecting or the request's first byte.
    case header
    /// Responding to a request.
    case request
    /// Idle after a response.
    case idle
  }

  private struct Entry {
    let channel: any Channel
    let address: String
    var phase = Phase.header
    /// The time at which the phase began.
    var begin = NIODeadline.now()
  }

  private let limits: MetricsService.Limits
  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])
  private let ending = Atomic(false)

  init(_ limits: MetricsService.Limits) {
    self.limits = limits
  }

  /// Registers a connection, and evicts another one if a limit is exceeded. Called on the connection's event loop
  /// before it is read.
  func add(_ channel: any Channel) throws {
    try channel.pipeline.syncOperations.addHandler(MetricsConnectionHandler(self))
    let id = ObjectIdentifier(channel)
    let address = channel.remoteAddress?.ipAddress ?? ""
    let evicted = entries.withLock { entries in
      entries[id] = Entry(channel: channel, address: address)
      let ofAddress = entries.filter { $0.value.address == address }
      if ofAddress.count > limits.addressConnectionCountMax {
        let limit = "metrics-address-connection-count-max: \(limits.addressConnectionCountMax)"
        return Self.evict(from: ofAddress, except: id, &entries, limit)
      }
      guard entries.count > limits.connectionCountMax else { return nil }
      return Self.evict(
        from: entries, except: id, &entries, "metrics-connection-count-max: \(limits.connectionCountMax)")
    }
    evicted?.close()
    if isEnding { channel.close(promise: nil) }
    channel.closeFuture.whenComplete { _ in self.entries.withLock { _ = $0.removeValue(forKey: id) } }
    watch(channel, in: limits.headerTime)
  }

  /// Removes and returns the connection to close: the one in its phase for longest, preferably without a request in
  /// progress.
  private static func evict(
    from candidates: [ObjectIdentifier: Entry], except id: ObjectIdentifier,
    _ entries: inout [ObjectIdentifier: Entry],
    _ limit: String
  ) -> MetricsClosing? {
    let others = candidates.filter { $0.key != id }
    let idle = others.filter { $0.value.phase != .request }
    guard let oldest = (idle.isEmpty ? others : idle).min(by: { $0.value.begin < $1.value.begin }) else { return nil }
    entries[oldest.key] = nil
    // An idle client would interpret a status as the response to its next request.
    let status = oldest.value.phase == .header ? "503 Service Unavailable" : nil
    return MetricsClosing(channel: oldest.value.channel, status: status, reason: "too many connections (\(limit))")
  }

  // MARK: The end

  /// Whether the service is stopping, so that connections are closed after their response.
  var isEnding: Bool { ending.load(ordering: .relaxed) }

  /// Closes all connections, those with a request in progress after the response, and waits until they are closed.
  func end() async {
    ending.store(true, ordering: .relaxed)
    let open = entries.withLock { Array($0.values) }
    for entry in open where entry.phase != .request { entry.channel.close(promise: nil) }
    for entry in open { try? await entry.channel.closeFuture.get() }  // the future of a closed channel succeeds
  }

  // MARK: Phases

  /// Records that bytes were received. Called on the connection's event loop.
  func received(on channel: any Channel) {
    enter(.header, channel) { $0 == .idle }
  }

  /// Records that a request head is complete, after which the connection is not among the first to be evicted.
  func requestBegan(on channel: any Channel) {
    enter(.request, channel) { $0 != .request }
  }

  /// Records that a response is complete.
  func requestEnded(on channel: any Channel) {
    enter(.idle, channel) { $0 == .request }
  }

  private func enter(_ phase: Phase, _ channel: any Channel, if isNext: (Phase) -> Bool) {
    entries.withLock { entries in
      guard var entry = entries[ObjectIdentifier(channel)], isNext(entry.phase) else { return }
      (entry.phase, entry.begin) = (phase, .now())
      entries[ObjectIdentifier(channel)] = entry
    }
  }

  // MARK: Timeouts

  /// Schedules a timeout check after `time`, which reschedules itself until the connection closes.
  private func watch(_ channel: any Channel, in time: TimeAmount) {
    channel.eventLoop.scheduleTask(in: time) { self.check(channel) }
  }

  private func check(_ channel: any Channel) {
    let now = NIODeadline.now()
    let (closing, remaining): (MetricsClosing?, TimeAmount?) = entries.withLock { entries in
      guard let entry = entries[ObjectIdentifier(channel)] else { return (nil, nil) }
      let isHeader = entry.phase == .header
      let remaining = entry.begin + (isHeader ? limits.headerTime : limits.idleTime) - now
      guard remaining <= .zero else { return (nil, remaining) }
      entries[ObjectIdentifier(channel)] = nil
      let name = isHeader ? "header not received (metrics-header-time-max" : "idle (metrics-idle-time-max"
      let seconds = isHeader ? limits.headerTimeMax : limits.idleTimeMax
      let status = isHeader ? "408 Request Timeout" : nil
      return (MetricsClosing(channel: channel, status: status, reason: "\(name): \(seconds) s)"), nil)
    }
    closing?.close()
    // The connection may enter a phase with a shorter timeout meanwhile.
    if let remaining { watch(channel, in: min(remaining, limits.headerTime)) }
  }
}

/// A connection to close.
private struct MetricsClosing {
  let channel: any Channel
  /// The HTTP status to respond with; `nil` to close without a response.
  let status: String?
  let reason: String

  func close() {
    guard let status else { return channel.close(promise: nil) }
    channel.pipeline.fireUserInboundEventTriggered(MetricsConnectionHandler.Ending(status: status, reason: reason))
  }
}

/// A channel handler that reports received bytes, and responds with a status before the connection is closed.
private final class MetricsConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// An inbound event that closes the connection with a response.
  struct Ending: Sendable {
    let status: String
    let reason: String
  }

  private let connections: MetricsConnections

  init(_ connections: MetricsConnections) {
    self.connections = connections
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    connections.received(on: context.channel)
    context.fireChannelRead(data)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard let ending = event as? Ending else { return context.fireUserInboundEventTriggered(event) }
    let body = "\(ending.reason)\n"
    let text = """
      HTTP/1.1 \(ending.status)\r
      Connection: close\r
      Content-Type: text/plain; charset=utf-8\r
      Content-Length: \(body.utf8.count)\r
      \r
      \(body)
      """
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    context.close(promise: nil)
  }
}
