import MarqueeModel
import MarqueeTestSupport
import Testing

/// The labels of widgets on displays (rule X1).
@Suite struct WidgetLabelTests {
  private static let kind = WidgetKind(app: valid { try AppID("com.example.tea") }, name: valid { try KindName("Tea") })

  private static func widget(_ parameters: [(String, IntentValue)]) throws -> Widget {
    let values = try parameters.map { name, value in
      IntentParameter(name: try IntentParameter.Name(name), value: .single(value))
    }
    return Widget(kind: kind, configuration: try Intent(type: IntentType("OrderTea"), parameters: values))
  }

  @Test("X1 The label of a widget without a configuration has the display name of its kind, or the kind's name")
  func kinds() throws {
    let descriptor = try WidgetDescriptor(kind: Self.kind, displayName: "Tea of the Day", families: [.systemSmall])
    let label = WidgetLabel(of: Widget(kind: Self.kind), descriptor)
    #expect(label.appName == "tea" && label.kindName == "Tea of the Day" && label.display.title == "Tea of the Day")
    #expect(label.accessibilityLabel == "Tea of the Day, tea")
    #expect(WidgetLabel(of: Widget(kind: Self.kind)).accessibilityLabel == "Tea, tea")
  }

  @Test("X1 A screen reader speaks the summary of a configuration, or else its values, and no name of a parameter")
  func configurations() throws {
    let widget = try Self.widget([("tea", .enumCase("green")), ("cups", .integer(2))])
    #expect(WidgetLabel(of: widget).accessibilityLabel == "Tea, 2, green, tea")
    let texts = { (title: String, summary: String) in
      try IntentTypeDescriptor.Combination(
        parameters: [IntentParameter.Name("tea")],
        texts: ActionTexts(title: TextFormat(title), summary: TextFormat(summary)))
    }
    for (title, summary, spoken) in [
      ("Order ${tea}", "A pot of ${tea}", "A pot of Green Tea"), ("Order ${tea}", "", "Order Green Tea"),
    ] {
      let type = try IntentTypeDescriptor(
        app: Self.kind.app, type: IntentType("OrderTea"),
        parameters: [
          IntentTypeDescriptor.Parameter(
            name: IntentParameter.Name("tea"), type: .enumCase,
            caseTitles: [EnumCaseTitle(name: "green", title: "Green Tea")])
        ],
        combinations: [try texts(title, summary)])
      #expect(WidgetLabel(of: widget, nil, type).accessibilityLabel == "Tea, \(spoken), tea")
    }
  }

  @Test("X1 A label is bounded, and so is the text for a screen reader")
  func bounds() throws {
    let long = IntentValue.string(String(repeating: "ä", count: 400))
    let label = WidgetLabel(of: try Self.widget((0..<8).map { ("p\($0)", long) }))
    #expect(label.accessibilityLabel.utf8.count <= ActionDisplay.sizeMax && label.accessibilityLabel.hasSuffix("…"))
    #expect(label.display.title.utf8.count <= ActionDisplay.sizeMax)
  }
}
