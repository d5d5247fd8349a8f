/// A kind of widget, identified by an app and a name.
public struct WidgetKind: Hashable, Sendable {
  /// The app that provides it.
  public let app: AppID
  /// The kind's name, unique in the app.
  public let name: KindName

  /// Creates a widget kind.
  public init(app: AppID, name: KindName) {
    self.app = app
    self.name = name
  }
}

extension WidgetKind: Comparable, CustomStringConvertible {
  public static func < (left: WidgetKind, right: WidgetKind) -> Bool {
    left.app == right.app ? left.name < right.name : left.app < right.app
  }

  /// The app and the name, such as `com.example.weather/Forecast`.
  public var description: String { "\(app)/\(name)" }
}

/// A configured widget: a kind, and the intent that configures it if the kind is configurable.
public struct Widget: Hashable, Sendable {
  /// The widget kind.
  public let kind: WidgetKind
  /// The configuration; `nil` for a kind with static configuration.
  public let configuration: Intent?

  /// Creates a widget.
  public init(kind: WidgetKind, configuration: Intent? = nil) {
    self.kind = kind
    self.configuration = configuration
  }
}

extension Widget: CustomStringConvertible {
  /// The kind and the configuration's values, such as `com.example.weather/Forecast(city: cupertino)`.
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
  /// A short form of the value; objects and people are shown by their identifier.
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

/// An app's description of one of its widget kinds.
public struct WidgetDescriptor: Hashable, Sendable {
  /// The maximum size of a kind's description, in bytes.
  public static let descriptionSizeMax = 1_024

  /// How widgets of the kind are configured.
  public enum Configuration: Hashable, Sendable {
    /// Static: the kind has a single widget.
    case `static`
    /// By an intent of this type.
    case intent(IntentType)
  }

  /// The widget kind.
  public let kind: WidgetKind
  /// The name shown in galleries.
  public let displayName: String
  /// The description shown in galleries; may be empty.
  public let descriptionText: String
  /// The supported families; never empty, in the order of ``WidgetFamily``.
  public let families: [WidgetFamily]
  /// How widgets of the kind are configured.
  public let configuration: Configuration
  /// The name of the kind's app, as far as the app gave one with its phrases. In a registration, `nil` keeps the name
  /// that is known, and an empty one removes it.
  public private(set) var appName: String?

  /// Creates a description.
  ///
  /// - Throws: ``RequestError`` if no family is supported, or a text is too long: the display name is longer than 255
  ///   bytes, or the description than ``descriptionSizeMax``.
  public init(
    kind: WidgetKind, displayName: String, descriptionText: String = "", families: [WidgetFamily],
    configuration: Configuration = .static
  ) throws(RequestError) {
    guard !families.isEmpty else {
      throw RequestError(.invalidArgument, field: "families", "at least one family is required")
    }
    guard displayName.utf8.count <= KindName.identifierLengthMax else {
      throw RequestError(
        .invalidArgument, field: "display_name",
        "display name of \(displayName.utf8.count) bytes exceeds identifier-size-max (\(KindName.identifierLengthMax))")
    }
    guard descriptionText.utf8.count <= Self.descriptionSizeMax else {
      throw .over(
        limit: "kind-description-size-max", maximum: Self.descriptionSizeMax, count: descriptionText.utf8.count,
        field: "description")
    }
    self.kind = kind
    self.displayName = displayName
    self.descriptionText = descriptionText
    self.families = WidgetFamily.allCases.filter(families.contains)
    self.configuration = configuration
  }

  /// Returns the description with the name of the kind's app.
  public func named(_ appName: String?) -> WidgetDescriptor {
    var named = self
    named.appName = appName
    return named
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
  case accessoryCorner
  case systemExtraLargePortrait
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
    case .accessoryCorner: "accessoryCorner"
    case .systemExtraLargePortrait: "systemExtraLargePortrait"
    }
  }
}
