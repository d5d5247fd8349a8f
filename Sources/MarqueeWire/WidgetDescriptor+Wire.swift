internal import CMarqueeProtos
internal import MarqueeModel
internal import MarqueeRPC

/// A description is encoded with its app, except inside an app's own request (``init(_:app:)``).
extension WidgetDescriptor: WireValue {
  init(_ message: Marquee__V1__RegisteredKind) throws(RequestError) {
    let app: AppID = try Field.identifier(message.app, "app")
    guard let descriptor = message.kind else { throw Field.absent("kind") }
    self = try Field.within("kind", WidgetDescriptor(descriptor.pointee, app: app))
  }

  func fill(_ message: inout Marquee__V1__RegisteredKind, _ scratch: EncodeScratch) {
    message.app = scratch.text(kind.app)
    message.kind = scratch.build { fill(&$0, scratch) }
  }

  init(_ message: Marquee__V1__WidgetDescriptor, app: AppID) throws(RequestError) {
    let type: IntentType? = try Field.identifierIfPresent(message.intent_type, "intent_type")
    let families = try Field.array(message.n_families, message.families, "families") { (family) throws(RequestError) in
      try WidgetFamily(family, "")
    }
    try Field.unique(families, "families") { $0 }
    try self.init(
      kind: WidgetKind(app: app, name: Field.identifier(message.name, "name")),
      displayName: Field.text(message.display_name, "display_name"),
      descriptionText: Field.text(message.description, "description"),
      families: families, configuration: type.map { .intent($0) } ?? .static)
  }

  func fill(_ message: inout Marquee__V1__WidgetDescriptor, _ scratch: EncodeScratch) {
    message.name = scratch.text(kind.name)
    message.display_name = scratch.text(displayName)
    message.description = scratch.text(descriptionText)
    (message.n_families, message.families) = scratch.elements(families) { Marquee__V1__WidgetFamily($0) }
    if case .intent(let type) = configuration { message.intent_type = scratch.text(type) }
  }
}

extension Stack: WireValue {
  init(_ message: Marquee__V1__Stack) throws(RequestError) {
    let members: [Widget] = try Field.array(message.n_members, message.members, "members")
    try Field.unique(members, "members") { $0 }
    let front = Int(message.front)
    guard members.isEmpty ? front == -1 : members.indices.contains(front) else {
      throw RequestError(
        .invalidArgument, field: "front", "\(front) is not the index of a member (count: \(members.count))")
    }
    guard message.has_suggestion == 0 || !members.isEmpty else {
      throw RequestError(.invalidArgument, field: "has_suggestion", "must be false for an empty stack")
    }
    self.init(
      id: try Field.identifier(message.id, "id"),
      family: try WidgetFamily(message.family, "family"),
      members: members, front: members.isEmpty ? nil : front,
      isSmartRotateOn: message.smart_rotate != 0, isWidgetSuggestionsOn: message.widget_suggestions != 0,
      hasSuggestion: message.has_suggestion != 0, settings: try Self.settings(message, members))
  }

  /// Decodes the settings of the members, whose indices ascend.
  private static func settings(
    _ message: Marquee__V1__Stack, _ members: [Widget]
  ) throws(RequestError) -> [Widget: MemberSettings] {
    let first = message.has_suggestion != 0 ? 1 : 0
    var (settings, next) = ([Widget: MemberSettings](), first)
    let all = try Field.array(message.n_settings, message.settings, "settings") { (member) throws(RequestError) in
      guard let member = member?.pointee else { throw Field.absent("") }
      return (index: Int(member.index), value: try MemberSettings(member))
    }
    for (number, (index, value)) in all.enumerated() {
      guard index >= next, index < members.count else {
        throw RequestError(
          .invalidArgument, field: "settings[\(number)].index",
          "\(index) is not the index of a member (count: \(members.count)) after the previous one")
      }
      (settings[members[index]], next) = (value, index + 1)
    }
    return settings
  }

  func fill(_ message: inout Marquee__V1__Stack, _ scratch: EncodeScratch) {
    message.id = scratch.text(id)
    message.family = Marquee__V1__WidgetFamily(family)
    (message.n_members, message.members) = scratch.array(members)
    message.front = front.map { Int32(clamping: $0) } ?? -1
    message.smart_rotate = isSmartRotateOn ? 1 : 0
    message.widget_suggestions = isWidgetSuggestionsOn ? 1 : 0
    message.has_suggestion = hasSuggestion ? 1 : 0
    let indices = settings.isEmpty ? [] : members.indices.filter { settings[members[$0]] != nil }
    (message.n_settings, message.settings) = scratch.elements(indices) { index in
      scratch.build { (member: inout Marquee__V1__MemberSettings) in
        member.index = UInt32(clamping: index)
        settings[members[index]]?.fill(&member, scratch)
      }
    }
  }
}
