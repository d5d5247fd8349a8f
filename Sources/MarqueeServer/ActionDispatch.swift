import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler

/// An action sink that broadcasts a device's actions and changes to its connected displays and providers. Never blocks.
struct ActionDispatch: ActionSink {
  let displays: DisplayHub
  let surfaces: SurfaceHub
  let providers: ProviderHub
  let queries: ProviderQueryRouter
  let widgetEvents: WidgetEventHub
  let activity: ActivityHub

  func perform(_ actions: [Action], of device: DeviceID, _ state: () -> Device) {
    displays.broadcast(actions, of: device, state)
    providers.broadcast(actions, of: device)
    queries.broadcast(actions, of: device)
    activity.note(actions, of: device)
  }

  func labelsChanged(_ change: LabelChange, on device: DeviceID) { displays.scheduleLabels(change, of: device) }

  func surfacesChanged(on device: DeviceID) { surfaces.recompute(device) }

  func observesWidgets(of device: DeviceID) -> Bool { widgetEvents.isWatched(device) }

  func widgetsChanged(_ observation: WidgetObservation, on device: DeviceID) {
    widgetEvents.note(observation, on: device)
  }
}
