import MarqueeModel

/// The widget kinds and intent types that sets of relevant shortcuts and intents name, as their app registers them.
package struct InferredRegistrations {
  private let app: AppID
  private let types: [IntentTypeDescriptor]
  /// The widget kinds that the sets name, each with its configuration intent.
  private var namedKinds: [(name: KindName, intent: Intent?)] = []
  private var intents: [Intent] = []

  /// Creates the registrations for sets.
  ///
  /// - Parameters:
  ///   - app: The app.
  ///   - types: The intent types that the file describes, of any app.
  ///   - shortcuts: The relevant shortcuts.
  ///   - relevantIntents: The relevant intents.
  package init(
    of app: AppID, types: [IntentTypeDescriptor], shortcuts: [RelevantShortcut], relevantIntents: [RelevantIntent]
  ) {
    (self.app, self.types) = (app, types)
    for shortcut in shortcuts { if let kind = shortcut.kind { namedKinds.append((kind, shortcut.intent)) } }
    for intent in relevantIntents { namedKinds.append((intent.kind, intent.intent)) }
    intents = shortcuts.compactMap(\.intent) + relevantIntents.map(\.intent)
  }

  /// Returns the kinds that are not registered yet.
  ///
  /// - Throws: ``RequestError`` if a kind cannot be registered.
  package func kinds(
    except registered: Set<KindName> = [], families: [WidgetFamily] = WidgetFamily.allCases
  ) throws(RequestError) -> [WidgetDescriptor] {
    var seen = registered
    var missing: [WidgetDescriptor] = []
    for (name, intent) in namedKinds where seen.insert(name).inserted {
      missing.append(
        try WidgetDescriptor(
          kind: WidgetKind(app: app, name: name), displayName: name.text, families: families,
          configuration: intent.map { .intent($0.type) } ?? .static))
    }
    return missing
  }

  /// Returns the types to register: those that the file describes, and types inferred from intents of other types. An
  /// inferred type has every parameter used, and one combination per distinct set of parameters.
  ///
  /// - Throws: ``RequestError`` if a type cannot be registered.
  package func types(except registered: Set<IntentType> = []) throws(RequestError) -> [IntentTypeDescriptor] {
    var found: [IntentTypeDescriptor] = []
    for type in types {
      found.append(
        try IntentTypeDescriptor(
          app: app, type: type.type, parameters: type.parameters, combinations: type.combinations))
    }
    var seen = registered.union(found.map(\.type))
    for intent in intents where seen.insert(intent.type).inserted {
      found.append(try descriptor(of: intents.filter { $0.type == intent.type }))
    }
    return found
  }

  private func descriptor(of intents: [Intent]) throws(RequestError) -> IntentTypeDescriptor {
    var (parameters, combinations) = ([IntentTypeDescriptor.Parameter](), [IntentTypeDescriptor.Combination]())
    for intent in intents {
      for parameter in intent.parameters where !parameters.contains(where: { $0.name == parameter.name }) {
        let (type, isArray) =
          switch parameter.value {
          case .single(let value): (value.type, false)
          case .array(let values): (values.first?.type ?? .string, true)
          }
        parameters.append(.init(name: parameter.name, type: type, isArray: isArray))
      }
      let combination = IntentTypeDescriptor.Combination(parameters: intent.parameters.map(\.name))
      if !combinations.contains(combination) { combinations.append(combination) }
    }
    return try IntentTypeDescriptor(
      app: app, type: intents[0].type, parameters: parameters, combinations: combinations)
  }
}
