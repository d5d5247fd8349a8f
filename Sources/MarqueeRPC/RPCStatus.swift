/// The end of a call: a code, a message for people, and details for programs.
///
/// It is the one error that calls throw. On the wire the message is cut to ``messageSizeMax`` bytes, and details
/// and metadata that do not fit one frame are left out.
public struct RPCStatus: Error, Sendable {
  /// Longest message that is sent, in bytes of UTF-8.
  public static let messageSizeMax = 2_048

  /// How the call ended.
  public var code: StatusCode
  /// All the rest, or `nil` when there is no more: most calls succeed, and each status goes through many hands.
  private var words: Words?

  /// What a status may say beside its code.
  private struct Content: Hashable, Sendable {
    var message = ""
    var details: [StatusDetail] = []
    var metadata = Metadata()
    var isRefusal = false
  }

  private final class Words: Sendable {
    let content: Content

    init(_ content: Content) {
      self.content = content
    }
  }

  private var content: Content {
    get { words?.content ?? Content() }
    set { words = newValue == Content() ? nil : Words(newValue) }
  }

  /// What went wrong, for people. It carries no payload bytes, paths or SQL.
  public var message: String {
    get { content.message }
    set { content.message = newValue }
  }

  /// What went wrong, for programs.
  public var details: [StatusDetail] {
    get { content.details }
    set { content.details = newValue }
  }

  /// Metadata that came with the end of the call.
  public var metadata: Metadata {
    get { content.metadata }
    set { content.metadata = newValue }
  }

  /// Whether no handler has seen the call, so that the same call may safely be sent again.
  public var isRefusal: Bool {
    get { content.isRefusal }
    set { content.isRefusal = newValue }
  }

  /// A status without details or metadata.
  public init(_ code: StatusCode, _ message: String) {
    self.init(code, message, details: [])
  }

  /// A status with all it can carry.
  public init(
    _ code: StatusCode, _ message: String, details: [StatusDetail], metadata: Metadata = Metadata(),
    isRefusal: Bool = false
  ) {
    self.code = code
    content = Content(message: message, details: details, metadata: metadata, isRefusal: isRefusal)
  }

  /// The call succeeded.
  public static let ok = RPCStatus(.ok, "")

  /// Whether this status says no more than that the call succeeded.
  var isPlainOK: Bool { code == .ok && words == nil }
}

extension RPCStatus: Hashable {
  /// Whether both say the same.
  public static func == (left: RPCStatus, right: RPCStatus) -> Bool {
    left.code == right.code && (left.words === right.words || left.content == right.content)
  }

  /// Puts all that the status says into the hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(content)
  }
}

extension RPCStatus: CustomStringConvertible {
  /// The code's name and the message, as in `NOT_FOUND: no stack 7`.
  public var description: String {
    message.isEmpty ? code.description : "\(code): \(message)"
  }
}

/// One structured detail of a status, as in `google.rpc.Status`: the name of a message type and its encoding.
public struct StatusDetail: Hashable, Sendable {
  /// Names the message type, as in `type.googleapis.com/marquee.v1.LimitExceeded`.
  public var typeURL: String
  /// The encoded message.
  public var value: [UInt8]

  /// A detail of that type and encoding.
  public init(typeURL: String, value: [UInt8]) {
    self.typeURL = typeURL
    self.value = value
  }
}
