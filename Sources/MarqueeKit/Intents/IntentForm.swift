import MarqueeModel

/// The common form of `INIntent` and `AppIntent`: a type name and parameters.
protocol IntentForm {
  /// The name of the intent type, unique in the app.
  static var typeName: String { get }
  /// The supported parameter combinations; `nil` for the default.
  static var combinations: [[String]]? { get }
  /// Whether intents of the type may be suggested.
  static var mayBeSuggested: Bool { get }
  /// Whether the type is shown in galleries.
  static var isListed: Bool { get }

  /// The parameters in declaration order, those of the superclass first.
  var declaredParameters: [(name: String, parameter: any AnyIntentParameter)] { get }
  /// The intent, for options providers that depend on its parameters.
  var optionsContext: any Sendable { get }
  /// Returns the parts of the summary in a family, then the parameters below it.
  func sentence(in family: WidgetFamily) -> [SentencePart]
  /// Returns the parts of the summaries that the intent can have in a family, depending on its parameter values.
  func sentences(in family: WidgetFamily) -> [[SentencePart]]

  init()
}

/// A part of a summary, or a parameter below it.
enum SentencePart {
  case text(String)
  case parameter(any AnyIntentParameter, isInSentence: Bool)
}

extension IntentForm {
  /// Returns the parameters of an intent in declaration order, those of its superclass first.
  func declaredParameters(of intent: Any) -> [(name: String, parameter: any AnyIntentParameter)] {
    var found: [(name: String, parameter: any AnyIntentParameter)] = []
    var mirror: Mirror? = Mirror(reflecting: intent)
    while let current = mirror {
      let own = current.children.compactMap { child -> (name: String, parameter: any AnyIntentParameter)? in
        // A property wrapper is stored under the property's name with a leading underscore.
        guard let label = child.label, let parameter = child.value as? any AnyIntentParameter else { return nil }
        return (label.hasPrefix("_") ? String(label.dropFirst()) : label, parameter)
      }
      found = own + found
      mirror = current.superclassMirror
    }
    return found
  }

  /// Returns the intent, converted to the server's model.
  func model() throws -> Intent {
    let parameters = try declaredParameters.compactMap { name, parameter -> MarqueeModel.IntentParameter? in
      guard let value = try parameter.reading() else { return nil }
      return MarqueeModel.IntentParameter(name: try .init(name), value: value)
    }
    return try Intent(type: IntentType(Swift.type(of: self).typeName), parameters: parameters)
  }

  /// Returns the intent of a widget's configuration; `nil` if its type differs, or a required parameter is missing or
  /// invalid.
  static func resolve(_ intent: Intent?) async throws -> Self? {
    guard intent.map({ $0.type.text == typeName }) ?? true else { return nil }
    let form = self.init()
    for (name, parameter) in form.declaredParameters {
      let value = intent?.parameters.first { $0.name.text == name }?.value
      guard try await parameter.set(value) else { return nil }
    }
    return form
  }

  /// Returns the type's descriptor for the server.
  static func descriptor(of app: AppID) throws -> IntentTypeDescriptor {
    let parameters = self.init().declaredParameters
    let names = parameters.map(\.name)
    let required = parameters.filter { !$0.parameter.isOptional && !$0.parameter.isSet }.map(\.name)
    let combinations = combinations ?? (required.isEmpty || required == names ? [names] : [names, required])
    return try IntentTypeDescriptor(
      app: app, type: IntentType(typeName),
      parameters: parameters.map { name, parameter in
        .init(name: try .init(name), type: parameter.type.value, isArray: parameter.type.isArray)
      },
      combinations: combinations.map { names in .init(parameters: try names.map { try .init($0) }) },
      isEligibleForSuggestions: mayBeSuggested, isDiscoverable: isListed)
  }
}
