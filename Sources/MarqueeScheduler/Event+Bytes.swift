import MarqueeModel

extension Event: BinaryCodable {
  /// The first byte of the encoding of every ``donated(_:_:)`` event, and of no other event.
  public static let donatedTag: UInt8 = 15
  /// The first byte of the encoding of every ``donationsRedacted(_:)`` event, and of no other event.
  public static let redactedTag: UInt8 = 17

  public func write(to writer: inout ByteWriter) {
    switch self {
    case .kindsRegistered(let app, let descriptors): writer.write(tag: 1, app, descriptors)
    case .timelinePublished(let widget, let timeline): writer.write(timeline, of: widget)
    case .reloadRequested(let app, let kind):
      writer.write(tag: 3)
      writer.write(app)
      writer.write(kind)
    case .stackEdited(let stack, let edit):
      writer.write(tag: 4)
      writer.write(stack)
      writer.write(edit)
    case .reported(let report):
      writer.write(tag: 5)
      writer.write(report)
    case .policyChanged(let policy):
      writer.write(tag: policy.hasRotationCost ? 37 : 30)
      writer.write(policy)
      if policy.hasRotationCost { writer.write(policy.rotationCost) }
    case .developerModeChanged(let isOn):
      writer.write(tag: 7)
      writer.write(isOn)
    case .timeZoneChanged(let zone):
      writer.write(tag: 8)
      writer.write(zone)
    case .languageChanged(let language):
      writer.write(tag: 36)
      writer.write(language)
    case .intentTypesRegistered(let app, let descriptors): writer.write(tag: 29, app, descriptors)
    case .relevantShortcutsSet(let app, let shortcuts): writer.write(tag: 11, app, shortcuts)
    case .relevantIntentsSet(let app, let intents): writer.write(tag: 12, app, intents)
    case .policyOverridden(let change):
      writer.write(tag: 13)
      writer.write(change)
    case .utcOffsetsLearned(let offsets):
      writer.write(tag: 14)
      writer.write(offsets)
    case .donated(let app, let donations): writer.write(tag: Self.donatedTag, app, donations)
    case .donationsDeleted(let app, let selection):
      writer.write(tag: 16)
      writer.write(app)
      writer.write(selection)
    case .donationsRedacted(let app):
      writer.write(tag: Self.redactedTag)
      writer.write(app)
    case .donationsTrimmed(let app, let count, let onlyReceived):
      writer.write(tag: onlyReceived ? 33 : 18)
      writer.write(app)
      writer.write(count)
    case .upcomingMediaSet(let app, let media):
      writer.write(tag: 21)
      writer.write(app)
      writer.write(media)
    case .focusFilterSet(let app, let focus, let intent):
      writer.write(tag: 32, isSet: true, app, focus)
      writer.write(intent)
    case .focusFilterRemoved(let key):
      writer.write(tag: 32, isSet: false, key.app, key.focus)
      writer.write(key.intentType)
    case .contentRemoved: writer.write(tag: 23)
    case .kindsRemoved(let app, let kinds): writer.write(tag: 24, app, kinds)
    case .intentTypesRemoved(let app, let types): writer.write(tag: 25, app, types)
    case .appRemoved(let app):
      writer.write(tag: 26)
      writer.write(app)
    }
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    switch try reader.readTag() {
    case 1: self = .kindsRegistered(try reader.read(), try reader.readArray())
    case 2: self = .timelinePublished(try reader.read(), try reader.read())
    case 3: self = .reloadRequested(try reader.read(), kind: try reader.readOptional())
    case 4: self = .stackEdited(try reader.read(), try reader.read())
    case 5: self = .reported(try reader.read())
    case 6: self = .policyChanged(try Policy(v1: &reader))
    case 7: self = .developerModeChanged(try reader.readBool())
    case 8: self = .timeZoneChanged(try reader.read())
    case 9: self = .policyChanged(try Policy(v2: &reader))
    case 10: self = .intentTypesRegistered(try reader.read(), try IntentTypeDescriptor.array(v1: &reader))
    case 11: self = .relevantShortcutsSet(try reader.read(), try reader.readArray())
    case 12: self = .relevantIntentsSet(try reader.read(), try reader.readArray())
    case 13: self = .policyOverridden(try reader.read())
    case 14: self = .utcOffsetsLearned(try reader.read())
    case Self.donatedTag: self = .donated(try reader.read(), try reader.readArray())
    case 16: self = .donationsDeleted(try reader.readOptional(), try reader.read())
    case Self.redactedTag: self = .donationsRedacted(try reader.readOptional())
    case 18: self = .donationsTrimmed(try reader.readOptional(), keeping: try reader.readInt())
    case 19: self = .policyChanged(try Policy(v3: &reader))
    case 20: self = .policyChanged(try Policy(v4: &reader))
    case 21: self = .upcomingMediaSet(try reader.read(), try reader.read())
    case 22:
      let (widget, family) = (try reader.read(Widget.self), try reader.read(WidgetFamily.self))
      self = .timelinePublished(widget, try reader.read(Timeline.self).made(for: family))
    case 23: self = .contentRemoved
    case 24: self = .kindsRemoved(try reader.read(), try reader.readArray())
    case 25: self = .intentTypesRemoved(try reader.read(), try reader.readArray())
    case 26: self = .appRemoved(try reader.read())
    case 27: self = .policyChanged(try Policy(v5: &reader))
    case 29: self = .intentTypesRegistered(try reader.read(), try reader.readArray())
    case 30: self = .policyChanged(try reader.read())
    case 32:
      let (isSet, app, focus) = (try reader.readBool(), try reader.read(AppID.self), try reader.read(FocusID.self))
      self =
        isSet
        ? .focusFilterSet(app, focus, try reader.read())
        : .focusFilterRemoved(FocusFilter.Key(app: app, intentType: try reader.read(), focus: focus))
    case 33:
      self = .donationsTrimmed(try reader.readOptional(), keeping: try reader.readInt(), onlyReceived: true)
    case 36: self = .languageChanged(try reader.read())
    case 37:
      var policy = try reader.read(Policy.self)
      try policy.readRotationCost(from: &reader)
      self = .policyChanged(policy)
    case let tag: throw reader.corrupt("unknown event tag \(tag)")
    }
  }
}

extension ByteWriter {
  /// Appends an event that consists of an app and a list.
  fileprivate mutating func write(tag: UInt8, _ app: AppID, _ values: [some BinaryCodable]) {
    write(tag: tag)
    write(app)
    write(values)
  }

  /// Appends what events about Focus filters begin with.
  fileprivate mutating func write(tag: UInt8, isSet: Bool, _ app: AppID, _ focus: FocusID) {
    write(tag: tag)
    write(isSet)
    write(app)
    write(focus)
  }

  /// Appends a publication, with tag 22 if the timeline has a family, otherwise with tag 2.
  fileprivate mutating func write(_ timeline: Timeline, of widget: Widget) {
    write(tag: timeline.family == nil ? 2 : 22)
    write(widget)
    if let family = timeline.family { write(family) }
    write(timeline)
  }
}
