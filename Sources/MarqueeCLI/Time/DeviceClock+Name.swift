import Foundation
import MarqueeModel
import MarqueeSimulator

extension DeviceClock {
  /// The clock of an IANA zone, or a failure that suggests others when this machine's database does not have it.
  init(_ name: String) throws(CommandFailure) {
    guard let zone = TimeZone(identifier: name) else {
      throw .notFound("time zone", name, known: TimeZone.knownTimeZoneIdentifiers)
    }
    self.init(zone: zone)
  }
}
