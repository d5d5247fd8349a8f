import MarqueeJournal
import MarqueeModel
import MarqueeRuntime
import MarqueeScheduler
import Synchronization

/// The names by which people call the apps of each device, as the apps gave them last with their phrases.
///
/// They are stored with the kinds of the app, and so are removed with them. This class has those of apps that have not
/// registered their kinds yet, too.
final class AppNames: Sendable {
  private let names = Mutex<[DeviceID: [AppID: String]]>([:])

  func name(of app: AppID, on device: DeviceID) -> String? { names.withLock { $0[device]?[app] } }

  /// Stores an app's name with its kinds, unless it is stored. Call it after each change of the name or the kinds.
  ///
  /// The name that is shown without one, the last component of the identifier, is not stored.
  func store(_ name: String, of app: AppID, on device: DeviceID, _ runtime: Runtime) async {
    let name = name == app.lastComponent ? "" : name
    // The caller's work does not depend on the name, which is stored with the next registration or attachment.
    try? await submit(name, of: app, to: device, runtime)
  }

  private func submit(_ name: String, of app: AppID, to device: DeviceID, _ runtime: Runtime) async throws {
    let kinds = try await runtime.read(device) { $0.kinds(of: app, toName: name) }
    // Refused if the kinds have changed meanwhile: the change stores the name, too.
    if !kinds.isEmpty { try await runtime.submit(.kindsRegistered(app, kinds), to: device) }
  }

  /// Returns the label of a widget with its app's name.
  func label(of widget: Widget, on device: Device) -> WidgetLabel {
    device.label(of: widget, appName: name(of: widget.kind.app, on: device.id))
  }

  /// Notes the name of an app that serves queries; an empty one is none.
  ///
  /// Names of apps that neither serve queries nor have content on the device are dropped, so that there are not more of
  /// them than streams and apps. Called on the device's shard, so that no device that was removed has names.
  func note(_ name: String, of app: AppID, on device: Device, serving apps: Set<AppID>) {
    names.withLock { all in
      var kept = (all[device.id] ?? [:]).filter { apps.contains($0.key) || device.hasContent(of: $0.key) }
      kept[app] = name.isEmpty ? nil : name
      all[device.id] = kept.isEmpty ? nil : kept
    }
  }

  func remove(_ app: AppID, from device: DeviceID) { names.withLock { _ = $0[device]?.removeValue(forKey: app) } }

  func remove(_ shards: ShardSet) { names.withLock { $0 = $0.filter { !shards.contains($0.key) } } }

  func remove(_ device: DeviceID) { names.withLock { _ = $0.removeValue(forKey: device) } }
}
