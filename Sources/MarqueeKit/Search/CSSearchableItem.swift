import Foundation

/// The searchable attributes of an item or an activity. The server receives ``relatedUniqueIdentifier`` of activities.
open class CSSearchableItemAttributeSet {
  /// The identifier of the searchable item that the activity belongs to.
  open var relatedUniqueIdentifier: String?
  /// The title of the item.
  open var title: String?
  /// The description of the item.
  open var contentDescription: String?
  /// The words by which the item can be found.
  open var keywords: [String]?

  /// Creates an empty attribute set.
  public init() {}

  /// Creates an empty attribute set. The content type has no effect.
  public convenience init(itemContentType type: String) { self.init() }
}

/// An item that the user can search for.
open class CSSearchableItem {
  /// The identifier of the item, unique in the app.
  open var uniqueIdentifier: String
  /// The identifier of the item's domain, whose items can be deleted together.
  ///
  /// A period separates a domain from one that it contains: `mail.work` is part of `mail`.
  open var domainIdentifier: String?
  /// The searchable attributes.
  open var attributeSet: CSSearchableItemAttributeSet

  /// Creates an item, with a random UUID as identifier if it is `nil`.
  public init(uniqueIdentifier: String?, domainIdentifier: String?, attributeSet: CSSearchableItemAttributeSet) {
    self.uniqueIdentifier = uniqueIdentifier ?? UUID().uuidString
    self.domainIdentifier = domainIdentifier
    self.attributeSet = attributeSet
  }
}
