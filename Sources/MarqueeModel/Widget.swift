/// A kind of widget: an app and the kind's name in it.
public struct WidgetKind: Hashable, Sendable {
  /// The app that provides it.
  public let app: AppID
  /// The kind's name, unique in the app.
  public let name: KindName

  /// The kind called `name` of `app`.
  public init(app: AppID, name: KindName) {
    self.app = app
    self.name = name
  }
}

extension WidgetKind: Comparable, CustomStringConvertible {
  public static func < (left: WidgetKind, right: WidgetKind) -> Bool {
    left.app == right.app ? left.name < right.name : left.app < right.app
  }

  /// `com.example.weather/Forecast`.
  public var description: String { "\(app)/\(name)" }
}

/// A widget as a person can place it: a kind, and the intent that configures it if the kind takes one.
public struct Widget: Hashable, Sendable {
  /// What kind of widget it is.
  public let kind: WidgetKind
  /// How it is configured; `nil` for a kind with static configuration.
  public let configuration: Intent?

  /// The widget of that kind and configuration.
  public init(kind: WidgetKind, configuration: Intent? = nil) {
    self.kind = kind
    self.configuration = configuration
  }
}

extension Widget: CustomStringConvertible {
  /// `com.example.weather/Forecast`, followed by the configuration's values, as in `(city: cupertino)`.
  public var description: String { "\(kind.app)/\(title)" }

  /// The description without the app.
  var title: String {
    guard let configuration else { return kind.name.text }
    let values = configuration.parameters.map { "\($0.name): \($0.value)" }
    return "\(kind.name)(\(values.joined(separator: ", ")))"
  }
}

extension ParameterValue: CustomStringConvertible {
  public var description: String {
    switch self {
    case .single(let value): value.description
    case .array(let values): "[" + values.map(\.description).joined(separator: ", ") + "]"
    }
  }
}

extension IntentValue: CustomStringConvertible {
  /// The value in short; objects and people by their identifier.
  public var description: String {
    switch self {
    case .string(let text), .enumCase(let text): text
    case .integer(let number): String(number)
    case .double(let number): String(number)
    case .boolean(let flag): String(flag)
    case .date(let instant): instant.description
    case .object(let identity), .person(let identity): identity.identifier
    case .place(let place): "\(place.latitude),\(place.longitude)"
    }
  }
}

/// What an app says of one of its widget kinds.
public struct WidgetDescriptor: Hashable, Sendable {
  /// How widgets of the kind are configured.
  public enum Configuration: Hashable, Sendable {
    /// Not at all: there is one widget of the kind.
    case `static`
    /// By an intent of this type.
    case intent(IntentType)
  }

  /// The kind described.
  public let kind: WidgetKind
  /// What people read in a gallery.
  public let displayName: String
  /// Families that the kind supports; never empty, in the order of ``WidgetFamily``.
  public let families: [WidgetFamily]
  /// How its widgets are configured.
  public let configuration: Configuration

  /// A description, or a refusal when no family is supported or the display name is over 255 bytes.
  public init(
    kind: WidgetKind, displayName: String, families: [WidgetFamily], configuration: Configuration = .static
  ) throws(Refusal) {
    guard !families.isEmpty else { throw Refusal(.invalidArgument, field: "families", "no family is supported") }
    guard displayName.utf8.count <= KindName.identifierLengthMax else {
      throw Refusal(
        .invalidArgument, field: "display_name",
        "identifier-size-max is \(KindName.identifierLengthMax), this one has \(displayName.utf8.count) bytes")
    }
    self.kind = kind
    self.displayName = displayName
    self.families = WidgetFamily.allCases.filter(families.contains)
    self.configuration = configuration
  }
}

/// The size and shape of a widget, named as in WidgetKit.
public enum WidgetFamily: UInt8, CaseIterable, Sendable {
  case systemSmall = 1
  case systemMedium
  case systemLarge
  case systemExtraLarge
  case accessoryCircular
  case accessoryRectangular
  case accessoryInline
}

extension WidgetFamily: CustomStringConvertible {
  /// The name in WidgetKit, such as `systemMedium`.
  public var description: String {
    switch self {
    case .systemSmall: "systemSmall"
    case .systemMedium: "systemMedium"
    case .systemLarge: "systemLarge"
    case .systemExtraLarge: "systemExtraLarge"
    case .accessoryCircular: "accessoryCircular"
    case .accessoryRectangular: "accessoryRectangular"
    case .accessoryInline: "accessoryInline"
    }
  }
}
