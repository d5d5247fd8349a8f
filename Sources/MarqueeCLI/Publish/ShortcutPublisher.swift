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
    let known = Set(names.kinds.filter { $0.kind.app == app }.map(\.kind.name))
    let named = InferredRegistrations(
      of: app, types: content.types, shortcuts: shortcuts ?? [], relevantIntents: intents ?? [])
    let kinds = try Arguments.check { () throws(RequestError) in try named.kinds(except: known) }
    let types = try Arguments.check { () throws(RequestError) in try named.types(except: registered) }
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
