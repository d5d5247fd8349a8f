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
  /// Whether intents of the type are Focus filters.
  static var isFocusFilter: Bool { get }
  /// The texts of the type.
  static var texts: IntentTexts { get }
  /// Returns the title and subtitle formats of a supported combination, with `${name}` for a parameter's value.
  static func formats(of combination: [String]) -> (title: String, subtitle: String)
  /// Whether the app can perform an intent of a supported combination in the background.
  static func runsInBackground(_ combination: [String]) -> Bool
  /// Returns the intent's own representation when it is donated; `nil` for that of its type.
  func donationDisplay() throws -> DonationDisplay?

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

/// The texts of an intent type.
struct IntentTexts {
  var title = ""
  var description = ""
  var category = ""
  var keywords: [String] = []

  /// The texts within the server's limits: long ones shortened, without blank ones and surplus keywords.
  ///
  /// They are optional, and must not make a donation fail.
  var limited: IntentTexts {
    func limited(_ text: String) -> String { text.shortened(to: ActionTexts.textSizeMax) }
    return IntentTexts(
      title: title.isBlank ? "" : limited(title), description: limited(description),
      category: category.isBlank ? "" : limited(category),
      keywords: keywords.filter { !$0.isBlank }.prefix(ActionTexts.keywordCountMax).map(limited))
  }
}

/// A part of a summary, or a parameter below it.
enum SentencePart {
  case text(String)
  case parameter(any AnyIntentParameter, isInSentence: Bool)
}

extension IntentForm {
  static var isFocusFilter: Bool { false }

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
    let (parameters, texts) = (self.init().declaredParameters, self.texts.limited)
    let names = parameters.map(\.name)
    try checkDefaults(parameters)
    let required = parameters.filter { !$0.parameter.isOptional && !$0.parameter.isSet }.map(\.name)
    let combinations = combinations ?? (required.isEmpty || required == names ? [names] : [names, required])
    return try IntentTypeDescriptor(
      app: app, type: IntentType(typeName),
      parameters: parameters.map { name, parameter in
        .init(
          name: try .init(name), type: parameter.type.value, isArray: parameter.type.isArray,
          caseTitles: parameter.caseTitles, findDescription: parameter.findDescription)
      },
      combinations: combinations.map { names in
        .init(
          parameters: try names.map { try .init($0) }, isBackground: runsInBackground(names),
          texts: try actionTexts(of: names, texts))
      },
      isEligibleForSuggestions: mayBeSuggested, isDiscoverable: isListed, isFocusFilter: isFocusFilter,
      title: texts.title, descriptionText: texts.description)
  }

  /// Validates that a Focus filter can be performed without any values.
  private static func checkDefaults(
    _ parameters: [(name: String, parameter: any AnyIntentParameter)]
  ) throws(RequestError) {
    guard isFocusFilter else { return }
    for (name, parameter) in parameters where !parameter.isOptional && !parameter.isSet {
      throw RequestError(
        .invalidArgument, field: "\(typeName).\(name)",
        "a Focus filter's parameter must be optional or have a default value")
    }
  }

  /// Returns the texts of a supported combination for the server.
  private static func actionTexts(of combination: [String], _ texts: IntentTexts) throws -> ActionTexts {
    let formats = formats(of: combination)
    func format(_ text: String, _ field: String) throws(RequestError) -> TextFormat {
      do { return try TextFormat(text) } catch { throw error.within(field) }
    }
    return try ActionTexts(
      title: format(formats.title, "title"), subtitle: format(formats.subtitle, "subtitle"),
      // A summary that is too long or has too many references is omitted: it was written for another purpose.
      summary: (try? TextFormat(summaryFormat(of: combination))) ?? .empty,
      category: texts.category, keywords: texts.keywords)
  }

  /// Returns the sentence of the summary in the small family; empty if it refers to other parameters than those of the
  /// combination.
  private static func summaryFormat(of combination: [String]) -> String {
    let form = self.init()
    let declared = form.declaredParameters
    var format = ""
    for part in form.sentence(in: .systemSmall) {
      switch part {
      case .text(let text): format += TextFormat.escaped(text)
      case .parameter(let parameter, isInSentence: true):
        guard let name = declared.first(where: { $0.parameter === parameter })?.name, combination.contains(name)
        else { return "" }
        format += "${\(name)}"
      case .parameter: break
      }
    }
    return format
  }
}
