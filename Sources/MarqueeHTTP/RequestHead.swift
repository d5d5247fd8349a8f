import MarqueeRPC

/// The header fields of a request, collected one by one.
struct RequestHead {
  /// The HTTP method, as far as it matters.
  enum Method: String {
    case absent = ""
    case post = "POST"
    case options = "OPTIONS"
    case get = "GET"
    case head = "HEAD"
    case other = "OTHER"
  }

  /// The timeout of gRPC.
  enum Timeout {
    case absent
    case duration(Duration)
    /// It is not a timeout, or there is more than one.
    case malformed
  }

  private(set) var method = Method.absent
  private(set) var path: [UInt8] = []
  /// The host and perhaps a port, from `:authority` or `host`; empty without one.
  private(set) var authority: [UInt8] = []
  /// Whether `:authority` and `host` differ, or there are several.
  private(set) var hasOtherAuthority = false
  private(set) var variant: GRPCVariant?
  /// Whether messages may be compressed in a way other than `identity`.
  private(set) var hasUnknownEncoding = false
  private(set) var timeout = Timeout.absent
  /// The fields that may be metadata.
  private(set) var metadata = HeaderList()
  /// The fields that are not metadata, without the host and those of gRPC.
  private(set) var others = HeaderList()
  /// The size of the list as RFC 9113 defines it.
  private(set) var size = 0
  private let sizeMax: Int

  /// Whether the list exceeds its limit. Its further fields are not stored.
  var isTooLarge: Bool { size > sizeMax }

  init(sizeMax: Int) {
    self.sizeMax = sizeMax
  }

  /// The name of the field with the timeout.
  static let timeoutName: StaticString = "grpc-timeout"

  /// Prepares for another request.
  mutating func reset() {
    method = .absent
    if !path.isEmpty { path.removeAll(keepingCapacity: true) }
    if !authority.isEmpty { authority.removeAll(keepingCapacity: true) }
    hasOtherAuthority = false
    variant = nil
    hasUnknownEncoding = false
    timeout = .absent
    metadata.removeAll()
    others.removeAll()
    size = 0
  }

  /// The time until the deadline; `nil` without one.
  ///
  /// - Throws: The status of a call whose timeout is malformed, or has passed.
  var grpcTimeout: Duration? {
    get throws(RPCStatus) {
      switch timeout {
      case .absent: return nil
      case .malformed: throw RPCStatus(.invalidArgument, "grpc-timeout: malformed")
      case .duration(let timeout) where timeout <= .zero: throw .deadlinePassedOnArrival
      case .duration(let timeout): return timeout
      }
    }
  }

  /// Whether the client waits for `100 Continue` before it sends the body.
  var expectsContinue: Bool {
    (0..<others.count).contains { others[$0].name.elementsEqual("expect".utf8) }
  }

  /// Adds a field of the list.
  mutating func append(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    count(name, value)
    if !isTooLarge { store(name, value) }
  }

  /// Adds a field to the size of the list only.
  mutating func count(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    size += name.count + value.count + HeaderList.fieldOverhead
  }

  /// Adds a field that is already counted.
  mutating func store(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    if name.first == UInt8(ascii: ":") {
      appendPseudo(name, value)
    } else if name.equals("host") {
      append(authority: value)
    } else if name.starts(with: "grpc-") {
      appendReserved(name, value)
    } else if ReservedField.contains(name) {
      if name.equals("content-type") {
        variant = value.equals("application/grpc") ? .grpc : GRPCVariant(contentType: value)
      }
      others.append(name, value)
    } else {
      metadata.append(name, value)
    }
  }

  private mutating func append(authority value: UnsafeRawBufferPointer) {
    if authority.isEmpty {
      authority.append(contentsOf: value)
    } else if !value.elementsEqual(authority) {
      hasOtherAuthority = true
    }
  }

  private mutating func appendPseudo(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    if name.equals(":path") { path.append(contentsOf: value) }
    if name.equals(":authority") { append(authority: value) }
    if name.equals(":method") {
      method = Self.method(value)
    }
  }

  private static func method(_ value: UnsafeRawBufferPointer) -> Method {
    if value.equals("POST") { return .post }
    if value.equals("OPTIONS") { return .options }
    return value.equals("GET") ? .get : value.equals("HEAD") ? .head : .other
  }

  private mutating func appendReserved(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    if name.equals(Self.timeoutName) {
      if case .absent = timeout {
        timeout = GRPCTimeout.parse(value).map(Timeout.duration) ?? .malformed
      } else {
        timeout = .malformed
      }
    } else if name.equals("grpc-encoding") {
      hasUnknownEncoding = hasUnknownEncoding || !value.equals("identity")
    }
  }
}

extension HTTPHead {
  /// Creates the head of a request of HTTP/2, whose method is exact if it is one of ``RequestHead/Method``. Fields of
  /// gRPC are omitted.
  init(_ head: RequestHead) {
    var fields: [Field] = []
    fields.reserveCapacity(head.others.count + head.metadata.count)
    for list in [head.others, head.metadata] {
      for index in 0..<list.count {
        let (name, value) = list[index]
        fields.append(Field(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
      }
    }
    let hasAuthority = !head.authority.isEmpty && !head.hasOtherAuthority
    self.init(
      method: head.method.rawValue, target: String(decoding: head.path, as: UTF8.self),
      authority: hasAuthority ? String(decoding: head.authority, as: UTF8.self) : nil, fields: fields)
  }
}
