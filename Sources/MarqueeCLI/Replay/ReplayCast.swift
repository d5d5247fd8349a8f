import MarqueeEvaluation
import MarqueeModel
import MarqueeWire

/// A person of a ``ReplayPlan`` as the server knows them: a device with a stack, and an app for each action, whose
/// widgets are each configured by one item.
struct ReplayCast: Sendable {
  /// An app, by what it says of itself.
  struct App: Sendable {
    let id: AppID
    var types: [IntentTypeDescriptor]
    var kinds: [WidgetDescriptor]
  }

  static let family = WidgetFamily.systemMedium

  let plan: ReplayPlan
  let device: DeviceID
  let stack: StackID
  /// In the order in which the person first used them.
  let apps: [App]
  /// The widgets by the numbers of their items.
  let widgets: [Widget]

  init(_ person: HabitLog.Person, _ plan: ReplayPlan) throws(Refusal) {
    self.plan = plan
    device = try DeviceID(person.name)
    stack = try StackID("replay")
    var apps: [App] = []
    var widgets: [Widget] = []
    for item in person.items {
      let id = try Self.app(item.action)
      let (type, parameter) = (try IntentType(item.action), try IntentParameter.Name("item"))
      let kind = WidgetKind(app: id, name: try KindName(item.action))
      let intent = try Intent(
        type: type, parameters: [IntentParameter(name: parameter, value: .single(.string(item.parameter)))])
      widgets.append(Widget(kind: kind, configuration: intent))
      let index = apps.firstIndex { $0.id == id } ?? apps.count
      if index == apps.count { apps.append(App(id: id, types: [], kinds: [])) }
      guard !apps[index].types.contains(where: { $0.type == type }) else { continue }
      apps[index].types.append(
        try IntentTypeDescriptor(
          app: id, type: type, parameters: [.init(name: parameter, type: .string)],
          combinations: [.init(parameters: [parameter])]))
      apps[index].kinds.append(
        try WidgetDescriptor(
          kind: kind, displayName: item.action, families: [Self.family], configuration: .intent(type)))
    }
    (self.apps, self.widgets) = (apps, widgets)
  }

  /// The stack's widgets, the most used first.
  var members: [Widget] { plan.items.map { widgets[$0] } }

  /// The number of the widget's item, if it is in the stack.
  func item(of widget: Widget) -> Int? { plan.items.first { widgets[$0] == widget } }

  /// A use as its app tells of it.
  func donation(of use: ReplayPlan.Use) throws -> Donation {
    guard let intent = widgets[use.item].configuration else { preconditionFailure("a widget without an item") }
    return Donation(id: try Donation.ID("\(use.at)"), date: try Self.instant(use.at), deed: .intent(intent))
  }

  /// The instant at which a clock in UTC shows that.
  static func instant(_ milliseconds: Int64) throws(CommandFailure) -> Instant {
    guard let instant = Instant(milliseconds: milliseconds) else {
      throw CommandFailure(.usage, "the log has a time that is not in the years 1970 to 9999")
    }
    return instant
  }

  /// A place that is none other's: what matters of places is that they are told apart.
  static func place(_ number: Int) throws(Refusal) -> Place {
    let (row, column) = number.quotientAndRemainder(dividingBy: 10_000)
    return try Place(latitude: Double(row) / 100, longitude: Double(column) / 100, display: "place \(number)")
  }

  /// The app of an action: its name, with a hyphen for each letter that no app's has.
  private static func app(_ action: String) throws(Refusal) -> AppID {
    let letters = action.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "-" }
    return try AppID("replay.\(String(letters.prefix(200)))")
  }
}
