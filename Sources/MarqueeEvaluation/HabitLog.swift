/// Logs of what people did: one line for each completed action, in fields separated by tabs.
///
/// The fields are `person, local_time, action, parameter, place`; the last two may be empty or missing. Times are local
/// wall time such as `2013-11-11T09:35:09`. A first line of those names is skipped. People may be mixed, and a person's
/// lines out of order: they are sorted by time, and lines of one time keep their order.
public struct HabitLog: Sendable, Equatable {
  /// One completed action.
  public struct Use: Sendable, Equatable {
    /// Local days since 1 January 1970.
    public let day: Int
    /// Seconds since local midnight.
    public let second: Int
    /// The number of the action and its parameter, in the order in which the person's pairs first appear in time.
    public let item: Int
    /// The number of the action alone.
    public let action: Int
    /// The number of the place, if one is given.
    public let place: Int?

    /// Seconds of local time since the start of 1970.
    public var time: Int { day * 86_400 + second }
  }

  /// An action with its parameter.
  public struct Item: Sendable, Hashable {
    public let action: String
    /// May be empty.
    public let parameter: String
  }

  /// One person's uses, in order of time.
  public struct Person: Sendable, Equatable {
    public let name: String
    public let uses: [Use]
    /// The items by their numbers.
    public let items: [Item]

    /// One more than the largest number of an item.
    public var itemCount: Int { items.count }
  }

  /// In the order in which they first appear.
  public let people: [Person]

  /// The uses of all people.
  public var useCount: Int { people.reduce(0) { $0 + $1.uses.count } }

  /// Reads the bytes of a file; lines may end as on Unix or Windows.
  public init(bytes: some Sequence<UInt8>) throws(HabitLogError) {
    var drafts: [Draft] = []
    var indexes: [String: Int] = [:]
    var number = 0
    for line in HabitLine.lines(of: bytes) {
      number += 1
      guard let line = try HabitLine(line, number: number) else { continue }
      let index = indexes[line.person] ?? drafts.count
      if index == drafts.count {
        indexes[line.person] = index
        drafts.append(Draft(name: line.person))
      }
      drafts[index].add(line)
    }
    guard !drafts.isEmpty else { throw HabitLogError(line: number, problem: "the file has no actions") }
    people = drafts.map(\.person)
  }

  /// A person being read.
  private struct Draft {
    let name: String
    var lines: [HabitLine] = []

    init(name: String) { self.name = name }

    mutating func add(_ line: HabitLine) { lines.append(line) }

    var person: Person {
      let order = lines.indices.sorted { (lines[$0].time, $0) < (lines[$1].time, $1) }
      var (numbers, actions, places): ([Item: Int], [String: Int], [String: Int]) = ([:], [:], [:])
      var items: [Item] = []
      let uses = order.map { index in
        let line = lines[index]
        let pair = Item(action: line.action, parameter: line.parameter)
        let item = Self.number(of: pair, in: &numbers)
        if item == items.count { items.append(pair) }
        let action = Self.number(of: line.action, in: &actions)
        let place = line.place.isEmpty ? nil : Self.number(of: line.place, in: &places)
        return Use(day: line.day, second: line.second, item: item, action: action, place: place)
      }
      return Person(name: name, uses: uses, items: items)
    }

    private static func number<Name: Hashable>(of name: Name, in numbers: inout [Name: Int]) -> Int {
      if let number = numbers[name] { return number }
      numbers[name] = numbers.count
      return numbers.count - 1
    }
  }
}

/// A line of a log that cannot be read.
public struct HabitLogError: Error, Equatable, CustomStringConvertible {
  /// From 1.
  public let line: Int
  public let problem: String

  public var description: String { "line \(line): \(problem)" }
}
