import MarqueeModel
import MarqueeRPC
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire
import Synchronization

/// The attached provider streams by device and app.
///
/// Everything is sent to the most recently attached stream. If there is none, a reload request stays in the device's
/// state and is sent when a provider attaches. When the stream ends, the one that attached before it takes its place
/// (rule T8).
final class ProviderHub: Sendable {
  private let attachments = Mutex<[DeviceID: [AppID: InsertionOrderedSet<ProviderAttachment>]]>([:])

  /// Attaches a stream, and sends it the placed widgets and the open reload requests.
  ///
  /// Called on the device's shard, so that no request is lost or duplicated.
  func attach(_ attachment: ProviderAttachment, to device: Device) {
    attachments.withLock { all in
      all[device.id, default: [:]][attachment.app, default: InsertionOrderedSet()].append(attachment)
    }
    attachment.offer(.attached(device.language), isInitial: true)
    sendState(of: device, on: attachment)
  }

  /// Sends the placed widgets and the open reload requests on a stream that has become the most recently attached one.
  ///
  /// Called on the device's shard, as ``attach(_:to:)``.
  func takeOver(_ attachment: ProviderAttachment, _ device: Device) {
    let latest = attachments.withLock { $0[device.id]?[attachment.app]?.last }
    if attachment.beginsAsLatest(), latest === attachment { sendState(of: device, on: attachment) }
  }

  private func sendState(of device: Device, on attachment: ProviderAttachment) {
    for part in PlacedWidgetLists.parts(of: device.placedWidgets(of: attachment.app)) {
      attachment.offer(.placed(part), isInitial: true)
    }
    for request in device.openReloadRequests(for: attachment.app) {
      attachment.offer(.reload(request), isInitial: true)
    }
  }

  func detach(_ attachment: ProviderAttachment, from device: DeviceID) {
    let successor = attachments.withLock { all -> ProviderAttachment? in
      let wasLatest = all[device]?[attachment.app]?.last === attachment
      all[device]?[attachment.app]?.remove(attachment)
      let successor = wasLatest ? all[device]?[attachment.app]?.last : nil
      // Before it gets any request.
      successor?.becomeLatest()
      if all[device]?[attachment.app]?.isEmpty == true { all[device]?[attachment.app] = nil }
      if all[device]?.isEmpty == true { all[device] = nil }
      return successor
    }
    successor?.lists.wake()
  }

  /// Sends the reload requests among `actions`, the placed widgets of the stacks that they change, and the widgets that
  /// they place outside stacks. Lists that wait on earlier streams of an app are replaced, so that they never contain
  /// removed widgets.
  func broadcast(_ actions: [Action], of device: DeviceID) {
    guard let attached = attachments.withLock({ $0[device] }) else { return }
    // Requests come first, since a list of placed widgets can be large.
    for action in actions {
      guard case .requestReload(let request) = action.order,
        let latest = attached[request.widget.kind.app]?.last, !latest.isSuccessor
      else { continue }
      latest.offer(.reload(request))
    }
    let apps = attached.keys.sorted()
    for action in actions {
      switch action.order {
      case .suggest(_, let stack), .updateStack(let stack):
        for app in apps { attached[app]?.replaceLists(stack.widgets(of: app), in: stack.id) }
      case .withdraw(let stack, _, _):
        for app in apps { attached[app]?.replaceUnsentLists(stack.widgets(of: app), in: stack.id) }
      case .removeStack(let stack):
        for app in apps { attached[app]?.replaceUnsentLists([], in: stack) }
      case .addHomeWidget(let added): attached[added.widget.kind.app]?.last?.lists.add(added)
      case .removeHomeWidget(let removed):
        for attachment in attached[removed.widget.kind.app]?.members ?? [] { attachment.lists.remove(removed) }
      case .rotate, .scroll, .refresh, .requestReload, .performFocusFilter: break
      }
    }
  }

  /// Sends a device's language to all of its providers.
  func broadcastLanguage(of device: Device) { broadcast(.language(device.language), to: device.id) }

  /// Sends a device's time zone to all of its providers.
  func broadcastTimeZone(of device: Device) { broadcast(.timeZone(device.timeZone), to: device.id) }

  private func broadcast(_ event: ProviderEvent, to device: DeviceID) {
    let attached = attachments.withLock { all in all[device].map { $0.values.flatMap(\.members) } ?? [] }
    for attachment in attached { attachment.offer(event) }
  }
}

/// A provider's stream that is attached to an app on a device.
final class ProviderAttachment: Sendable {
  let app: AppID
  /// The placed widgets that are to be sent.
  let lists = PlacedWidgetLists()
  private let hasSuccession = Atomic(false)
  private let writer: ResponseWriter<ProviderEvent>
  private let stream: OpenStream

  init(_ writer: ResponseWriter<ProviderEvent>, _ stream: OpenStream, app: AppID) {
    self.app = app
    self.writer = writer
    self.stream = stream
  }

  /// Enqueues an event. If the provider does not keep up, its stream ends; it receives the open requests when it
  /// attaches again.
  func offer(_ event: ProviderEvent, isInitial: Bool = false) {
    guard !writer.offer(event, isInitial: isInitial) else { return }
    stream.end(
      RPCStatus(
        .resourceExhausted,
        "too many unsent bytes (stream-backlog-size-max): the provider does not keep up; attach again"))
  }

  /// Whether the stream has become the most recently attached one, and has not been sent the device's state, with all
  /// open requests, since.
  fileprivate var isSuccessor: Bool { hasSuccession.load(ordering: .relaxed) }

  /// Notes that the later streams of the app have ended.
  fileprivate func becomeLatest() { hasSuccession.store(true, ordering: .relaxed) }

  /// Returns whether the device's state is still to be sent, which the caller does at once.
  fileprivate func beginsAsLatest() -> Bool { hasSuccession.exchange(false, ordering: .relaxed) }

  /// Sends the lists of placed widgets while the provider keeps up, until the task is cancelled. Lists that wait are
  /// replaced by newer ones.
  ///
  /// - Parameter takeOver: Sends the device's state, when the stream has become the most recently attached one.
  func sendLists(_ takeOver: () async throws -> Void) async throws {
    for await _ in lists.signals {
      if isSuccessor { try await takeOver() }
      while true {
        try await writer.waitUntilSent()
        guard let part = lists.dequeue() else { break }
        try await writer.send(.placed(part))
      }
    }
  }
}

extension InsertionOrderedSet<ProviderAttachment> {
  /// Enqueues the list of a stack on the last stream, and replaces it where it waits on others.
  fileprivate func replaceLists(_ widgets: [PlacedWidget], in stack: StackID) {
    replaceUnsentLists(widgets, in: stack)
    last?.lists.replace(widgets, in: stack)
  }

  /// Replaces the list of a stack on each stream where it waits.
  fileprivate func replaceUnsentLists(_ widgets: [PlacedWidget], in stack: StackID) {
    for attachment in members { attachment.lists.replaceUnsent(widgets, in: stack) }
  }
}
