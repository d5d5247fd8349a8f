internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

extension RelevantShortcut: WireValue {
  init(_ message: Marquee__V1__RelevantShortcut) throws(RequestError) {
    try self.init(
      kind: Field.identifierIfPresent(message.kind, "kind"),
      intent: Field.optional(message.intent, "intent"),
      role: Role(message.role, "role"),
      providers: Field.array(message.n_providers, message.providers, "providers"))
  }

  func fill(_ message: inout Marquee__V1__RelevantShortcut, _ scratch: EncodeScratch) {
    message.kind = scratch.text(kind)
    message.intent = scratch.message(intent)
    message.role = Marquee__V1__ShortcutRole(rawValue: UInt32(role.rawValue))
    (message.n_providers, message.providers) = scratch.array(providers)
  }
}

extension RelevantShortcut.Role {
  fileprivate init(_ role: Marquee__V1__ShortcutRole, _ name: String) throws(RequestError) {
    if role == MARQUEE__V1__SHORTCUT_ROLE__SHORTCUT_ROLE_UNSPECIFIED {
      self = .action
      return
    }
    guard let known = UInt8(exactly: role.rawValue).flatMap(Self.init) else {
      throw RequestError(.invalidArgument, field: name, "unknown shortcut role: \(role.rawValue)")
    }
    self = known
  }
}

extension RelevantIntent: WireValue {
  init(_ message: Marquee__V1__RelevantIntent) throws(RequestError) {
    self.init(
      intent: try Field.required(message.intent, "intent"),
      kind: try Field.identifier(message.kind, "kind"),
      window: try Field.required(message.window, "window"))
  }

  func fill(_ message: inout Marquee__V1__RelevantIntent, _ scratch: EncodeScratch) {
    message.intent = scratch.message(intent)
    message.kind = scratch.text(kind)
    message.window = scratch.message(window)
  }
}

extension RelevanceProvider: WireValue {
  init(_ message: Marquee__V1__RelevanceProvider) throws(RequestError) {
    switch message.provider_case {
    case MARQUEE__V1__RELEVANCE_PROVIDER__PROVIDER_DATE: self = .date(try Field.required(message.date, "date"))
    case MARQUEE__V1__RELEVANCE_PROVIDER__PROVIDER_LOCATION:
      self = .location(try Field.required(message.location, "location"))
    case MARQUEE__V1__RELEVANCE_PROVIDER__PROVIDER_DAILY_ROUTINE:
      self = .dailyRoutine(try RoutineSituation(message.daily_routine, "daily_routine"))
    case MARQUEE__V1__RELEVANCE_PROVIDER__PROVIDER_OTHER:
      try Field.selector(message.other, "other")
      self = .other
    default: throw Field.absent("provider")
    }
  }

  func fill(_ message: inout Marquee__V1__RelevanceProvider, _ scratch: EncodeScratch) {
    switch self {
    case .date(let window):
      message.provider_case = MARQUEE__V1__RELEVANCE_PROVIDER__PROVIDER_DATE
      message.date = scratch.message(window)
    case .location(let region):
      message.provider_case = MARQUEE__V1__RELEVANCE_PROVIDER__PROVIDER_LOCATION
      message.location = scratch.message(region)
    case .dailyRoutine(let situation):
      message.provider_case = MARQUEE__V1__RELEVANCE_PROVIDER__PROVIDER_DAILY_ROUTINE
      message.daily_routine = Marquee__V1__RoutineSituation(situation)
    case .other:
      message.provider_case = MARQUEE__V1__RELEVANCE_PROVIDER__PROVIDER_OTHER
      message.other = 1
    }
  }
}

extension DateWindow: WireValue {
  init(_ message: Marquee__V1__DateWindow) throws(RequestError) {
    let hasEnd = message.maybe_end_case == MARQUEE__V1__DATE_WINDOW__MAYBE_END_END_MS
    let start = try Field.instant(message.start_ms, "start_ms")
    let end = hasEnd ? try Field.instant(message.end_ms, "end_ms") : nil
    if let end, end < start {
      throw RequestError(
        .invalidArgument, field: "end_ms", "end precedes the start by \(end.span(to: start).milliseconds) ms")
    }
    try self.init(start: start, end: end)
  }

  func fill(_ message: inout Marquee__V1__DateWindow, _ scratch: EncodeScratch) {
    message.start_ms = start.milliseconds
    if let end {
      message.maybe_end_case = MARQUEE__V1__DATE_WINDOW__MAYBE_END_END_MS
      message.end_ms = end.milliseconds
    }
  }
}

extension PlaceRegion: WireValue {
  init(_ message: Marquee__V1__PlaceRegion) throws(RequestError) {
    try self.init(center: Field.required(message.center, "center"), radius: message.radius)
  }

  func fill(_ message: inout Marquee__V1__PlaceRegion, _ scratch: EncodeScratch) {
    message.center = scratch.message(center)
    message.radius = radius
  }
}

extension RoutineSituation {
  init(_ situation: Marquee__V1__RoutineSituation, _ name: String) throws(RequestError) {
    guard let known = UInt8(exactly: situation.rawValue).flatMap(Self.init) else {
      throw RequestError(.invalidArgument, field: name, "unknown routine situation: \(situation.rawValue)")
    }
    self = known
  }
}

extension Marquee__V1__RoutineSituation {
  init(_ situation: RoutineSituation) {
    self.init(rawValue: UInt32(situation.rawValue))
  }
}
