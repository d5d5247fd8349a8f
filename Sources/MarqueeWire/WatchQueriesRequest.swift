internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request to watch the queries of displays to an app on a device.
public struct WatchQueriesRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The app.
  public var app: AppID
  /// The app's App Shortcuts, kept until the stream ends.
  public var book: PhraseBook
  /// The time without messages after which the server sends a heartbeat.
  public var heartbeat: HeartbeatInterval

  /// Creates a request.
  public init(device: DeviceID, app: AppID, book: PhraseBook = .empty, heartbeat: HeartbeatInterval = .none) {
    self.device = device
    self.app = app
    self.book = book
    self.heartbeat = heartbeat
  }
}

/// A response to a query of a stream of `WatchQueries`, or an intermediate step.
public struct RespondToQueryRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The app.
  public var app: AppID
  /// The stream that sent the query.
  public var stream: StreamKey
  /// The number of the query on the stream.
  public var number: UInt64
  /// The response or the step.
  public var response: QueryResponse

  /// Creates a request.
  public init(device: DeviceID, app: AppID, stream: StreamKey, number: UInt64, response: QueryResponse) {
    self.device = device
    self.app = app
    self.stream = stream
    self.number = number
    self.response = response
  }
}

extension WatchQueriesRequest: WireValue {
  init(_ message: Marquee__V1__WatchQueriesRequest) throws(RequestError) {
    try self.init(
      device: Field.identifier(message.device, "device"), app: Field.identifier(message.app, "app"),
      book: PhraseBook(message.n_app_shortcuts, message.app_shortcuts, of: message.application_name),
      heartbeat: HeartbeatInterval(message.heartbeat_ms, "heartbeat_ms"))
  }

  func fill(_ message: inout Marquee__V1__WatchQueriesRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.app = scratch.text(app)
    (message.n_app_shortcuts, message.app_shortcuts) = scratch.array(book.shortcuts)
    message.application_name = scratch.text(book.applicationName)
    message.heartbeat_ms = heartbeat.number
  }
}

extension RespondToQueryRequest: WireValue {
  /// Decodes a request. In contrast to a response on a stream of `ServeQueries`, an invalid response is an error of the
  /// call, so that the app can respond again.
  init(_ message: Marquee__V1__RespondToQueryRequest) throws(RequestError) {
    guard let response = message.response else { throw Field.absent("response") }
    try self.init(
      device: Field.identifier(message.device, "device"), app: Field.identifier(message.app, "app"),
      stream: Field.identifier(message.stream, "stream"), number: response.pointee.number,
      response: Field.within("response", QueryResponse(response.pointee)))
  }

  func fill(_ message: inout Marquee__V1__RespondToQueryRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.app = scratch.text(app)
    message.stream = scratch.text(stream)
    message.response = scratch.build {
      response.fill(&$0, scratch)
      $0.number = number
    }
  }
}
