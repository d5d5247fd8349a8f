import Foundation
import MarqueeModel
import MarqueeSimulator

extension DeviceClock {
  /// Creates the clock of an IANA zone. An unknown zone fails with similar names as hints.
  init(_ name: String) throws(CommandFailure) {
    guard let zone = TimeZone(identifier: name) else {
      throw .notFound("time zone", name, known: TimeZone.knownTimeZoneIdentifiers)
    }
    self.init(zone: zone)
  }
}
