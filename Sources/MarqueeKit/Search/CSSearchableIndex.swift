import MarqueeClient
import MarqueeModel

/// The app's searchable items. Deleting items deletes the donated user activities that belong to them (rule D4).
///
/// The server does not search items, and does not store them: indexing an item records its domain in this process, so
/// that the item can be deleted by its domain. Items that an earlier process indexed are deleted by their identifiers,
/// by their domain once they are indexed again, or all together. All indexes of an app are one.
///
/// Changes take effect in call order, also relative to donations. Deletions do not end before everything learned from
/// the activities is deleted.
public final class CSSearchableIndex: Sendable {
  /// The maximum number of items in domains that a process records: `searchable-item-count-max`.
  public static let itemCountMax = 65_536

  private static let shared = CSSearchableIndex(name: "default")

  /// Returns the app's index.
  public static func `default`() -> CSSearchableIndex { shared }

  /// Whether items can be indexed: `true`.
  public static func isIndexingAvailable() -> Bool { true }

  /// Creates an index. Its name has no effect.
  public init(name: String) {}

  /// Records the domains of items, and then calls the handler with the error, if any.
  public func indexSearchableItems(
    _ items: [CSSearchableItem], completionHandler: (@Sendable ((any Error)?) -> Void)?
  ) {
    AppConnection.perform({ _ in try Self.domains(of: items) }, completion: completionHandler) {
      connection, _, domains in
      try connection.searchableDomains.add(domains)
    }
  }

  /// Records the domains of items.
  public func indexSearchableItems(_ items: [CSSearchableItem]) async throws {
    try await AppConnection.perform({ _ in try Self.domains(of: items) }) { connection, _, domains in
      try connection.searchableDomains.add(domains)
    }
  }

  /// Returns the validated identifiers and domains of items.
  private static func domains(
    of items: [CSSearchableItem]
  ) throws(RequestError) -> [(item: SearchableItemID, domain: String?)] {
    var domains: [(item: SearchableItemID, domain: String?)] = []
    for (index, item) in items.enumerated() {
      if let size = item.domainIdentifier?.utf8.count, size > SearchableItemID.identifierLengthMax {
        throw .over(
          limit: "identifier-size-max", maximum: SearchableItemID.identifierLengthMax, count: size,
          field: "items[\(index)].domainIdentifier")
      }
      let identifier = try Self.item(item.uniqueIdentifier, "items[\(index)].uniqueIdentifier")
      domains.append((identifier, item.domainIdentifier))
    }
    return domains
  }

  private static func items(_ identifiers: [String]) throws(RequestError) -> [SearchableItemID] {
    var items: [SearchableItemID] = []
    for (index, text) in identifiers.enumerated() { items.append(try item(text, "identifiers[\(index)]")) }
    return items
  }

  private static func item(_ text: String, _ field: String) throws(RequestError) -> SearchableItemID {
    do { return try SearchableItemID(text) } catch { throw error.within(field) }
  }
}

// MARK: Deleting

extension CSSearchableIndex {
  /// Deletes items with the activities that belong to them, and then calls the handler with the error, if any.
  public func deleteSearchableItems(
    withIdentifiers identifiers: [String], completionHandler: (@Sendable ((any Error)?) -> Void)?
  ) {
    AppConnection.perform({ _ in try Self.items(identifiers) }, completion: completionHandler) {
      connection, provider, items in
      try await connection.deleteSearchableItems(items, with: provider)
    }
  }

  /// Deletes items with the activities that belong to them.
  public func deleteSearchableItems(withIdentifiers identifiers: [String]) async throws {
    try await AppConnection.perform({ _ in try Self.items(identifiers) }) { connection, provider, items in
      try await connection.deleteSearchableItems(items, with: provider)
    }
  }

  /// Deletes the items in domains, and in the domains that these contain, with the activities that belong to them, and
  /// then calls the handler with the error, if any.
  public func deleteSearchableItems(
    withDomainIdentifiers domains: [String], completionHandler: (@Sendable ((any Error)?) -> Void)?
  ) {
    AppConnection.perform({ _ in domains }, completion: completionHandler) { connection, provider, domains in
      try await connection.deleteSearchableItems(connection.searchableDomains.items(in: domains), with: provider)
    }
  }

  /// Deletes the items in domains, and in the domains that these contain, with the activities that belong to them.
  public func deleteSearchableItems(withDomainIdentifiers domains: [String]) async throws {
    try await AppConnection.perform({ _ in domains }) { connection, provider, domains in
      try await connection.deleteSearchableItems(connection.searchableDomains.items(in: domains), with: provider)
    }
  }

  /// Deletes all items with the activities that belong to any item, and then calls the handler with the error, if any.
  public func deleteAllSearchableItems(completionHandler: (@Sendable ((any Error)?) -> Void)?) {
    AppConnection.perform({ _ in }, completion: completionHandler) { connection, provider, _ in
      try await connection.deleteAllSearchableItems(with: provider)
    }
  }

  /// Deletes all items with the activities that belong to any item.
  public func deleteAllSearchableItems() async throws {
    try await AppConnection.perform({ _ in }) { connection, provider, _ in
      try await connection.deleteAllSearchableItems(with: provider)
    }
  }
}

extension AppConnection {
  fileprivate func deleteSearchableItems(_ items: [SearchableItemID], with provider: ProviderClient) async throws {
    for batch in items.batches(of: DonationSelection.nameCountMax) {
      try await provider.deleteDonations(.relatedItems(batch))
    }
    searchableDomains.remove(items)
  }

  fileprivate func deleteAllSearchableItems(with provider: ProviderClient) async throws {
    try await provider.deleteDonations(.allRelatedItems)
    searchableDomains.removeAll()
  }
}
