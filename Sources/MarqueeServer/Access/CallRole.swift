import MarqueeModel

/// The role that a method requires. Operators may call every method.
enum CallRole: Hashable, Sendable {
  /// No role: the method needs no credentials.
  case anyone
  /// Providers of an app.
  case provider
  /// Displays of a device.
  case display
  /// Displays of the device, and viewers: the method changes nothing.
  case watcher
  /// Displays of the device, providers of any app on it, and viewers: the method reveals only the time and the zone.
  case participant
  /// Viewers, who have read-only access to everything.
  case viewer
  /// Operators only.
  case `operator`
}

/// The device and app that a call accesses.
struct CallScope: Hashable, Sendable {
  /// The device, for calls of providers and displays.
  var device: DeviceID?
  /// The app, for calls of providers.
  var app: AppID?
}
