/// What reads bytes that anybody may have written. Each target reads them in one way and stops the process when
/// something does not hold that must; Deploy/fuzz.sh makes the bytes up.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// One end of a connection, given raw bytes: in pieces of any size they must come to the same.
  case frames
  /// Two ends of a connection that keep to the rules, and what is done with them: neither may blame the other.
  case calls
  /// Every message of the services.
  case messages
  /// A stored device.
  case device
  /// A stored event.
  case event
  /// A scenario in YAML.
  case scenario
  /// A calendar, and its occurrences.
  case calendar
  /// A timeline in CSV.
  case csv
  /// A log of habits, in fields separated by tabs.
  case habits

  /// Reads the bytes; whether they were accepted.
  public func run(_ bytes: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .frames: FrameFuzz.run(bytes)
    case .calls: CallFuzz.run(bytes)
    case .messages: MessageFuzz.run(bytes)
    case .device: StoredFuzz.device(Array(bytes))
    case .event: StoredFuzz.event(Array(bytes))
    case .scenario: TextFuzz.scenario(bytes)
    case .calendar: TextFuzz.calendar(Array(bytes))
    case .csv: TextFuzz.csv(Array(bytes))
    case .habits: TextFuzz.habits(Array(bytes))
    }
  }
}
