import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeWire

extension NameDirectory {
  /// The maximum number of devices searched for a name without a device part.
  static let deviceCountMax = 1_000

  /// The kinds of names to fetch.
  enum Scope { case devices, stacks, widgets, everything }

  /// Fetches a directory for resolving `text`: only the device before `separator` if such a device exists, otherwise
  /// all devices.
  static func fetch(
    for text: String, separator: Character, _ scope: Scope, _ client: OperatorClient
  ) async throws -> NameDirectory {
    let name = text.prefix { $0 != "(" }
    for index in name.indices where name[index] == separator {
      // An invalid device name matches no device.
      guard let device = try? DeviceID(String(name[..<index])) else { continue }
      do {
        guard let zone = try await zone(of: device, client) else { continue }
        return NameDirectory(devices: [try await fetch(device, zone, scope, client)])
      } catch let status as RPCStatus where status.code == .permissionDenied {
        var names = try unknown(device)
        let rest = String(text[text.index(after: index)...])
        // An invalid stack name matches no stack.
        if scope == .stacks, let stack = try? StackID(rest) { names.stacks = [stack] }
        return NameDirectory(devices: [names])
      }
    }
    return try await fetchAll(scope, client)
  }

  /// Fetches all devices with the names in scope. If the scope has more than device names, devices that the server
  /// cannot read are omitted.
  static func fetchAll(_ scope: Scope, _ client: OperatorClient) async throws -> NameDirectory {
    let answer = try await client.devices(count: deviceCountMax)
    if answer.hasMore, scope != .devices {
      throw CommandFailure(
        .rejected, "there are more than \(deviceCountMax) devices", hints: ["Prefix the name with the device."])
    }
    var devices: [DeviceNames] = []
    for summary in answer.devices where scope == .devices || summary.error.isEmpty {
      var names = try await fetch(summary.device, summary.timeZone, scope, client)
      names.isReadable = summary.error.isEmpty
      devices.append(names)
    }
    return NameDirectory(devices: devices)
  }

  /// Fetches one device by its name, or the only device.
  static func fetch(device text: String?, _ scope: Scope, _ client: OperatorClient) async throws -> DeviceNames {
    // An invalid device name is still looked up, for suggestions.
    if let text, let device = try? DeviceID(text) {
      do {
        if let zone = try await zone(of: device, client) { return try await fetch(device, zone, scope, client) }
      } catch let status as RPCStatus where status.code == .permissionDenied {
        return try unknown(device)
      }
    }
    let names = try await fetchAll(.devices, client).device(text)
    return try await fetch(names.device, names.timeZone, scope, client)
  }

  /// Returns a device that the client may not look up, as for displays and providers. It is assumed to exist and to be
  /// in this machine's time zone.
  private static func unknown(_ device: DeviceID) throws -> DeviceNames {
    DeviceNames(device: device, timeZone: try TimeZoneID(TimeZone.current.identifier))
  }

  /// Fetches the names in scope of the device with that name and zone.
  static func fetch(
    _ device: DeviceID, _ zone: TimeZoneID, _ scope: Scope, _ client: OperatorClient
  ) async throws -> DeviceNames {
    var names = DeviceNames(device: device, timeZone: zone)
    if scope == .stacks || scope == .everything { names.stacks = try await client.stacks(of: device).map(\.id) }
    if scope == .widgets || scope == .everything {
      let answer = try await client.widgets(of: device)
      (names.widgets, names.kinds) = (answer.widgets, answer.kinds)
    }
    return names
  }

  /// Returns the device's time zone, or `nil` if there is no such device. The decision log is the smallest response
  /// that includes it.
  private static func zone(of device: DeviceID, _ client: OperatorClient) async throws -> TimeZoneID? {
    do {
      return try await client.decisions(on: device, count: 1).timeZone
    } catch let status as RPCStatus where status.code == .notFound {
      return nil
    }
  }
}

extension Session {
  /// Resolves a stack name to its device and stack.
  func stack(_ text: String) async throws -> (device: NameDirectory.DeviceNames, stack: StackID) {
    try await NameDirectory.fetch(for: text, separator: "/", .stacks, operators).stack(text)
  }

  /// Resolves the name of an existing widget to its device and widget.
  func widget(_ text: String) async throws -> (device: NameDirectory.DeviceNames, widget: Widget) {
    try await NameDirectory.fetch(for: text, separator: ":", .widgets, operators).widget(text)
  }
}
