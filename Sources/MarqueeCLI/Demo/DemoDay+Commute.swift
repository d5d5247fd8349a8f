import MarqueeModel

extension DemoDay {
  /// The departures of a bus, which matter on the way to work and back.
  static func departures(_ midnight: Instant) -> Provider {
    let usual = "Bus 100: every 20 minutes"
    return Provider(widget: widget("com.example.transit", "Departures"), displayName: "Departures") { _ in
      var entries = [entry(time(midnight, 6, 0), 0, usual)]
      for commute in [7 * 60 + 20..<8 * 60 + 10, 17 * 60..<17 * 60 + 40] {
        for minute in stride(from: commute.lowerBound, to: commute.upperBound, by: 10) {
          let text = "Bus 100: \(wallTime(minute + 6)), \(wallTime(minute + 16))"
          entries.append(entry(time(midnight, 0, Int64(minute)), 85, minutes: 10, text))
        }
        entries.append(entry(time(midnight, 0, Int64(commute.upperBound)), 0, usual))
      }
      return Timeline(submitted: entries, policy: .never)
    }
  }

  private static func wallTime(_ minute: Int) -> String {
    "\(minute / 60):\(minute % 60 < 10 ? "0" : "")\(minute % 60)"
  }

  /// The power of a solar plant, which matters when it would be wasted.
  static func energy(_ midnight: Instant) -> Provider {
    Provider(widget: widget("com.example.energy", "Solar"), displayName: "Solar power") { _ in
      let entries = [
        entry(time(midnight, 6, 0), 0, "0.1 kW"), entry(time(midnight, 9, 30), 0, "1.4 kW"),
        entry(time(midnight, 12, 30), 60, minutes: 60, "3.6 kW: run the dishwasher"),
        entry(time(midnight, 13, 30), 0, "2.9 kW"), entry(time(midnight, 18, 0), 0, "0.2 kW"),
      ]
      return Timeline(submitted: entries, policy: .never)
    }
  }
}
