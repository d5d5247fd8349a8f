import MarqueeModel

/// The representations of actions for the user (rules X1, X2), from the texts of registered intent types and of
/// donations. They are computed on demand; no decision depends on them.
extension Device {
  /// Returns the representations of donated actions.
  ///
  /// That of the latest donation that counts as an action wins over that of its type, unless the donation also counts
  /// as a more specific action, and its display strings win over those of earlier ones.
  public func displays(of actions: [DonatedAction]) -> [ActionDisplay] {
    let indices = actions.map { donations.actions.index(of: $0) }
    let latest = donations.latestContents(of: Set(indices.compactMap(\.self)))
    return zip(actions, indices).map { action, index in
      let content = index.flatMap { latest[$0] }.map { donations.content(at: $0) }
      return display(of: action, donated: content)
    }
  }

  /// Returns the representation of a donated action.
  public func display(of action: DonatedAction) -> ActionDisplay { displays(of: [action])[0] }

  /// Returns the representation of an intent of an app.
  public func display(of intent: Intent, of app: AppID) -> ActionDisplay {
    ActionDisplay(of: intent, type(of: intent, of: app), format: localText)
  }

  /// Returns the representation of a widget.
  public func display(of widget: Widget) -> ActionDisplay {
    ActionDisplay(
      of: widget, kinds[widget.kind], widget.configuration.flatMap { type(of: $0, of: widget.kind.app) },
      format: localText)
  }

  /// Returns the label of a widget.
  ///
  /// - Parameter appName: The name that its app gave; `nil` for the one that is stored with the kind, if any.
  public func label(of widget: Widget, appName: String? = nil) -> WidgetLabel {
    let kind = kinds[widget.kind]
    return WidgetLabel(
      of: widget, kind, widget.configuration.flatMap { type(of: $0, of: widget.kind.app) },
      appName: appName ?? kind?.appName, format: localText)
  }

  /// The names of apps that are stored with their kinds.
  public var appNames: [AppID: String] {
    kinds.values.reduce(into: [:]) { names, kind in if let name = kind.appName { names[kind.kind.app] = name } }
  }

  /// Returns the kinds of an app whose stored name differs, with the name; empty for none.
  public func kinds(of app: AppID, toName appName: String) -> [WidgetDescriptor] {
    kinds.values.filter { $0.kind.app == app && $0.appName ?? "" != appName }.map { $0.named(appName) }
  }

  /// Returns the representation of a blocked widget or app.
  ///
  /// - Parameter appName: Returns the name that an app gave, if any.
  public func display(
    of subject: BlockedSuggestion.Subject, appName: (AppID) -> String? = { _ in nil }
  ) -> ActionDisplay {
    switch subject {
    case .widget(let widget): display(of: widget)
    case .app(let app): ActionDisplay(title: appName(app) ?? app.lastComponent)
    }
  }

  /// Returns the names of widgets in sentences.
  public func names(of widgets: some Sequence<Widget>) -> SentenceNames {
    SentenceNames(of: widgets, title: { title(of: $0) }, text: { display(of: $0).text })
  }

  /// Returns the names of the widgets that summaries of the explanations name.
  public func names(in explanations: [Explanation], and others: [Widget] = []) -> SentenceNames {
    let candidates = explanations.flatMap(\.candidates)
    return names(of: candidates.map(\.widget) + candidates.compactMap(\.representative) + others)
  }

  /// Returns the names of the widgets that summaries of the obstacles name.
  public func names(in whyNot: WhyNot) -> SentenceNames {
    names(of: [whyNot.widget] + whyNot.obstacles.compactMap(\.other))
  }

