internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// What a person did on a device.
public struct ReportRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// What the person did.
  public var report: PersonReport

  /// A request.
  public init(device: DeviceID, report: PersonReport) {
    self.device = device
    self.report = report
  }
}

/// The report is durable.
public struct ReportResponse: Hashable, Sendable {
  /// The response.
  public init() {}
}

extension ReportRequest: WireValue {
  init(_ message: Marquee__V1__ReportRequest) throws(Refusal) {
    self.init(device: try Field.identifier(message.device, "device"), report: try PersonReport(message))
  }

  func fill(_ message: inout Marquee__V1__ReportRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    switch report {
    case .shown(let stack):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_STACK_SHOWN
      message.stack_shown = scratch.text(stack)
    case .hidden(let stack):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_STACK_HIDDEN
      message.stack_hidden = scratch.text(stack)
    case .scrolled(let stack, let widget):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_SCROLLED
      message.scrolled = scratch.build { $0.fill(stack, widget, scratch) }
    case .tapped(let stack, let widget):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_TAPPED
      message.tapped = scratch.build { $0.fill(stack, widget, scratch) }
    case .reload(let widget):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_RELOAD
      message.reload = scratch.message(widget)
    case .appOpened(let app):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_APP_OPENED
      message.app_opened = scratch.text(app)
    case .appClosed(let app):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_APP_CLOSED
      message.app_closed = scratch.text(app)
    }
  }
}

extension PersonReport {
  fileprivate init(_ message: Marquee__V1__ReportRequest) throws(Refusal) {
    switch message.report_case {
    case MARQUEE__V1__REPORT_REQUEST__REPORT_STACK_SHOWN:
      self = .shown(try Field.identifier(message.stack_shown, "stack_shown"))
    case MARQUEE__V1__REPORT_REQUEST__REPORT_STACK_HIDDEN:
      self = .hidden(try Field.identifier(message.stack_hidden, "stack_hidden"))
    case MARQUEE__V1__REPORT_REQUEST__REPORT_SCROLLED:
      let (stack, widget) = try Field.within("scrolled", message.scrolled.pointee.read())
      self = .scrolled(stack, to: widget)
    case MARQUEE__V1__REPORT_REQUEST__REPORT_TAPPED:
      let (stack, widget) = try Field.within("tapped", message.tapped.pointee.read())
      self = .tapped(stack, widget)
    case MARQUEE__V1__REPORT_REQUEST__REPORT_RELOAD: self = .reload(try Field.required(message.reload, "reload"))
    case MARQUEE__V1__REPORT_REQUEST__REPORT_APP_OPENED:
      self = .appOpened(try Field.identifier(message.app_opened, "app_opened"))
    case MARQUEE__V1__REPORT_REQUEST__REPORT_APP_CLOSED:
      self = .appClosed(try Field.identifier(message.app_closed, "app_closed"))
    default: throw Field.absent("report")
    }
  }
}

extension Marquee__V1__WidgetReport {
  fileprivate func read() throws(Refusal) -> (StackID, Widget) {
    (try Field.identifier(stack, "stack"), try Field.required(widget, "widget"))
  }

  fileprivate mutating func fill(_ stack: StackID, _ widget: Widget, _ scratch: EncodeScratch) {
    self.stack = scratch.text(stack)
    self.widget = scratch.message(widget)
  }
}

extension ReportResponse: WireValue {
  init(_ message: Marquee__V1__ReportResponse) {}

  func fill(_ message: inout Marquee__V1__ReportResponse, _ scratch: EncodeScratch) {}
}
