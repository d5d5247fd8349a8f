import MarqueeModel
import MarqueeRPC
import MarqueeScheduler
import MarqueeWire

/// The list of a surface, encoded for the displays that receive the same number of suggestions.
struct SurfaceList: Sendable {
  /// The encoded `WatchSurfaceResponse`.
  let encoded: [UInt8]
  /// A hash of the list as displays show it, and of its next change: with confidences in whole percent, with display
  /// strings, and without the time of its computation.
  let key: UInt128
  private let timeZone: TimeZoneID

  init(_ response: WatchSurfaceResponse) {
    timeZone = response.timeZone
    encoded = response.encoded
    key = UInt128(hashing: response.asShown.encoded)
  }

  /// Returns the message that the list has not changed.
  func heartbeat(at now: Instant) -> WatchSurfaceResponse {
    WatchSurfaceResponse(at: now, suggestions: [], timeZone: timeZone, isHeartbeat: true)
  }
}

extension WatchSurfaceResponse {
  /// Creates the list of a surface with at most `count` suggestions.
  init(_ surface: SuggestionSurface, on device: Device, count: Int) {
    let suggestions = device.listedSuggestions(on: surface, count: count)
    // The words of reasons depend on the current date.
    let nextChanges = [device.nextSurfaceChange(on: surface), suggestions.isEmpty ? nil : device.nextLocalDay]
    self.init(
      at: device.now, suggestions: suggestions, timeZone: device.timeZone,
      nextChange: nextChanges.compactMap(\.self).min())
  }

  /// Returns the list with at most `count` suggestions.
  func limited(to count: Int) -> WatchSurfaceResponse {
    var list = self
    list.suggestions.removeLast(max(0, suggestions.count - count))
    return list
  }

  fileprivate var asShown: WatchSurfaceResponse {
    WatchSurfaceResponse(
      at: .min, suggestions: suggestions.map(\.inWholePercent), timeZone: timeZone, nextChange: nextChange)
  }

  fileprivate var encoded: [UInt8] {
    var buffer = EncodeBuffer()
    DisplayService.watchSurface.response.encode(self, &buffer)
    return buffer.bytes
  }
}

extension ListedSuggestion {
  /// The suggestion with its confidence in whole percent.
  fileprivate var inWholePercent: ListedSuggestion {
    var rounded = self
    rounded.confidence = (confidence * 100).rounded()
    return rounded
  }
}
