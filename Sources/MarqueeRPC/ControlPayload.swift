import CMarqueeProtos
import CProtobufC

/// The settings announced by one end of a connection.
public struct PeerSettings: Hashable, Sendable {
  /// The maximum payload of a MESSAGE frame, in bytes.
  public package(set) var frameSizeMax = 65_536
  /// The maximum number of concurrent calls.
  public package(set) var streamCountMax = 100
  /// The initial credit of each stream, in bytes.
  public package(set) var streamCredit = 65_536
  /// The initial credit of the connection, in bytes.
  public package(set) var connectionCredit = 1 << 20
  /// The maximum size of a message, in bytes.
  public package(set) var messageSizeMax = 4 << 20
  /// Whether the peer, a client, follows ``Moved``.
  public package(set) var acceptsMoved = false

  /// Creates the protocol's defaults.
  package init() {}
}

/// A GOAWAY frame: the sender accepts no more calls.
public struct GoAway: Hashable, Sendable {
  /// The last stream that was or may still be processed; later calls can be retried on another connection.
  public let lastStream: StreamID
  /// The reason.
  public let status: RPCStatus
  /// The minimum time before reconnecting.
  public let retryAfter: Duration
}

/// Encodes and decodes the payloads of control frames with libprotobuf-c.
enum ControlPayload {
  private static let detailCountMax = 32
  /// The maximum size of a status' details and metadata together, so that they fit one frame with the message.
  private static let statusExtraSizeMax = RPCLimits.controlSizeMax - RPCStatus.messageSizeMax - 1_024

  // MARK: Encoding

  static func append(settings limits: RPCLimits, acceptsMoved: Bool = false, to buffer: inout EncodeBuffer) {
    var message = Marquee__Rpc__V1__Settings()
    marquee__rpc__v1__settings__init(&message)
    message.frame_size_max = UInt32(limits.frameSizeMax)
    message.stream_count_max = UInt32(limits.streamCountMax)
    message.stream_credit = UInt32(limits.streamCredit)
    message.connection_credit = UInt32(limits.connectionCredit)
    message.message_size_max = UInt32(limits.messageSizeMax)
    message.accepts_moved = acceptsMoved ? 1 : 0
    withUnsafePointer(to: &message.base) { buffer.append(packing: $0) }
  }

  /// Appends an OPEN without its timeout.
  static func append(_ open: OpenPayload, to buffer: inout EncodeBuffer) {
    let scratch = buffer.scratch
    var message = Marquee__Rpc__V1__Open()
    marquee__rpc__v1__open__init(&message)
    message.method = scratch.cString(open.method)
    (message.metadata, message.n_metadata) = metadata(open.metadata, scratch)
    withUnsafePointer(to: &message.base) { buffer.append(packing: $0) }
    scratch.reset()
  }

  /// Appends the timeout of an OPEN.
  static func append(timeoutMicroseconds: Int64, to buffer: inout EncodeBuffer) {
    var message = Marquee__Rpc__V1__Open()
    marquee__rpc__v1__open__init(&message)
    message.maybe_timeout_case = MARQUEE__RPC__V1__OPEN__MAYBE_TIMEOUT_TIMEOUT_US
    message.timeout_us = timeoutMicroseconds
    withUnsafePointer(to: &message.base) { buffer.append(packing: $0) }
  }

  static func append(header: Metadata, to buffer: inout EncodeBuffer) {
    var message = Marquee__Rpc__V1__Header()
    marquee__rpc__v1__header__init(&message)
    (message.metadata, message.n_metadata) = metadata(header, buffer.scratch)
    withUnsafePointer(to: &message.base) { buffer.append(packing: $0) }
    buffer.scratch.reset()
  }

