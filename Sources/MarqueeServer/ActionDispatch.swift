import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler

/// An action sink that broadcasts a device's actions and changes to its connected displays and providers. Never blocks.
struct ActionDispatch: ActionSink {
  let displays: DisplayHub
  let surfaces: SurfaceHub
  let providers: ProviderHub

  func perform(_ actions: [Action], of device: DeviceID) {
    displays.broadcast(actions, of: device)
    providers.broadcast(actions, of: device)
  }

  func surfacesChanged(on device: DeviceID) { surfaces.recompute(device) }
}
