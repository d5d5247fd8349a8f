import MarqueeModel

extension PropertyComparison {
  /// Returns the comparison with a value of the property's type: an integer is converted to a double.
  ///
  /// - Parameters:
  ///   - entity: An entity with the property.
  ///   - comparators: The supported comparators; `nil` for those of the property's type.
  ///   - field: The field of errors.
  /// - Throws: `RequestError` if there is no such property, or it does not support the comparator or the value.
  func checked(
    for entity: some AppEntity, _ comparators: [Comparator]? = nil, field: String
  ) throws(RequestError) -> PropertyComparison {
    let type = try entity.propertyType(of: property, field: field)
    let name = "\(Swift.type(of: entity)).\(property) (\(type))"
    guard (comparators ?? type.comparators).contains(comparator) else {
      throw RequestError(.invalidArgument, field: field, "\(name) does not support \(comparator)")
    }
    if type == .double, case .integer(let number) = value {
      return PropertyComparison(property, comparator, .double(Double(number)))
    }
    guard value.type == type else {
      throw RequestError(
        .invalidArgument, field: field, "\(name) cannot be compared with a value of type \(value.type)")
    }
    return self
  }

  /// Whether a value of the same type satisfies the comparison. Text is compared ignoring case.
  ///
  /// A property without a value satisfies only `notEqualTo`.
  func isSatisfied(by found: IntentValue?) -> Bool {
    guard let found = found?.lowercased else { return comparator == .notEqualTo }
    let wanted = value.lowercased
    return switch comparator {
    case .equalTo: found == wanted
    case .notEqualTo: found != wanted
    case .lessThan: found.precedes(wanted)
    case .lessThanOrEqualTo: found == wanted || found.precedes(wanted)
    case .greaterThan: wanted.precedes(found)
    case .greaterThanOrEqualTo: found == wanted || wanted.precedes(found)
    case .contains: found.identifier.contains(wanted.identifier)
    case .hasPrefix: found.identifier.hasPrefix(wanted.identifier)
    case .hasSuffix: found.identifier.hasSuffix(wanted.identifier)
    }
  }
}

extension PropertySort {
  /// Returns the error for entities that cannot be sorted by the property.
  func unsupported(by entity: Any.Type, _ type: IntentValueType) -> RequestError {
    RequestError(.invalidArgument, field: "sort.property", "\(entity) cannot be sorted by \(property) (\(type))")
  }
}

extension IntentValueType {
  /// Whether values of the type have an order.
  var isOrdered: Bool { self == .string || comparators.contains(.lessThan) }

  /// The comparators that properties of the type support.
  fileprivate var comparators: [PropertyComparison.Comparator] {
    switch self {
    case .string: [.equalTo, .notEqualTo, .contains, .hasPrefix, .hasSuffix]
    case .integer, .double, .date:
      [.equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo]
    case .boolean, .enumCase, .object, .place, .person: [.equalTo, .notEqualTo]
    }
  }
}

extension IntentValue {
  /// Whether the value is less than another one of the same type. Text is compared ignoring case.
  func precedes(_ other: IntentValue) -> Bool {
    switch (self, other) {
    case (.string(let text), .string(let other)): text.lowercased() < other.lowercased()
    case (.integer(let number), .integer(let other)): number < other
    case (.double(let number), .double(let other)): number < other
    case (.date(let instant), .date(let other)): instant < other
    default: false
    }
  }

  /// The value with text in lower case.
  fileprivate var lowercased: IntentValue {
    if case .string(let text) = self { .string(text.lowercased()) } else { self }
  }
}
