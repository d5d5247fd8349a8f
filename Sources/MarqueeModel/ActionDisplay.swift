/// The representation of an action or a configuration for the user (rules X1, X2).
public struct ActionDisplay: Hashable, Sendable {
  /// The maximum size of a rendered text, in UTF-8 bytes.
  public static let sizeMax = 1_024
  /// The maximum size of a rendered value, in UTF-8 bytes.
  public static let valueSizeMax = 256

  /// The title; not empty.
  public let title: String
  /// The second line; may be empty.
  public let subtitle: String
  /// The sentence that summarizes it; may be empty.
  public let summary: String
  /// The app's key of an image; may be empty.
  public let imageKey: String

  /// Creates a representation.
  public init(title: String, subtitle: String = "", summary: String = "", imageKey: String = "") {
    (self.title, self.subtitle, self.summary, self.imageKey) = (title, subtitle, summary, imageKey)
  }

  /// The title and the second line in one.
  public var text: String { subtitle.isEmpty ? title : "\(title) – \(subtitle)" }

  /// The size of the texts, in UTF-8 bytes.
  package var size: Int { [title, subtitle, summary, imageKey].reduce(0) { $0 + $1.utf8.count } }
}

extension ActionDisplay {
  /// Renders an intent.
  ///
  /// The texts are those of the most specific supported combination whose parameters are all set. Without a title, the
  /// title is that of the type, with the values in the second line, or, without one, the type's name with the values.
  /// Built-in types have titles of their own in English.
  ///
  /// - Parameters:
  ///   - intent: The intent.
  ///   - type: The description of its type, if registered.
  ///   - donated: The representation of the donation, which wins over that of the type.
  ///   - format: Formats an instant for the reader.
  public init(
    of intent: Intent, _ type: IntentTypeDescriptor? = nil, donated: DonationDisplay? = nil,
    format: (Instant) -> String = \.description
  ) {
    let texts = type?.texts(of: intent) ?? .none
    func rendered(_ text: TextFormat) -> String { text.rendered(intent.parameters, type, format) }
    var (title, subtitle) = (rendered(texts.title), rendered(texts.subtitle))
    if title.isBlank {
      let general = Self(untitled: intent, type, format)
      title = general.title
      if subtitle.isBlank { subtitle = general.subtitle }
    }
    self.init(
      title: donated?.title ?? title, subtitle: donated?.subtitle ?? subtitle, summary: rendered(texts.summary),
      imageKey: donated?.imageKey.nonBlank ?? texts.imageKey)
  }

  /// Renders an intent of a combination without a title: by the type's title, as `Play News`, `Message Anna` or
  /// `Message from Anna` if its type is built in, or else by the type's name.
  private init(untitled intent: Intent, _ type: IntentTypeDescriptor?, _ format: (Instant) -> String) {
    func values(where isIncluded: (IntentParameter) -> Bool = { _ in true }) -> String? {
      intent.parameters.filter(isIncluded).map { $0.rendered(type, format) }.filter { !$0.isBlank }
        .joined(separator: ", ").nonBlank?.shortened(to: Self.valueSizeMax)
    }
    if let title = type?.title, !title.isBlank {
      self.init(title: title, subtitle: values() ?? "")
      return
    }
    let container = values { $0.name.text == "mediaContainer" }
    let items = values { $0.name.text != "mediaContainer" }
    if intent.type == .playMedia, let played = items ?? container {
      self.init(title: "Play \(played)", subtitle: items == nil ? "" : container ?? "")
    } else if intent.type == .sendMessage, let recipients = values(where: { $0.name.text == "recipients" }) {
      self.init(title: "Message \(recipients)")
    } else if intent.type == .sendMessage, let sender = values(where: { $0.name.text == "sender" }) {
      self.init(title: "Message from \(sender)")
    } else {
      self.init(title: Self.plainTitle(intent.type.text, intent.parameters, type, format))
    }
  }

