import MarqueeModel
import MarqueeScheduler
import MarqueeTestSupport

/// Random settings of members, and what their pins depend on.
enum RandomPins {
  static let places = [(52.5, 13.4), (48.1, 11.6)].map { latitude, longitude in
    valid { try Place(latitude: latitude, longitude: longitude, display: "") }
  }

  /// Sets or removes a pin, or sets a rotation rule.
  static func edit(_ random: inout Sampler, _ second: Int, _ widget: Widget) -> StackEdit {
    switch random.number(in: 1...7) {
    case ...2: .setPin(widget, nil)
    case ...5: .setPin(widget, pin(&random, second))
    default:
      .setRotationRule(widget, RotationRule(isToAllowed: random.once(in: 2), isAwayAllowed: random.once(in: 2)))
    }
  }

  private static func pin(_ random: inout Sampler, _ second: Int) -> Pin {
    let times = random.once(in: 4) ? nil : times(&random, second)
    let region = random.once(in: 5) ? valid { try PlaceRegion(center: places[0], radius: 1_000) } : nil
    return Pin(times: times, place: region, focus: random.once(in: 6) ? valid { try FocusID("rest") } : nil)
  }

  /// A range of a few minutes or hours that starts within an hour of a second, or rarely at any time of the day.
  private static func times(_ random: inout Sampler, _ second: Int) -> PinTimes {
    let minute = Int(RandomDay.instant(second).milliseconds / 60_000) + random.number(in: -60...60)
    let start = random.once(in: 8) ? random.number(in: 0...1_439) : minute % 1_440
    let end = (start + random.one(of: [1, 5, 20, 60, 300, 1_439])) % 1_440
    let weekdays = random.once(in: 3) ? Weekdays(rawValue: UInt8(random.number(in: 1...127))) : .all
    return valid { try PinTimes(weekdays: weekdays, start: start, end: end) }
  }

  /// Offsets in quarters of an hour, which change a few times during the next hours, at multiples of five minutes.
  static func offsets(_ random: inout Sampler, _ zone: TimeZoneID, _ second: Int) -> Event {
    let first = RandomDay.instant(second).milliseconds / 300_000
    let steps = (0...random.number(in: 0...3)).map { index in
      let start = Instant(milliseconds: (first + Int64(index * random.number(in: 1...6))) * 300_000)
      return UTCOffsets.Step(start: start ?? .min, seconds: random.number(in: -8...8) * 900)
    }
    var rising: [UTCOffsets.Step] = []
    for step in steps where rising.last.map({ $0.start < step.start }) ?? true { rising.append(step) }
    return valid {
      .utcOffsetsLearned(try UTCOffsets(zone: zone, steps: rising, end: RandomDay.instant(second + 100_000)))
    }
  }
}
