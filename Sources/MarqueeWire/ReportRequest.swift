internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A report of a user interaction on a device.
public struct ReportRequest: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The interaction.
  public var report: UserReport

  /// Creates a request.
  public init(device: DeviceID, report: UserReport) {
    self.device = device
    self.report = report
  }
}

extension ReportRequest {
  /// Returns an error of the device about the stack, the widget, the family or the end of a snooze of the report, with
  /// the path of the field in the request.
  public func located(_ error: RequestError) -> RequestError {
    let parts = error.field.split(separator: ".", maxSplits: 1).map(String.init)
    guard let first = parts.first, ["stack", "widget", "family", "until"].contains(first), let place
    else { return error }
    guard first != "until" else { return RequestError(error.code, field: "\(place.field).until_ms", error.reason) }
    guard !place.isMessage else { return error.within(place.field) }
    let rest = parts.dropFirst().map { ".\($0)" }.joined()
    return RequestError(error.code, field: place.field + rest, error.reason)
  }

  /// The field of the report, and whether it is a message with fields for the stack and the widget; `nil` for a report
  /// that is about neither.
  private var place: (field: String, isMessage: Bool)? {
    switch report {
    case .shown: ("stack_shown", false)
    case .hidden: ("stack_hidden", false)
    case .suggestionDismissed: ("suggestion_dismissed", false)
    case .suggestionKept: ("suggestion_kept", false)
    case .reload: ("reload", false)
    case .widgetSuggestionBlocked(_, true): ("widget_suggestion_blocked", false)
    case .widgetSuggestionBlocked(_, false): ("widget_suggestion_allowed", false)
    case .scrolled: ("scrolled", true)
    case .tapped: ("tapped", true)
    case .homeWidgetAdded: ("home_widget_added", true)
    case .homeWidgetRemoved: ("home_widget_removed", true)
    case .widgetSuggestionSnoozed: ("widget_suggestion_snoozed", true)
    case .appSuggestionSnoozed: ("app_suggestion_snoozed", true)
    case .widgetSizeChanged: ("widget_size", true)
    case .appOpened, .appClosed, .appSuggestionBlocked, .contextChanged, .surfaceSuggestion: nil
    }
  }
}

extension ReportRequest: WireValue {
  init(_ message: Marquee__V1__ReportRequest) throws(RequestError) {
    self.init(device: try Field.identifier(message.device, "device"), report: try UserReport(message))
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
    case .suggestionDismissed(let stack):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_SUGGESTION_DISMISSED
      message.suggestion_dismissed = scratch.text(stack)
    case .suggestionKept(let stack):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_SUGGESTION_KEPT
      message.suggestion_kept = scratch.text(stack)
    case .homeWidgetAdded(let widget, let family):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_HOME_WIDGET_ADDED
      message.home_widget_added = scratch.build { $0.fill(widget, family, scratch) }
    case .homeWidgetRemoved(let widget, let family):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_HOME_WIDGET_REMOVED
      message.home_widget_removed = scratch.build { $0.fill(widget, family, scratch) }
    case .widgetSuggestionBlocked, .appSuggestionBlocked, .widgetSuggestionSnoozed, .appSuggestionSnoozed:
      fillBlock(&message, scratch)
    case .contextChanged(let change): change.fill(&message, scratch)
    case .surfaceSuggestion(let surface, let id, let outcome):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_SUGGESTION
      message.suggestion = scratch.build {
        $0.surface = Marquee__V1__SuggestionSurface(surface)
        $0.id = scratch.text("\(id)")
        $0.outcome = Marquee__V1__SuggestionOutcome(outcome)
      }
    case .widgetSizeChanged(let family, let size):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_WIDGET_SIZE
      message.widget_size = scratch.build {
        $0.family = Marquee__V1__WidgetFamily(family)
        $0.size = scratch.message(size)
      }
    }
  }

  private func fillBlock(_ message: inout Marquee__V1__ReportRequest, _ scratch: EncodeScratch) {
    switch report {
    case .widgetSuggestionBlocked(let widget, true):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_WIDGET_SUGGESTION_BLOCKED
      message.widget_suggestion_blocked = scratch.message(widget)
    case .widgetSuggestionBlocked(let widget, false):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_WIDGET_SUGGESTION_ALLOWED
      message.widget_suggestion_allowed = scratch.message(widget)
    case .appSuggestionBlocked(let app, true):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_APP_SUGGESTION_BLOCKED
      message.app_suggestion_blocked = scratch.text(app)
    case .appSuggestionBlocked(let app, false):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_APP_SUGGESTION_ALLOWED
      message.app_suggestion_allowed = scratch.text(app)
    case .widgetSuggestionSnoozed(let widget, let end):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_WIDGET_SUGGESTION_SNOOZED
      message.widget_suggestion_snoozed = scratch.build {
        $0.widget = scratch.message(widget)
        $0.until_ms = end.milliseconds
      }
    case .appSuggestionSnoozed(let app, let end):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_APP_SUGGESTION_SNOOZED
      message.app_suggestion_snoozed = scratch.build {
        $0.app = scratch.text(app)
        $0.until_ms = end.milliseconds
      }
    default: preconditionFailure("not a report of a blocked suggestion")
    }
  }
}

