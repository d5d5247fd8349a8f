internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request for the decisions of a scenario's device.
public struct SimulateRequest: Hashable, Sendable {
  /// The maximum size of a scenario, in bytes.
  public static let textSizeMax = 1 << 20
  /// The maximum size of a request, in bytes.
  static let sizeMax = textSizeMax + 65_536

  /// The scenario in YAML, or the cases, calendar or table that is converted to one.
  public let text: String
  /// The policy settings to override from the beginning of the scenario on; names are distinct.
  public let set: [PolicyNumber]
  /// The end, or `nil` for the end of the local day of the last event.
  public let until: Instant?
  /// How a calendar or table is read.
  public let feed: FeedOptions?

  /// Creates a request.
  ///
  /// - Throws: ``RequestError`` if the text is larger than ``textSizeMax``, or if a name is duplicated.
  public init(
    text: String, set: [PolicyNumber] = [], until: Instant? = nil, feed: FeedOptions? = nil
  ) throws(RequestError) {
    guard text.utf8.count <= Self.textSizeMax else {
      throw .over(limit: "simulation-size-max", maximum: Self.textSizeMax, count: text.utf8.count, field: "text")
    }
    try Field.unique(set, "set", by: \.name)
    self.text = text
    self.set = set
    self.until = until
    self.feed = feed
  }
}

/// The decisions of a scenario's device.
public struct SimulateResponse: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The decisions, and the stacks from the beginning of the scenario on.
  public var result: ForeseeResponse
  /// The policy at the beginning, with the overrides of the request.
  public var settings: [PolicySetting]
  /// The scenario to which a text of another kind was converted; empty for a scenario.
  public var scenario: String
  /// The number of events that the device refused with the overrides of the request, which are left out.
  public var skippedEventCount: Int

  /// Creates a response.
  public init(
    device: DeviceID, result: ForeseeResponse, settings: [PolicySetting], scenario: String = "",
    skippedEventCount: Int = 0
  ) {
    self.device = device
    self.result = result
    self.settings = settings
    self.scenario = scenario
    self.skippedEventCount = skippedEventCount
  }
}

extension SimulateResponse: WireValue {
  init(_ message: Marquee__V1__SimulateResponse) throws(RequestError) {
    self.init(
      device: try Field.identifier(message.device, "device"),
      result: ForeseeResponse(
        at: try Field.instant(message.at_ms, "at_ms"), until: try Field.instant(message.until_ms, "until_ms"),
        timeZone: try Field.identifier(message.time_zone, "time_zone"),
        decisions: try Field.array(message.n_decisions, message.decisions, "decisions"),
        stacks: try Field.array(message.n_stacks, message.stacks, "stacks"),
        names: SentenceNames(try Field.array(message.n_names, message.names, "names"))),
      settings: try Field.array(message.n_settings, message.settings, "settings"),
      scenario: try Field.text(message.scenario, "scenario"), skippedEventCount: Int(message.skipped_event_count))
  }

  func fill(_ message: inout Marquee__V1__SimulateResponse, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.at_ms = result.at.milliseconds
    message.until_ms = result.until.milliseconds
    message.time_zone = scratch.text(result.timeZone)
    (message.n_decisions, message.decisions) = scratch.elements(result.decisions) { decision in
      scratch.build { decision.fill(&$0, result.names, scratch) }
    }
    (message.n_stacks, message.stacks) = scratch.array(result.stacks)
    (message.n_names, message.names) = scratch.array(result.names.all)
    (message.n_settings, message.settings) = scratch.array(settings)
    message.scenario = scratch.text(scenario)
    message.skipped_event_count = UInt32(clamping: skippedEventCount)
  }
}
