import MarqueeModel

extension Sampler {
  /// Returns an identity with a display string.
  public mutating func identity() -> DisplayIdentity { DisplayIdentity(identifier: text(), display: text()) }

  /// Returns a place.
  public mutating func place() throws -> Place {
    try Place(
      latitude: Double.random(in: -90...90, using: &self), longitude: one(of: [-180, 180, 0, 8.5]), display: text())
  }

  /// Returns a parameter value.
  public mutating func value() throws -> IntentValue {
    switch number(in: 0...8) {
    case 0: .string(text())
    case 1: .integer(integer())
    case 2: .double(double())
    case 3: .boolean(once(in: 2))
    case 4: .date(instant())
    case 5: .enumCase(text())
    case 6: .object(identity())
    case 7: .place(try place())
    default: .person(identity())
    }
  }

  /// Returns an intent of up to four parameters.
  public mutating func intent() throws -> Intent {
    let parameters = try array { chance in
      IntentParameter(
        name: try chance.identifier(),
        value: chance.once(in: 2) ? .single(try chance.value()) : .array(try chance.array { try $0.value() }))
    }
    return try Intent(type: identifier(), parameters: parameters)
  }

  /// Returns a widget.
  public mutating func widget() throws -> Widget {
    let kind = WidgetKind(app: try identifier(), name: try identifier())
    return Widget(kind: kind, configuration: try maybe { try $0.intent() })
  }

  /// Returns a family.
  public mutating func family() -> WidgetFamily { one(of: WidgetFamily.allCases) }

  /// Returns a description of a kind of `app`.
  public mutating func descriptor(of app: AppID? = nil) throws -> WidgetDescriptor {
    try WidgetDescriptor(
      kind: WidgetKind(app: app ?? identifier(), name: identifier()), displayName: text(),
      families: [family()] + array { $0.family() },
      configuration: once(in: 2) ? .static : .intent(identifier()))
  }

  /// Returns an entry of a timeline.
  public mutating func entry() throws -> TimelineEntry {
    let date = instant()
    let relevance = try maybe {
      try TimelineEntryRelevance(
        score: $0.double(), duration: TimeSpan(milliseconds: $0.one(of: [0, 1, .max, 3_600_000])))
    }
    let content = once(in: 4) ? .empty : try content()
    guard once(in: 2) else { return TimelineEntry(date: date, relevance: relevance, content: content) }
    return try TimelineEntry(date: date, relevance: relevance, content: content, details: details(after: date))
  }

  /// Returns the content of an entry.
  public mutating func content() throws -> EntryContent { try EntryContent(mediaType: text(), bytes: bytes()) }

  /// Returns the details of an entry, whose expiry is after `date`.
  private mutating func details(after date: Instant) throws -> EntryDetails {
    let expiry = date.advanced(by: TimeSpan(milliseconds: one(of: [1, 3_600_000, .max])))
    let sensitivities: [EntrySensitivity] = [.none, .isPrivate(nil), .isPrivate(try content())]
    return EntryDetails(
      expiry: expiry > date && once(in: 2) ? expiry : nil, sensitivity: one(of: sensitivities),
      link: try maybe { try EntryLink("cards:\($0.number(in: 0...9))/ü?\($0.number(in: 0...9))") })
  }

  /// Returns a reload policy.
  public mutating func policy() -> TimelineReloadPolicy {
    switch number(in: 0...2) {
    case 0: .atEnd
    case 1: .after(instant())
    default: .never
    }
  }

  /// Returns a timeline of up to eight entries.
  public mutating func timeline() throws -> Timeline {
    Timeline(
      submitted: try array(upTo: 8) { try $0.entry() }, policy: policy(), fallback: try maybe { try $0.content() },
      group: try maybe { try $0.identifier() })
  }

  /// Returns a stack of up to four widgets.
  public mutating func stack() throws -> Stack {
    let members = try array { try $0.widget() }
    let hasSuggestion = !members.isEmpty && once(in: 3)
    return Stack(
      id: try identifier(), family: family(), members: members,
      front: members.isEmpty ? nil : number(in: 0...members.count - 1),
      isSmartRotateOn: once(in: 2), isWidgetSuggestionsOn: once(in: 2), hasSuggestion: hasSuggestion,
      settings: try settings(of: members, hasSuggestion: hasSuggestion))
  }

  /// Returns a reload reason.
  public mutating func reason() -> ReloadRequest.Reason { one(of: [.atEnd, .after, .app, .user, .placed, .resized]) }

  /// Returns a relevance status.
  public mutating func relevance() -> RelevanceStatus {
    RelevanceStatus(
      inForce: RelevanceInForce(score: double(), start: instant(), end: maybe { $0.instant() }),
      effectiveScore: double(), reference: double())
  }

  /// Returns a reload status.
  public mutating func reload() -> ReloadStatus {
    let phases: [ReloadStatus.Phase] = [
      .none, .scheduled(instant()), .waiting(until: instant()), .requested(instant()),
    ]
    return ReloadStatus(
      countedCount: number(in: 0...70), budget: number(in: 0...70), phase: one(of: phases),
      reason: maybe { $0.reason() })
  }

  /// Returns an explanation, which need not be one that the engine would produce.
  public mutating func explanation() throws -> Explanation {
    let candidates = try array { try $0.candidate() }
    return Explanation(
      stack: try identifier(), at: instant(), front: try maybe { try $0.widget() }, candidates: candidates,
      chosen: candidates.isEmpty || once(in: 2) ? nil : one(of: candidates).widget)
  }

  mutating func habitReasons() -> HabitReasons {
    HabitReasons(
      slotMinute: number(in: 0...1_439), isDayOff: once(in: 2), dayCount: 10, doneDayCount: number(in: 0...10),
      previousCount: 9, followedCount: number(in: 0...9),
      routine: maybe { .init($0.one(of: RoutineSituation.allCases), percentage: $0.number(in: 1...100)) })
  }

  private mutating func candidate() throws -> Candidate {
    Candidate(
      widget: try widget(), position: number(in: 0...63), isInFront: once(in: 4), evidence: double(),
      signals: array(upTo: 2) {
        let signal = $0.one(of: SignalShare.Signal.allCases)
        return SignalShare(
          signal: signal, score: $0.double(), reference: $0.double(), strength: $0.double(), weight: $0.double(),
          share: $0.double(), habit: signal == .prediction ? $0.maybe { $0.habitReasons() } : nil)
      },
      episodeStart: maybe { $0.instant() },
      gates: array(upTo: 7) {
        GateResult(
          $0.one(of: Gate.allCases), isPassed: $0.once(in: 2),
          measured: $0.once(in: 4) ? .infinity : $0.double(), required: $0.double(),
          clears: $0.maybe { $0.instant() }, since: $0.maybe { $0.instant() },
          episodeEnd: $0.maybe { $0.one(of: EpisodeEnd.allCases) })
      }, pin: try maybe { try $0.pin() }, expiry: maybe { $0.instant() }, representative: try maybe { try $0.widget() })
  }
}
