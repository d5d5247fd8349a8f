/// The decoders of untrusted data. Each target traps if an invariant is violated; Tests/Scripts/fuzz.sh generates the
/// inputs.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// One side of a connection, given raw bytes: the result must not depend on how they are split.
  case frames
  /// An HTTP/2 connection, given raw bytes: the result must not depend on how they are split.
  case http2
  /// The head of a request in the Connect protocol and in gRPC, and its body: the result must not depend on how the
  /// body is split.
  case connect
  /// Both sides of a connection whose users keep the rules, given a list of actions: neither side may report a
  /// violation.
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
  /// A weather forecast in JSON, and its timelines.
  case weather
  /// A habit log with tab-separated fields.
  case habits
  /// A message as JSON text, or encoded and converted to JSON text.
  case json
  /// A card: one that is read must be equal after it is written, and no line of its text may be too long.
  case cards

  /// Decodes the bytes, and returns whether they were accepted.
  public func run(_ bytes: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .frames: FrameFuzz.run(bytes)
    case .http2: HTTP2Fuzz.run(bytes)
    case .connect: ConnectFuzz.run(bytes)
    case .calls: CallFuzz.run(bytes)
    case .messages: MessageFuzz.run(bytes)
    case .device: StoredFuzz.device(Array(bytes))
    case .event: StoredFuzz.event(Array(bytes))
    case .scenario: TextFuzz.scenario(bytes)
    case .calendar: TextFuzz.calendar(Array(bytes))
    case .csv: TextFuzz.csv(Array(bytes))
    case .weather: TextFuzz.weather(Array(bytes))
    case .habits: TextFuzz.habits(Array(bytes))
    case .json: JSONFuzz.run(Array(bytes))
    case .cards: CardFuzz.run(Array(bytes))
    }
  }
}
