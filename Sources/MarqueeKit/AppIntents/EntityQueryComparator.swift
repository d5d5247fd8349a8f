import MarqueeModel

/// How a property is compared, and what that becomes for the query.
public struct EntityQueryComparator<Value: SingleParameterValue, Mapping: Sendable> {
  let comparator: PropertyComparison.Comparator
  let mapping: (Value) -> Mapping
}

/// It is the same.
public struct EqualToComparator<Value: SingleParameterValue, Mapping: Sendable>: EntityQueryListItem {
  public let item: EntityQueryComparator<Value, Mapping>

  /// What comparing with a value becomes for the query.
  public init(_ mapping: @escaping (Value) -> Mapping) {
    item = EntityQueryComparator(comparator: .equalTo, mapping: mapping)
  }
}

/// It is another.
public struct NotEqualToComparator<Value: SingleParameterValue, Mapping: Sendable>: EntityQueryListItem {
  public let item: EntityQueryComparator<Value, Mapping>

  /// What comparing with a value becomes for the query.
  public init(_ mapping: @escaping (Value) -> Mapping) {
    item = EntityQueryComparator(comparator: .notEqualTo, mapping: mapping)
  }
}

/// It is less.
public struct LessThanComparator<Value: SingleParameterValue, Mapping: Sendable>: EntityQueryListItem {
  public let item: EntityQueryComparator<Value, Mapping>

  /// What comparing with a value becomes for the query.
  public init(_ mapping: @escaping (Value) -> Mapping) {
    item = EntityQueryComparator(comparator: .lessThan, mapping: mapping)
  }
}

/// It is less or the same.
public struct LessThanOrEqualToComparator<Value: SingleParameterValue, Mapping: Sendable>: EntityQueryListItem {
  public let item: EntityQueryComparator<Value, Mapping>

  /// What comparing with a value becomes for the query.
  public init(_ mapping: @escaping (Value) -> Mapping) {
    item = EntityQueryComparator(comparator: .lessThanOrEqualTo, mapping: mapping)
  }
}

/// It is greater.
public struct GreaterThanComparator<Value: SingleParameterValue, Mapping: Sendable>: EntityQueryListItem {
  public let item: EntityQueryComparator<Value, Mapping>

  /// What comparing with a value becomes for the query.
  public init(_ mapping: @escaping (Value) -> Mapping) {
    item = EntityQueryComparator(comparator: .greaterThan, mapping: mapping)
  }
}

/// It is greater or the same.
public struct GreaterThanOrEqualToComparator<Value: SingleParameterValue, Mapping: Sendable>: EntityQueryListItem {
  public let item: EntityQueryComparator<Value, Mapping>

  /// What comparing with a value becomes for the query.
  public init(_ mapping: @escaping (Value) -> Mapping) {
    item = EntityQueryComparator(comparator: .greaterThanOrEqualTo, mapping: mapping)
  }
}

/// It contains the value.
public struct ContainsComparator<Value: SingleParameterValue, Mapping: Sendable>: EntityQueryListItem {
  public let item: EntityQueryComparator<Value, Mapping>

  /// What comparing with a value becomes for the query.
  public init(_ mapping: @escaping (Value) -> Mapping) {
    item = EntityQueryComparator(comparator: .contains, mapping: mapping)
  }
}

/// It begins with the value.
public struct HasPrefixComparator<Value: SingleParameterValue, Mapping: Sendable>: EntityQueryListItem {
  public let item: EntityQueryComparator<Value, Mapping>

  /// What comparing with a value becomes for the query.
  public init(_ mapping: @escaping (Value) -> Mapping) {
    item = EntityQueryComparator(comparator: .hasPrefix, mapping: mapping)
  }
}

/// It ends with the value.
public struct HasSuffixComparator<Value: SingleParameterValue, Mapping: Sendable>: EntityQueryListItem {
  public let item: EntityQueryComparator<Value, Mapping>

  /// What comparing with a value becomes for the query.
  public init(_ mapping: @escaping (Value) -> Mapping) {
    item = EntityQueryComparator(comparator: .hasSuffix, mapping: mapping)
  }
}
