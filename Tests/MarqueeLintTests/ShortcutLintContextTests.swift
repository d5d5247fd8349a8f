import MarqueeLint
import MarqueeModel
import MarqueeScheduler
import Testing

@Suite struct ShortcutLintContextTests {
  @Test("L A set is checked against the app's kinds, the stacks' families and the policy's point length")
  func context() throws {
    let midnight = Instant.min.advanced(by: .days(18_000))
    var device = Device(id: try DeviceID("phone"), timeZone: try TimeZoneID("UTC"), at: midnight)
    let (cards, news) = (try AppID("com.example.cards"), try AppID("com.example.news"))
    let kinds = try [cards, news].map { app in
      try WidgetDescriptor(
        kind: WidgetKind(app: app, name: KindName("Recent")), displayName: "", families: [.systemLarge, .systemSmall])
    }
    var policy = Policy.default
    policy.pointLength = .minutes(10)
    let events: [Event] = [
      .kindsRegistered(cards, [kinds[0]]), .policyChanged(policy),
      .stackEdited(try StackID("home"), .create(.systemMedium)),
    ]
    #expect(ShortcutLintContext(device, setBy: news).stackFamilies == [])
    for event in events { _ = device.handle(event, at: midnight) }
    #expect(
      ShortcutLintContext(device, setBy: cards)
        == ShortcutLintContext(
          now: midnight, pointLength: .minutes(10), families: [kinds[0].kind.name: [.systemSmall, .systemLarge]],
          stackFamilies: [.systemMedium]))
    #expect(ShortcutLintContext(device, setBy: news).families == [:])
  }
}
