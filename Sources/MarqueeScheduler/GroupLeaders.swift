import MarqueeModel

/// The widgets that stand for groups when a stack is about to suggest a widget (rule R15).
///
/// They are found in one pass over the widgets in groups, and are valid until a widget or a stack changes. A device
/// without groups has none.
struct GroupLeaders {
  /// A group of an app. The groups of apps are distinct.
  private struct Group: Hashable {
    let app: AppID
    let name: GroupName
  }

  /// The widgets among which one leads a group.
  private enum Scope: Hashable {
    /// Those that can be suggested in a family.
    case family(WidgetFamily)
    /// Those that the stack at a position shows, and that stand for their groups there.
    case stack(Int)
  }

  private struct Key: Hashable {
    let scope: Scope
    let group: Group
  }

  private var leaders: [Key: RankedCandidate] = [:]
  /// The widgets that stacks suggest, by group.
  private var suggested: [Group: [Int]] = [:]

  fileprivate init() {}

  /// Returns the slot of the widget that stands for a group of a suggestion candidate of a stack, or `nil` if the
  /// candidate stands for itself.
  ///
  /// A widget that another stack suggests stands for its groups, so that two stacks do not suggest widgets of one
  /// group. Otherwise the widget that ranks first does, of those that the stack shows or can suggest.
  func representative(of slot: Int, at position: Int, on device: Device) -> Int? {
    guard device.widgets.summaries[slot].isGrouped else { return nil }
    let groups = Self.groups(of: slot, on: device)
    let own = device.stacks.suggestedSlot(position)
    for group in groups {
      if let other = suggested[group]?.first(where: { $0 != own && $0 != slot }) { return other }
    }
    var best = device.rankedCandidate(slot, at: 0)
    for group in groups {
      for scope in [.family(device.stacks[position].family), .stack(position)] as [Scope] {
        guard let leader = leaders[Key(scope: scope, group: group)], leader.slot != best.slot else { continue }
        if leader.outranks(best, in: device.widgets) { best = leader }
      }
    }
    return best.slot == slot ? nil : best.slot
  }

  /// Notes a widget that can be suggested in its family.
  fileprivate mutating func noteSuggestible(_ slot: Int, on device: Device) {
    note(slot, in: .family(device.widgets[slot].family), on: device)
  }

  /// Notes a widget that a stack shows, and that stands for its groups there.
  fileprivate mutating func noteShown(_ slot: Int, at position: Int, on device: Device) {
    note(slot, in: .stack(position), on: device)
    guard device.stacks.suggestedSlot(position) == slot, device.evidence(slot) > 0 else { return }
    for group in Self.groups(of: slot, on: device) { suggested[group, default: []].append(slot) }
  }

  private mutating func note(_ slot: Int, in scope: Scope, on device: Device) {
    let candidate = device.rankedCandidate(slot, at: 0)
    guard candidate.evidence > 0 else { return }
    for group in Self.groups(of: slot, on: device) {
      let key = Key(scope: scope, group: group)
      if let best = leaders[key], !candidate.outranks(best, in: device.widgets) { continue }
      leaders[key] = candidate
    }
  }

  private static func groups(of slot: Int, on device: Device) -> [Group] {
    let app = device.widgets[slot].widget.kind.app
    return device.widgets[slot].groups.map { Group(app: app, name: $0) }
  }
}

extension Device {
  /// Finds the widgets that stand for groups now.
  func groupLeaders() -> GroupLeaders {
    var leaders = GroupLeaders()
    guard !widgets.groupedSlots.isEmpty else { return leaders }
    for slot in widgets.groupedSlots where isSuggestible(slot) { leaders.noteSuggestible(slot, on: self) }
    for position in stacks.indices {
      for index in 0..<stacks[position].shownCount {
        let slot = stacks[position].slot(at: index)
        guard widgets.summaries[slot].isGrouped, canRepresent(slot, at: position) else { continue }
        leaders.noteShown(slot, at: position, on: self)
      }
    }
    return leaders
  }
}
