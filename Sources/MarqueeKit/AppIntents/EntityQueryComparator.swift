import MarqueeModel

/// A comparator of a property, with its mapping.
public struct EntityQueryComparator<Value: SingleParameterValue, Mapping: Sendable> {
  let comparator: PropertyComparison.Comparator
  let mapping: (Value) -> Mapping
}

/// Matches properties equal to the value.
public struct EqualToComparator<Value: SingleParameterValue, Mapping: Sendable>: EntityQueryListItem {
  public let item: EntityQueryComparator<Value, Mapping>

  /// Creates a comparator.
  ///
  /// - Parameter mapping: Returns the query's representation of the comparison with a value.
  public init(_ mapping: @escaping (Value) -> Mapping) {
    item = EntityQueryComparator(comparator: .equalTo, mapping: mapping)
  }
}

/// Matches properties not equal to the value.
public struct NotEqualToComparator<Value: SingleParameterValue, Mapping: Sendable>: EntityQueryListItem {
  public let item: EntityQueryComparator<Value, Mapping>

  /// Creates a comparator.
  ///
  /// - Parameter mapping: Returns the query's representation of the comparison with a value.
  public init(_ mapping: @escaping (Value) -> Mapping) {
    item = EntityQueryComparator(comparator: .notEqualTo, mapping: mapping)
  }
}

/// Matches properties less than the value.
public struct LessThanComparator<Value: SingleParameterValue, Mapping: Sendable>: EntityQueryListItem {
  public let item: EntityQueryComparator<Value, Mapping>

  /// Creates a comparator.
  ///
  /// - Parameter mapping: Returns the query's representation of the comparison with a value.
  public init(_ mapping: @escaping (Value) -> Mapping) {
    item = EntityQueryComparator(comparator: .lessThan, mapping: mapping)
  }
}

/// Matches properties less than or equal to the value.
public struct LessThanOrEqualToComparator<Value: SingleParameterValue, Mapping: Sendable>: EntityQueryListItem {
  public let item: EntityQueryComparator<Value, Mapping>

  /// Creates a comparator.
  ///
  /// - Parameter mapping: Returns the query's representation of the comparison with a value.
  public init(_ mapping: @escaping (Value) -> Mapping) {
    item = EntityQueryComparator(comparator: .lessThanOrEqualTo, mapping: mapping)
  }
}

/// Matches properties greater than the value.
public struct GreaterThanComparator<Value: SingleParameterValue, Mapping: Sendable>: EntityQueryListItem {
  public let item: EntityQueryComparator<Value, Mapping>

  /// Creates a comparator.
  ///
  /// - Parameter mapping: Returns the query's representation of the comparison with a value.
  public init(_ mapping: @escaping (Value) -> Mapping) {
    item = EntityQueryComparator(comparator: .greaterThan, mapping: mapping)
  }
}

/// Matches properties greater than or equal to the value.
public struct GreaterThanOrEqualToComparator<Value: SingleParameterValue, Mapping: Sendable>: EntityQueryListItem {
  public let item: EntityQueryComparator<Value, Mapping>

  /// Creates a comparator.
  ///
  /// - Parameter mapping: Returns the query's representation of the comparison with a value.
  public init(_ mapping: @escaping (Value) -> Mapping) {
    item = EntityQueryComparator(comparator: .greaterThanOrEqualTo, mapping: mapping)
  }
}

/// Matches properties that contain the value.
public struct ContainsComparator<Value: SingleParameterValue, Mapping: Sendable>: EntityQueryListItem {
  public let item: EntityQueryComparator<Value, Mapping>

  /// Creates a comparator.
  ///
  /// - Parameter mapping: Returns the query's representation of the comparison with a value.
  public init(_ mapping: @escaping (Value) -> Mapping) {
    item = EntityQueryComparator(comparator: .contains, mapping: mapping)
  }
}

/// Matches properties with the value as prefix.
public struct HasPrefixComparator<Value: SingleParameterValue, Mapping: Sendable>: EntityQueryListItem {
  public let item: EntityQueryComparator<Value, Mapping>

  /// Creates a comparator.
  ///
  /// - Parameter mapping: Returns the query's representation of the comparison with a value.
  public init(_ mapping: @escaping (Value) -> Mapping) {
    item = EntityQueryComparator(comparator: .hasPrefix, mapping: mapping)
  }
}

/// Matches properties with the value as suffix.
public struct HasSuffixComparator<Value: SingleParameterValue, Mapping: Sendable>: EntityQueryListItem {
  public let item: EntityQueryComparator<Value, Mapping>

  /// Creates a comparator.
  ///
  /// - Parameter mapping: Returns the query's representation of the comparison with a value.
  public init(_ mapping: @escaping (Value) -> Mapping) {
    item = EntityQueryComparator(comparator: .hasSuffix, mapping: mapping)
  }
}
