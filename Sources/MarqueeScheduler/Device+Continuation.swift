import MarqueeModel

/// The continuation of suggestions and widgets that the user taps (rule S8).
extension Device {
  /// An item that the user tapped, with everything that its app needs to continue it.
  public struct ContinuedItem: Hashable, Sendable {
    /// The app of the item.
    public let app: AppID
    /// The continuation for the app.
    public let continuation: Continuation
  }

  /// Returns the app of an item that the user tapped, and the continuation for it.
  ///
  /// A suggestion need not be listed any more, but its subject must exist. For a habit, a reservation or a person, the
  /// app receives the latest donation of it that is still stored, so that nothing of a deleted donation reaches the app
  /// (rule D5).
  ///
  /// - Throws: `RequestError` (`notFound`) if there is no such suggestion or widget.
  public func continuation(of item: TappedItem) throws(RequestError) -> ContinuedItem {
    switch item {
    case .suggestion(let id, let surface):
      guard let subject = subject(id, on: surface), let continuation = continuation(of: subject) else {
        throw RequestError(.notFound, field: "suggestion.id", "no such suggestion on this device")
      }
      return ContinuedItem(app: subject.app, continuation: continuation)
    case .stackWidget(let widget, let id, let link):
      guard let stack = stack(id) else {
        throw RequestError(.notFound, field: "widget.stack", "no stack with this name")
      }
      // Widgets are equal regardless of display strings; the app receives its own.
      guard let member = stack.members.first(where: { $0 == widget }) else {
        throw RequestError(.notFound, field: "widget.widget", "no such widget in the stack")
      }
      return ContinuedItem(
        app: member.kind.app, continuation: .widget(member, family: stack.family, link: link))
    case .homeWidget(let instance, let link):
      guard let placed = suggestionState.homeWidgets.first(where: { $0 == instance }) else {
        throw RequestError(
          .notFound, field: "widget.widget", "no such widget in this family on the Home Screen outside stacks")
      }
      return ContinuedItem(
        app: placed.widget.kind.app, continuation: .widget(placed.widget, family: placed.family, link: link))
    }
  }

  /// Returns the subject of a suggestion; `nil` if it does not exist.
  ///
  /// Shortcuts whose activities differ only in values that are not required share an identifier: the one that the
  /// surface lists now comes first. An action that is not learned is found only while the surface can list its donation
  /// (rule S12), so that the cost does not depend on the number of donated actions.
  private func subject(_ id: SuggestionID, on surface: SuggestionSurface) -> SurfaceSuggestion.Subject? {
    donationCandidates(on: surface).map(\.subject).first { $0.id == id }
      ?? candidates(on: surface).map(\.subject).first { $0.id == id } ?? learnedSubjects.first { $0.id == id }
  }

  /// Returns the continuation of a suggestion; `nil` if nothing of its subject is stored.
  private func continuation(of subject: SurfaceSuggestion.Subject) -> Continuation? {
    switch subject {
    case .action(.intent(_, let intent)), .upcomingMedia(_, let intent): return .intent(intent)
    case .action(let action):
      return donations.actions.index(of: action).flatMap { index in
        latestActivity(of: action.app) { content in
          donations.actions.entries[content].contains { $0.action == index }
        }
      }.flatMap { if case .userActivity(let activity) = $0 { .userActivity(activity) } else { nil } }
    case .reservation(let app, let reservation, let errand):
      return latestActivity(of: app) { content in
        guard case .reservations(let donated) = donations.recognizedActivities[content] else { return false }
        return donated.contains { $0.item == reservation.item }
      }.flatMap(\.intent).map { .reservation(reservation.item, errand, $0) }
    case .person(let app, let person):
      // A received message describes what the person did, not what the user did (rule D9).
      let sent = latestActivity(of: app) { content in
        guard case .message(let recipients) = donations.recognizedActivities[content] else { return false }
        return recipients.contains(person)
      }
      return .person(person, sent?.intent)
    case .shortcut(let app, let shortcut): return continuation(of: shortcut, from: app)
    }
  }

  /// Returns the app's latest donated activity whose content, given by its index, satisfies `isWanted`.
  private func latestActivity(of app: AppID, _ isWanted: (Int) -> Bool) -> Donation.Activity? {
    let wanted = donations.contents.values.indices.filter {
      donations.contents.values[$0].app == app && isWanted($0)
    }
    let contents = Set(wanted.map(UInt32.init))
    return donations.records.newestFirst.first { contents.contains($0.content) }
      .map { donations.content(of: $0).activity }
  }

  /// Returns a shortcut's activity, or else the widget that it names, which its intent configures, or else its intent.
  private func continuation(of shortcut: RelevantShortcut, from app: AppID) -> Continuation? {
    if let activity = shortcut.userActivity { return .userActivity(activity) }
    guard let kind = shortcut.kind else { return shortcut.intent.map { .intent($0) } }
    let widget = Widget(kind: WidgetKind(app: app, name: kind), configuration: shortcut.intent)
    return .widget(widget, family: nil, link: nil)
  }
}
