import MarqueeModel

extension Sampler {
  /// Returns a pin with any conditions.
  public mutating func pin() throws -> Pin {
    Pin(
      times: try maybe { try $0.pinTimes() },
      place: try maybe { try PlaceRegion(center: $0.place(), radius: $0.one(of: [0.5, 150, PlaceRegion.radiusMax])) },
      focus: try maybe { try $0.identifier() })
  }

  /// Returns times of a pin, which may end on the next day.
  public mutating func pinTimes() throws -> PinTimes {
    let start = number(in: 0...1_439)
    let end = one(of: [0, 1_440, (start + 1) % 1_440, (start + 1_439) % 1_440, (start + 720) % 1_440])
    return try PinTimes(
      weekdays: Weekdays(rawValue: UInt8(number(in: 1...127))), start: start, end: start == end ? 1_440 : end)
  }

  /// Returns any rotation rule.
  public mutating func rotationRule() -> RotationRule {
    RotationRule(isToAllowed: once(in: 2), isAwayAllowed: once(in: 2))
  }

  /// Returns settings of about every second of the members that the user added.
  mutating func settings(of members: [Widget], hasSuggestion: Bool) throws -> [Widget: MemberSettings] {
    var settings: [Widget: MemberSettings] = [:]
    for member in members.dropFirst(hasSuggestion ? 1 : 0) where once(in: 2) {
      settings[member] = MemberSettings(pin: try maybe { try $0.pin() }, rotationRule: rotationRule())
    }
    return settings
  }
}
