import MarqueeModel
import MarqueeScheduler

/// The receiver of the devices' actions and changes: the runtime's interface to displays and providers.
public protocol ActionSink: Sendable {
  /// Performs actions in order. The events that caused them are durable.
  ///
  /// Called on the loop of the device's shard, one call at a time for each device. Must not block: append to a bounded
  /// queue.
  ///
  /// - Parameters:
  ///   - actions: The actions, in order.
  ///   - device: The device that the actions concern.
  func perform(_ actions: [Action], of device: DeviceID)

  /// Called after an event that can change what surfaces suggest on a device (`Event.affectsSurfaces`).
  ///
  /// The event is durable, and its completion has not been reported yet. Called like ``perform(_:of:)``.
  func surfacesChanged(on device: DeviceID)
}
