import MarqueeModel
import MarqueeScheduler
import Testing

/// The events after which displays compare the labels of widgets (rule X1).
@Suite struct LabelChangeTests {
  @Test("X1 A registration with other texts can change the labels of its app, and a repeated one changes none")
  func registrations() throws {
    let (app, type) = (try AppID("com.example.tea"), try IntentType("OrderTea"))
    let kind = WidgetKind(app: app, name: try KindName("Tea"))
    func kinds(_ name: String, _ description: String = "") throws -> Event {
      .kindsRegistered(
        app,
        [try WidgetDescriptor(kind: kind, displayName: name, descriptionText: description, families: [.systemSmall])])
    }
    func types(_ title: String) throws -> Event {
      .intentTypesRegistered(
        app, [try IntentTypeDescriptor(app: app, type: type, parameters: [], combinations: [], title: title)])
    }
    var device = Device(id: try DeviceID("phone"), timeZone: try TimeZoneID("UTC"), at: .min)
    for (first, same, other) in [
      (try kinds("Tea"), try kinds("Tea", "Shows tea."), try kinds("Tee")),
      (try types("Order Tea"), try types("Order Tea"), try types("Tee bestellen")),
    ] {
      let changes = [first, same, other].map { event in
        let change = device.labelChange(by: event)
        _ = device.handle(event, at: .min)
        return change
      }
      #expect(changes == [.app(app), nil, .app(app)])
    }
    let events: [Event] = [
      .languageChanged(.english), .timeZoneChanged(try TimeZoneID("Europe/Berlin")), .appRemoved(app),
    ]
    let changes = events.map { device.labelChange(by: $0) }
    #expect(changes == [nil, .all, nil])
    let widget = Widget(kind: kind)
    let others = [LabelChange.app(try AppID("com.example.coffee")), .app(app), .all].map { $0.includes(widget) }
    #expect(others == [false, true, true])
  }
}
