import MarqueeRPC
import NIOCore
import NIOSSL

/// A client's connection and its calls.
///
/// `@unchecked Sendable`: all state is accessed only on the connection's event loop.
final class ClientSession: ConnectionSession, @unchecked Sendable {
  let resources: LoopResources
  private var handler: ConnectionHandler?
  private let core: ClientCore
  private var goAway: GoAway?
  private(set) var isReady = false

  init(limits: RPCLimits, acceptsMoved: Bool, resources: LoopResources, core: ClientCore) {
    self.resources = resources
    self.core = core
    handler = ConnectionHandler(
      .client, limits: limits, acceptsMoved: acceptsMoved, resources: resources, session: self)
  }

  /// The session's channel handler, until the connection is closed.
  var channelHandler: ConnectionHandler? { handler }

  /// Whether another call can be opened now.
  var canOpen: Bool { handler?.connection.canOpen ?? false }

  /// Whether no call can ever be opened on this connection again.
  var isSpent: Bool { handler?.connection.isSpent ?? true }

  /// Opens a call, or ends it if its deadline has passed or its metadata is invalid.
  func open(_ call: ClientStream) {
    guard let handler else { return call.ended(RPCStatus(.unavailable, "the connection was closed")) }
    // A redirected call can have been cancelled while it waited.
    if call.redirection != nil, call.isOver { return }
    let request = call.request
    let now = resources.now
    if let deadline = request.deadline, deadline <= now {
      return call.ended(.deadlinePassed)
    }
    let metadata = core.metadata(of: call)
    if let problem = metadata.problem { return call.ended(RPCStatus(.invalidArgument, problem)) }
    let stream = handler.connection.open(
      method: request.path, deadline: request.deadline, metadata: metadata,
      messageSizeMax: request.responseSizeMax, owner: call, at: now)
    call.opened(stream, on: self, at: now)
    handler.scheduleFlush()
  }

  func send(
    _ stream: StreamID, sizeMax: Int, endsStream: Bool, at now: MonotonicTime,
    _ encode: (inout EncodeBuffer) -> Void
  ) -> Connection.SendOutcome {
    guard let handler else { return .over }
    defer { handler.scheduleFlush() }
    return handler.connection.send(on: stream, sizeMax: sizeMax, endsStream: endsStream, at: now, encode)
  }

  func closeSending(_ stream: StreamID) {
    handler?.connection.closeSending(stream, at: resources.now)
    handler?.scheduleFlush()
  }

  func consume(_ receipt: CreditReceipt) {
    handler?.connection.consume(receipt)
    handler?.scheduleFlush()
  }

  /// Cancels a call with the given status.
  func cancel(_ stream: StreamID, _ status: RPCStatus) {
    guard let handler, let call = handler.connection.owner(of: stream) else { return }
    handler.connection.cancel(stream, code: status.code == .deadlineExceeded ? .deadlineExceeded : .cancelled)
    handler.scheduleFlush()
    end(call, status)
  }

  /// Closes the connection once its open calls have ended.
  func drain() {
    handler?.connection.drain(retryAfter: .zero, message: "the client is closing")
    handler?.scheduleFlush()
  }

  /// Closes the connection now; open calls end with `UNAVAILABLE`.
  func close() {
    handler?.closeAfterOutput()
  }

  // MARK: From the connection

  func connected(_ channel: any Channel, certificate: NIOSSLCertificate?) {}

  func handle(_ event: ConnectionEvent, _ bytes: UnsafeRawBufferPointer) {
    switch event {
    case .ready:
      isReady = true
      core.sessionIsReady(self)
    case .header(_, let metadata, let owner):
      Self.call(owner)?.header(metadata)
    case .message(let message):
      switch message.content {
      case .inPlace(let range):
        Self.call(message.owner)?.message(UnsafeRawBufferPointer(rebasing: bytes[range]), message.receipt)
      case .assembled(let bytes):
        bytes.withUnsafeBytes { Self.call(message.owner)?.message($0, message.receipt) }
      }
    case .ended(_, let status, let owner):
      if let owner { end(owner, status) }
    case .goAway(let goAway):
      self.goAway = goAway
      core.session(self, goesAway: goAway)
    case .failed, .opened, .halfClosed, .rejected:
      break
    }
  }

  func becameWritable(_ stream: StreamID) {
    Self.call(handler?.connection.owner(of: stream))?.becameWritable()
  }

  func disconnected(_ failure: ConnectionFailure?) {
    guard let handler else { return }
    self.handler = nil
    // Calls may have ended whose events have not been processed.
    while let event = handler.connection.nextEvent() {
      if case .ended(_, let status, let owner) = event, let call = Self.call(owner) { core.end(call, status) }
    }
    let reason = failure?.status.message ?? goAway?.status.message ?? "the connection was closed"
    let status = RPCStatus(.unavailable, reason)
    for owner in handler.connection.owners { Self.call(owner)?.ended(status) }
    core.sessionIsClosed(self, status)
  }

  private func end(_ owner: AnyObject, _ status: RPCStatus) {
    if let call = Self.call(owner) { core.end(call, status) }
    core.openWaitingCalls()
  }

  /// Returns the call of an owner; this end sets no other owners.
  private static func call(_ owner: AnyObject?) -> ClientStream? {
    owner.map { unsafeDowncast($0, to: ClientStream.self) }
  }
}