extension ContextChange {
  fileprivate func fill(_ message: inout Marquee__V1__ReportRequest, _ scratch: EncodeScratch) {
    switch self {
    case .place(let place?):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_PLACE
      message.place = scratch.message(place)
    case .place(nil):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_PLACE_UNKNOWN
      message.place_unknown = 1
    case .focus(let focus?):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_FOCUS
      message.focus = scratch.text(focus)
    case .focus(nil):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_FOCUS_OFF
      message.focus_off = 1
    case .routine(let situation):
      message.report_case = MARQUEE__V1__REPORT_REQUEST__REPORT_ROUTINE
      message.routine = Marquee__V1__RoutineSituation(situation)
    }
  }

  /// Decodes a context change; `nil` if the message reports something else.
  fileprivate init?(_ message: Marquee__V1__ReportRequest) throws(RequestError) {
    switch message.report_case {
    case MARQUEE__V1__REPORT_REQUEST__REPORT_PLACE: self = .place(try Field.required(message.place, "place"))
    case MARQUEE__V1__REPORT_REQUEST__REPORT_PLACE_UNKNOWN:
      try Field.selector(message.place_unknown, "place_unknown")
      self = .place(nil)
    case MARQUEE__V1__REPORT_REQUEST__REPORT_FOCUS:
      self = .focus(try Field.identifier(message.focus, "focus", as: FocusID.self))
    case MARQUEE__V1__REPORT_REQUEST__REPORT_FOCUS_OFF:
      try Field.selector(message.focus_off, "focus_off")
      self = .focus(nil)
    case MARQUEE__V1__REPORT_REQUEST__REPORT_ROUTINE:
      self = .routine(try RoutineSituation(message.routine, "routine"))
    default: return nil
    }
  }
}

