import MarqueeModel

extension Sampler {
  /// Returns widget events, one of each kind.
  public mutating func widgetEvents() throws -> [WidgetEvent] {
    let link = try once(in: 2) ? EntryLink("transit://lines/\(number(in: 1...9))") : nil
    let inStack: [WidgetEvent.Change] = [
      .suggested, .visible, .hidden,
      .impressions(count: number(in: 0...99), visibleTime: .seconds(Int64(number(in: 0...9_999)))),
    ]
    let anywhere: [WidgetEvent.Change] = [.placed, .removed, .tapped(entry: maybe { $0.instant() }, link: link)]
    var events = try (inStack + anywhere).map { change in
      WidgetEvent(at: instant(), try placement(in: identifier()), change, isInitial: once(in: 2))
    }
    for change in anywhere { events.append(WidgetEvent(at: instant(), try placement(in: nil), change)) }
    let instance = WidgetInstance(try widget(), in: .systemSmall)
    events.append(
      WidgetEvent(at: instant(), WidgetPlacement(instance, in: nil), .resized(from: .systemLarge)))
    return events
  }

  private mutating func placement(in stack: StackID?) throws -> WidgetPlacement {
    WidgetPlacement(WidgetInstance(try widget(), in: family()), in: stack)
  }
}
