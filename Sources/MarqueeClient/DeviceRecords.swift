import MarqueeRPC
import MarqueeTransport
public import MarqueeWire

/// A device's history, record by record, each timeline in one. See ``OperatorClient/record(_:)``.
///
/// The first record is the origin; each that follows is one event. It throws ``RPCStatus`` when the server refuses it
/// or the connection is lost, and `DATA_LOSS` when it ends before the last event.
public struct DeviceRecords: AsyncSequence, Sendable {
  private let connection: RPCClient
  private let request: RecordDeviceRequest

  init(_ connection: RPCClient, _ request: RecordDeviceRequest) {
    self.connection = connection
    self.request = request
  }

  /// Begins to read at the first ``AsyncIterator/next()``.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(connection: connection, request: request) }

  /// Reads records; nothing is read ahead.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let connection: RPCClient
    let request: RecordDeviceRequest
    private var records: MessageStream<DeviceRecord>.AsyncIterator?
    private var restCount: UInt64 = 0

    init(connection: RPCClient, request: RecordDeviceRequest) {
      self.connection = connection
      self.request = request
    }

    /// The next record; `nil` after the last one.
    public mutating func next() async throws -> DeviceRecord? {
      if records == nil { return try await begin() }
      guard restCount > 0 else { return nil }
      guard var record = try await records?.next() else {
        throw RPCStatus(.dataLoss, "the record ends \(restCount) events early")
      }
      if case .timelinePublished(let first) = record.step {
        record.step = .timelinePublished(try await joined(first))
      }
      restCount -= 1
      return record
    }

    private mutating func begin() async throws -> DeviceRecord? {
      let call = try await connection.serverStreaming(AdminService.recordDevice, request)
      var iterator = call.responses.makeAsyncIterator()
      let first = try await iterator.next()
      guard let first, case .origin(let origin) = first.step else {
        throw RPCStatus(.dataLoss, "the record does not begin with the device's origin")
      }
      records = iterator
      restCount = origin.eventCount
      return first
    }

    /// The timeline that begins with this piece.
    private mutating func joined(_ first: TimelinePart) async throws -> TimelinePart {
      var whole = first
      while !whole.isCommit {
        guard case .timelinePublished(let part)? = try await records?.next()?.step, part.publish == whole.publish else {
          throw RPCStatus(.dataLoss, "a timeline of the record is not whole")
        }
        whole.entries += part.entries
        whole.isCommit = part.isCommit
      }
      return whole
    }
  }
}
