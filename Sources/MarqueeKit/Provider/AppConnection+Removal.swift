import MarqueeModel

/// The removal of what an update of the app no longer has. A host registers what its bundle has, and removes nothing by
/// itself: another process of the app may provide it.
extension AppConnection {
  /// Removes widget kinds of the app with everything that the device keeps of them: their widgets, timelines and
  /// shortcuts. Returns when they are erased from every file.
  ///
  /// A host that still has a removed kind registers it again when it reconnects.
  ///
  /// - Parameter kinds: The kinds' names, without duplicates; kinds that the device does not have are ignored.
  /// - Returns: The number of removed kinds.
  @discardableResult
  public func removeKinds(_ kinds: [String]) async throws -> Int {
    let names = try kinds.map { (name) throws(RequestError) in try KindName(name) }
    return try await inOrder { provider in try await provider.removeKinds(names) }.value
  }

  /// Removes intent types of the app with everything that the device keeps of them: their donations and everything
  /// learned from them, their shortcuts and media. Returns when they are erased from every file.
  ///
  /// - Parameter types: The types' names, without duplicates; types that the device does not have are ignored.
  /// - Returns: The number of removed types.
  /// - Throws: An error if a type configures a kind that the device has; remove the kind first.
  @discardableResult
  public func removeIntentTypes(_ types: [String]) async throws -> Int {
    let names = try types.map { (name) throws(RequestError) in try IntentType(name) }
    return try await inOrder { provider in try await self.remove(names, with: provider) }.value
  }
}
