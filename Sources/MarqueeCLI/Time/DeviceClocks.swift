import MarqueeModel
import MarqueeRPC
import MarqueeSimulator

/// The clocks of devices whose changes a command prints as they arrive, without their time zones.
struct DeviceClocks {
  /// The time for which a device is not asked for its time zone again.
  private static let period = Duration.seconds(5)

  private let session: Session
  private var clocks: [DeviceID: (clock: DeviceClock, readAt: ContinuousClock.Instant)] = [:]

  init(_ session: Session) { self.session = session }

  /// Returns the clock of a device, of which a change of the time zone is known after a few seconds; UTC for a device
  /// that has been removed.
  mutating func clock(of device: DeviceID) async throws -> DeviceClock {
    if let known = clocks[device], known.readAt.duration(to: .now) < Self.period { return known.clock }
    let readAt = ContinuousClock.now
    do {
      let clock = try DeviceClock(try await session.display.time(of: device).timeZone.text)
      clocks[device] = (clock, readAt)
      return clock
    } catch let status as RPCStatus where status.code == .notFound {
      return .utc
    } catch let status as RPCStatus where status.code == .unavailable {
      // The change is printed all the same.
      return clocks[device]?.clock ?? .utc
    }
  }
}
