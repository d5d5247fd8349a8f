internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// All that an app holds relevant on a device as shortcuts (rule S1).
public struct SetRelevantShortcutsRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The app.
  public var app: AppID
  /// The whole set.
  public var shortcuts: [RelevantShortcut]

  /// A request.
  public init(device: DeviceID, app: AppID, shortcuts: [RelevantShortcut]) {
    self.device = device
    self.app = app
    self.shortcuts = shortcuts
  }
}

/// The shortcuts are durable and in force.
public struct SetRelevantShortcutsResponse: Hashable, Sendable {
  /// What is worth telling about them.
  public var warnings: [LintWarning]

  /// A response.
  public init(warnings: [LintWarning] = []) {
    self.warnings = warnings
  }
}

/// All that an app holds relevant on a device as relevant intents (rule S7).
public struct SetRelevantIntentsRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The app.
  public var app: AppID
  /// The whole set.
  public var intents: [RelevantIntent]

  /// A request.
  public init(device: DeviceID, app: AppID, intents: [RelevantIntent]) {
    self.device = device
    self.app = app
    self.intents = intents
  }
}

/// The intents are durable and in force.
public struct SetRelevantIntentsResponse: Hashable, Sendable {
  /// What is worth telling about them.
  public var warnings: [LintWarning]

  /// A response.
  public init(warnings: [LintWarning] = []) {
    self.warnings = warnings
  }
}

extension SetRelevantShortcutsRequest: WireValue {
  init(_ message: Marquee__V1__SetRelevantShortcutsRequest) throws(Refusal) {
    self.init(
      device: try Field.identifier(message.device, "device"), app: try Field.identifier(message.app, "app"),
      shortcuts: try Field.array(message.n_shortcuts, message.shortcuts, "shortcuts"))
  }

  func fill(_ message: inout Marquee__V1__SetRelevantShortcutsRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.app = scratch.text(app)
    (message.n_shortcuts, message.shortcuts) = scratch.array(shortcuts)
  }
}

extension SetRelevantShortcutsResponse: WireValue {
  init(_ message: Marquee__V1__SetRelevantShortcutsResponse) throws(Refusal) {
    self.init(warnings: try Field.array(message.n_warnings, message.warnings, "warnings"))
  }

  func fill(_ message: inout Marquee__V1__SetRelevantShortcutsResponse, _ scratch: EncodeScratch) {
    (message.n_warnings, message.warnings) = scratch.array(warnings)
  }
}

extension SetRelevantIntentsRequest: WireValue {
  init(_ message: Marquee__V1__SetRelevantIntentsRequest) throws(Refusal) {
    self.init(
      device: try Field.identifier(message.device, "device"), app: try Field.identifier(message.app, "app"),
      intents: try Field.array(message.n_intents, message.intents, "intents"))
  }

  func fill(_ message: inout Marquee__V1__SetRelevantIntentsRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.app = scratch.text(app)
    (message.n_intents, message.intents) = scratch.array(intents)
  }
}

extension SetRelevantIntentsResponse: WireValue {
  init(_ message: Marquee__V1__SetRelevantIntentsResponse) throws(Refusal) {
    self.init(warnings: try Field.array(message.n_warnings, message.warnings, "warnings"))
  }

  func fill(_ message: inout Marquee__V1__SetRelevantIntentsResponse, _ scratch: EncodeScratch) {
    (message.n_warnings, message.warnings) = scratch.array(warnings)
  }
}
