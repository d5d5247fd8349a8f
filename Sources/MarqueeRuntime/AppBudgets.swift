import MarqueeModel
import MarqueeScheduler

/// One of a device's per-app budgets, as token buckets in the server's time.
///
/// Budgets are not part of the device's state: a rejected event is not stored, so a replay does not need them. They are
/// dropped when the device is evicted.
struct AppBudgets {
  private struct Bucket {
    var spent: Double
    var at: Instant
  }

  private var buckets: [AppID?: Bucket] = [:]

  /// Returns the amount that an app has spent and that has not been refilled yet.
  ///
  /// - Parameters:
  ///   - app: The app, or `nil` for the user.
  ///   - now: The current time.
  ///   - perHour: The amount that is refilled per hour.
  mutating func spent(by app: AppID?, at now: Instant, perHour: Double) -> Double {
    guard var bucket = buckets[app] else { return 0 }
    // The clock may have been set back.
    let hours = max(0, Double(bucket.at.span(to: now).milliseconds) / 3_600_000)
    bucket = Bucket(spent: max(0, bucket.spent - hours * perHour), at: now)
    buckets[app] = bucket.spent > 0 ? bucket : nil
    return bucket.spent
  }

  /// Spends an amount of an app's budget, at the instant of the last call of ``spent(by:at:perHour:)``.
  mutating func spend(_ amount: Int, of app: AppID?, at now: Instant) {
    buckets[app, default: Bucket(spent: 0, at: now)].spent += Double(amount)
  }
}

extension LoadedDevice {
  /// Spends the write budget of an event's app.
  ///
  /// - Throws: ``RuntimeError`` `overloaded` if the budget is exceeded; `RequestError` `resourceExhausted` if it never
  ///   suffices for the event.
  func spendWrite(_ event: Event, at now: Instant, _ configuration: Runtime.Configuration) throws {
    let (size, app) = (event.budgetedSize, event.writer)
    guard size > 0 else { return }
    let (burst, hourly) = (configuration.appWriteSizeBurst, configuration.appWriteSizeHourly)
    let spent = writes.spent(by: app, at: now, perHour: Double(hourly))
    let excess = spent + Double(size) - Double(burst)
    guard excess <= 0 else {
      let message =
        "\(Int(saturating: spent + Double(size))) bytes written exceeds app-write-size-burst (\(burst)), "
        + "which is refilled at app-write-size-hourly (\(hourly))"
      guard size <= burst, hourly > 0 else { throw RequestError(.resourceExhausted, message) }
      throw Self.overload(message, excess, perHour: Double(hourly))
    }
    writes.spend(size, of: app, at: now)
  }

  /// Spends the relearning budget of an event's app, for as much work as relearning `count` donations.
  ///
  /// A single event may exceed the rate: it is rejected only because of earlier events.
  ///
  /// - Throws: ``RuntimeError`` `overloaded` if the budget is exceeded.
  func spendRelearning(
    _ count: Int, for event: Event, at now: Instant, _ configuration: Runtime.Configuration
  ) throws(RuntimeError) {
    let (app, rate) = (event.writer, configuration.relearnedDonationRateMax)
    let spent = relearnings.spent(by: app, at: now, perHour: Double(rate) * 60)
    let excess = spent + Double(count) - Double(rate)
    guard spent == 0 || excess <= 0 else {
      throw Self.overload(
        "\(Int(saturating: spent + Double(count))) relearned donations exceeds relearned-donation-rate-max (\(rate)); "
          + "this change of earlier donations counts as \(count)", min(excess, spent), perHour: Double(rate) * 60)
    }
    relearnings.spend(count, of: app, at: now)
  }

  /// Returns the error of an exhausted budget, with the time until the missing amount is refilled.
  private static func overload(_ message: String, _ missing: Double, perHour: Double) -> RuntimeError {
    guard perHour > 0 else { return RuntimeError(.overloaded, message) }
    let seconds = (missing / perHour * 3_600).rounded(.up)
    return RuntimeError(
      .overloaded, "\(message); try again in \(Int(saturating: seconds)) s", retryDelay: TimeSpan(seconds: seconds))
  }
}

