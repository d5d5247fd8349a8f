/// A part of an app, such as a Swift package, that declares intents:
///
/// ```swift
/// struct TicketsPackage: AppIntentsPackage {
///   static var appIntents: [any AppIntent.Type] { [BuyTicket.self] }
/// }
/// ```
///
/// A ``WidgetBundle`` includes it in `appIntentsPackages`, and another package in ``includedPackages``. A bundle can
/// itself be a package.
public protocol AppIntentsPackage {
  /// The packages that this one includes. Defaults to none.
  static var includedPackages: [any AppIntentsPackage.Type] { get }

  /// The intents of this package. Defaults to none.
  ///
  /// Apple's systems discover them; here they are listed.
  static var appIntents: [any AppIntent.Type] { get }
}

extension AppIntentsPackage {
  public static var includedPackages: [any AppIntentsPackage.Type] { [] }
  public static var appIntents: [any AppIntent.Type] { [] }
}

extension [any AppIntentsPackage.Type] {
  /// The intents of the packages and of those that they include. A package that is included several times counts once.
  var intents: [any AppIntent.Type] {
    var intents: [any AppIntent.Type] = []
    var seen: Set<ObjectIdentifier> = []
    var rest: Self = reversed()
    while let included = rest.popLast() {
      guard seen.insert(ObjectIdentifier(included)).inserted else { continue }
      intents += included.appIntents
      rest += included.includedPackages.reversed()
    }
    return intents
  }
}

extension [any AppIntent.Type] {
  /// Returns these types and those of `others`, each once.
  func merging(_ others: Self) -> Self {
    var seen: Set<ObjectIdentifier> = []
    return (self + others).filter { seen.insert(ObjectIdentifier($0)).inserted }
  }
}
