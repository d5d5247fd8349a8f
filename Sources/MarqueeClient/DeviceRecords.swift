import MarqueeRPC
import MarqueeTransport
public import MarqueeWire

/// A device's history, record by record; the parts of a timeline are joined into one record. See
/// ``OperatorClient/record(_:)``.
///
/// The first record is the origin, each following one is an event. The sequence throws ``RPCStatus`` if the server
/// rejects the request or the connection is lost, and `DATA_LOSS` if it ends before the last event.
public struct DeviceRecords: AsyncSequence, Sendable {
  private let connection: RPCClient
  private let request: ExportDeviceRequest

  init(_ connection: RPCClient, _ request: ExportDeviceRequest) {
    self.connection = connection
    self.request = request
  }

  /// Returns an iterator that starts reading with the first ``AsyncIterator/next()``.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(connection: connection, request: request) }

  /// The iterator of a device's records; records are not prefetched.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let connection: RPCClient
    let request: ExportDeviceRequest
    private var records: MessageStream<DeviceRecord>.AsyncIterator?
    private var remainingEventCount: UInt64 = 0

    init(connection: RPCClient, request: ExportDeviceRequest) {
      self.connection = connection
      self.request = request
    }

    /// Returns the next record, or `nil` after the last one.
    public mutating func next() async throws -> DeviceRecord? {
      if records == nil { return try await begin() }
      guard remainingEventCount > 0 else { return nil }
      guard var record = try await records?.next() else {
        throw RPCStatus(.dataLoss, "the record ended \(remainingEventCount) events early")
      }
      if case .timelinePublished(let first) = record.step {
        record.step = .timelinePublished(try await joined(first))
      }
      remainingEventCount -= 1
      return record
    }

    private mutating func begin() async throws -> DeviceRecord? {
      let call = try await connection.serverStreaming(
        AdminService.exportDevice, request, options: CallOptions().about(request.device))
      var iterator = call.responses.makeAsyncIterator()
      let first = try await iterator.next()
      guard let first, case .origin(let origin) = first.step else {
        throw RPCStatus(.dataLoss, "the record does not start with the device's origin")
      }
      records = iterator
      remainingEventCount = origin.eventCount
      return first
    }

    /// Returns the timeline that starts with the given part.
    private mutating func joined(_ first: TimelinePart) async throws -> TimelinePart {
      var whole = first
      while !whole.isCommit {
        guard case .timelinePublished(let part)? = try await records?.next()?.step, part.publish == whole.publish else {
          throw RPCStatus(.dataLoss, "incomplete timeline in the record")
        }
        whole.entries += part.entries
        whole.isCommit = part.isCommit
      }
      return whole
    }
  }
}
