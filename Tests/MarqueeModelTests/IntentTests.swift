import MarqueeModel
import Testing

@Suite struct IntentTests {
  private func parameter(_ name: String, _ value: ParameterValue) throws -> IntentParameter {
    IntentParameter(name: try .init(name), value: value)
  }

  @Test("A display string takes no part in equality; an identifier does")
  func display() throws {
    func city(_ identifier: String, _ display: String) throws -> Widget {
      let object = IntentValue.object(DisplayIdentity(identifier: identifier, display: display))
      return Widget(
        kind: WidgetKind(app: try AppID("com.example.weather"), name: try KindName("Forecast")),
        configuration: try Intent(type: IntentType("City"), parameters: [parameter("city", .single(object))]))
    }
    #expect(try city("cupertino", "Cupertino") == city("cupertino", "Купертино"))
    #expect(try city("cupertino", "Cupertino").hashValue == city("cupertino", "Купертино").hashValue)
    #expect(try city("cupertino", "Here") != city("oakland", "Here"))
    #expect(
      try Place(latitude: 1, longitude: 2, display: "a") == Place(latitude: 1, longitude: 2, display: "b"))
    #expect(
      try Place(latitude: 1, longitude: 2, display: "a") != Place(latitude: 1, longitude: 3, display: "a"))
    #expect(try city("cupertino", "Here").description == "com.example.weather/Forecast(city: cupertino)")
  }

  @Test("Objects, people, strings and enum cases of one text differ, and so do one value and an array of it")
  func types() throws {
    let identity = DisplayIdentity(identifier: "x", display: "")
    let values: [IntentValue] = [.object(identity), .person(identity), .string("x"), .enumCase("x")]
    #expect(Set(values).count == 4)
    #expect(ParameterValue.single(.integer(1)) != .array([.integer(1)]))
    #expect(IntentValue.integer(1) != .double(1))
  }

  @Test("Parameters are equal in whatever order they were given")
  func order() throws {
    let (one, two) = (try parameter("one", .single(.integer(1))), try parameter("two", .single(.integer(2))))
    let type = try IntentType("T")
    #expect(try Intent(type: type, parameters: [one, two]) == Intent(type: type, parameters: [two, one]))
    #expect(try Intent(type: type, parameters: [two, one]).parameters.map(\.name.text) == ["one", "two"])
  }

  @Test("An intent with a name twice, too many parameters or a value over its limit is refused")
  func refused() throws {
    func refusal(_ parameters: [IntentParameter]) throws -> Refusal {
      try #require(throws: Refusal.self) { try Intent(type: IntentType("T"), parameters: parameters) }
    }
    let one = try parameter("one", .single(.integer(1)))
    #expect(try refusal([one, one]).code == .invalidArgument)
    let many = try (0...64).map { try parameter("p\($0)", .single(.integer(1))) }
    #expect(try refusal(many).description == "parameters: parameter-count-max is 64, this would make 65")
    let long = String(repeating: "x", count: 4_097)
    #expect(try refusal([parameter("s", .single(.string(long)))]).code == .resourceExhausted)
    let identity = DisplayIdentity(identifier: "i", display: long)
    #expect(try refusal([parameter("o", .array([.object(identity)]))]).code == .resourceExhausted)
    let elements = [IntentValue](repeating: .boolean(true), count: 257)
    #expect(try refusal([parameter("a", .array(elements))]).reason == "element-count-max is 256, this would make 257")
    for number in [Double.nan, .infinity, -.infinity] {
      #expect(try refusal([parameter("d", .single(.double(number)))]).reason == "\(number) is not finite")
    }
  }

  @Test(
    "A place that is not on Earth is refused",
    arguments: [(90.1, 0.0), (-91, 0), (.nan, 0), (0, 180.1), (0, -.infinity), (0, .nan)])
  func places(latitude: Double, longitude: Double) {
    #expect(throws: Refusal.self) { try Place(latitude: latitude, longitude: longitude, display: "") }
  }

  @Test("A description supports a family at least, and lists families in one order")
  func families() throws {
    let kind = WidgetKind(app: try AppID("com.example"), name: try KindName("K"))
    let refusal = try #require(throws: Refusal.self) { try WidgetDescriptor(kind: kind, displayName: "", families: []) }
    #expect(refusal.field == "families")
    let families: [WidgetFamily] = [.systemLarge, .systemSmall, .systemLarge]
    #expect(
      try WidgetDescriptor(kind: kind, displayName: "", families: families).families == [.systemSmall, .systemLarge])
    #expect(throws: Refusal.self) {
      try WidgetDescriptor(kind: kind, displayName: String(repeating: "x", count: 256), families: families)
    }
  }
}
