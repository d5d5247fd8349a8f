public import MarqueeModel

/// A request to remove widget kinds of an app from a device (rule W6).
public struct RemoveKindsRequest: Hashable, Sendable {
  /// The device.
  public let device: DeviceID
  /// The app.
  public let app: AppID
  /// The distinct names of the kinds, at least one.
  public let kinds: [KindName]

  /// Creates a request.
  ///
  /// - Throws: ``RequestError`` if there are no names or a name is duplicated.
  public init(device: DeviceID, app: AppID, kinds: [KindName]) throws(RequestError) {
    guard !kinds.isEmpty else { throw RequestError(.invalidArgument, field: "kinds", "must not be empty") }
    try Field.unique(kinds, "kinds") { $0 }
    self.device = device
    self.app = app
    self.kinds = kinds
  }
}

/// A request to remove intent types of an app from a device (rule W6).
public struct RemoveIntentTypesRequest: Hashable, Sendable {
  /// The device.
  public let device: DeviceID
  /// The app.
  public let app: AppID
  /// The distinct types, at least one.
  public let intentTypes: [IntentType]

  /// Creates a request.
  ///
  /// - Throws: ``RequestError`` if there are no types or a type is duplicated.
  public init(device: DeviceID, app: AppID, intentTypes: [IntentType]) throws(RequestError) {
    guard !intentTypes.isEmpty else { throw RequestError(.invalidArgument, field: "intent_types", "must not be empty") }
    try Field.unique(intentTypes, "intent_types") { $0 }
    self.device = device
    self.app = app
    self.intentTypes = intentTypes
  }
}
