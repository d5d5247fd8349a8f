import MarqueeClient
import MarqueeModel
import MarqueeRPC
import MarqueeSimulator
import MarqueeTerminal

/// Sets an app's relevant shortcuts and intents once, from a case in a file.
struct ShortcutPublisher {
  let session: Session
  /// The device and its widget kinds.
  let names: NameDirectory.DeviceNames
  let app: AppID
  let content: LintCase

  /// The last set of shortcuts, or `nil` if the file has none, which leaves the app's shortcuts unchanged.
  var shortcuts: [RelevantShortcut]? { content.shortcutSets.last?.elements }
  /// The last set of intents, or `nil` if the file has none.
  var intents: [RelevantIntent]? { content.intentSets.last?.elements }

  /// Registers missing kinds and types, sets the shortcuts and intents, and returns the server's warnings.
  func publish() async throws -> [LintWarning] {
    let registered = try await registeredTypes()
    let kinds = try Arguments.check { () throws(RequestError) in try missingKinds() }
    let types = try Arguments.check { () throws(RequestError) in try missingTypes(registered) }
    let provider = try Arguments.check { () throws(RequestError) in
      try ProviderClient(session.connection, device: names.device, app: app, kinds: kinds)
    }
    var warnings: [LintWarning] = []
    if !types.isEmpty { warnings += try await provider.registerIntentTypes(types) }
    if let shortcuts { warnings += try await provider.setRelevantShortcuts(shortcuts) }
    if let intents { warnings += try await provider.setRelevantIntents(intents) }
    return warnings
  }

  /// Returns the app's registered intent types, or an empty set if the app is unknown.
  private func registeredTypes() async throws -> Set<IntentType> {
    do {
      let apps = try await session.operators.shortcuts(on: names.device, of: app).apps
      return Set(apps.flatMap { $0.intentTypes.map(\.type) })
    } catch let status as RPCStatus where status.code == .notFound {
      return []
    }
  }

  /// The widget kinds that the sets name, each with its configuration intent.
  private var namedKinds: [(name: KindName, intent: Intent?)] {
    (shortcuts ?? []).compactMap { shortcut in shortcut.kind.map { ($0, shortcut.intent) } }
      + (intents ?? []).map { ($0.kind, $0.intent) }
  }

  private func missingKinds() throws(RequestError) -> [WidgetDescriptor] {
    var seen = Set(names.kinds.filter { $0.kind.app == app }.map(\.kind.name))
    var missing: [WidgetDescriptor] = []
    for (name, intent) in namedKinds where seen.insert(name).inserted {
      missing.append(
        try WidgetDescriptor(
          kind: WidgetKind(app: app, name: name), displayName: name.text, families: WidgetFamily.allCases,
          configuration: intent.map { .intent($0.type) } ?? .static))
    }
    return missing
  }

  /// Returns the types to register: those in the file, and types inferred from unregistered intents. An inferred type
  /// has every parameter used, and one combination per distinct set of parameters.
  private func missingTypes(_ registered: Set<IntentType>) throws(RequestError) -> [IntentTypeDescriptor] {
    var types: [IntentTypeDescriptor] = []
    for type in content.types {
      types.append(
        try IntentTypeDescriptor(
          app: app, type: type.type, parameters: type.parameters, combinations: type.combinations))
    }
    var seen = registered.union(types.map(\.type))
    let all = (shortcuts ?? []).compactMap(\.intent) + (intents ?? []).map(\.intent)
    for intent in all where seen.insert(intent.type).inserted {
      types.append(try descriptor(of: all.filter { $0.type == intent.type }))
    }
    return types
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

extension LintWarning {
  /// The JSON of the warning.
  var json: JSONValue {
    .object([
      .init("code", .string(code)), .init("message", .string(message)),
      .init("entry", index.map { .integer(Int64($0)) } ?? .null),
    ])
  }
}