  static func append(_ status: RPCStatus, to buffer: inout EncodeBuffer) {
    if status.isPlainOK { return }
    let scratch = buffer.scratch
    var message = Marquee__Rpc__V1__Status()
    marquee__rpc__v1__status__init(&message)
    message.code = status.code.rawValue
    message.message = scratch.cString(status.message.cut(to: RPCStatus.messageSizeMax))
    var room = statusExtraSizeMax
    let details = status.details.prefix(detailCountMax).filter { detail in
      room -= detail.typeURL.utf8.count + detail.value.count + 16
      return room >= 0
    }
    message.n_details = details.count
    message.details = scratch.allocate(count: details.count)
    for (index, detail) in details.enumerated() {
      let entry = scratch.allocate(Marquee__Rpc__V1__Detail.self)
      marquee__rpc__v1__detail__init(entry)
      entry.pointee.type_url = scratch.cString(detail.typeURL.withoutNUL)
      entry.pointee.value = scratch.binary(detail.value)
      message.details[index] = entry
    }
    let size = status.metadata.pairs.reduce(0) { $0 + $1.key.utf8.count + $1.value.count + 16 }
    if status.metadata.problem == nil, size <= room {
      (message.metadata, message.n_metadata) = metadata(status.metadata, scratch)
    }
    withUnsafePointer(to: &message.base) { buffer.append(packing: $0) }
    scratch.reset()
  }

  static func append(cancel code: StatusCode, to buffer: inout EncodeBuffer) {
    var message = Marquee__Rpc__V1__Cancel()
    marquee__rpc__v1__cancel__init(&message)
    message.code = code.rawValue
    withUnsafePointer(to: &message.base) { buffer.append(packing: $0) }
  }

  static func append(_ goAway: GoAway, to buffer: inout EncodeBuffer) {
    let scratch = buffer.scratch
    var message = Marquee__Rpc__V1__GoAway()
    marquee__rpc__v1__go_away__init(&message)
    message.last_stream = goAway.lastStream.rawValue
    message.code = goAway.status.code.rawValue
    message.message = scratch.cString(goAway.status.message.cut(to: RPCStatus.messageSizeMax))
    message.retry_after_ms = UInt32(clamping: goAway.retryAfter.nanoseconds / 1_000_000)
    withUnsafePointer(to: &message.base) { buffer.append(packing: $0) }
    scratch.reset()
  }

  private typealias MetadatumPointers = UnsafeMutablePointer<UnsafeMutablePointer<Marquee__Rpc__V1__Metadatum>?>

  private static func metadata(_ metadata: Metadata, _ scratch: EncodeScratch) -> (MetadatumPointers?, Int) {
    if metadata.isEmpty { return (nil, 0) }
    let entries: MetadatumPointers = scratch.allocate(count: metadata.pairs.count)
    for (index, pair) in metadata.pairs.enumerated() {
      let entry = scratch.allocate(Marquee__Rpc__V1__Metadatum.self)
      marquee__rpc__v1__metadatum__init(entry)
      entry.pointee.key = scratch.cString(pair.key)
      entry.pointee.value = scratch.binary(pair.value)
      entries[index] = entry
    }
    return (entries, metadata.pairs.count)
  }

  // MARK: Decoding

  /// Decodes the peer's settings. An absent field keeps its default; a value below the minimum is an error.
  static func settings(_ bytes: UnsafeRawBufferPointer, _ arena: DecodeArena) throws(RPCStatus) -> PeerSettings {
    let message: UnsafePointer<Marquee__Rpc__V1__Settings> = try arena.unpack(ControlDescriptors.settings, bytes)
    var settings = PeerSettings()
    try validate(message.pointee.frame_size_max, "frame_size_max", into: &settings.frameSizeMax)
    try validate(message.pointee.stream_credit, "stream_credit", into: &settings.streamCredit)
    try validate(message.pointee.connection_credit, "connection_credit", into: &settings.connectionCredit)
    try validate(message.pointee.message_size_max, "message_size_max", into: &settings.messageSizeMax)
    if message.pointee.stream_count_max > 0 { settings.streamCountMax = Int(message.pointee.stream_count_max) }
    settings.acceptsMoved = message.pointee.accepts_moved != 0
    return settings
  }

