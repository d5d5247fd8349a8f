internal import CMarqueeProtos
public import MarqueeModel
internal import MarqueeRPC

/// A request to have an app continue a suggestion or a widget (rule S8).
public struct ContinueInAppRequest: Hashable, Sendable {
  /// The device.
  public let device: DeviceID
  /// The suggestion or widget that the user tapped.
  public let item: TappedItem
  /// Whether an earlier call was made for the same interaction, which is then not recorded again.
  public let isRepeat: Bool

  /// Creates a request.
  public init(device: DeviceID, item: TappedItem, isRepeat: Bool = false) {
    self.device = device
    self.item = item
    self.isRepeat = isRepeat
  }
}

extension ContinueInAppRequest: WireValue {
  init(_ message: Marquee__V1__ContinueInAppRequest) throws(RequestError) {
    self.init(
      device: try Field.identifier(message.device, "device"), item: try TappedItem(message),
      isRepeat: message.is_repeat != 0)
  }

  func fill(_ message: inout Marquee__V1__ContinueInAppRequest, _ scratch: EncodeScratch) {
    message.device = scratch.text(device)
    message.is_repeat = isRepeat ? 1 : 0
    switch item {
    case .suggestion(let id, let surface):
      message.subject_case = MARQUEE__V1__CONTINUE_IN_APP_REQUEST__SUBJECT_SUGGESTION
      message.suggestion = scratch.build {
        $0.surface = Marquee__V1__SuggestionSurface(surface)
        $0.id = scratch.text("\(id)")
      }
    case .stackWidget(let widget, let stack, let link):
      message.subject_case = MARQUEE__V1__CONTINUE_IN_APP_REQUEST__SUBJECT_WIDGET
      message.widget = scratch.build {
        $0.widget = scratch.message(widget)
        $0.placement_case = MARQUEE__V1__WIDGET_TAP__PLACEMENT_STACK
        $0.stack = scratch.text(stack)
        $0.link = scratch.text(link?.text ?? "")
      }
    case .homeWidget(let instance, let link):
      message.subject_case = MARQUEE__V1__CONTINUE_IN_APP_REQUEST__SUBJECT_WIDGET
      message.widget = scratch.build {
        $0.widget = scratch.message(instance.widget)
        $0.placement_case = MARQUEE__V1__WIDGET_TAP__PLACEMENT_OUTSIDE_STACKS
        $0.outside_stacks = Marquee__V1__WidgetFamily(instance.family)
        $0.link = scratch.text(link?.text ?? "")
      }
    }
  }
}

extension TappedItem {
  fileprivate init(_ message: Marquee__V1__ContinueInAppRequest) throws(RequestError) {
    switch message.subject_case {
    case MARQUEE__V1__CONTINUE_IN_APP_REQUEST__SUBJECT_SUGGESTION:
      self = try Field.within("suggestion", Self(message.suggestion.pointee))
    case MARQUEE__V1__CONTINUE_IN_APP_REQUEST__SUBJECT_WIDGET:
      self = try Field.within("widget", Self(message.widget.pointee))
    default: throw Field.absent("subject", of: message.base)
    }
  }

  private init(_ message: Marquee__V1__SuggestionTap) throws(RequestError) {
    let surface = try SuggestionSurface(message.surface, "surface")
    self = .suggestion(try SuggestionID(Field.text(message.id, "id"), field: "id"), on: surface)
  }

  private init(_ message: Marquee__V1__WidgetTap) throws(RequestError) {
    let widget: Widget = try Field.required(message.widget, "widget")
    let link = try EntryLink(ifPresent: message.link, "link")
    switch message.placement_case {
    case MARQUEE__V1__WIDGET_TAP__PLACEMENT_STACK:
      self = .stackWidget(widget, in: try Field.identifier(message.stack, "stack"), link: link)
    case MARQUEE__V1__WIDGET_TAP__PLACEMENT_OUTSIDE_STACKS:
      let family = try WidgetFamily(message.outside_stacks, "outside_stacks")
      self = .homeWidget(WidgetInstance(widget, in: family), link: link)
    default: throw Field.absent("placement", of: message.base)
    }
  }
}

extension Continuation: WireValue {
  init(_ message: Marquee__V1__Continuation) throws(RequestError) {
    switch message.subject_case {
    case MARQUEE__V1__CONTINUATION__SUBJECT_INTENT: self = .intent(try Field.required(message.intent, "intent"))
    case MARQUEE__V1__CONTINUATION__SUBJECT_USER_ACTIVITY:
      self = .userActivity(try Field.required(message.user_activity, "user_activity"))
    case MARQUEE__V1__CONTINUATION__SUBJECT_WIDGET:
      self = try Field.within("widget", Self(message.widget.pointee))
    case MARQUEE__V1__CONTINUATION__SUBJECT_RESERVATION:
      self = try Field.within("reservation", Self(message.reservation.pointee))
    case MARQUEE__V1__CONTINUATION__SUBJECT_PERSON:
      self = try Field.within("person", Self(message.person.pointee))
    default: throw Field.absent("subject", of: message.base)
    }
  }

  private init(_ message: Marquee__V1__TappedWidget) throws(RequestError) {
    self = .widget(
      try Field.required(message.widget, "widget"),
      family: message.family.rawValue == 0 ? nil : try WidgetFamily(message.family, "family"),
      link: try EntryLink(ifPresent: message.link, "link"))
  }

  private init(_ message: Marquee__V1__ContinuedReservation) throws(RequestError) {
    self = .reservation(
      try Field.required(message.item, "item"), try Errand(message.errand, "errand"),
      try Field.required(message.intent, "intent"))
  }

  private init(_ message: Marquee__V1__ContinuedPerson) throws(RequestError) {
    self = .person(try Field.required(message.person, "person"), try Field.optional(message.intent, "intent"))
  }

  func fill(_ message: inout Marquee__V1__Continuation, _ scratch: EncodeScratch) {
    switch self {
    case .intent(let intent):
      message.subject_case = MARQUEE__V1__CONTINUATION__SUBJECT_INTENT
      message.intent = scratch.message(intent)
    case .userActivity(let activity):
      message.subject_case = MARQUEE__V1__CONTINUATION__SUBJECT_USER_ACTIVITY
      message.user_activity = scratch.message(activity)
    case .reservation(let item, let errand, let intent):
      message.subject_case = MARQUEE__V1__CONTINUATION__SUBJECT_RESERVATION
      message.reservation = scratch.build {
        $0.item = scratch.message(item)
        $0.errand = Marquee__V1__ReservationErrand(errand)
        $0.intent = scratch.message(intent)
      }
    case .person(let person, let intent):
      message.subject_case = MARQUEE__V1__CONTINUATION__SUBJECT_PERSON
      message.person = scratch.build {
        $0.person = scratch.message(person)
        $0.intent = scratch.message(intent)
      }
    case .widget(let widget, let family, let link):
      message.subject_case = MARQUEE__V1__CONTINUATION__SUBJECT_WIDGET
      message.widget = scratch.build {
        $0.widget = scratch.message(widget)
        if let family { $0.family = Marquee__V1__WidgetFamily(family) }
        $0.link = scratch.text(link?.text ?? "")
      }
    }
  }
}

extension EntryLink {
  /// Decodes a link; `nil` if the string is empty.
  init?(ifPresent field: ProtobufCBinaryData, _ name: String) throws(RequestError) {
    guard field.len > 0 else { return nil }
    let text = try Field.text(field, name)
    self = try Field.within(name, EntryLink(text))
  }
}
