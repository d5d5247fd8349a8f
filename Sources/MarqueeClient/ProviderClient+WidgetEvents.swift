public import MarqueeModel
import MarqueeRPC
import MarqueeTransport
import MarqueeWire

/// An element of ``WidgetEvents``.
public enum WidgetEventUpdate: Hashable, Sendable {
  /// A stream is attached: the present placements follow as initial events. The app has registered this number of kinds
  /// on the device.
  case attached(kindCount: Int)
  /// An event of a widget.
  case event(WidgetEvent)
}

/// The events of an app's widgets, across connections. See ``ProviderClient/widgetEvents(ofKinds:)``.
public struct WidgetEvents: AsyncSequence, Sendable {
  fileprivate let updates: WatchUpdates<WatchWidgetEventsRequest, WatchWidgetEventsResponse>

  /// Returns an iterator that starts watching with the first ``AsyncIterator/next()``.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(updates: updates.makeAsyncIterator()) }

  /// The iterator of events.
  ///
  /// Events are not prefetched. Those that a slow reader has not read are merged on the server.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    fileprivate var updates: WatchUpdates<WatchWidgetEventsRequest, WatchWidgetEventsResponse>.AsyncIterator

    /// Returns the next update, or `nil` once the task is cancelled.
    public mutating func next() async throws -> WidgetEventUpdate? {
      while true {
        switch try await updates.next() {
        case .attached(let kindCount)?: return .attached(kindCount: kindCount)
        case .event(let event, _)?: return .event(event)
        // Not requested.
        case .heartbeat?: continue
        case nil: return nil
        }
      }
    }
  }
}

extension ProviderClient {
  /// Watches the events of the app's widgets on the device (rule W7). The provider need not run.
  ///
  /// Taps arrive at once. Everything else that happens to a widget is reported at most once a minute, and only what
  /// differs from the last report.
  ///
  /// The sequence survives the loss of its connection: after reconnecting, it starts with the present placements again,
  /// and does not report what happened meanwhile. It ends when the reading task is cancelled, and throws ``RPCStatus``
  /// if the server rejects the request, the app or the device was removed (`NOT_FOUND`), or this client was closed.
  ///
  /// - Parameter kinds: The kinds whose widgets are watched; none for all. A kind need not be registered yet.
  /// - Throws: `RequestError` if a kind is named twice.
  public func widgetEvents(ofKinds kinds: [KindName] = []) throws(RequestError) -> WidgetEvents {
    let request = try WatchWidgetEventsRequest(device: registration.device, app: registration.app, kinds: kinds)
    return WidgetEvents(
      updates: WatchUpdates(
        connection, ProviderService.watchWidgetEvents, request, about: registration.device, reconnection))
  }
}
