import MarqueeModel
import MarqueeScheduler

/// What carries out a device's orders, as the runtime's port to displays and providers.
public protocol ActionSink: Sendable {
  /// Carries out orders, in their order. What led to them is durable.
  ///
  /// Called on the loop of the device's shard, one call at a time for each device. It must not block: hand over to a
  /// bounded outbox.
  func perform(_ actions: [Action], of device: DeviceID)
}
