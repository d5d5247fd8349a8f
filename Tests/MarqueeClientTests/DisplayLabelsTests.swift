import MarqueeClient
import MarqueeModel
import MarqueeTestSupport
import MarqueeWire
import Testing

/// The labels that a display keeps of the widgets that it shows.
@Suite struct DisplayLabelsTests {
  private static func update(_ change: DisplayUpdate.Change) -> DisplayUpdate { DisplayUpdate(at: .min, change) }

  private static func stack(_ members: [Widget]) -> Stack {
    Stack(
      id: Fixture.stack, family: .systemSmall, members: members, front: 0, isSmartRotateOn: true,
      isWidgetSuggestionsOn: true)
  }

  private static func state(_ members: [Widget], _ labels: [Widget]) -> DisplayUpdate {
    update(
      .state(
        DeviceState(
          device: Fixture.device, timeZone: Fixture.berlin, stacks: [stack(members)], entries: [],
          labels: labels.map { WidgetLabel(of: $0) })))
  }

  @Test("X1 A display keeps the labels of the widgets that it shows, and forgets the others")
  func lifetime() {
    let (forecast, rain) = (Fixture.forecast, Fixture.rain)
    var labels = DisplayLabels()
    labels.apply(Self.state([forecast], [forecast]))
    #expect(labels[forecast]?.kindName == "Forecast" && labels.name(of: forecast) == "Forecast")
    #expect(labels[rain] == nil && labels.name(of: rain) == nil)
    labels.apply(Self.update(.label(WidgetLabel(of: rain))))
    labels.apply(Self.update(.homeWidgetAdded(WidgetInstance(rain, in: .systemSmall))))
    #expect(labels[rain]?.accessibilityLabel == "Rain, weather")
    labels.apply(Self.update(.stack(Self.stack([rain]))))
    #expect(labels[forecast] == nil && labels[rain] != nil)
    labels.apply(Self.update(.homeWidgetRemoved(WidgetInstance(rain, in: .systemSmall))))
    #expect(labels[rain] != nil)
    labels.apply(Self.update(.removed(Fixture.stack)))
    #expect(labels == DisplayLabels())
  }

  @Test("X1 Widgets with the same title have names by which they can be told apart")
  func names() throws {
    let widgets = try ["berlin", "paris"].map { city in
      let name = try IntentParameter.Name("city")
      let value = IntentValue.object(DisplayIdentity(identifier: city, display: "City"))
      return Widget(
        kind: Fixture.forecast.kind,
        configuration: try Intent(type: IntentType("City"), parameters: [.init(name: name, value: .single(value))]))
    }
    var labels = DisplayLabels()
    labels.apply(Self.state(widgets, widgets))
    #expect(labels.name(of: widgets[0])?.contains("berlin") == true)
    #expect(labels.name(of: widgets[1])?.contains("paris") == true)
  }
}
