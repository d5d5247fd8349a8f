import MarqueeEvaluation
import MarqueeModel
import MarqueeWire

/// The representation of a person of a ``ReplayPlan`` on the server: a device with a stack, and an app for each action,
/// with one widget configuration per item.
struct BacktestCast: Sendable {
  /// An app and its descriptors.
  struct App: Sendable {
    let id: AppID
    var types: [IntentTypeDescriptor]
    var kinds: [WidgetDescriptor]
  }

  static let family = WidgetFamily.systemMedium

  let plan: ReplayPlan
  let device: DeviceID
  let stack: StackID
  /// The apps in the order in which the user first used them.
  let apps: [App]
  /// The widgets, indexed by item number.
  let widgets: [Widget]

  init(_ person: HabitLog.Person, _ plan: ReplayPlan) throws(RequestError) {
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

  /// Returns the number of the widget's item, or `nil` if it is not in the stack.
  func item(of widget: Widget) -> Int? { plan.items.first { widgets[$0] == widget } }

  /// Returns the donation for a use.
  func donation(of use: ReplayPlan.Use) throws -> Donation {
    guard let intent = widgets[use.item].configuration else { preconditionFailure("a widget without an item") }
    return Donation(id: try Donation.ID("\(use.at)"), date: try Self.instant(use.at), activity: .intent(intent))
  }

  /// Converts a local time in milliseconds to an instant, treating it as UTC.
  static func instant(_ milliseconds: Int64) throws(CommandFailure) -> Instant {
    guard let instant = Instant(milliseconds: milliseconds) else {
      throw CommandFailure(.usage, "the log has a time outside the years 1970 to 9999")
    }
    return instant
  }

  /// Returns a distinct place for each number. Only the distinctness of places matters.
  static func place(_ number: Int) throws(RequestError) -> Place {
    let (row, column) = number.quotientAndRemainder(dividingBy: 10_000)
    return try Place(latitude: Double(row) / 100, longitude: Double(column) / 100, display: "place \(number)")
  }

  /// Returns a bundle identifier for an action: its name, with characters that are invalid in identifiers replaced by
  /// hyphens.
  private static func app(_ action: String) throws(RequestError) -> AppID {
    let letters = action.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "-" }
    return try AppID("replay.\(String(letters.prefix(200)))")
  }
}
