public import MarqueeModel
import MarqueeTransport
import MarqueeWire

/// The device's time zone, in which an app formats local times.
extension ProviderClient {
  /// The latest known time zone of the device; `nil` before the first one.
  ///
  /// It is known before the first element of ``reloadRequests`` and ``placedWidgets``, and before the first query.
  public var timeZone: TimeZoneID? { knownTimeZone.withLock(\.self) }

  /// Requests the device's time zone, which is ``timeZone`` from then on. It does not require ``run()``.
  @discardableResult
  public func deviceTimeZone() async throws -> TimeZoneID {
    let zone = try await deviceTimeZone(callOptions)
    note(zone)
    return zone
  }

  func deviceTimeZone(_ options: CallOptions) async throws -> TimeZoneID {
    let request = GetDeviceTimeRequest(device: registration.device)
    return try await connection.unary(DisplayService.getDeviceTime, request, options: options).timeZone
  }

  /// Records the device's time zone.
  func note(_ zone: TimeZoneID) {
    let isChange = knownTimeZone.withLock { known in
      defer { known = zone }
      return known.map { $0 != zone } ?? false
    }
    if isChange { newTimeZone.yield(zone) }
  }
}