  /// Renders a user activity, whose title is not part of its identity.
  ///
  /// - Parameters:
  ///   - type: The activity's type.
  ///   - values: The values that distinguish it from others.
  ///   - title: The title of the activity, if any.
  ///   - donated: The representation of the donation, which wins over the title.
  ///   - format: Formats an instant for the reader.
  public init(
    of type: UserActivity.ActivityType, _ values: [IntentParameter], title: String? = nil,
    donated: DonationDisplay? = nil, format: (Instant) -> String = \.description
  ) {
    let title = title.flatMap { $0.isBlank ? nil : $0.shortened(to: Self.sizeMax) }
    self.init(
      title: donated?.title ?? title ?? Self.plainTitle(type.text, values, nil, format),
      subtitle: donated?.subtitle ?? "", imageKey: donated?.imageKey ?? "")
  }

  /// Renders an action without the texts of its type and donations.
  public init(of action: DonatedAction) {
    switch action {
    case .intent(_, let intent): self.init(of: intent)
    case .userActivity(_, let type, let values): self.init(of: type, values)
    }
  }

  /// Renders the subject of a suggestion without the texts of its type and donations.
  public init(of subject: SurfaceSuggestion.Subject) {
    switch subject {
    case .action(let action): self.init(of: action)
    case .upcomingMedia(_, let intent): self.init(of: intent)
    case .reservation(_, let reservation, .leave): self.init(title: "Leave for \(Self.name(of: reservation.item))")
    case .reservation(_, let reservation, .checkIn): self.init(title: "Check in for \(Self.name(of: reservation.item))")
    case .person(_, let person): self.init(title: Self.name(of: person))
    case .shortcut(let app, let shortcut): self.init(of: shortcut, of: app)
    }
  }

  private static func name(of identity: DisplayIdentity) -> String { identity.shownText.shortened(to: valueSizeMax) }

  /// Renders a relevant shortcut: its user activity, its widget, its intent or its app.
  ///
  /// A user activity without a title is shown only if the shortcut names no widget, with the values that identify it.
  public init(
    of shortcut: RelevantShortcut, of app: AppID, _ kind: WidgetDescriptor? = nil, _ type: IntentTypeDescriptor? = nil,
    format: (Instant) -> String = \.description
  ) {
    if let activity = shortcut.userActivity, shortcut.kind == nil || activity.title?.isBlank == false {
      self.init(of: activity.type, activity.listed.userInfo, title: activity.title, format: format)
    } else if let name = shortcut.kind {
      let widget = Widget(kind: WidgetKind(app: app, name: name), configuration: shortcut.intent)
      self.init(of: widget, kind, type, format: format)
    } else if let intent = shortcut.intent {
      self.init(of: intent, type, format: format)
    } else {
      self.init(title: app.text)
    }
  }

  /// Renders a donated activity.
  public init(
    of activity: Donation.Activity, _ type: IntentTypeDescriptor? = nil, donated: DonationDisplay? = nil,
    format: (Instant) -> String = \.description
  ) {
    switch activity {
    case .intent(let intent), .reservations(let intent, _), .received(let intent):
      self.init(of: intent, type, donated: donated, format: format)
    case .userActivity(let activity):
      self.init(of: activity.type, activity.userInfo, title: activity.title, donated: donated, format: format)
    }
  }

  /// Renders a widget: its configuration or, if it has none, the display name of its kind.
  public init(
    of widget: Widget, _ kind: WidgetDescriptor? = nil, _ type: IntentTypeDescriptor? = nil,
    format: (Instant) -> String = \.description
  ) {
    let title = Self.title(of: widget, kind, type, format: format)
    let texts = widget.configuration.flatMap { type?.texts(of: $0) } ?? .none
    func rendered(_ text: TextFormat) -> String { text.rendered(widget.configuration?.parameters ?? [], type, format) }
    self.init(
      title: title, subtitle: rendered(texts.subtitle), summary: rendered(texts.summary), imageKey: texts.imageKey)
  }

  /// Returns the title of a widget, without rendering its other texts.
  public static func title(
    of widget: Widget, _ kind: WidgetDescriptor? = nil, _ type: IntentTypeDescriptor? = nil,
    format: (Instant) -> String = \.description
  ) -> String {
    let name = kind?.displayName.nonBlank ?? widget.kind.name.text
    guard let configuration = widget.configuration else { return name }
    let title = type?.texts(of: configuration).title.rendered(configuration.parameters, type, format) ?? ""
    return title.isBlank ? plainTitle(name, configuration.parameters, type, format) : title
  }