  private static func validate(_ value: UInt32, _ name: String, into setting: inout Int) throws(RPCStatus) {
    if value == 0 { return }
    guard (RPCLimits.announcedSizeMin...RPCLimits.creditMax).contains(Int(value)) else {
      throw RPCStatus(
        .invalidArgument, "\(name): \(value) is not in \(RPCLimits.announcedSizeMin)...\(RPCLimits.creditMax)")
    }
    setting = Int(value)
  }

  /// Decodes an OPEN. Strings and metadata equal to those of `last`, the previous OPEN, are shared with it.
  static func open(
    _ bytes: UnsafeRawBufferPointer, _ arena: DecodeArena, last: OpenPayload?
  ) throws(RPCStatus) -> OpenPayload {
    let message: UnsafePointer<Marquee__Rpc__V1__Open> = try arena.unpack(ControlDescriptors.open, bytes)
    let method = try arena.string(message.pointee.method, field: "method", last: last?.method)
    guard (3...RPCLimits.methodSizeMax).contains(method.utf8.count) else {
      throw RPCStatus(
        .invalidArgument, "method of \(method.utf8.count) bytes is not in 3...\(RPCLimits.methodSizeMax) bytes")
    }
    let hasTimeout = message.pointee.maybe_timeout_case == MARQUEE__RPC__V1__OPEN__MAYBE_TIMEOUT_TIMEOUT_US
    return OpenPayload(
      method: method,
      timeoutMicroseconds: hasTimeout ? message.pointee.timeout_us : nil,
      metadata: try metadata(message.pointee.metadata, message.pointee.n_metadata, arena, last: last?.metadata))
  }

  static func header(_ bytes: UnsafeRawBufferPointer, _ arena: DecodeArena) throws(RPCStatus) -> Metadata {
    let message: UnsafePointer<Marquee__Rpc__V1__Header> = try arena.unpack(ControlDescriptors.header, bytes)
    return try metadata(message.pointee.metadata, message.pointee.n_metadata, arena)
  }

  static func status(_ bytes: UnsafeRawBufferPointer, _ arena: DecodeArena) throws(RPCStatus) -> RPCStatus {
    if bytes.isEmpty { return .ok }
    let message: UnsafePointer<Marquee__Rpc__V1__Status> = try arena.unpack(ControlDescriptors.status, bytes)
    var details: [StatusDetail] = []
    for index in 0..<message.pointee.n_details {
      guard let detail = message.pointee.details[index] else { continue }
      let name = try arena.string(detail.pointee.type_url, field: "details[\(index)].type_url")
      details.append(StatusDetail(typeURL: name, value: Array(detail.pointee.value)))
    }
    return RPCStatus(
      StatusCode(rawValue: message.pointee.code),
      try arena.string(message.pointee.message, field: "message"),
      details: details,
      metadata: try metadata(message.pointee.metadata, message.pointee.n_metadata, arena))
  }

  static func cancel(_ bytes: UnsafeRawBufferPointer, _ arena: DecodeArena) throws(RPCStatus) -> StatusCode {
    let message: UnsafePointer<Marquee__Rpc__V1__Cancel> = try arena.unpack(ControlDescriptors.cancel, bytes)
    return message.pointee.code == StatusCode.deadlineExceeded.rawValue ? .deadlineExceeded : .cancelled
  }

  static func goAway(_ bytes: UnsafeRawBufferPointer, _ arena: DecodeArena) throws(RPCStatus) -> GoAway {
    let message: UnsafePointer<Marquee__Rpc__V1__GoAway> = try arena.unpack(ControlDescriptors.goAway, bytes)
    return GoAway(
      lastStream: StreamID(rawValue: message.pointee.last_stream),
      status: RPCStatus(
        StatusCode(rawValue: message.pointee.code), try arena.string(message.pointee.message, field: "message")),
      retryAfter: .milliseconds(Int64(message.pointee.retry_after_ms)))
  }