extension UserReport {
  fileprivate init(_ message: Marquee__V1__ReportRequest) throws(RequestError) {
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
    default: self = try UserReport(aboutSuggestions: message)
    }
  }

  private init(_ message: Marquee__V1__SuggestionReport) throws(RequestError) {
    let outcome = try SuggestionOutcome(message.outcome, "outcome")
    self = .surfaceSuggestion(
      try SuggestionSurface(message.surface, "surface"), try SuggestionID(Field.text(message.id, "id"), field: "id"),
      outcome)
  }

  private init(_ message: Marquee__V1__SnoozeWidget) throws(RequestError) {
    self = .widgetSuggestionSnoozed(
      try Field.required(message.widget, "widget"), until: try Field.instant(message.until_ms, "until_ms"))
  }

  private init(_ message: Marquee__V1__FamilySize) throws(RequestError) {
    self = .widgetSizeChanged(
      try WidgetFamily(message.family, "family"), try Field.required(message.size, "size"))
  }

  private init(_ message: Marquee__V1__SnoozeApp) throws(RequestError) {
    self = .appSuggestionSnoozed(
      try Field.identifier(message.app, "app"), until: try Field.instant(message.until_ms, "until_ms"))
  }

  private init(aboutSuggestions message: Marquee__V1__ReportRequest) throws(RequestError) {
    switch message.report_case {
    case MARQUEE__V1__REPORT_REQUEST__REPORT_SUGGESTION_DISMISSED:
      self = .suggestionDismissed(try Field.identifier(message.suggestion_dismissed, "suggestion_dismissed"))
    case MARQUEE__V1__REPORT_REQUEST__REPORT_SUGGESTION_KEPT:
      self = .suggestionKept(try Field.identifier(message.suggestion_kept, "suggestion_kept"))
    case MARQUEE__V1__REPORT_REQUEST__REPORT_WIDGET_SUGGESTION_BLOCKED:
      let widget: Widget = try Field.required(message.widget_suggestion_blocked, "widget_suggestion_blocked")
      self = .widgetSuggestionBlocked(widget, true)
    case MARQUEE__V1__REPORT_REQUEST__REPORT_WIDGET_SUGGESTION_ALLOWED:
      let widget: Widget = try Field.required(message.widget_suggestion_allowed, "widget_suggestion_allowed")
      self = .widgetSuggestionBlocked(widget, false)
    case MARQUEE__V1__REPORT_REQUEST__REPORT_APP_SUGGESTION_BLOCKED:
      let app: AppID = try Field.identifier(message.app_suggestion_blocked, "app_suggestion_blocked")
      self = .appSuggestionBlocked(app, true)
    case MARQUEE__V1__REPORT_REQUEST__REPORT_APP_SUGGESTION_ALLOWED:
      let app: AppID = try Field.identifier(message.app_suggestion_allowed, "app_suggestion_allowed")
      self = .appSuggestionBlocked(app, false)
    case MARQUEE__V1__REPORT_REQUEST__REPORT_WIDGET_SUGGESTION_SNOOZED:
      self = try Field.within("widget_suggestion_snoozed", Self(message.widget_suggestion_snoozed.pointee))
    case MARQUEE__V1__REPORT_REQUEST__REPORT_APP_SUGGESTION_SNOOZED:
      self = try Field.within("app_suggestion_snoozed", Self(message.app_suggestion_snoozed.pointee))
    case MARQUEE__V1__REPORT_REQUEST__REPORT_HOME_WIDGET_ADDED:
      let (widget, family) = try Field.within("home_widget_added", message.home_widget_added.pointee.read())
      self = .homeWidgetAdded(widget, in: family)
    case MARQUEE__V1__REPORT_REQUEST__REPORT_HOME_WIDGET_REMOVED:
      let (widget, family) = try Field.within("home_widget_removed", message.home_widget_removed.pointee.read())
      self = .homeWidgetRemoved(widget, in: family)
    case MARQUEE__V1__REPORT_REQUEST__REPORT_SUGGESTION:
      self = try Field.within("suggestion", Self(message.suggestion.pointee))
    case MARQUEE__V1__REPORT_REQUEST__REPORT_WIDGET_SIZE:
      self = try Field.within("widget_size", Self(message.widget_size.pointee))
    default:
      guard let change = try ContextChange(message) else { throw Field.absent("report", of: message.base) }
      self = .contextChanged(change)
    }
  }
}

extension Marquee__V1__WidgetReport {
  fileprivate func read() throws(RequestError) -> (StackID, Widget) {
    (try Field.identifier(stack, "stack"), try Field.required(widget, "widget"))
  }

  fileprivate mutating func fill(_ stack: StackID, _ widget: Widget, _ scratch: EncodeScratch) {
    self.stack = scratch.text(stack)
    self.widget = scratch.message(widget)
  }
}

extension Marquee__V1__HomeWidget {
  fileprivate func read() throws(RequestError) -> (Widget, WidgetFamily?) {
    (try Field.required(widget, "widget"), family.rawValue == 0 ? nil : try WidgetFamily(family, "family"))
  }

  fileprivate mutating func fill(_ widget: Widget, _ family: WidgetFamily?, _ scratch: EncodeScratch) {
    self.widget = scratch.message(widget)
    if let family { self.family = Marquee__V1__WidgetFamily(family) }
  }
}
