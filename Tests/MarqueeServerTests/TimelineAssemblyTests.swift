import MarqueeModel
import MarqueeTransport
import MarqueeWire
import Testing

@testable import MarqueeServer

@Suite("Timelines in parts")
struct TimelineAssemblyTests {
  private static func widget() throws -> Widget {
    Widget(kind: WidgetKind(app: try AppID("com.example.weather"), name: try KindName("Forecast")))
  }

  private static func part(
    _ number: UInt64, isFirst: Bool = false, size: Int = 1_000, isCommit: Bool = false
  ) throws -> TimelinePart {
    let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: 1, count: size))
    return TimelinePart(
      publish: try #require(PublishID(number)), widget: isFirst ? try widget() : nil, policy: nil,
      entries: [TimelineEntry(date: try #require(Instant(milliseconds: 0)), content: content)],
      isCommit: isCommit)
  }

  private static func assembly(_ budget: ByteBudget) -> TimelineAssembly {
    TimelineAssembly(limits: .default, memory: ByteReservation([budget]))
  }

  @Test("A part over the budget is rejected with the limit's name, and its timeline releases its memory")
  func rejected() throws {
    let budget = ByteBudget(limit: "connection-timeline-size-max", of: "uncommitted timelines", sizeMax: 4_000)
    var assembly = Self.assembly(budget)
    #expect(try assembly.append(Self.part(1, isFirst: true)) == nil)
    #expect(try assembly.append(Self.part(2, isFirst: true)) == nil)
    let reserved = budget.size
    let error = #expect(throws: RequestError.self) { try assembly.append(Self.part(2)) }
    #expect(error?.code == .resourceExhausted)
    #expect(error?.reason == "too many bytes of uncommitted timelines (connection-timeline-size-max: 4000)")
    #expect(budget.size == reserved / 2)
    // Open timelines can be committed, and timelines of one part need no budget.
    #expect(try assembly.append(Self.part(1, isCommit: true))?.entries.count == 2)
    #expect(budget.size == 0)
    #expect(try assembly.append(Self.part(3, isFirst: true, size: 60_000, isCommit: true)) != nil)
  }

  /// The first part of a timeline without entries, whose widget's configuration has `valueCount` values.
  private static func part(_ number: UInt64, valueCount: Int) throws -> TimelinePart {
    let value = ParameterValue.array(Array(repeating: .string("0123456789"), count: valueCount))
    let intent = try Intent(
      type: IntentType("ChooseCity"), parameters: [IntentParameter(name: .init("cities"), value: value)])
    return TimelinePart(
      publish: try #require(PublishID(number)), widget: Widget(kind: try widget().kind, configuration: intent),
      policy: nil, entries: [], isCommit: false)
  }

  @Test("The configuration in the first part is counted once, and one over its limit is rejected")
  func configuration() throws {
    let budget = ByteBudget(limit: "size-max", of: "things", sizeMax: .max)
    var assembly = Self.assembly(budget)
    let part = try Self.part(1, valueCount: 100)
    _ = try assembly.append(part)
    let reserved = budget.size
    #expect(reserved > (part.widget?.configuration?.encoded.count ?? .max))
    _ = try assembly.append(Self.part(1, size: 0))
    #expect(budget.size - reserved < reserved)
    var limits = Limits.default
    limits.configurationSizeMax = 100
    var strict = TimelineAssembly(limits: limits, memory: ByteReservation([budget]))
    let error = #expect(throws: RequestError.self) { try strict.append(part) }
    #expect(error?.code == .resourceExhausted)
    #expect(error?.reason.hasSuffix(" exceeds configuration-size-max (100)") == true)
    assembly.discardAll()
    #expect(budget.size == 0)
  }

  @Test("W1 A timeline has the family of its first part", arguments: [nil, .systemLarge] as [WidgetFamily?])
  func family(family: WidgetFamily?) throws {
    var assembly = Self.assembly(ByteBudget(limit: "size-max", of: "things", sizeMax: .max))
    var first = try Self.part(1, isFirst: true)
    first.family = family
    _ = try assembly.append(first)
    var last = try Self.part(1, isCommit: true)
    last.family = .systemSmall
    let complete = try #require(try assembly.append(last))
    #expect(complete.family == family && complete.entries.count == 2)
  }

  @Test("Entries without content are counted too")
  func entries() throws {
    let budget = ByteBudget(limit: "size-max", of: "things", sizeMax: .max)
    var assembly = Self.assembly(budget)
    _ = try assembly.append(Self.part(1, isFirst: true, size: 0))
    #expect(budget.size > MemoryLayout<TimelineEntry>.stride)
  }

  @Test("The memory of abandoned and rejected timelines, and of all at the stream's end, is released at once")
  func released() throws {
    let budget = ByteBudget(limit: "size-max", of: "things", sizeMax: .max)
    var assembly = Self.assembly(budget)
    for number in 1...3 as ClosedRange<UInt64> { _ = try assembly.append(Self.part(number, isFirst: true)) }
    let all = budget.size
    assembly.abandon(try #require(PublishID(1)))
    #expect(budget.size == all / 3 * 2)
    _ = assembly.reject(try #require(PublishID(2)), isCommit: false)
    #expect(budget.size == all / 3)
    assembly.discardAll()
    #expect(budget.size == 0)
  }

  @Test("An entry or a fallback over content-size-max is named by its index among all entries, in the order sent")
  func largeContent() throws {
    var limits = Limits.default
    limits.contentSizeMax = 1_000
    var assembly = TimelineAssembly(
      limits: limits, memory: ByteReservation([ByteBudget(limit: "size-max", of: "things", sizeMax: .max)]))
    for _ in 0..<2 { _ = try assembly.append(Self.part(1, isFirst: true)) }
    let entry = #expect(throws: RequestError.self) { try assembly.append(Self.part(1, size: 1_001)) }
    #expect(entry?.code == .resourceExhausted && entry?.field == "entries[2].content")
    #expect(entry?.reason == "1001 exceeds content-size-max (1000)")
    var part = try Self.part(2, isFirst: true)
    part.fallback = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: 1, count: 1_001))
    let fallback = #expect(throws: RequestError.self) { try assembly.append(part) }
    #expect(fallback?.field == "fallback" && fallback?.reason == entry?.reason)
  }

  @Test("R15 The group in the first part is part of the timeline")
  func group() throws {
    var assembly = Self.assembly(ByteBudget(limit: "size-max", of: "things", sizeMax: .max))
    var part = try Self.part(1, isFirst: true)
    part.group = try GroupName("bills")
    _ = try assembly.append(part)
    #expect(try assembly.append(Self.part(1, size: 1, isCommit: true))?.group == part.group)
  }

  @Test("W4 A fallback in the first part counts with the entries, and is part of the timeline")
  func fallback() throws {
    let budget = ByteBudget(limit: "size-max", of: "things", sizeMax: .max)
    var limits = Limits.default
    limits.timelineSizeMax = 2_503
    var assembly = TimelineAssembly(limits: limits, memory: ByteReservation([budget]))
    let content = try EntryContent(mediaType: "x", bytes: [UInt8](repeating: 2, count: 1_000))
    var part = try Self.part(1, isFirst: true)
    _ = try assembly.append(part)
    let plainSize = budget.size
    assembly.abandon(part.publish)
    part.fallback = content
    #expect(try assembly.append(part) == nil && budget.size == plainSize + content.storedSize)
    #expect(try assembly.append(Self.part(1, size: 500, isCommit: true))?.fallback == content)
    _ = try assembly.append(part)
    let error = #expect(throws: RequestError.self) { try assembly.append(Self.part(1, size: 501, isCommit: true)) }
    #expect(error?.reason.contains("exceeds timeline-size-max (2503)") == true)
  }
}
