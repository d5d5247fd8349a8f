import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler

/// Carries a device's actions to the displays and providers that are connected. Never blocks.
struct ActionDispatch: ActionSink {
  let displays: DisplayHub
  let providers: ProviderHub

  func perform(_ actions: [Action], of device: DeviceID) {
    displays.tell(actions, of: device)
    providers.tell(actions, of: device)
  }
}
