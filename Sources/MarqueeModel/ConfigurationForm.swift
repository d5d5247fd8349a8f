/// A query to a provider for the configuration form of a widget kind in a family.
public struct FormQuery: Hashable, Sendable {
  /// The kind's name.
  public let kind: KindName
  /// The widget's current or future family.
  public let family: WidgetFamily
  /// The configuration to show; `nil` for a new widget.
  public let configuration: Intent?
  /// The widget's current configuration if ``configuration`` is to replace it.
  public let previous: Intent?

  /// Creates a query.
  public init(kind: KindName, family: WidgetFamily, configuration: Intent? = nil, previous: Intent? = nil) {
    self.kind = kind
    self.family = family
    self.configuration = configuration
    self.previous = previous
  }
}

/// The form that a display shows to configure a widget.
public struct ConfigurationForm: Hashable, Sendable {
  /// A part of the configuration's summary sentence.
  public enum SummaryPart: Hashable, Sendable {
    /// Literal text.
    case text(String)
    /// The value of a parameter.
    case parameter(IntentParameter.Name)
  }

  /// A validation error of one parameter's value.
  public struct Problem: Hashable, Sendable {
    /// The parameter's name.
    public let parameter: IntentParameter.Name
    /// A description for the user.
    public let message: String

    /// Creates a validation error.
    public init(_ parameter: IntentParameter.Name, _ message: String) {
      self.parameter = parameter
      self.message = message
    }
  }

  /// The configuration, with defaults for unset parameters.
  public let configuration: Intent
  /// The sentence that summarizes the configuration in this family; may be empty.
  public let summary: [SummaryPart]
  /// The parameters to show, in display order: first those of the summary, then the others.
  public let fields: [FormField]
  /// The validation errors. The configuration is stored only if there are none.
  public let problems: [Problem]

  /// Creates a form.
  ///
  /// - Throws: ``RequestError`` if a dependency of a field is duplicated or not a field of the form.
  public init(
    configuration: Intent, summary: [SummaryPart], fields: [FormField], problems: [Problem] = []
  ) throws(RequestError) {
    try Self.check(fields)
    self.configuration = configuration
    self.summary = summary
    self.fields = fields
    self.problems = problems
  }

  private static func check(_ fields: [FormField]) throws(RequestError) {
    let names = Set(fields.map(\.name))
    for (index, field) in fields.enumerated() {
      var seen: Set<IntentParameter.Name> = []
      for (position, name) in field.dependencies.enumerated() {
        let path = "fields[\(index)].dependencies[\(position)]"
        guard names.contains(name) else { throw RequestError(.invalidArgument, field: path, "not a field of the form") }
        guard seen.insert(name).inserted else { throw RequestError(.invalidArgument, field: path, "duplicate value") }
      }
    }
  }
}

/// A parameter of a configuration form.
public struct FormField: Hashable, Sendable {
  /// The parameter's name.
  public let name: IntentParameter.Name
  /// The title to show.
  public let title: String
  /// The type of its values.
  public let type: IntentValueType
  /// Whether its value is an array.
  public let isArray: Bool
  /// The maximum number of array elements in this family; `nil` if the provider sets no maximum.
  public let sizeMax: Int?
  /// Whether the widget requires a value.
  public let isRequired: Bool
  /// Whether the provider lists options for it.
  public let hasOptions: Bool
  /// The fields of the form on whose values the options depend, without duplicates.
  public let dependencies: [IntentParameter.Name]

  /// Creates a field.
  public init(
    name: IntentParameter.Name, title: String = "", type: IntentValueType, isArray: Bool = false,
    sizeMax: Int? = nil, isRequired: Bool = false, hasOptions: Bool = false,
    dependencies: [IntentParameter.Name] = []
  ) {
    (self.name, self.title, self.type, self.isArray, self.sizeMax) = (name, title, type, isArray, sizeMax)
    (self.isRequired, self.hasOptions, self.dependencies) = (isRequired, hasOptions, dependencies)
  }
}
