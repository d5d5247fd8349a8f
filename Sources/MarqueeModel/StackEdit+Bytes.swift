extension StackEdit: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    switch self {
    case .create(let family):
      writer.write(tag: 1)
      writer.write(family)
    case .removeStack: writer.write(tag: 2)
    case .add(let widget, let index):
      writer.write(tag: 3)
      writer.write(widget)
      writer.write(index.map { $0 + 1 } ?? 0)
    case .remove(let widget):
      writer.write(tag: 4)
      writer.write(widget)
    case .move(let widget, let index):
      writer.write(tag: 5)
      writer.write(widget)
      writer.write(index)
    case .setSmartRotate(let isOn):
      writer.write(tag: 6)
      writer.write(isOn)
    case .setWidgetSuggestions(let isOn):
      writer.write(tag: 7)
      writer.write(isOn)
    case .replace(let widget, let replacement):
      writer.write(tag: 8)
      writer.write(widget)
      writer.write(replacement)
    case .setPin(let widget, let pin):
      writer.write(tag: 9)
      writer.write(widget)
      writer.write(pin)
    case .setRotationRule(let widget, let rule):
      writer.write(tag: 10)
      writer.write(widget)
      writer.write(rule)
    }
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    switch try reader.readTag() {
    case 1: self = .create(try reader.read())
    case 2: self = .removeStack
    case 3:
      let widget = try reader.read(Widget.self)
      let position = try reader.readInt()
      self = .add(widget, at: position == 0 ? nil : position - 1)
    case 4: self = .remove(try reader.read())
    case 5: self = .move(try reader.read(), to: try reader.readInt())
    case 6: self = .setSmartRotate(try reader.readBool())
    case 7: self = .setWidgetSuggestions(try reader.readBool())
    case 8: self = .replace(try reader.read(), with: try reader.read())
    case 9: self = .setPin(try reader.read(), try reader.readOptional())
    case 10: self = .setRotationRule(try reader.read(), try reader.read())
    case let tag: throw reader.corrupt("unknown stack edit: \(tag)")
    }
  }
}

extension UserReport: BinaryCodable {
  public func write(to writer: inout ByteWriter) {
    switch self {
    case .shown(let stack):
      writer.write(tag: 1)
      writer.write(stack)
    case .hidden(let stack):
      writer.write(tag: 2)
      writer.write(stack)
    case .scrolled(let stack, let widget):
      writer.write(tag: 3)
      writer.write(stack)
      writer.write(widget)
    case .tapped(let stack, let widget):
      writer.write(tag: 4)
      writer.write(stack)
      writer.write(widget)
    case .reload(let widget):
      writer.write(tag: 5)
      writer.write(widget)
    case .appOpened(let app):
      writer.write(tag: 6)
      writer.write(app)
    case .appClosed(let app):
      writer.write(tag: 7)
      writer.write(app)
    case .suggestionDismissed(let stack):
      writer.write(tag: 8)
      writer.write(stack)
    case .suggestionKept(let stack):
      writer.write(tag: 9)
      writer.write(stack)
    case .widgetSuggestionBlocked(let widget, let isBlocked):
      writer.write(tag: 10)
      writer.write(widget)
      writer.write(isBlocked)
    case .appSuggestionBlocked(let app, let isBlocked):
      writer.write(tag: 11)
      writer.write(app)
      writer.write(isBlocked)
    case .homeWidgetAdded(let widget, let family): writer.write(widget, family, tags: (12, 18))
    case .homeWidgetRemoved(let widget, let family): writer.write(widget, family, tags: (13, 19))
    case .contextChanged(let change):
      writer.write(tag: 14)
      writer.write(change)
    case .surfaceSuggestion(let surface, let id, let outcome):
      writer.write(tag: 15)
      writer.write(tag: surface.rawValue)
      writer.write(id)
      writer.write(tag: outcome.rawValue)
    case .widgetSuggestionSnoozed(let widget, let until):
      writer.write(tag: 16)
      writer.write(widget)
      writer.write(until)
    case .appSuggestionSnoozed(let app, let until):
      writer.write(tag: 17)
      writer.write(app)
      writer.write(until)
    case .widgetSizeChanged(let family, let size):
      writer.write(tag: 21)
      writer.write(family)
      writer.write(size)
    }
  }

  public init(from reader: inout ByteReader) throws(BinaryDecodingError) {
    switch try reader.readTag() {
    case 1: self = .shown(try reader.read())
    case 2: self = .hidden(try reader.read())
    case 3: self = .scrolled(try reader.read(), to: try reader.read())
    case 4: self = .tapped(try reader.read(), try reader.read())
    case 5: self = .reload(try reader.read())
    case 6: self = .appOpened(try reader.read())
    case 7: self = .appClosed(try reader.read())
    case 8: self = .suggestionDismissed(try reader.read())
    case 9: self = .suggestionKept(try reader.read())
    case 10: self = .widgetSuggestionBlocked(try reader.read(), try reader.readBool())
    case 11: self = .appSuggestionBlocked(try reader.read(), try reader.readBool())
    case 12: self = .homeWidgetAdded(try reader.read())
    case 13: self = .homeWidgetRemoved(try reader.read())
    case 14: self = .contextChanged(try reader.read())
    case 15:
      let (surface, id) = (try reader.readTag(), try reader.read(SuggestionID.self))
      let outcome = try reader.readTag()
      guard let surface = SuggestionSurface(rawValue: surface), let outcome = SuggestionOutcome(rawValue: outcome)
      else { throw reader.corrupt("unknown surface or outcome") }
      self = .surfaceSuggestion(surface, id, outcome)
    case 16: self = .widgetSuggestionSnoozed(try reader.read(), until: try reader.read())
    case 17: self = .appSuggestionSnoozed(try reader.read(), until: try reader.read())
    case 18: self = .homeWidgetAdded(try reader.read(), in: try reader.read(WidgetFamily.self))
    case 19: self = .homeWidgetRemoved(try reader.read(), in: try reader.read(WidgetFamily.self))
    case 21: self = .widgetSizeChanged(try reader.read(), try reader.read())
    case let tag: throw reader.corrupt("unknown report: \(tag)")
    }
  }
}

extension ByteWriter {
  /// Appends a widget, with the second tag and the family if it has one, otherwise with the first tag.
  fileprivate mutating func write(_ widget: Widget, _ family: WidgetFamily?, tags: (UInt8, UInt8)) {
    write(tag: family == nil ? tags.0 : tags.1)
    write(widget)
    if let family { write(family) }
  }
}