extension Event {
  /// The app that caused the event, or `nil`.
  var writer: AppID? {
    switch self {
    case .kindsRegistered(let app, _), .intentTypesRegistered(let app, _), .relevantShortcutsSet(let app, _),
      .relevantIntentsSet(let app, _), .upcomingMediaSet(let app, _), .reloadRequested(let app, _),
      .donated(let app, _), .kindsRemoved(let app, _), .intentTypesRemoved(let app, _):
      app
    case .timelinePublished(let widget, _): widget.kind.app
    case .donationsDeleted(let app, _), .donationsRedacted(let app), .donationsTrimmed(let app, _, _): app
    case .stackEdited, .reported, .policyChanged, .policyOverridden, .developerModeChanged, .timeZoneChanged,
      .languageChanged, .utcOffsetsLearned, .focusFilterSet, .focusFilterRemoved, .appRemoved, .contentRemoved:
      nil
    }
  }

  /// The bytes that count against the writer's budget. Events of bounded size and deletions are free.
  var budgetedSize: Int {
    switch self {
    case .timelinePublished(let widget, let timeline):
      timeline.storedSize + (widget.configuration?.encoded.count ?? 0)
    case .kindsRegistered, .intentTypesRegistered, .relevantShortcutsSet, .relevantIntentsSet, .upcomingMediaSet,
      .donated:
      encoded.count
    case .focusFilterSet(_, _, let intent): intent.encoded.count
    case .stackEdited(_, let edit): edit.newConfiguration?.encoded.count ?? 0
    case .reported(let report): report.configuration?.encoded.count ?? 0
    case .reloadRequested, .policyChanged, .policyOverridden, .developerModeChanged, .timeZoneChanged,
      .languageChanged, .utcOffsetsLearned, .donationsDeleted, .donationsRedacted, .donationsTrimmed,
      .focusFilterRemoved, .kindsRemoved,
      .intentTypesRemoved, .appRemoved, .contentRemoved:
      0
    }
  }

  /// The approximate number of bytes of the event in the journal.
  var journalSize: Int {
    switch self {
    case .timelinePublished(_, let timeline): timeline.storedSize
    case .donated(_, let donations): donations.count * 256
    case .intentTypesRegistered, .relevantShortcutsSet, .relevantIntentsSet, .upcomingMediaSet, .focusFilterSet:
      encoded.count
    case .kindsRegistered, .stackEdited, .reported, .reloadRequested, .policyChanged, .policyOverridden,
      .developerModeChanged, .timeZoneChanged, .languageChanged, .utcOffsetsLearned, .donationsDeleted,
      .donationsRedacted, .donationsTrimmed, .focusFilterRemoved, .kindsRemoved, .intentTypesRemoved, .appRemoved,
      .contentRemoved:
      64
    }
  }
}

extension StackEdit {
  fileprivate var newConfiguration: Intent? {
    switch self {
    case .add(let widget, _), .replace(_, let widget), .move(let widget, _): widget.configuration
    case .create, .remove, .removeStack, .setSmartRotate, .setWidgetSuggestions, .setPin, .setRotationRule: nil
    }
  }
}

extension UserReport {
  fileprivate var configuration: Intent? {
    switch self {
    case .scrolled(_, let widget), .tapped(_, let widget), .reload(let widget), .widgetSuggestionBlocked(let widget, _),
      .widgetSuggestionSnoozed(let widget, _), .homeWidgetAdded(let widget, _):
      widget.configuration
    case .shown, .hidden, .appOpened, .appClosed, .contextChanged, .suggestionDismissed, .suggestionKept,
      .appSuggestionBlocked, .appSuggestionSnoozed, .homeWidgetRemoved, .surfaceSuggestion, .widgetSizeChanged:
      nil
    }
  }
}
