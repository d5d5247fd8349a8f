import MarqueeModel
import MarqueeRPC
import MarqueeScheduler
import MarqueeTransport
import MarqueeWire
import Synchronization

/// The providers' streams that are attached, by device and app.
///
/// A reload request goes to the stream that was attached last. Without one it waits in the device's state, and is
/// sent when a provider attaches (rule T8).
final class ProviderHub: Sendable {
  private struct Key: Hashable {
    let device: DeviceID
    let app: AppID
  }

  private let attachments = Mutex<[Key: [ProviderAttachment]]>([:])

  /// Attaches a stream and tells it what waits for an answer. Called on the device's loop, so that no request is
  /// missed and none comes twice.
  func attach(_ attachment: ProviderAttachment, to device: Device) {
    attachments.withLock { all in
      all[Key(device: device.id, app: attachment.app), default: []].append(attachment)
    }
    attachment.offer(.attached)
    let placed = device.placedWidgets(of: attachment.app)
    if !placed.isEmpty { attachment.offer(.placed(placed)) }
    for request in device.openReloadRequests(for: attachment.app) { attachment.offer(.reload(request)) }
  }

  func detach(_ attachment: ProviderAttachment, from device: DeviceID) {
    let key = Key(device: device, app: attachment.app)
    attachments.withLock { all in
      all[key]?.removeAll { $0 === attachment }
      if all[key]?.isEmpty == true { all[key] = nil }
    }
  }

  /// Sends the reload requests among `actions`, and which widgets are on the stacks that change by them.
  func tell(_ actions: [Action], of device: DeviceID) {
    for action in actions {
      switch action.order {
      case .requestReload(let request):
        attachment(to: request.widget.kind.app, on: device)?.offer(.reload(request))
      case .suggest(_, let stack), .updateStack(let stack):
        for app in Set(stack.members.map(\.kind.app)) {
          attachment(to: app, on: device)?.offer(.placed(stack.widgets(of: app)))
        }
      case .rotate, .withdraw, .scroll, .removeStack, .refresh: break
      }
    }
  }

  private func attachment(to app: AppID, on device: DeviceID) -> ProviderAttachment? {
    attachments.withLock { $0[Key(device: device, app: app)]?.last }
  }
}

/// One provider's stream, attached to an app on a device.
final class ProviderAttachment: Sendable {
  let app: AppID
  private let writer: ResponseWriter<ProviderEvent>
  private let stream: OpenStream

  init(_ writer: ResponseWriter<ProviderEvent>, _ stream: OpenStream, app: AppID) {
    self.app = app
    self.writer = writer
    self.stream = stream
  }

  /// Hands over an event; a provider that does not read is let go, and hears of open requests when it comes back.
  func offer(_ event: ProviderEvent) {
    guard !writer.offer(event) else { return }
    stream.end(
      RPCStatus(.resourceExhausted, "stream-backlog-size-max is passed: the provider does not read; attach again"))
  }
}
