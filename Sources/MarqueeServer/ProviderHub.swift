import MarqueeModel
import MarqueeRPC
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire
import Synchronization

/// The attached provider streams by device and app.
///
/// A reload request is sent to the most recently attached stream. If there is none, it stays in the device's state and
/// is sent when a provider attaches (rule T8).
final class ProviderHub: Sendable {
  private struct Key: Hashable {
    let device: DeviceID
    let app: AppID
  }

  private let attachments = Mutex<[Key: InsertionOrderedSet<ProviderAttachment>]>([:])

  /// Attaches a stream, and sends it the placed widgets and the open reload requests.
  ///
  /// Called on the device's shard, so that no request is lost or duplicated.
  func attach(_ attachment: ProviderAttachment, to device: Device) {
    attachments.withLock { all in
      all[Key(device: device.id, app: attachment.app), default: InsertionOrderedSet()].append(attachment)
    }
    attachment.offer(.attached, isInitial: true)
    let placed = device.placedWidgets(of: attachment.app)
    if !placed.isEmpty { attachment.offer(.placed(placed), isInitial: true) }
    for request in device.openReloadRequests(for: attachment.app) {
      attachment.offer(.reload(request), isInitial: true)
    }
  }

  func detach(_ attachment: ProviderAttachment, from device: DeviceID) {
    let key = Key(device: device, app: attachment.app)
    attachments.withLock { all in
      all[key]?.remove(attachment)
      if all[key]?.isEmpty == true { all[key] = nil }
    }
  }

  /// Sends the reload requests among `actions`, the placed widgets of the stacks that they change, and the widgets that
  /// they place outside stacks.
  func broadcast(_ actions: [Action], of device: DeviceID) {
    // Requests come first, since a list of placed widgets can be larger than the backlog that a stream may have.
    for action in actions {
      guard case .requestReload(let request) = action.order else { continue }
      attachment(to: request.widget.kind.app, on: device)?.offer(.reload(request))
    }
    for action in actions {
      switch action.order {
      case .suggest(_, let stack), .updateStack(let stack):
        for app in Set(stack.members.map(\.kind.app)) {
          attachment(to: app, on: device)?.offer(.placed(stack.widgets(of: app)))
        }
      case .addHomeWidget(let added):
        attachment(to: added.widget.kind.app, on: device)?
          .offer(.placed([PlacedWidget(widget: added.widget, family: added.family)]))
      case .rotate, .withdraw, .scroll, .removeStack, .removeHomeWidget, .refresh, .requestReload: break
      }
    }
  }

  private func attachment(to app: AppID, on device: DeviceID) -> ProviderAttachment? {
    attachments.withLock { $0[Key(device: device, app: app)]?.last }
  }
}

/// A provider's stream that is attached to an app on a device.
final class ProviderAttachment: Sendable {
  let app: AppID
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
}
