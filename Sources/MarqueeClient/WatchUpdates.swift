import MarqueeModel
import MarqueeRPC
import MarqueeTransport
public import MarqueeWire

/// The updates of watched stacks and widgets. See ``DisplayClient/watch(_:stacks:on:)``.
public typealias DisplayUpdates = WatchUpdates<WatchRequest, DisplayUpdate>

/// The successive lists of a watched surface. See ``DisplayClient/surfaceUpdates(on:of:count:)``.
public typealias SurfaceUpdates = WatchUpdates<WatchSurfaceRequest, WatchSurfaceResponse>

/// The changes of devices. See ``OperatorClient/activity(of:)``.
public typealias ActivityUpdates = WatchUpdates<WatchActivityRequest, WatchActivityResponse>

/// The updates of a watch, across connections. Each stream of the server starts with the present state.
public struct WatchUpdates<Request: Sendable, Update: Sendable>: AsyncSequence, Sendable {
  private let connection: RPCClient
  private let method: RPCMethod<Request, Update>
  private let request: Request
  private let options: CallOptions
  private let reconnection: Reconnection

  /// Creates a sequence.
  ///
  /// - Parameter device: The device that all updates are about; `nil` for several.
  init(
    _ connection: RPCClient, _ method: RPCMethod<Request, Update>, _ request: Request, about device: DeviceID? = nil,
    _ reconnection: Reconnection
  ) {
    options = CallOptions(waitsForReady: true, affinity: device?.text)
    self.connection = connection
    self.method = method
    self.request = request
    self.reconnection = reconnection
  }

  /// Returns an iterator that starts watching with the first ``AsyncIterator/next()``.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(
      connection: connection, method: method, request: request, options: options, reconnection: reconnection)
  }

  /// The iterator of updates. It watches again when a stream has ended.
  ///
  /// Updates are not prefetched. Those that a slow reader has not read wait on the server, which restarts a watch of
  /// stacks if too many wait.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    private let connection: RPCClient
    private let method: RPCMethod<Request, Update>
    private let request: Request
    private let options: CallOptions
    private let reconnection: Reconnection
    private var updates: MessageStream<Update>.AsyncIterator?
    private var failedAttempts = 0
    private var isOver = false

    init(
      connection: RPCClient, method: RPCMethod<Request, Update>, request: Request, options: CallOptions,
      reconnection: Reconnection
    ) {
      self.options = options
      self.connection = connection
      self.method = method
      self.request = request
      self.reconnection = reconnection
    }

    /// Returns the next update, or `nil` once the task is cancelled.
    public mutating func next() async throws -> Update? {
      while !isOver, !Task.isCancelled {
        var failure: RPCStatus?
        do {
          if let update = try await received() {
            if failedAttempts > 0 { reconnection.changed(false, nil) }
            failedAttempts = 0
            return update
          }
        } catch let status as RPCStatus where connection.mayReopen(after: status) {
          // Retried below: the next stream starts with the present state.
          failure = status
        } catch {
          isOver = true
          if Task.isCancelled { return nil }
          throw error
        }
        updates = nil
        if failedAttempts == 0, !Task.isCancelled { reconnection.changed(true, failure) }
        failedAttempts += 1
        // Only cancellation ends the delay early, and the loop's condition checks for it.
        try? await reconnection.pause(after: failedAttempts, failure)
      }
      isOver = true
      return nil
    }

    private mutating func received() async throws -> Update? {
      if updates == nil {
        updates = try await connection.serverStreaming(method, request, options: options).responses.makeAsyncIterator()
      }
      return try await updates?.next()
    }
  }
}
