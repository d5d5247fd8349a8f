/// The result of a call: a code, a message for people, and details for programs.
///
/// It is the only error type that calls throw. On the wire, the message is truncated to ``messageSizeMax`` bytes, and
/// details and metadata that do not fit one frame are omitted.
public struct RPCStatus: Error, Sendable {
  /// The maximum size of a message on the wire, in bytes of UTF-8.
  public static let messageSizeMax = 2_048

  /// The status code.
  public var code: StatusCode
  /// Everything but the code, or `nil` if empty. Most calls succeed, and statuses are copied often.
  private var storage: Storage?

  private struct Content: Hashable, Sendable {
    var message = ""
    var details: [StatusDetail] = []
    var metadata = Metadata()
    var isRefusal = false
  }

  private final class Storage: Sendable {
    let content: Content

    init(_ content: Content) {
      self.content = content
    }
  }

  private var content: Content {
    get { storage?.content ?? Content() }
    set { storage = newValue == Content() ? nil : Storage(newValue) }
  }

  /// A description of the error for people, without payload bytes, paths or SQL.
  public var message: String {
    get { content.message }
    set { content.message = newValue }
  }

  /// Structured details of the error for programs.
  public var details: [StatusDetail] {
    get { content.details }
    set { content.details = newValue }
  }

  /// The metadata sent with the end of the call.
  public var metadata: Metadata {
    get { content.metadata }
    set { content.metadata = newValue }
  }

  /// Whether no handler has seen the call, so that it can safely be retried.
  public var isRefusal: Bool {
    get { storage?.content.isRefusal ?? false }
    set { content.isRefusal = newValue }
  }

  /// Creates a status without details or metadata.
  public init(_ code: StatusCode, _ message: String) {
    self.init(code, message, details: [])
  }

  /// Creates a status.
  public init(
    _ code: StatusCode, _ message: String, details: [StatusDetail], metadata: Metadata = Metadata(),
    isRefusal: Bool = false
  ) {
    self.code = code
    content = Content(message: message, details: details, metadata: metadata, isRefusal: isRefusal)
  }

  /// The status of a successful call.
  public static let ok = RPCStatus(.ok, "")

  /// The status of an open call whose deadline has passed.
  package static let deadlinePassed = RPCStatus(.deadlineExceeded, "the deadline has passed")

  /// The status of a call that is rejected because its deadline had passed.
  package static let deadlinePassedOnArrival = RPCStatus(.deadlineExceeded, "the deadline had passed on arrival")

  /// Whether the call succeeded and the status has no other content.
  package var isPlainOK: Bool { code == .ok && storage == nil }
}

extension RPCStatus: Hashable {
  /// Whether both statuses have the same content.
  public static func == (left: RPCStatus, right: RPCStatus) -> Bool {
    left.code == right.code && (left.storage === right.storage || left.content == right.content)
  }

  /// Hashes the whole content.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(content)
  }
}

extension RPCStatus: CustomStringConvertible {
  /// The code's name and the message, such as `NOT_FOUND: no stack 7`.
  public var description: String {
    message.isEmpty ? code.description : "\(code): \(message)"
  }
}

/// A structured detail of a status, as in `google.rpc.Status`: a message type and an encoded message.
public struct StatusDetail: Hashable, Sendable {
  /// The URL of the message type, such as `type.googleapis.com/marquee.v1.LimitExceeded`.
  public var typeURL: String
  /// The encoded message.
  public var value: [UInt8]

  /// Creates a detail.
  public init(typeURL: String, value: [UInt8]) {
    self.typeURL = typeURL
    self.value = value
  }
}
