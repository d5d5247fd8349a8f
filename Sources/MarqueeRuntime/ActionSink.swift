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
  ///   - state: Returns the device's durable state, which includes the actions and can include later ones. It must not
  ///     be retained.
  func perform(_ actions: [Action], of device: DeviceID, _ state: () -> Device)

  /// Called after an event that can change the labels of some widgets (`Device.labelChange(by:)`).
  ///
  /// The event is durable, and its completion has not been reported yet. Called like ``perform(_:of:_:)``.
  func labelsChanged(_ change: LabelChange, on device: DeviceID)

  /// Called after an event that can change what surfaces suggest on a device (`Event.affectsSurfaces`).
  ///
  /// The event is durable, and its completion has not been reported yet. Called like ``perform(_:of:_:)``.
  func surfacesChanged(on device: DeviceID)

  /// Returns whether the sink observes the placed widgets of a device (rule W7). Thread-safe.
  ///
  /// Observations are made from a call of `Runtime.observe(_:_:)` on, as long as the result is `true`.
  func observesWidgets(of device: DeviceID) -> Bool

  /// Called after each change of the placed or visible widgets of an observed device, and after each tap.
  ///
  /// The event that caused it is durable, and its completion has not been reported yet. Called like
  /// ``perform(_:of:_:)``, after it for the same change, and possibly once more after the sink has stopped observing.
  func widgetsChanged(_ observation: WidgetObservation, on device: DeviceID)
}

extension ActionSink {
  public func labelsChanged(_ change: LabelChange, on device: DeviceID) {}
  public func observesWidgets(of device: DeviceID) -> Bool { false }
  public func widgetsChanged(_ observation: WidgetObservation, on device: DeviceID) {}
}
