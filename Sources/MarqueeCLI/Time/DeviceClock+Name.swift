import Foundation
import MarqueeModel
import MarqueeSimulator

extension DeviceClock {
  /// Creates the clock of an IANA zone. An unknown zone fails with similar names as hints.
  init(_ name: String) throws(CommandFailure) {
    guard let zone = TimeZone(iana: name) else {
      let meant = TimeZone.iana(meantBy: name).map { [$0] }
      let failure = CommandFailure.notFound("time zone", name, known: TimeZone.knownTimeZoneIdentifiers)
      guard let meant else { throw failure }
      throw CommandFailure(
        .rejected, failure.message, code: .notFound, hints: [CommandFailure.didYouMean(meant)])
    }
    self.init(zone: zone)
  }
}
