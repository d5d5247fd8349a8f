public import MarqueeModel

/// How a stored device contains its large timelines.
///
/// A timeline is already stored in the event that published it, and can be much larger than the rest of the device. A
/// timeline is referred to only if the sequence of that event is known, and if it is large enough for the reference to
/// be worth an access when the device is loaded.
public enum TimelineStorage: Sendable {
  /// As the sequences of the events that published them.
  case referenced
  /// With their content, for a store that will not retain the events, and with their sequences, so that later states
  /// can refer to them.
  case included
}

/// A source of the timelines to which a stored device refers.
public struct TimelineSource {
  let timeline: (_ sequence: UInt64) throws(BinaryDecodingError) -> Timeline

  /// Creates a source.
  ///
  /// - Parameter timeline: Returns the timeline that the event with a sequence published.
  public init(_ timeline: @escaping (_ sequence: UInt64) throws(BinaryDecodingError) -> Timeline) {
    self.timeline = timeline
  }
}

extension Device {
  /// The timelines whose events are known, by the sequences of these events.
  public var publishedTimelines: [UInt64: Timeline] {
    var timelines: [UInt64: Timeline] = [:]
    for slot in widgets.occupiedSlots {
      guard let sequence = widgets[slot].timelineSequence else { continue }
      timelines[sequence] = widgets[slot].timeline
    }
    return timelines
  }
}

extension WidgetState {
  /// The stored size in bytes from which a timeline is referred to.
  private static let referencedSizeMin = 8_192

  /// Whether ``TimelineStorage/referenced`` replaces the timeline by a reference.
  var isTimelineReferenced: Bool { timelineSequence != nil && timelineSize >= Self.referencedSizeMin }

  func writeTimeline(to writer: inout ByteWriter, _ storage: TimelineStorage) {
    switch (timeline, timelineSequence, storage) {
    case (nil, _, _):
      writer.write(tag: 0)
    case (_?, let sequence?, .referenced) where isTimelineReferenced:
      writer.write(tag: 2)
      writer.write(sequence)
    case (let timeline?, let sequence?, .included):
      // Whatever its size, so that the minimum for references can change.
      writer.write(tag: 3)
      writer.write(sequence)
      writer.write(timeline)
    case (let timeline?, _, _):
      writer.write(tag: 1)
      writer.write(timeline)
    }
  }

  static func readTimeline(
    from reader: inout ByteReader, _ source: TimelineSource
  ) throws(BinaryDecodingError) -> (timeline: Timeline?, sequence: UInt64?) {
    switch try reader.readTag() {
    case 0: return (nil, nil)
    case 1: return (try reader.read(), nil)
    case 2:
      let sequence = try reader.readUInt64()
      return (try source.timeline(sequence), sequence)
    case 3:
      let sequence = try reader.readUInt64()
      return (try reader.read(), sequence)
    case let tag: throw reader.corrupt("unknown timeline storage: \(tag)")
    }
  }
}
