import MarqueeModel
import MarqueeTransport

extension CallOptions {
  /// Returns the options of a call about a device, which is made at the server of a cluster that has the device.
  func about(_ device: DeviceID) -> CallOptions {
    var options = self
    options.affinity = device.text
    return options
  }
}
