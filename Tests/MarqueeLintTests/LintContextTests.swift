import MarqueeLint
import MarqueeModel
import MarqueeScheduler
import Testing

@Suite struct LintContextTests {
  private let midnight = Instant(milliseconds: 1_623_024_000_000)!
  private let widgets: [Widget]
  private var device: Device

  init() throws {
    let app = try AppID("com.example.cards")
    let kind = WidgetKind(app: app, name: try KindName("Cards"))
    let intent = try Intent(type: IntentType("Show"))
    widgets = [Widget(kind: kind), Widget(kind: kind, configuration: intent)]
    device = Device(id: try DeviceID("phone"), timeZone: try TimeZoneID("UTC"), at: midnight)
    let descriptor = try WidgetDescriptor(kind: kind, displayName: "Cards", families: [.systemSmall])
    _ = device.handle(.kindsRegistered(app, [descriptor]), at: midnight)
  }

  @Test("L A publication is checked against the device's state before it")
  mutating func context() throws {
    #expect(
      LintContext(device, publishingFor: widgets[0]) == LintContext(now: midnight, reloadBudget: 10))
    let relevance = try TimelineEntryRelevance(score: 3)
    let entries = [TimelineEntry(date: midnight, relevance: relevance)]
    let timeline = Timeline(submitted: entries, policy: .never)
    _ = device.handle(.timelinePublished(widgets[0], timeline), at: midnight)
    let inForce = RelevanceInForce(score: 3, start: midnight, end: nil)
    #expect(
      LintContext(device, publishingFor: widgets[0])
        == LintContext(now: midnight, inForce: inForce, reference: 3, reloadBudget: 10))
    let other = LintContext(device, publishingFor: widgets[1])
    #expect(other.inForce == nil && other.reference == 3, "the score reference is per kind, the relevance per widget")
  }

  @Test("L The reload budget depends on the device's policy and the widget's time in front")
  mutating func budget() throws {
    var policy = Policy.default
    (policy.reloadCountMin, policy.reloadCountMax, policy.reloadSpacing) = (4, 28, .minutes(7))
    let stack = try StackID("home")
    let events: [Event] = [
      .policyChanged(policy), .stackEdited(stack, .create(.systemSmall)),
      .stackEdited(stack, .add(widgets[0], at: nil)), .reported(.shown(stack)),
    ]
    for event in events { _ = device.handle(event, at: midnight) }
    _ = device.advance(to: midnight.advanced(by: .hours(12)))
    let context = LintContext(device, publishingFor: widgets[0])
    #expect(context.reloadBudget == 16 && context.reloadSpacing == .minutes(7))
    #expect(LintContext(device, publishingFor: widgets[1]).reloadBudget == 4)
  }
}
