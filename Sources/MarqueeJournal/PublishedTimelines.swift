import MarqueeModel
import MarqueeScheduler

/// The timelines to which one device's snapshots refer: those of retained events, and those of expired events that the
/// state at the retention boundary contains.
final class PublishedTimelines {
  private let id: DeviceID
  private let number: Int64
  private let boundary: RetentionBoundary?
  private let view: any JournalView
  private var atBoundary: [UInt64: Timeline]?
  /// The reason why the last timeline could not be read, if any.
  private(set) var error: (any Error)?

  /// - Parameters:
  ///   - id: The device.
  ///   - number: The device's row number.
  ///   - boundary: The beginning of the device's retained history, if that is not its creation.
  ///   - view: The view, which must not be used elsewhere meanwhile.
  init(of id: DeviceID, _ number: Int64, _ boundary: RetentionBoundary?, _ view: any JournalView) {
    self.id = id
    self.number = number
    self.boundary = boundary
    self.view = view
  }

  /// Returns the source for a state after the event with sequence `last`.
  func source(upTo last: UInt64) -> TimelineSource {
    TimelineSource { sequence throws(BinaryDecodingError) in
      do {
        return try self.timeline(sequence, upTo: last)
      } catch {
        self.error = error
        throw BinaryDecodingError(offset: 0, "the timeline of event \(sequence) cannot be read")
      }
    }
  }

  private func timeline(_ sequence: UInt64, upTo last: UInt64) throws -> Timeline {
    if let boundary, sequence <= boundary.sequence {
      let timelines = try atBoundary ?? boundary.device(view).publishedTimelines
      atBoundary = timelines
      if let timeline = timelines[sequence] { return timeline }
    } else if sequence <= last, let event = try event(sequence), case .timelinePublished(_, let timeline) = event {
      return timeline
    }
    throw JournalError(
      .corrupt, "record \(last) of the device refers to event \(sequence), which has no timeline", device: id,
      sequence: last)
  }

  private func event(_ sequence: UInt64) throws -> Event? {
    var selection = RowSelection(.events, of: number)
    (selection.after, selection.countMax) = (Int64(clamping: sequence) - 1, 1)
    guard let row = try view.rows(selection).first, row.number == sequence else { return nil }
    return try StoredRow(row, of: id).decoded()
  }
}