  /// Returns the name of the decision's widget, by which the user can tell it from the other candidates of its kind.
  /// Titles of other kinds are not rendered, because there can be many.
  func name(in decision: Decision) -> String {
    let (widget, title) = (decision.to, title(of: decision.to))
    guard widget.configuration != nil else { return Widget.shortened(title) }
    var rivals: [Widget] = []
    // By index, because candidates are large.
    let candidates = decision.explanation.candidates
    for index in candidates.indices where candidates[index].widget.kind == widget.kind {
      let rival = candidates[index].widget
      if rival != widget, self.title(of: rival) == title { rivals.append(rival) }
    }
    return rivals.isEmpty ? Widget.shortened(title) : names(of: rivals + [widget]).name(of: widget)
  }

  private func title(of widget: Widget) -> String {
    ActionDisplay.title(
      of: widget, kinds[widget.kind], widget.configuration.flatMap { type(of: $0, of: widget.kind.app) },
      format: localText)
  }

  /// Returns the representations of suggestions.
  public func displays(of subjects: [SurfaceSuggestion.Subject]) -> [ActionDisplay] {
    let actions = subjects.compactMap { if case .action(let action) = $0 { action } else { nil } }
    var donated = displays(of: actions)[...]
    return subjects.map { subject in
      switch subject {
      case .action: donated.removeFirst()
      case .upcomingMedia(let app, let intent): display(of: intent, of: app)
      case .reservation, .person: ActionDisplay(of: subject)
      case .shortcut(let app, let shortcut): display(of: shortcut, of: app)
      }
    }
  }

  /// Returns the representation of a relevant shortcut.
  public func display(of shortcut: RelevantShortcut, of app: AppID) -> ActionDisplay {
    let kind = shortcut.kind.flatMap { kinds[WidgetKind(app: app, name: $0)] }
    return ActionDisplay(
      of: shortcut, of: app, kind, shortcut.intent.flatMap { type(of: $0, of: app) }, format: localText)
  }

  /// Returns the representation of a relevant intent, which is that of its widget.
  public func display(of intent: RelevantIntent, of app: AppID) -> ActionDisplay {
    display(of: Widget(kind: WidgetKind(app: app, name: intent.kind), configuration: intent.intent))
  }

  /// Returns the representation of a donation's content.
  func display(of content: Donation.Content, from app: AppID) -> ActionDisplay {
    let intent: Intent? = content.activity.interaction
    return ActionDisplay(
      of: content.activity, intent.flatMap { type(of: $0, of: app) }, donated: content.display, format: localText)
  }

  private func display(of action: DonatedAction, donated content: Donation.Content?) -> ActionDisplay {
    switch (action, content?.activity) {
    case (.intent(let app, let intent), let activity):
      let type = type(of: intent, of: app)
      let donated = activity?.intent.flatMap { type?.actions(of: $0).map(\.action) } ?? []
      guard case .intent(_, let named)? = donated.first(where: { $0 == action }) else {
        return ActionDisplay(of: intent, type, format: localText)
      }
      let isMostSpecific = donated.allSatisfy { $0.parameters.count <= action.parameters.count }
      return ActionDisplay(of: named, type, donated: isMostSpecific ? content?.display : nil, format: localText)
    case (.userActivity(_, let type, let values), .userActivity(let activity)?):
      return ActionDisplay(of: type, values, title: activity.title, donated: content?.display, format: localText)
    case (.userActivity(_, let type, let values), _): return ActionDisplay(of: type, values, format: localText)
    }
  }

  /// Formats an instant in the device's local time, such as `2021-06-07 09:41`, or in UTC if its offsets are unknown.
  ///
  /// A closure over the offsets, because one over the device would copy it.
  private var localText: (Instant) -> String {
    let offsets = offsets
    return { instant in
      guard let offsets else { return instant.description }
      let offset = TimeSpan(milliseconds: Int64(offsets.seconds(at: instant)) * 1_000)
      let local = instant.advanced(by: offset).description.split(separator: "T")
      return "\(local[0]) \(local[1].prefix(5))"
    }
  }

  private func type(of intent: Intent, of app: AppID) -> IntentTypeDescriptor? {
    suggestionState.intentTypes[app]?.first { $0.type == intent.type }
  }
}
