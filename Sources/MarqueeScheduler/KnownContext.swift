import MarqueeModel
import MarqueePredictor

/// A context of a device in the numbers of the predictor.
struct KnownContext {
  /// The maximum day of the device's context, to which later ones are clamped. Those that the predictor looks ahead to
  /// are later.
  private static let dayMax = Moment.dayMax - 1_000

  /// An event that actions can follow.
  struct Event {
    let kind: Int
    let start: Instant

    fileprivate func routine(at instant: Instant) -> Moment.Routine {
      Moment.Routine(kind: kind, age: Int(start.span(to: instant).milliseconds / 1_000))
    }
  }

  let place: Int?
  let routine: Event?
  let arrival: Event?
  let focus: Event?

  /// Returns the moment for an instant with the given UTC offset, in seconds.
  ///
  /// An event after `instant` is treated as occurring at it.
  func moment(at instant: Instant, offset: Int) -> Moment {
    let local = instant.milliseconds / 1_000 + Int64(offset)
    let second = (local % 86_400 + 86_400) % 86_400
    return Moment(
      day: min(Int((local - second) / 86_400), Self.dayMax), second: Int(second), place: place,
      routine: routine?.routine(at: instant), arrival: arrival?.routine(at: instant),
      focus: focus?.routine(at: instant))
  }
}
