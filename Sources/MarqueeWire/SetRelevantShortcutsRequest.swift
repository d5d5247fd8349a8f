internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request to replace an app's relevant shortcuts on a device (rule S1).
public struct SetRelevantShortcutsRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The app.
  public var app: AppID
  /// The complete set.
  public var shortcuts: [RelevantShortcut]

  /// Creates a request.
  public init(device: DeviceID, app: AppID, shortcuts: [RelevantShortcut]) {
    self.device = device
    self.app = app
    self.shortcuts = shortcuts
  }
}

/// A confirmation that the shortcuts are durable and in force.
public struct SetRelevantShortcutsResponse: Hashable, Sendable {
  /// Lint warnings about the accepted data.
  public var warnings: [LintWarning]

  /// Creates a response.
  public init(warnings: [LintWarning] = []) {
    self.warnings = warnings
  }
}

/// A request to replace an app's relevant intents on a device (rule S7).
public struct SetRelevantIntentsRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The app.
  public var app: AppID
  /// The complete set.
  public var intents: [RelevantIntent]

  /// Creates a request.
  public init(device: DeviceID, app: AppID, intents: [RelevantIntent]) {
    self.device = device
    self.app = app
    self.intents = intents
  }
}

/// A confirmation that the intents are durable and in force.
public struct SetRelevantIntentsResponse: Hashable, Sendable {
  /// Lint warnings about the accepted data.
  public var warnings: [LintWarning]

  /// Creates a response.
  public init(warnings: [LintWarning] = []) {
    self.warnings = warnings
  }
}

extension SetRelevantShortcutsRequest: WireValue {
  init(_ message: Marquee__V1__SetRelevantShortcutsRequest) throws(RequestError) {
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
  init(_ message: Marquee__V1__SetRelevantShortcutsResponse) throws(RequestError) {
    self.init(warnings: try Field.array(message.n_warnings, message.warnings, "warnings"))
  }

  func fill(_ message: inout Marquee__V1__SetRelevantShortcutsResponse, _ scratch: EncodeScratch) {
    (message.n_warnings, message.warnings) = scratch.array(warnings)
  }
}

extension SetRelevantIntentsRequest: WireValue {
  init(_ message: Marquee__V1__SetRelevantIntentsRequest) throws(RequestError) {
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
  init(_ message: Marquee__V1__SetRelevantIntentsResponse) throws(RequestError) {
    self.init(warnings: try Field.array(message.n_warnings, message.warnings, "warnings"))
  }

  func fill(_ message: inout Marquee__V1__SetRelevantIntentsResponse, _ scratch: EncodeScratch) {
    (message.n_warnings, message.warnings) = scratch.array(warnings)
  }
}