  /// Returns a name with values: `OrderSoup(soup: Tomato, size: Large)`.
  private static func plainTitle(
    _ name: String, _ parameters: [IntentParameter], _ type: IntentTypeDescriptor?, _ format: (Instant) -> String
  ) -> String {
    guard !parameters.isEmpty else { return name }
    var list = ""
    for parameter in parameters where list.utf8.count <= sizeMax {
      list += (list.isEmpty ? "" : ", ") + "\(parameter.name): " + parameter.rendered(type, format)
    }
    return "\(name)(\(list.shortened(to: sizeMax - name.utf8.count - "()".utf8.count)))"
  }
}

extension IntentTypeDescriptor {
  /// Returns the texts of the most specific supported combination whose parameters are all set; the first one of
  /// several.
  func texts(of intent: Intent) -> ActionTexts {
    let names = Set(intent.parameters.filter(\.value.isSet).map(\.name))
    var best: Combination?
    for combination in combinations where combination.parameters.allSatisfy(names.contains) {
      if combination.parameters.count > best?.parameters.count ?? -1 { best = combination }
    }
    return best?.texts ?? .none
  }

  /// Returns the text of a value: the title of an enumeration's case, otherwise the value's own.
  fileprivate func text(of value: IntentValue, in name: IntentParameter.Name) -> String? {
    guard case .enumCase(let text) = value else { return nil }
    let titles = parameters.first { $0.name == name }?.caseTitles ?? []
    return titles.first { $0.name.hasBytes(of: text) }?.title
  }
}

extension TextFormat {
  /// Returns the text with the parameters' values in place of the references.
  func rendered(
    _ parameters: [IntentParameter], _ type: IntentTypeDescriptor?, _ format: (Instant) -> String
  ) -> String {
    var rendered = ""
    for part in parts where rendered.utf8.count <= ActionDisplay.sizeMax {
      switch part {
      case .text(let text): rendered += text
      case .parameter(let name): rendered += parameters.first { $0.name == name }?.rendered(type, format) ?? ""
      }
    }
    return rendered.shortened(to: ActionDisplay.sizeMax)
  }
}

extension IntentParameter {
  /// Returns the display text of the value; the elements of an array are separated by commas.
  func rendered(_ type: IntentTypeDescriptor?, _ format: (Instant) -> String) -> String {
    let values: [IntentValue] =
      switch value {
      case .single(let value): [value]
      case .array(let values): values
      }
    var rendered = ""
    for (index, value) in values.enumerated() {
      guard rendered.utf8.count <= ActionDisplay.sizeMax else { break }
      let text = type?.text(of: value, in: name) ?? value.displayText(format: format)
      rendered += (index > 0 ? ", " : "") + text.shortened(to: ActionDisplay.valueSizeMax)
    }
    return rendered
  }
}

extension ParameterValue {
  /// The text to show for the value, with display strings; the elements of an array are separated by commas.
  public var displayText: String {
    switch self {
    case .single(let value): value.displayText()
    case .array(let values): values.map { $0.displayText() }.joined(separator: ", ")
    }
  }
}

extension IntentValue {
  /// Returns the text to show for the value: the display string of objects, persons and places that have one.
  public func displayText(format: (Instant) -> String = \.description) -> String {
    switch self {
    case .object(let identity), .person(let identity): identity.shownText
    case .place(let place): place.display.nonBlank ?? description
    case .date(let instant): format(instant)
    case .double(let number): number.words(decimalCount: 6)
    case .string, .integer, .boolean, .enumCase: description
    }
  }
}

extension String {
  fileprivate var nonBlank: String? { isBlank ? nil : self }

  /// Whether the string is empty or white space only.
  package var isBlank: Bool { allSatisfy(\.isWhitespace) }

  /// Returns the string or, if it is larger, its start with an ellipsis, of at most `sizeMax` bytes.
  package func shortened(to sizeMax: Int) -> String {
    guard utf8.count > sizeMax else { return self }
    var (end, size) = (startIndex, 0)
    let ellipsis = "…"
    while end < endIndex {
      size += self[end].utf8.count
      guard size <= sizeMax - ellipsis.utf8.count else { break }
      end = index(after: end)
    }
    return self[..<end] + ellipsis
  }
}

extension DisplayIdentity {
  /// The display string, or the identifier if it is blank.
  public var shownText: String { display.nonBlank ?? identifier }
}
