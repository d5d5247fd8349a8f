import MarqueeModel

/// An intent of an app, however it is written: a name and parameters.
protocol IntentForm {
  /// The name of its type, unique in the app.
  static var typeName: String { get }
  /// The parameters' names that make a complete intent of the type when all of them are set; `nil`: all that it has.
  static var combinations: [[String]]? { get }
  /// Whether intents of the type may be suggested.
  static var mayBeSuggested: Bool { get }
  /// Whether the type is shown in galleries.
  static var isListed: Bool { get }

  /// Its parameters, as they are declared; those of its superclass first.
  var declaredParameters: [(name: String, parameter: any AnyIntentParameter)] { get }
  /// The intent itself, as options providers see it that depend on its parameters.
  var asking: any Sendable { get }
  /// The sentence that sums it up in a family, then the parameters below.
  func sentence(in family: WidgetFamily) -> [SentencePart]

  init()
}

/// A part of a sentence, or a parameter below it.
enum SentencePart {
  case text(String)
  case parameter(any AnyIntentParameter, isInSentence: Bool)
}

extension IntentForm {
  /// The parameters of an intent, as they are declared; those of its superclass first.
  func declaredParameters(of intent: Any) -> [(name: String, parameter: any AnyIntentParameter)] {
    var found: [(name: String, parameter: any AnyIntentParameter)] = []
    var mirror: Mirror? = Mirror(reflecting: intent)
    while let current = mirror {
      let own = current.children.compactMap { child -> (name: String, parameter: any AnyIntentParameter)? in
        // A property that is wrapped is stored with an underscore before its name.
        guard let label = child.label, let parameter = child.value as? any AnyIntentParameter else { return nil }
        return (label.hasPrefix("_") ? String(label.dropFirst()) : label, parameter)
      }
      found = own + found
      mirror = current.superclassMirror
    }
    return found
  }

  /// The intent as the server gets it.
  func model() throws -> Intent {
    let parameters = try declaredParameters.compactMap { name, parameter -> MarqueeModel.IntentParameter? in
      guard let value = try parameter.reading() else { return nil }
      return MarqueeModel.IntentParameter(name: try .init(name), value: value)
    }
    return try Intent(type: IntentType(Swift.type(of: self).typeName), parameters: parameters)
  }

  /// The intent of a widget's configuration; `nil` when that is of another type, or has not what this needs.
  static func resolve(_ intent: Intent?) async throws -> Self? {
    guard intent.map({ $0.type.text == typeName }) ?? true else { return nil }
    let form = self.init()
    for (name, parameter) in form.declaredParameters {
      let value = intent?.parameters.first { $0.name.text == name }?.value
      guard try await parameter.set(value) else { return nil }
    }
    return form
  }

  /// What the server is told of the type.
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
