import MarqueeModel
import Synchronization

/// The entries of widgets that need a new entry at the start of each of their date contexts.
///
/// The relevance changes independently of the entries: an entry is outdated once the first start after its date is not
/// the one at which the server requests the next entry.
final class ContextEntries: Sendable {
  private struct Entry {
    let date: Instant
    /// When the server requests the next entry; `nil` if it does not.
    let nextStart: Instant?
  }

  private struct State {
    /// The latest relevance of each kind.
    var relevance: [String: HostedRelevance] = [:]
    /// The latest entries, without outdated ones.
    var entries: [WidgetInstance: Entry] = [:]
    /// The widgets whose entries are being made or published.
    var pending: Set<WidgetInstance> = []
  }

  private let state = Mutex(State())

  /// Whether all entries have been published, and agree with the latest relevance.
  var areCurrent: Bool { state.withLock(\.pending.isEmpty) }

  /// Records that an entry is being made for a widget.
  func begin(_ instance: WidgetInstance) {
    state.withLock { state in
      state.entries[instance] = nil
      state.pending.insert(instance)
    }
  }

  /// Records that an entry with a date has been made for a widget, and returns its reload policy.
  func policy(of instance: WidgetInstance, at date: Instant) -> MarqueeModel.TimelineReloadPolicy {
    state.withLock { state in
      let relevance = state.relevance[instance.widget.kind.name.text]
      let start = relevance?.nextStart(of: instance.widget.configuration, after: date)
      state.entries[instance] = Entry(date: date, nextStart: start)
      return start.map { .after($0) } ?? .never
    }
  }

  /// Records that a widget's entry has been published.
  func end(_ instance: WidgetInstance) {
    state.withLock { state in
      // Without an entry, it became outdated in the meantime, and another is pending.
      if state.entries[instance] != nil { state.pending.remove(instance) }
    }
  }

  /// Records that no entry can be made for a widget.
  func abandon(_ instance: WidgetInstance) {
    state.withLock { state in
      state.entries[instance] = nil
      state.pending.remove(instance)
    }
  }

  /// Replaces the relevance of a kind.
  ///
  /// - Returns: The widgets whose entries are outdated.
  func update(_ relevance: HostedRelevance, of kind: String) -> [WidgetInstance] {
    state.withLock { state in
      state.relevance[kind] = relevance
      let outdated = state.entries.filter { instance, entry in
        instance.widget.kind.name.text == kind
          && relevance.nextStart(of: instance.widget.configuration, after: entry.date) != entry.nextStart
      }
      for instance in outdated.keys {
        state.entries[instance] = nil
        state.pending.insert(instance)
      }
      return Array(outdated.keys)
    }
  }
}
