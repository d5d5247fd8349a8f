import MarqueeLint
import MarqueeModel
import MarqueeYAML

/// The data sent for one widget or app: consecutive timelines, sets of shortcuts, intent types and donations.
package struct LintCase {
  /// A timeline and the instant at which it is published.
  package struct Publication {
    package let at: Instant
    package let submitted: SubmittedTimeline
    let places: SourcePlaces
    /// The titles of the entries in the order sent; empty if they have none.
    let titles: [String]

    /// Creates a publication.
    package init(at: Instant, submitted: SubmittedTimeline) {
      self.init(at: at, submitted: submitted, places: SourcePlaces())
    }

    init(at: Instant, submitted: SubmittedTimeline, places: SourcePlaces, titles: [String] = []) {
      self.at = at
      self.submitted = submitted
      self.places = places
      self.titles = titles
    }
  }

  /// A set and the instant at which it is sent; it replaces the previous set.
  package struct SentSet<Element> {
    package let at: Instant
    package let elements: [Element]
    let places: SourcePlaces
  }

  package let name: String
  /// In chronological order.
  package var publications: [Publication] = []
  /// In chronological order.
  package var shortcutSets: [SentSet<RelevantShortcut>] = []
  /// In chronological order.
  package var intentSets: [SentSet<RelevantIntent>] = []
  package var types: [IntentTypeDescriptor] = []
  var typePlaces = SourcePlaces()
  package var donations: [Intent] = []
  var donationPlaces = SourcePlaces()

  /// Creates a case.
  package init(name: String, publications: [Publication] = []) {
    self.name = name
    self.publications = publications
  }

  /// The number of sets besides timelines. Intent types count as one set, donations as another.
  var setCount: Int {
    shortcutSets.count + intentSets.count + (types.isEmpty ? 0 : 1) + (donations.isEmpty ? 0 : 1)
  }
}

extension LintCase {
  /// The findings of each timeline, evaluated in order of publication, followed by the findings of each set.
  package var findings: [LintFinding] {
    var rehearsal = TimelineRehearsal()
    let timelines = publications.enumerated().flatMap { number, publication in
      findings(
        rehearsal.publish(publication.submitted, at: publication.at), .timeline,
        publications.count > 1 ? number : nil, publication.places)
    }
    let shortcuts = shortcutSets.enumerated().flatMap { number, set in
      findings(
        ShortcutLint.warnings(set: set.elements, context: ShortcutLintContext(now: set.at)), .relevantShortcuts,
        shortcutSets.count > 1 ? number : nil, set.places)
    }
    let intents = intentSets.enumerated().flatMap { number, set in
      findings(
        ShortcutLint.warnings(set: set.elements, context: ShortcutLintContext(now: set.at)), .relevantIntents,
        intentSets.count > 1 ? number : nil, set.places)
    }
    let types = findings(IntentTypeLint.warnings(registered: types), .intentTypes, nil, typePlaces)
    let donations = findings(
      IntentTypeLint.warnings(donated: donations, of: self.types), .donations, nil, donationPlaces)
    return timelines + shortcuts + intents + types + donations
  }

  private func findings(
    _ warnings: [LintWarning], _ subject: LintFinding.Subject, _ number: Int?, _ places: SourcePlaces
  ) -> [LintFinding] {
    warnings.map { LintFinding($0, caseName: name, subject, number, places) }
  }
}
