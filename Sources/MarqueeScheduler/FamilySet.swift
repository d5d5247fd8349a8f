import MarqueeModel

/// A set of widget families.
struct FamilySet: Equatable, Sendable {
  private var bits: UInt16 = 0

  init() {}

  mutating func insert(_ family: WidgetFamily) { bits |= 1 << family.rawValue }

  func contains(_ family: WidgetFamily) -> Bool { bits & 1 << family.rawValue != 0 }
}
