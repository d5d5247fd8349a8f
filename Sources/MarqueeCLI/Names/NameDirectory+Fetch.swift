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
    for text: String, separator: Character, _ scope: Scope, _ session: Session
  ) async throws -> NameDirectory {
    let name = text.prefix { $0 != "(" }
    for index in name.indices where name[index] == separator {
      // An invalid device name matches no device.
      guard let device = try? DeviceID(String(name[..<index])) else { continue }
      guard let time = try await time(of: device, session) else { continue }
      do {
        return NameDirectory(devices: [try await fetch(device, time, scope, session.operators)])
      } catch let status as RPCStatus where status.code == .permissionDenied {
        var names = try await watchedNames(device, time, session)
        let rest = String(text[text.index(after: index)...])
        // An invalid stack name matches no stack.
        if scope == .stacks, names.stacks.isEmpty, let stack = try? StackID(rest) { names.stacks = [stack] }
        return NameDirectory(devices: [names])
      }
    }
    return try await fetchAll(scope, session)
  }

  /// Fetches all devices with the names in scope. If the scope has more than device names, devices that the server
  /// cannot read are omitted.
  static func fetchAll(_ scope: Scope, _ session: Session) async throws -> NameDirectory {
    let answer: ListDevicesResponse
    do {
      answer = try await session.operators.devices(count: deviceCountMax)
    } catch let status as RPCStatus where status.code == .permissionDenied {
      throw CommandFailure(
        .rejected, "rejected: \(status)", code: status.code,
        hints: ["These credentials may not list devices: name an existing device, as in DEVICE/STACK or --device."])
    }
    if answer.hasMore, scope != .devices {
      throw CommandFailure(
        .rejected, "there are more than \(deviceCountMax) devices", hints: ["Prefix the name with the device."])
    }
    var devices: [DeviceNames] = []
    for summary in answer.devices where scope == .devices || summary.error.isEmpty {
      var names = try await fetch(summary.device, answer.time(of: summary), scope, session.operators)
      names.isReadable = summary.error.isEmpty
      devices.append(names)
    }
    return NameDirectory(devices: devices)
  }

  /// Fetches one device by its name, or the only device. Displays receive the names of stacks and their widgets only,
  /// and providers none but the device's.
  static func fetch(device text: String?, _ scope: Scope, _ session: Session) async throws -> DeviceNames {
    // An invalid device name is still looked up, for suggestions.
    if let text, let device = try? DeviceID(text), let time = try await time(of: device, session) {
      do {
        return try await fetch(device, time, scope, session.operators)
      } catch let status as RPCStatus where status.code == .permissionDenied {
        return try await watchedNames(device, time, session)
      }
    }
    let names = try await fetchAll(.devices, session).device(text)
    let time = GetDeviceTimeResponse(at: names.now, timeZone: names.timeZone)
    return try await fetch(names.device, time, scope, session.operators)
  }

  /// Fetches the names in scope of the device with that time.
  static func fetch(
    _ device: DeviceID, _ time: GetDeviceTimeResponse, _ scope: Scope, _ client: OperatorClient
  ) async throws -> DeviceNames {
    var names = DeviceNames(device: device, timeZone: time.timeZone, now: time.at)
    if scope == .stacks || scope == .everything { names.stacks = try await client.stacks(of: device).map(\.id) }
    if scope == .widgets || scope == .everything {
      let answer = try await client.widgets(of: device)
      (names.widgets, names.kinds) = (answer.widgets, answer.kinds)
      names.placed = Set(answer.homeWidgets.map(\.widget))
    }
    return names
  }

  /// Returns the names that a caller may see who may not list them: for a display those in the present state of a
  /// watch, and none for a provider.
  private static func watchedNames(
    _ device: DeviceID, _ time: GetDeviceTimeResponse, _ session: Session
  ) async throws -> DeviceNames {
    var names = DeviceNames(device: device, timeZone: time.timeZone, now: time.at, isListed: false)
    do {
      guard let state = try await session.watchedState(of: device) else { return names }
      names.stacks = state.stacks.map(\.id)
      names.placed = Set(state.stacks.flatMap(\.members) + state.homeWidgets.map(\.widget))
      names.widgets = names.placed.sorted { $0.exactText < $1.exactText }
    } catch let status as RPCStatus where status.code == .permissionDenied {
      names.isHidden = true
    }
    return names
  }

  /// Returns the device's time, or `nil` if there is no such device.
  private static func time(of device: DeviceID, _ session: Session) async throws -> GetDeviceTimeResponse? {
    do {
      return try await session.display.time(of: device)
    } catch let status as RPCStatus where status.code == .notFound {
      return nil
    }
  }
}

extension ListDevicesResponse {
  /// Returns the current time of a listed device.
  func time(of device: DeviceSummary) -> GetDeviceTimeResponse {
    let now = at.advanced(by: TimeSpan(milliseconds: device.clockAheadMilliseconds))
    return GetDeviceTimeResponse(at: now, timeZone: device.timeZone)
  }
}

extension Session {
  /// Returns the present state of a device, as a display watches it.
  fileprivate func watchedState(of device: DeviceID) async throws -> DeviceState? {
    for try await update in try display.watch(device) {
      if case .state(let state) = update.change { return state }
    }
    return nil
  }

  /// Returns the stacks of a device, as far as the caller may see them.
  func stacks(of device: DeviceID) async throws -> [Stack] {
    do {
      return try await operators.stacks(of: device)
    } catch let status as RPCStatus where status.code == .permissionDenied {
      return try await watchedState(of: device)?.stacks ?? []
    }
  }

  /// Resolves a stack name to its device and stack.
  func stack(_ text: String) async throws -> (device: NameDirectory.DeviceNames, stack: StackID) {
    try await NameDirectory.fetch(for: text, separator: "/", .stacks, self).stack(text)
  }

  /// Resolves the name of an existing widget, on one device if given, to its device and widget.
  func widget(
    _ text: String, on device: String? = nil
  ) async throws -> (device: NameDirectory.DeviceNames, widget: Widget) {
    var names = try await widgetNames(for: text, on: device)
    guard try names.widgets(selectedBy: text).count > 1 else { return try names.widget(text) }
    for index in names.devices.indices {
      let stacks = try await stacks(of: names.devices[index].device)
      names.devices[index].placed.formUnion(stacks.flatMap(\.members))
    }
    return try names.widget(text)
  }

  private func widgetNames(for text: String, on device: String?) async throws -> NameDirectory {
    guard let device else { return try await NameDirectory.fetch(for: text, separator: ":", .widgets, self) }
    return NameDirectory(devices: [try await NameDirectory.fetch(device: device, .widgets, self)])
  }

  /// Resolves the name of an existing widget, or of one whose suggestions are blocked or snoozed, to its device and
  /// widget.
  func blockedWidget(
    _ text: String, on device: String? = nil
  ) async throws -> (device: NameDirectory.DeviceNames, widget: Widget) {
    var names = try await widgetNames(for: text, on: device)
    for index in names.devices.indices {
      let blocked = try await display.blockedSuggestions(on: names.devices[index].device).blocked
      for case .widget(let widget) in blocked.map(\.subject) where !names.devices[index].widgets.contains(widget) {
        names.devices[index].widgets.append(widget)
      }
    }
    return try names.widget(text)
  }
}
