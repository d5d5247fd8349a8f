import Foundation
import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeWire

extension NameDirectory {
  /// Devices that are searched for a name that says no device.
  static let deviceCountMax = 1_000

  /// What of a device's names is needed.
  enum Scope { case devices, stacks, widgets, everything }

  /// The directory in which `text` can be looked up: the device alone that stands before `separator`, if there is
  /// such a device, else all.
  static func fetch(
    for text: String, separator: Character, _ scope: Scope, _ client: OperatorClient
  ) async throws -> NameDirectory {
    let name = text.prefix { $0 != "(" }
    for index in name.indices where name[index] == separator {
      // What is no device's name names none.
      guard let device = try? DeviceID(String(name[..<index])) else { continue }
      do {
        guard let zone = try await zone(of: device, client) else { continue }
        return NameDirectory(devices: [try await fetch(device, zone, scope, client)])
      } catch let status as RPCStatus where status.code == .permissionDenied {
        var names = try unknown(device)
        let rest = String(text[text.index(after: index)...])
        // What is no stack's name names none.
        if scope == .stacks, let stack = try? StackID(rest) { names.stacks = [stack] }
        return NameDirectory(devices: [names])
      }
    }
    return try await fetchAll(scope, client)
  }

  /// Every device, with what is in scope.
  static func fetchAll(_ scope: Scope, _ client: OperatorClient) async throws -> NameDirectory {
    let answer = try await client.devices(count: deviceCountMax)
    if answer.hasMore, scope != .devices {
      throw CommandFailure(
        .refused, "there are more than \(deviceCountMax) devices", hints: ["Write the device in front of the name."])
    }
    var devices: [DeviceNames] = []
    for summary in answer.devices {
      devices.append(try await fetch(summary.device, summary.timeZone, scope, client))
    }
    return NameDirectory(devices: devices)
  }

  /// One device by its name, or the only one there is.
  static func fetch(device text: String?, _ scope: Scope, _ client: OperatorClient) async throws -> DeviceNames {
    // What is no device's name is looked for among the names all the same, for a suggestion.
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

  /// A device that the caller may not look up, as displays and providers may not: it is taken to be there, and to be
  /// in this machine's time zone.
  private static func unknown(_ device: DeviceID) throws -> DeviceNames {
    DeviceNames(device: device, timeZone: try TimeZoneID(TimeZone.current.identifier))
  }

  /// What is in scope of the device of that name and zone.
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

  /// The device's zone; `nil` when there is no such device. The shortest answer that tells it is that of the log.
  private static func zone(of device: DeviceID, _ client: OperatorClient) async throws -> TimeZoneID? {
    do {
      return try await client.decisions(on: device, count: 1).timeZone
    } catch let status as RPCStatus where status.code == .notFound {
      return nil
    }
  }
}

extension Session {
  /// The stack that a person's text means, and its device.
  func stack(_ text: String) async throws -> (device: NameDirectory.DeviceNames, stack: StackID) {
    try await NameDirectory.fetch(for: text, separator: "/", .stacks, operators).stack(text)
  }

  /// The existing widget that a person's text means, and its device.
  func widget(_ text: String) async throws -> (device: NameDirectory.DeviceNames, widget: Widget) {
    try await NameDirectory.fetch(for: text, separator: ":", .widgets, operators).widget(text)
  }
}