  private static func metadata(
    _ entries: MetadatumPointers?, _ count: Int, _ arena: DecodeArena, last: Metadata? = nil
  ) throws(RPCStatus) -> Metadata {
    guard count > 0, let entries else { return Metadata() }
    guard count <= Metadata.pairCountMax else {
      throw RPCStatus(.invalidArgument, Metadata.tooManyPairs(count))
    }
    if let last, isSame(entries, count, last, arena) { return last }
    var metadata = Metadata()
    for index in 0..<count {
      guard let entry = entries[index] else { continue }
      let key = try arena.string(entry.pointee.key, field: "metadata[\(index)].key")
      metadata.append(key, bytes: Array(entry.pointee.value))
    }
    if let problem = metadata.problem { throw RPCStatus(.invalidArgument, problem) }
    return metadata
  }

  private static func isSame(
    _ entries: MetadatumPointers, _ count: Int, _ last: Metadata, _ arena: DecodeArena
  ) -> Bool {
    guard last.pairs.count == count else { return false }
    for (index, pair) in last.pairs.enumerated() {
      guard let entry = entries[index], arena.isString(entry.pointee.key, equalTo: pair.key) else { return false }
      let value = UnsafeRawBufferPointer(start: entry.pointee.value.data, count: entry.pointee.value.len)
      guard pair.value.withUnsafeBytes({ $0.equals(value) }) else { return false }
    }
    return true
  }
}

/// The descriptors of the generated C messages.
///
/// Each is read from an initialized message, because Swift guarantees no stable address for an imported constant.
/// Sharing them is safe: they are immutable C constants.
enum ControlDescriptors {
  nonisolated(unsafe) static let settings = descriptor(marquee__rpc__v1__settings__init)
  nonisolated(unsafe) static let open = descriptor(marquee__rpc__v1__open__init)
  nonisolated(unsafe) static let header = descriptor(marquee__rpc__v1__header__init)
  nonisolated(unsafe) static let status = descriptor(marquee__rpc__v1__status__init)
  nonisolated(unsafe) static let cancel = descriptor(marquee__rpc__v1__cancel__init)
  nonisolated(unsafe) static let goAway = descriptor(marquee__rpc__v1__go_away__init)

  private static func descriptor<T>(
    _ initialize: (UnsafeMutablePointer<T>?) -> Void
  ) -> UnsafePointer<ProtobufCMessageDescriptor> {
    let message = UnsafeMutablePointer<T>.allocate(capacity: 1)
    defer { message.deallocate() }
    initialize(message)
    return UnsafeRawPointer(message).assumingMemoryBound(to: ProtobufCMessage.self).pointee.descriptor
  }
}

extension Array where Element == UInt8 {
  /// Copies the bytes of a C `bytes` field.
  public init(_ field: ProtobufCBinaryData) {
    self.init(UnsafeBufferPointer(start: field.data, count: field.data == nil ? 0 : field.len))
  }
}

extension String {
  /// The string with each NUL replaced, because C strings end there.
  var withoutNUL: String {
    utf8.contains(0) ? String(unicodeScalars.map { $0.value == 0 ? "\u{FFFD}" : Character($0) }) : self
  }

  /// Returns at most `sizeMax` bytes of UTF-8, truncated between characters, without NUL.
  package func cut(to sizeMax: Int) -> String {
    let text = withoutNUL
    guard text.utf8.count > sizeMax else { return text }
    var end = text.utf8.index(text.utf8.startIndex, offsetBy: sizeMax)
    while end > text.startIndex, String.Index(end, within: text.unicodeScalars) == nil {
      end = text.utf8.index(before: end)
    }
    return String(text[..<end])
  }
}
