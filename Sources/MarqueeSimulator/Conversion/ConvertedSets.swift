import MarqueeModel

/// The sets of relevant shortcuts and intents of a case, as those of an app of a converted scenario.
struct ConvertedSets {
  private let app: AppID
  private let found: LintCase
  private let registrations: InferredRegistrations

  /// Creates the sets of a case, whose app has a number if there are several.
  init(_ found: LintCase, number: Int?) throws(ScenarioError) {
    do throws(RequestError) {
      app = try AppID("com.example.shortcuts" + (number.map { "\($0)" } ?? ""))
    } catch {
      preconditionFailure("a built-in name is invalid: \(error)")
    }
    self.found = found
    registrations = InferredRegistrations(
      of: app, types: found.types, shortcuts: found.shortcutSets.flatMap(\.elements),
      relevantIntents: found.intentSets.flatMap(\.elements))
  }

  /// The instants at which a set is sent, or a window begins or ends.
  var dates: [Instant] {
    let windows =
      found.shortcutSets.flatMap(\.elements).flatMap(\.windows) + found.intentSets.flatMap(\.elements).map(\.window)
    return sendingDates + windows.flatMap { [$0.start, $0.end ?? $0.start] }
  }

  /// The instants at which a set is sent.
  var sendingDates: [Instant] { found.shortcutSets.map(\.at) + found.intentSets.map(\.at) }

  /// Returns what the app registers.
  func registered(_ family: WidgetFamily, _ writer: ScenarioWriter) throws(ScenarioError) -> YAMLText.Field {
    do throws(RequestError) {
      let types = try registrations.types().map { YAMLText.Field($0.type.text, writer.intentType($0)) }
      let kinds = try registrations.kinds(families: [family]).map { YAMLText.Field($0.kind.name.text, writer.kind($0)) }
      return .init(
        app.text,
        .fields(
          (types.isEmpty ? [] : [.init("intents", .fields(types))])
            + (kinds.isEmpty ? [] : [.init("kinds", .fields(kinds))])))
    } catch {
      throw ScenarioError("the intents of \(found.name.visible(sizeMax: 64)) cannot be registered: \(error)")
    }
  }

  /// Returns the events that send the sets, in the order of the case.
  func events(_ writer: ScenarioWriter) -> [(at: Instant, fields: [YAMLText.Field])] {
    let shortcuts = found.shortcutSets.map { set in
      (at: set.at, fields: fields("set-shortcuts", "shortcuts", set.elements.map { writer.shortcut($0, of: app) }))
    }
    let intents = found.intentSets.map { set in
      let elements = set.elements.map { writer.relevantIntent($0, of: app) }
      return (at: set.at, fields: fields("set-relevant-intents", "relevant-intents", elements))
    }
    return shortcuts + intents
  }

  private func fields(_ verb: String, _ key: String, _ elements: [YAMLText]) -> [YAMLText.Field] {
    [.init(verb, .text(app.text)), .init(key, .lines(elements))]
  }
}
