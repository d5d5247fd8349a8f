/// Asks a provider how a kind's widgets are configured in a family, given what is set so far.
public struct FormQuery: Hashable, Sendable {
  /// The kind's name.
  public let kind: KindName
  /// The family that the widget has, or is to have.
  public let family: WidgetFamily
  /// What is set so far; `nil` for a widget that is new.
  public let configuration: Intent?

  /// A query.
  public init(kind: KindName, family: WidgetFamily, configuration: Intent? = nil) {
    self.kind = kind
    self.family = family
    self.configuration = configuration
  }
}

/// What a person sees who configures a widget.
public struct ConfigurationForm: Hashable, Sendable {
  /// A part of the sentence that sums the configuration up.
  public enum SummaryPart: Hashable, Sendable {
    /// Words.
    case text(String)
    /// What a parameter is set to.
    case parameter(IntentParameter.Name)
  }

  /// What is wrong with one parameter's value.
  public struct Problem: Hashable, Sendable {
    /// The parameter's name.
    public let parameter: IntentParameter.Name
    /// What is wrong, in words for people.
    public let message: String

    /// A problem.
    public init(_ parameter: IntentParameter.Name, _ message: String) {
      self.parameter = parameter
      self.message = message
    }
  }

  /// The configuration, completed with the defaults of what was not set.
  public let configuration: Intent
  /// The sentence that sums it up in this family; may be empty.
  public let summary: [SummaryPart]
  /// The parameters to show, in their order: those of the summary, then those below it.
  public let fields: [FormField]
  /// What keeps the configuration from being stored; empty if nothing does.
  public let problems: [Problem]

  /// A form.
  public init(configuration: Intent, summary: [SummaryPart], fields: [FormField], problems: [Problem] = []) {
    self.configuration = configuration
    self.summary = summary
    self.fields = fields
    self.problems = problems
  }
}

/// One parameter of a form.
public struct FormField: Hashable, Sendable {
  /// The parameter's name.
  public let name: IntentParameter.Name
  /// What people read beside it.
  public let title: String
  /// What its values are.
  public let type: IntentValueType
  /// Whether it holds an array of them.
  public let isArray: Bool
  /// How many elements the array has in this family, at most; `nil` where nobody says.
  public let sizeMax: Int?
  /// Whether the widget needs it.
  public let isRequired: Bool
  /// Whether there are options to choose from.
  public let hasOptions: Bool
  /// The parameters that the options depend on.
  public let dependencies: [IntentParameter.Name]

  /// A field.
  public init(
    name: IntentParameter.Name, title: String = "", type: IntentValueType, isArray: Bool = false,
    sizeMax: Int? = nil, isRequired: Bool = false, hasOptions: Bool = false,
    dependencies: [IntentParameter.Name] = []
  ) {
    (self.name, self.title, self.type, self.isArray, self.sizeMax) = (name, title, type, isArray, sizeMax)
    (self.isRequired, self.hasOptions, self.dependencies) = (isRequired, hasOptions, dependencies)
  }
}
