import MarqueeModel
import Testing

@Suite struct IntentTests {
  private func parameter(_ name: String, _ value: ParameterValue) throws -> IntentParameter {
    IntentParameter(name: try .init(name), value: value)
  }

  @Test("Equality compares identifiers, not display strings")
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

  @Test("Values of different types with equal text differ, and so do a value and an array of it")
  func types() throws {
    let identity = DisplayIdentity(identifier: "x", display: "")
    let values: [IntentValue] = [.object(identity), .person(identity), .string("x"), .enumCase("x")]
    #expect(Set(values).count == 4)
    #expect(ParameterValue.single(.integer(1)) != .array([.integer(1)]))
    #expect(IntentValue.integer(1) != .double(1))
  }

  @Test("Equality does not depend on the order of parameters")
  func order() throws {
    let (one, two) = (try parameter("one", .single(.integer(1))), try parameter("two", .single(.integer(2))))
    let type = try IntentType("T")
    #expect(try Intent(type: type, parameters: [one, two]) == Intent(type: type, parameters: [two, one]))
    #expect(try Intent(type: type, parameters: [two, one]).parameters.map(\.name.text) == ["one", "two"])
  }

  @Test("Duplicate names, too many parameters and values over their limit are rejected")
  func rejected() throws {
    func rejection(_ parameters: [IntentParameter]) throws -> RequestError {
      try #require(throws: RequestError.self) { try Intent(type: IntentType("T"), parameters: parameters) }
    }
    let one = try parameter("one", .single(.integer(1)))
    #expect(try rejection([one, one]).code == .invalidArgument)
    let many = try (0...64).map { try parameter("p\($0)", .single(.integer(1))) }
    #expect(try rejection(many).description == "parameters: 65 exceeds parameter-count-max (64)")
    let long = String(repeating: "x", count: 4_097)
    #expect(try rejection([parameter("s", .single(.string(long)))]).code == .resourceExhausted)
    let identity = DisplayIdentity(identifier: "i", display: long)
    #expect(try rejection([parameter("o", .array([.object(identity)]))]).code == .resourceExhausted)
    let elements = [IntentValue](repeating: .boolean(true), count: 257)
    #expect(try rejection([parameter("a", .array(elements))]).reason == "257 exceeds element-count-max (256)")
    for number in [Double.nan, .infinity, -.infinity] {
      #expect(try rejection([parameter("d", .single(.double(number)))]).reason == "\(number) is not finite")
    }
  }

  @Test(
    "A place with coordinates out of range is rejected",
    arguments: [(90.1, 0.0), (-91, 0), (.nan, 0), (0, 180.1), (0, -.infinity), (0, .nan)])
  func places(latitude: Double, longitude: Double) {
    #expect(throws: RequestError.self) { try Place(latitude: latitude, longitude: longitude, display: "") }
  }

  @Test("A description has at least one family, and sorts families")
  func families() throws {
    let kind = WidgetKind(app: try AppID("com.example"), name: try KindName("K"))
    let rejection = try #require(throws: RequestError.self) {
      try WidgetDescriptor(kind: kind, displayName: "", families: [])
    }
    #expect(rejection.field == "families")
    let families: [WidgetFamily] = [.systemLarge, .systemSmall, .systemLarge]
    #expect(
      try WidgetDescriptor(kind: kind, displayName: "", families: families).families == [.systemSmall, .systemLarge])
    #expect(throws: RequestError.self) {
      try WidgetDescriptor(kind: kind, displayName: String(repeating: "x", count: 256), families: families)
    }
  }
}
