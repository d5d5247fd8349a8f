import MarqueeModel

/// Who a method is for. Operators may call every method.
enum CallRole: Hashable, Sendable {
  /// Anybody, known or not.
  case anyone
  /// Those who speak for an app.
  case provider
  /// Those who show a device's stacks.
  case display
  /// Displays of the device, and viewers: the call changes nothing.
  case watcher
  /// Those who may look at everything and change nothing.
  case viewer
  /// Operators alone.
  case `operator`
}

/// What a call is about.
struct CallScope: Hashable, Sendable {
  /// The device, of calls for providers and displays.
  var device: DeviceID?
  /// The app, of calls for providers.
  var app: AppID?
}
