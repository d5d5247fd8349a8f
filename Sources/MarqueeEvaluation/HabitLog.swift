/// A log of user actions: one line per completed action, with tab-separated fields.
///
/// The fields are `person, local_time, action, parameter, place`; the last two can be empty or missing. Times are
/// local, such as `2013-11-11T09:35:09`. A header line is skipped. Lines of several people can be mixed and unordered:
/// they are sorted by time, and lines with equal times keep their order.
public struct HabitLog: Sendable, Equatable {
  /// One completed action.
  public struct Use: Sendable, Equatable {
    /// The number of local days since 1 January 1970.
    public let day: Int
    /// The number of seconds since local midnight.
    public let second: Int
    /// The number of the action with its parameter, in order of the person's first use.
    public let item: Int
    /// The number of the action without its parameter.
    public let action: Int
    /// The number of the place, or `nil` if none is given.
    public let place: Int?

    /// The local time in seconds since the start of 1970.
    public var time: Int { day * 86_400 + second }
  }

  /// An action with its parameter. Items are equal if their UTF-8 bytes are equal.
  public struct Item: Sendable, Hashable {
    public let action: String
    /// The parameter, which may be empty.
    public let parameter: String

    public static func == (left: Item, right: Item) -> Bool {
      left.action.utf8.elementsEqual(right.action.utf8) && left.parameter.utf8.elementsEqual(right.parameter.utf8)
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(Array(action.utf8))
      hasher.combine(Array(parameter.utf8))
    }
  }

  /// One person's uses in chronological order.
  public struct Person: Sendable, Equatable {
    public let name: String
    public let uses: [Use]
    /// The items, indexed by their numbers.
    public let items: [Item]

    /// The number of distinct items.
    public var itemCount: Int { items.count }
  }

  /// The people in order of first appearance.
  public let people: [Person]

  /// The number of uses of all people.
  public var useCount: Int { people.reduce(0) { $0 + $1.uses.count } }

  /// Creates a log of people whose uses are in chronological order.
  init(people: [Person]) { self.people = people }

  /// Parses the bytes of a file with Unix or Windows line endings.
  ///
  /// - Throws: ``HabitLogError`` for the first invalid line, or if the file has no actions.
  public init(bytes: some Sequence<UInt8>) throws(HabitLogError) {
    var drafts: [Draft] = []
    var indexes: [[UInt8]: Int] = [:]
    var number = 0
    for line in HabitLine.lines(of: bytes) {
      number += 1
      guard let line = try HabitLine(line, number: number) else { continue }
      let person = Array(line.person.utf8)
      let index = indexes[person] ?? drafts.count
      if index == drafts.count {
        indexes[person] = index
        drafts.append(Draft(name: line.person))
      }
      drafts[index].add(line)
    }
    guard !drafts.isEmpty else { throw HabitLogError(line: nil, problem: "the file has no actions") }
    people = drafts.map(\.person)
  }

  /// A person while the file is being parsed.
  private struct Draft {
    let name: String
    var lines: [HabitLine] = []

    init(name: String) { self.name = name }

    mutating func add(_ line: HabitLine) { lines.append(line) }

    var person: Person {
      let order = lines.indices.sorted { (lines[$0].time, $0) < (lines[$1].time, $1) }
      var (numbers, actions, places): ([Item: Int], [[UInt8]: Int], [[UInt8]: Int]) = ([:], [:], [:])
      var items: [Item] = []
      let uses = order.map { index in
        let line = lines[index]
        let pair = Item(action: line.action, parameter: line.parameter)
        let item = Self.number(of: pair, in: &numbers)
        if item == items.count { items.append(pair) }
        let action = Self.number(of: Array(line.action.utf8), in: &actions)
        let place = line.place.isEmpty ? nil : Self.number(of: Array(line.place.utf8), in: &places)
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

/// An error in a line of a log.
public struct HabitLogError: Error, Equatable, CustomStringConvertible {
  /// The line, counted from 1; `nil` for a problem of the whole file.
  public let line: Int?
  public let problem: String

  public var description: String { line.map { "line \($0): \(problem)" } ?? problem }
}
